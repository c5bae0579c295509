import FencepostCluster
import FencepostJSON
package import FencepostModel
package import FencepostNATS
package import FencepostServer
package import FencepostService
package import FencepostStore
import Foundation
import Logging

/// A cluster as commands see it: what NATS has of it. Opening it creates nothing.
package struct ClusterView {
    package let settings: ClusterSettings
    let connection: NATSConnection
    /// The logs and leases; the configuration's come first.
    package let parts: [PartitionLink]
    /// The leases, the identity and requests to lead.
    package let state: NATSKeyValue
    /// The nodes' reports.
    package let nodes: NATSKeyValue
    /// `nil` for a cluster of a version whose nodes sent nothing on.
    let identity: ClusterLink.Identity?

    /// Connects to NATS, and reads what makes the cluster this one.
    ///
    /// - Parameters:
    ///   - settings: usable settings.
    ///   - command: the name of the command, for the servers' lists of connections.
    ///   - needsLog: whether a cluster has to have a log; if not, its buckets are created where they are missing.
    /// - Throws: `notFound` when NATS has no such cluster, and `unavailable` when it does not answer.
    package init(_ settings: ClusterSettings, as command: String, needsLog: Bool = true) async throws(NATSError) {
        self.settings = settings
        connection = try await NATSConnection.connect(
            NATSSettings(
                servers: settings.servers, name: "fencepost cluster \(command)",
                credentialsFile: settings.credentialsFile, certificateFile: settings.caFile))
        let connection = connection
        (state, nodes, identity) = try await Self.patiently { () async throws(NATSError) in
            if needsLog {
                let first = PartitionLink.stream(of: settings.partitioning.configuration, settings)
                _ = try await first.content(on: connection)
            }
            let state = try await NATSKeyValue.open(
                settings.name + "_cluster", on: connection, replicas: settings.replicas)
            let nodes = try await NATSKeyValue.open(
                settings.name + "_nodes", on: connection, replicas: settings.replicas, lifetime: .seconds(60))
            return (state, nodes, try await ClusterLink.identity(in: state, settings))
        }
        let state = state
        let secret = identity?.secret
        parts = settings.partitioning.parts.map { PartitionLink($0, settings, connection, state, secret) }
    }

    /// The longest time for which the servers choose a leader, with some to spare.
    private static let election = Duration.seconds(15)

    /// Repeats what may be repeated while the servers answer that they cannot, or not at all.
    ///
    /// - Parameter body: asks the servers of a connection.
    /// - Returns: what the closure returns.
    /// - Throws: the closure's last error, after 15 seconds; one that time does not mend at once.
    package static func patiently<Value>(_ body: () async throws(NATSError) -> Value) async throws(NATSError) -> Value {
        let end = ContinuousClock.now + election
        while true {
            do throws(NATSError) {
                return try await body()
            } catch {
                guard error.isPassing, ContinuousClock.now < end else { throw error }
            }
            try? await Task.sleep(for: .milliseconds(500))
        }
    }

    /// Whether NATS has a log of the cluster.
    func hasLog() async throws(NATSError) -> Bool {
        for part in parts {
            do throws(NATSError) {
                _ = try await part.stream.content(on: connection)
                return true
            } catch {
                guard error == .notFound else { throw error }
            }
        }
        return false
    }

    /// The nodes that have reported in the last minute and did not end.
    package func livingNodes() async throws(NATSError) -> [NodeReport] {
        try await ClusterLink.reports(in: nodes).filter { $0.role != .gone }
    }

    /// Who leads, the nodes and the log.
    package func report() async throws(NATSError) -> ClusterReport {
        try await ClusterReport.read(settings, parts, in: state, try await ClusterLink.reports(in: nodes))
    }

    /// Fetches the database of a part from a node.
    ///
    /// - Parameters:
    ///   - part: the part.
    ///   - node: the node.
    ///   - path: a file that does not exist; it is there only on success.
    /// - Returns: up to where the copy has applied the log.
    /// - Throws: a `CopyTransfer.Failure` or a `StoreError`.
    func fetch(_ part: ClusterPartition, from node: NodeReport, to path: String) async throws -> ReplicaMark {
        guard let identity else {
            throw CopyTransfer.Failure("The nodes of this cluster give no copies. Install the newest version on all.")
        }
        _ = try await CopyTransfer.fetch(
            from: node.address, key: identity.requestKey, tls: try settings.peerTLS(), part: part, to: path)
        guard let mark = try ReplicaStore.mark(of: path), mark.cluster == identity.id else {
            unlink(path)
            throw CopyTransfer.Failure("The copy from \(node.address) is not one of the cluster \(settings.name).")
        }
        return mark
    }

    /// Fetches the newest copy of a part that a node gives, from followers first: they have nothing else to do.
    ///
    /// - Parameters:
    ///   - part: the part.
    ///   - path: a file that does not exist; it is there only on success.
    /// - Returns: the node, and up to where its copy has applied the log.
    /// - Throws: a `CopyTransfer.Failure` when no node gives one, or a `StoreError`.
    package func fetchAny(_ part: ClusterPartition, to path: String) async throws -> (
        node: NodeReport, mark: ReplicaMark
    ) {
        let reports = try await livingNodes()
        var last: any Error = CopyTransfer.Failure(
            reports.isEmpty
                ? "No node of the cluster \(settings.name) runs."
                : "None of the nodes that run has a copy of \(part): \(reports.map(\.node).joined(separator: ", ")).")
        func nodes(_ role: NodeReport.Role) -> [NodeReport] {
            reports.filter { $0.part(part)?.role == role }
                .sorted { $0.part(part)?.position ?? 0 > $1.part(part)?.position ?? 0 }
        }
        for node in nodes(.follower) + nodes(.leader) {
            do {
                return (node, try await fetch(part, from: node, to: path))
            } catch {
                last = error
            }
        }
        throw last
    }
}
