import ArgumentParser
import FencepostAppCommands
import FencepostModel
import FencepostOperation
import FencepostPage
import FencepostServer
import FencepostService
import FencepostStore
import Foundation
import Metrics

/// Runs the service: receives locations over HTTP and MQTT, offers the HTTP API and sends webhooks.
struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Runs the service: ingest, HTTP API and webhooks.",
        discussion: """
            Example:
              fencepost serve --regions Regions --storage /var/lib/fencepost/fencepost.sqlite

            Without a configuration file it listens on 127.0.0.1:8080 and stores its data in fencepost.sqlite in the \
            current folder. If the database contains no token, it issues one with all scopes and prints it.
            """)

    @Option(name: .long, help: "The configuration file.", completion: .file(extensions: ["json"]))
    var config: String?

    @Option(name: .long, help: "Host name or address to listen on.")
    var host: String?

    @Option(name: .long, help: "The port to listen on; 0 for any free port.")
    var port: String?

    @Option(name: .long, help: "The SQLite database.", completion: .file())
    var storage: String?

    @Option(
        name: .long, parsing: .singleValue, help: "A region file, a folder or a pattern; can be repeated.",
        completion: .file())
    var regions: [String] = []

    @Option(
        name: .long, parsing: .singleValue, help: "Simulated apps: a file, a folder or a pattern; can be repeated.",
        completion: .file())
    var apps: [String] = []

    @Option(name: .long, help: "debug, info, warning or error.")
    var logLevel: String?

    @Flag(name: .long, help: "Take the system's clock as right, even if it is behind a time that has passed.")
    var trustClock = false

    @Option(
        name: .long, help: "A folder with the files of the map page, read at each request: to work on the page.",
        completion: .directory)
    var page: String?

    func validate() throws {
        guard let page else { return }
        do throws(PageFolder.Failure) {
            _ = try PageFolder(path: page)
        } catch {
            throw ValidationError("--page: \(error)")
        }
    }

    func run() async throws {
        let first = try ConfigurationLayers.read(file: config, flags: flags).configuration
        if let problem = first.cluster?.problem {
            Console.say("fencepost: \(problem)")
            throw ExitStatus.configuration.exit
        }
        if let cluster = first.cluster, cluster.partitions > 1, first.publication != nil {
            Console.say(
                "fencepost: mqtt.publish cannot be used with cluster.partitions above 1: several leaders would replace each "
                    + "other's state at the broker. Remove one of them.")
            throw ExitStatus.configuration.exit
        }
        if first.cluster == nil, let copy = PartFile.copy(nextTo: first.storage.path) {
            Console.say(
                "fencepost: \(copy) is a copy of a cluster with several partitions. Start it with its cluster section, or "
                    + "choose another storage.path.")
            throw ExitStatus.cannotCreate.exit
        }
        let sources = ServiceAssembly.Sources(first)
        Console.report(sources.problems)
        guard !sources.hasErrors else { throw ExitStatus.configuration.exit }
        let level = Logs.bootstrap(first.log)
        ProcessMemory.shareArenas()
        let metrics = PrometheusMetrics()
        MetricsSystem.bootstrap(metrics)
        Gauge(label: "fencepost_build_info", dimensions: [("version", FencepostVersion.current)]).record(1)
        let events = ProcessEvents()
        let (config, flags, trustClock) = (config, flags, trustClock)
        let page = page.flatMap { try? PageFolder(path: $0) }
        let make: @Sendable (LeaderLog?, Leadership?) throws -> RunningService = { log, leadership in
            try RunningService(
                first, sources, flags: (config, flags), level: level, metrics: metrics, trustsClock: trustClock,
                page: page, log: log, cluster: leadership)
        }
        try await withThrowingTaskGroup { group in
            // Signals are handled until the service has ended.
            group.addTask { await events.handleSignals() }
            group.addTask {
                guard let cluster = first.cluster else { return try await make(nil, nil).run(events.stream()) }
                let node: ClusterNode
                do throws(PeerTLS.Failure) {
                    node = try ClusterNode(
                        first, cluster, events: events, metricsText: { metrics.text() },
                        lead: { log, leadership in
                            try await make(log, leadership).run(events.stream(for: leadership.part))
                        })
                } catch {
                    Console.say("fencepost: \(error)")
                    throw ExitStatus.configuration.exit
                }
                try await node.work()
            }
            defer { group.cancelAll() }
            try await group.next()
        }
    }

    /// The configuration and its files as they are now; `nil` when they have errors.
    private static func current(
        _ config: String?, _ flags: [(pointer: String, value: String?, flag: String)]
    ) -> (Configuration, ServiceAssembly.Sources)? {
        guard let (reader, problems) = try? ConfigurationLayers.readWithProblems(file: config, flags: flags) else {
            return nil
        }
        let sources = ServiceAssembly.Sources(reader.configuration)
        guard !sources.hasErrors, !problems.contains(where: { $0.severity == .error }) else { return nil }
        return (reader.configuration, sources)
    }

    private var flags: [(pointer: String, value: String?, flag: String)] {
        func list(_ texts: [String]) -> String? {
            guard !texts.isEmpty, let bytes = try? JSONEncoder().encode(texts) else { return nil }
            return String(decoding: bytes, as: UTF8.self)
        }
        return [
            ("/server/host", host, "--host"), ("/server/port", port, "--port"),
            ("/storage/path", storage, "--storage"), ("/regions", list(regions), "--regions"),
            ("/apps", list(apps), "--apps"), ("/log/level", logLevel, "--log-level"),
        ]
    }
}
