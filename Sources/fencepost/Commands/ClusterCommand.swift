import ArgumentParser
import FencepostCluster
import FencepostJSON
import FencepostModel
import FencepostNATS
import FencepostService
import FencepostStore

/// Shows a cluster, or takes a copy out of it.
struct ClusterCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cluster", abstract: "Shows a cluster, or takes a copy of its database out of it.",
        discussion: """
            Example:
              fencepost cluster status --config node-1.json
            """,
        subcommands: [Status.self, Detach.self])

    /// Prints the leader, the nodes and the log, as NATS has them.
    struct Status: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Prints who leads, how far each node's copy is, and how large the log is.",
            discussion: """
                Example:
                  fencepost cluster status --config node-1.json

                It asks NATS, so it works on any machine with the configuration. The exit code is 1 when no node leads or a \
                node reports a problem, 69 when NATS does not answer.
                """)

        @Option(name: .long, help: "The configuration file.", completion: .file(extensions: ["json"]))
        var config: String?

        @Flag(name: .long, help: "Print one JSON object.")
        var json = false

        func run() async throws {
            let configuration = try ConfigurationLayers.read(file: config).configuration
            guard let cluster = configuration.cluster, cluster.problem == nil else {
                Console.say(
                    "fencepost: \(configuration.cluster?.problem ?? "The configuration has no cluster section.")")
                throw ExitStatus.configuration.exit
            }
            let state: ClusterState
            do throws(NATSError) {
                state = try await ClusterState.read(cluster)
            } catch {
                Console.say("fencepost: \(error)")
                throw ExitStatus.unavailable.exit
            }
            print(json ? state.json : state.text(now: InputReader.now))
            guard state.isWell else { throw ExitStatus.problems.exit }
        }
    }

    /// Makes a copy a database of its own.
    struct Detach: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Makes a copy of a cluster's database the database of a single node, for ever.",
            discussion: """
                Example:
                  fencepost cluster detach --storage fencepost.sqlite

                The node has to be stopped. The cluster goes on without this copy.
                """)

        @OptionGroup var storage: StorageArguments

        func run() throws {
            let path = try storage.existingPath()
            let isDone = try StorageArguments.run { try SQLiteStore.detach(path) }
            print(isDone ? "\(path) is the database of a single node now." : "\(path) was no copy of a cluster.")
        }
    }
}

/// What NATS has of a cluster.
struct ClusterState: Sendable {
    var name: String
    var lease: Lease?
    var nodes: [NodeReport]
    var log: NATSStream.Content
    var limit: Int

    /// Reads it, and creates nothing.
    static func read(_ settings: ClusterSettings) async throws(NATSError) -> ClusterState {
        let connection = try await NATSConnection.connect(
            NATSSettings(
                servers: settings.servers, name: "fencepost cluster status",
                credentialsFile: settings.credentialsFile, certificateFile: settings.caFile))
        let stream = NATSStream(
            name: settings.name + "_log", subject: settings.name + ".log.0", replicas: settings.replicas)
        let log: NATSStream.Content
        do throws(NATSError) {
            log = try await stream.content(on: connection)
        } catch .notFound {
            throw .unavailable("NATS has no cluster \(settings.name). The first node that starts makes it.")
        }
        let state = try await NATSKeyValue.open(settings.name + "_cluster", on: connection, replicas: settings.replicas)
        let nodes = try await NATSKeyValue.open(
            settings.name + "_nodes", on: connection, replicas: settings.replicas, lifetime: .seconds(60))
        let lease = try await state.value(ClusterLink.leaseKey).flatMap { Lease.decode($0.bytes) }
        return ClusterState(
            name: settings.name, lease: lease, nodes: try await ClusterLink.reports(in: nodes), log: log,
            limit: settings.logLimit)
    }

    /// The node that leads; `nil` for none.
    var leader: NodeReport? {
        guard let lease, lease.isHeld else { return nil }
        return nodes.first { $0.node == lease.node && $0.run == lease.run && $0.role == .leader }
    }

    /// Whether a node leads and no node has a problem.
    var isWell: Bool { leader != nil && nodes.allSatisfy { $0.problem == nil && $0.role != .failed } }

    /// A table for people.
    func text(now: Timestamp) -> String {
        var lines = [
            "cluster \(name): " + (leader.map { "\($0.node) leads, at \($0.address)" } ?? "no node leads")
        ]
        lines.append("log: \(log.bytes) of \(limit) bytes, records \(log.first) to \(log.last)")
        let end = nodes.map(\.position).max() ?? 0
        for node in nodes {
            let age = max(0, Int((now - node.time).seconds.rounded()))
            lines.append(
                "\(node.node)  \(node.role.rawValue)  position \(node.position) (\(end - node.position) behind)  "
                    + "\(node.address)  version \(node.version)  reported \(age) s ago")
            if let problem = node.problem { lines.append("  \(problem)") }
        }
        return lines.joined(separator: "\n")
    }

    /// One JSON object.
    var json: String {
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("name", name)
        if let leader { writer.field("leader", leader.node) }
        writer.name("log")
        writer.beginObject()
        writer.field("bytes", Int(log.bytes))
        writer.field("limit", limit)
        writer.field("first", Int(log.first))
        writer.field("last", Int(log.last))
        writer.endObject()
        writer.beginArray("nodes")
        for node in nodes { node.write(to: &writer) }
        writer.endArray()
        writer.endObject()
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}
