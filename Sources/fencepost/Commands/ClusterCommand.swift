import ArgumentParser
import FencepostNATS
import FencepostServer
import FencepostService
import FencepostStore

/// Shows a cluster, or takes a copy out of it.
struct ClusterCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cluster", abstract: "Shows a cluster, begins one with a database, or takes a copy out of it.",
        discussion: """
            Example:
              fencepost cluster status --config node-1.json
            """,
        subcommands: [Status.self, Import.self, Detach.self])

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
            let report: ClusterReport
            do throws(NATSError) {
                report = try await ClusterReport.read(cluster)
            } catch {
                Console.say("fencepost: \(error)")
                throw ExitStatus.unavailable.exit
            }
            print(json ? report.json : report.text(now: InputReader.now))
            guard report.isWell else { throw ExitStatus.problems.exit }
        }
    }

    /// Begins a cluster with the database of a single node.
    struct Import: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Makes the database of a single node the first copy of a new cluster.",
            discussion: """
                Example:
                  fencepost cluster import --config node-1.json

                The database is that of `storage.path`, and its service has to be stopped. Start this node first \
                afterwards: the others, with a new `storage.path` each, fetch their copies from it. Nothing changes \
                when it fails, and it can be repeated.
                """)

        @Option(name: .long, help: "The configuration file of the node.", completion: .file(extensions: ["json"]))
        var config: String?

        func run() async throws {
            let configuration = try ConfigurationLayers.read(file: config).configuration
            guard let cluster = configuration.cluster, cluster.problem == nil else {
                Console.say(
                    "fencepost: \(configuration.cluster?.problem ?? "The configuration has no cluster section.")")
                throw ExitStatus.configuration.exit
            }
            let path = configuration.storage.path
            let wasCopy = try StorageArguments.run { try ReplicaStore.mark(of: path) != nil }
            var fresh = ClusterLink.Identity.random()
            fresh.isImported = true
            do {
                let made = fresh.id
                fresh.id = try StorageArguments.run { try ReplicaStore.found(path, cluster: made) }
                let link = try await ClusterLink.open(cluster, knownID: nil, fresh: fresh)
                guard link.identity.id == fresh.id else {
                    throw ClusterLink.Misuse(
                        description: "NATS has a cluster \(cluster.name) already. Choose another cluster.name.")
                }
            } catch let error where error is ClusterLink.Misuse || error is NATSError || error is ReplicaError {
                if !wasCopy { _ = try? SQLiteStore.detach(path) }
                Console.say("fencepost: \(error)")
                throw (error is NATSError ? ExitStatus.unavailable : .configuration).exit
            }
            print("\(path) is the first copy of the cluster \(cluster.name) now. Start this node.")
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
