import FencepostCluster
package import FencepostModel
import FencepostNATS
import FencepostServer
package import FencepostService
import FencepostStore
import Foundation

/// Begins a cluster with databases, and begins one again whose logs are lost or are to be forgotten.
package struct ClusterFounding {
    private let settings: ClusterSettings
    /// The databases, which no service has open.
    private let files: [(part: ClusterPartition, path: String)]

    /// - Parameters:
    ///   - settings: usable settings.
    ///   - path: the path of the database, or of one in the folder that has one for each part.
    package init(_ settings: ClusterSettings, path: String) {
        self.settings = settings
        files = settings.partitioning.parts.map {
            ($0, PartitionFile.path(of: $0, in: settings.partitioning, path))
        }
    }

    /// The paths of databases that are not there, of a node that has no copies of some parts.
    package var missingFiles: [String] { files.map(\.path).filter { !FileManager.default.fileExists(atPath: $0) } }

    /// Makes the databases the first copies of a new cluster. It can be repeated until it succeeds.
    ///
    /// - Throws: `Misuse` when NATS has another cluster of this name, `NATSError`, `ReplicaError` or `StoreError`.
    package func begin() async throws {
        var fresh = try ClusterLink.Identity.random(settings)
        fresh.isImported = true
        for file in files { fresh.id = try ReplicaStore.found(file.path, cluster: fresh.id) }
        let link = try await ClusterLink.open(settings, knownID: nil, fresh: fresh)
        guard link.identity.id == fresh.id else {
            throw ClusterLink.Misuse(
                description: "NATS has a cluster \(settings.name) already. Choose another cluster.name.")
        }
    }

    /// Makes the databases the first copies of the cluster, whose logs in NATS begin again. It can be repeated until it succeeds.
    ///
    /// - Throws: as `begin()`.
    package func beginAgain() async throws {
        // A repeated call must not take what it has begun for the old cluster.
        for file in files {
            if let mark = try ReplicaStore.mark(of: file.path), mark.position > 0 {
                _ = try SQLiteStore.detach(file.path)
            }
        }
        let begun = try files.lazy.compactMap { try ReplicaStore.mark(of: $0.path)?.cluster }.first
        let view = try await view()
        if view.identity?.id != begun {
            for part in view.parts { try await part.stream.remove(on: view.connection) }
            for bucket in ["_cluster", "_nodes"] {
                try await NATSKeyValue.remove(settings.name + bucket, on: view.connection)
            }
        }
        try await begin()
    }

    /// Ends with a sentence while nodes of the cluster run.
    ///
    /// - Throws: `Misuse`, or `NATSError`.
    package func refuseLivingNodes() async throws {
        let view = try await view()
        var known: [String: UInt64] = [:]
        for node in try await view.livingNodes() { known[node.node] = try await view.nodes.value(node.node)?.revision }
        guard !known.isEmpty else { return }
        // A node that runs reports every two seconds; what others have written expires within a minute.
        try await Task.sleep(for: NodeRegister.interval * 3)
        var running: [String] = []
        for (node, revision) in known.sorted(by: { $0.key < $1.key }) {
            if let now = try await view.nodes.value(node), now.revision != revision { running.append(node) }
        }
        guard running.isEmpty else {
            throw ClusterLink.Misuse(description: "\(running.joined(separator: ", ")) run. Stop all nodes first.")
        }
    }

    /// Applies what the logs have to the copies.
    ///
    /// - Returns: the parts whose logs have records that the copy cannot apply; none also when there is no log.
    /// - Throws: `NATSError`, `ReplicaError` or `StoreError`.
    package func applyLogs() async throws -> [ClusterPartition] {
        let view = try await view()
        guard try await view.hasLog() else { return [] }
        var behind: [ClusterPartition] = []
        for (file, link) in zip(files, view.parts) where try await !applyLog(link.log, to: file.path) {
            behind.append(file.part)
        }
        return behind
    }

    /// - Returns: false when the log has records that the copy cannot apply.
    private func applyLog(_ log: some CommitLog, to path: String) async throws -> Bool {
        guard let mark = try ReplicaStore.mark(of: path) else { return true }
        var storage = StorageSettings()
        storage.path = path
        // A record that has ended the node's process would end this one too.
        let copy = try ReplicaStore(
            storage, cluster: mark.cluster,
            journal: { try? WorkJournalFile.open(nextTo: path, version: FencepostVersion.current) })
        defer { try? copy.close() }
        do {
            while true {
                let records = try await log.records(behind: copy.mark.sequence, limit: 200)
                if records.isEmpty { return true }
                try copy.apply(records)
            }
        } catch LogFailure.forgotten {
            // The log lost records that this copy has.
            return true
        } catch let failure as LogFailure {
            if case .unavailable = failure { throw NATSError.unavailable("The log does not answer.") }
            return false
        } catch is ReplicaError {
            return false
        }
    }

    /// What NATS has of the cluster, perhaps nothing.
    private func view() async throws(NATSError) -> ClusterView {
        try await ClusterView(settings, as: "recover", needsLog: false)
    }
}
