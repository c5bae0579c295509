import FencepostCluster
import FencepostJSON
import FencepostModel
import FencepostNATS
import FencepostServer
import FencepostService
import FencepostStore
import Foundation
import Logging

/// A cluster as commands see it: what NATS has of it. Opening it creates nothing.
struct ClusterView {
    let settings: ClusterSettings
    let connection: NATSConnection
    let stream: NATSStream
    /// The lease, the identity and wishes.
    let state: NATSKeyValue
    /// The nodes' reports.
    let nodes: NATSKeyValue
    /// `nil` for a cluster of a version whose nodes sent nothing on.
    let identity: ClusterLink.Identity?

    /// Connects to NATS, and reads what makes the cluster this one.
    ///
    /// - Parameters:
    ///   - settings: usable settings.
    ///   - command: the name of the command, for the servers' lists of connections.
    ///   - needsLog: whether a cluster has to have a log; if not, its buckets are created where they are missing.
    /// - Throws: `notFound` when NATS has no such cluster, and `unavailable` when it does not answer.
    init(_ settings: ClusterSettings, as command: String, needsLog: Bool = true) async throws(NATSError) {
        self.settings = settings
        connection = try await NATSConnection.connect(
            NATSSettings(
                servers: settings.servers, name: "fencepost cluster \(command)",
                credentialsFile: settings.credentialsFile, certificateFile: settings.caFile))
        stream = NATSStream(
            name: settings.name + "_log", subject: settings.name + ".log.0", replicas: settings.replicas)
        let (stream, connection) = (stream, connection)
        (state, nodes, identity) = try await Self.patiently { () async throws(NATSError) in
            if needsLog { _ = try await stream.content(on: connection) }
            let state = try await NATSKeyValue.open(
                settings.name + "_cluster", on: connection, replicas: settings.replicas)
            let nodes = try await NATSKeyValue.open(
                settings.name + "_nodes", on: connection, replicas: settings.replicas, lifetime: .seconds(60))
            return (state, nodes, try await ClusterLink.identity(in: state))
        }
    }

    /// The longest time for which the servers choose a leader, with some to spare.
    private static let election = Duration.seconds(15)

    /// Repeats what may be repeated while the servers answer that they cannot, or not at all.
    ///
    /// - Parameter body: asks the servers of a connection.
    /// - Returns: what the closure returns.
    /// - Throws: the closure's last error, after 15 seconds; one that time does not mend at once.
    static func patiently<Value>(_ body: () async throws(NATSError) -> Value) async throws(NATSError) -> Value {
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

    /// The log.
    var log: ReplicatedLog<NATSLog> {
        ReplicatedLog(NATSLog(connection, stream: stream.name, subject: stream.subject))
    }

    /// Whether NATS has the log.
    func hasLog() async throws(NATSError) -> Bool {
        do throws(NATSError) {
            _ = try await stream.content(on: connection)
            return true
        } catch {
            guard error == .notFound else { throw error }
            return false
        }
    }

    /// The nodes that have reported in the last minute and did not end.
    func livingNodes() async throws(NATSError) -> [NodeReport] {
        try await ClusterLink.reports(in: nodes).filter { $0.role != .gone }
    }

    /// Who leads, the nodes and the log.
    func report() async throws(NATSError) -> ClusterReport {
        let lease = try await state.value(ClusterLink.leaseKey).flatMap { Lease.decode($0.bytes) }
        let log = try await stream.content(on: connection)
        return ClusterReport(settings, lease, try await ClusterLink.reports(in: nodes), log)
    }

    /// Fetches the database of a node.
    ///
    /// - Parameters:
    ///   - node: the node.
    ///   - path: a file that does not exist; it is there only on success.
    /// - Returns: up to where the copy has applied the log.
    /// - Throws: a `CopyTransfer.Failure` or a `StoreError`.
    func fetch(from node: NodeReport, to path: String) async throws -> ReplicaMark {
        guard let identity else {
            throw CopyTransfer.Failure("The nodes of this cluster give no copies. Install the newest version on all.")
        }
        _ = try await CopyTransfer.fetch(from: node.address, key: identity.key, to: path)
        guard let mark = try ReplicaStore.mark(of: path), mark.cluster == identity.id else {
            unlink(path)
            throw CopyTransfer.Failure("The copy from \(node.address) is not one of the cluster \(settings.name).")
        }
        return mark
    }

    /// Fetches the newest copy that a node gives, from followers first: they have nothing else to do.
    ///
    /// - Parameter path: a file that does not exist; it is there only on success.
    /// - Returns: the node, and up to where its copy has applied the log.
    /// - Throws: a `CopyTransfer.Failure` when no node gives one, or a `StoreError`.
    func fetchAny(to path: String) async throws -> (node: NodeReport, mark: ReplicaMark) {
        var last: any Error = CopyTransfer.Failure("No node of the cluster \(settings.name) runs.")
        let reports = try await livingNodes()
        let followers = reports.filter { $0.role == .follower }.sorted { $0.position > $1.position }
        for node in followers + reports.filter({ $0.role == .leader }) {
            do {
                return (node, try await fetch(from: node, to: path))
            } catch {
                last = error
            }
        }
        throw last
    }
}
