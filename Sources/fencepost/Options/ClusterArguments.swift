import ArgumentParser
import FencepostAppCommands
import FencepostNATS
import FencepostNode
import FencepostServer
import FencepostService
import FencepostStore
import Foundation

/// Options of the commands that look at a cluster or change it.
struct ClusterArguments: ParsableArguments {
    @Option(name: .long, help: "The configuration file of a node.", completion: .file(extensions: ["json"]))
    var config: String?

    /// The configuration, and its settings of the cluster. Prints what is wrong with them, and ends the command.
    func read() throws -> (configuration: Configuration, cluster: ClusterSettings) {
        let configuration = try ConfigurationLayers.read(file: config).configuration
        guard let cluster = configuration.cluster, cluster.problem == nil else {
            Console.say("fencepost: \(configuration.cluster?.problem ?? "The configuration has no cluster section.")")
            throw ExitStatus.configuration.exit
        }
        return (configuration, cluster)
    }

    /// Ends a command that works with clusters of one partition only.
    func refusePartitions() throws {
        guard try read().cluster.partitions > 1 else { return }
        Console.say(
            "fencepost: This command cannot be used with cluster.partitions above 1: each part has a database of its own."
        )
        throw ExitStatus.configuration.exit
    }

    /// The cluster. Prints why it cannot be seen, and ends the command.
    func view(as command: String) async throws -> ClusterView {
        let settings = try read().cluster
        return try await Self.run {
            do throws(NATSError) {
                return try await ClusterView(settings, as: command)
            } catch .notFound {
                throw NATSError.unavailable(
                    "NATS has no cluster \(settings.name). The first node that starts makes it.")
            }
        }
    }

    /// Runs a closure. Prints an error of NATS, of a node or of the store, and exits with its exit code.
    static func run<T>(_ body: () async throws -> T) async throws -> T {
        do {
            return try await body()
        } catch let error as NATSError {
            throw say("\(error)", .unavailable)
        } catch let error as CopyTransfer.Failure {
            throw say("\(error)", .unavailable)
        } catch let error as ClusterLink.Misuse {
            throw say("\(error)", .configuration)
        } catch let error as ReplicaError {
            throw say("\(error)", .configuration)
        } catch let error as StoreError {
            throw StorageArguments.exit(after: error)
        }
    }

    private static func say(_ sentence: String, _ status: ExitStatus) -> ExitCode {
        Console.say("fencepost: \(sentence)")
        return status.exit
    }
}
