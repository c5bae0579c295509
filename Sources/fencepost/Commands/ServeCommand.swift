import ArgumentParser
import FencepostAppCommands
import FencepostModel
import FencepostNode
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
        let (config, flags) = (config, flags)
        let first = try ConfigurationLayers.read(file: config, flags: flags).configuration
        if let problem = ServiceProcess.problem(with: first) { throw problem.say() }
        let sources = ServiceAssembly.Sources(first)
        Console.report(sources.problems)
        guard !sources.hasErrors else { throw ExitStatus.configuration.exit }
        let level = Logs.bootstrap(first.log, isTerminal: Console.isErrorTerminal)
        ProcessMemory.shareArenas()
        let metrics = PrometheusMetrics()
        MetricsSystem.bootstrap(metrics)
        Gauge(label: "fencepost_build_info", dimensions: [("version", FencepostVersion.current)]).record(1)
        var surroundings = ServiceProcess.Surroundings(level: level, metrics: metrics)
        surroundings.reread = { try ConfigurationLayers.readWithProblems(file: config, flags: flags) }
        surroundings.trustsClock = trustClock
        surroundings.page = page.flatMap { try? PageFolder(path: $0) }
        surroundings.didIssueToken = { token in
            try FileHandle.standardOutput.write(contentsOf: Data((token + "\n").utf8))
            Console.say("The line above on standard output is the first token. It is not shown again.")
        }
        let process = ServiceProcess(first, sources, surroundings)
        let events = ProcessEvents()
        try await withThrowingTaskGroup { group in
            // Signals are handled until the service has ended.
            group.addTask { await events.handleSignals { ExitStatus.interrupted.endProcess() } }
            group.addTask {
                do {
                    try await process.run(events)
                } catch let failure as ServiceFailure {
                    throw failure.say()
                }
            }
            defer { group.cancelAll() }
            try await group.next()
        }
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
