import FencepostCluster
import FencepostFiles
import FencepostModel
import FencepostServer
import FencepostService
import FencepostStore
import Logging

extension CopyWorker {
    /// Closes the copy, and runs the service over the database until it is stopped.
    ///
    /// - Parameter epoch: that of the leader.
    /// - Returns: `served`, or why the service could not begin.
    /// - Throws: what ends the process.
    func lead(epoch: UInt64) async throws -> NodeMachine.Result {
        guard let mark = copy?.mark else { return .refused("The copy is not open.") }
        // A stop that comes before the service listens is kept for it.
        process.events.open(for: link.part)
        defer { process.events.close(for: link.part) }
        let log = LeaderLog(
            link.log, behind: mark,
            firstID: RecordID(run: node.run, number: numbers.leadership()), now: process.clock.wall,
            onFailure: { [node] failure in
                node.logger.warning("an append to the log failed", metadata: ["failure": "\(failure)"])
                node.signal(.appendFailed(failure))
            },
            didAppend: { [node] in
                node.didAppend()
                CrashTest.shared?.reached(NodeCrashPoint.appended)
            })
        node.set(log)
        defer { node.set(nil) }
        let standby = try await endReaders(leads: true)
        try close()
        status.set(log.mark)
        node.configurationDidChange()
        status.set(standsBy: false)
        do {
            try await process.lead(log, leadership(log, standby))
        } catch let error where Self.isPassing(error) {
            logger.error("the service cannot begin", metadata: ["error": "\(error)"])
            return .diskFull
        } catch let error as ReplicaError where !error.needsNewerVersion {
            return refused("\(error)")
        }
        status.set(log.mark)
        logger.info("this node leads no longer", metadata: ["commits": "\(log.figures.commits)"])
        return .served
    }

    /// What the service has of its node.
    private func leadership(_ log: LeaderLog, _ standby: StandbyMonitor?) -> Leadership {
        let (cluster, whole, node) = (process.cluster, process.link, node)
        let report: @Sendable () async -> ClusterReport? = { try? await ClusterReport.read(cluster, whole) }
        return Leadership(
            name: cluster.name, part: link.part, partitioning: cluster.partitioning, storage: node.storage,
            status: status, router: process.router, report: report,
            didErase: { [removal = node.removal] mark in await removal.removeErased(before: mark) },
            position: { log.mark.position },
            succession: WorkerSuccession(standby: standby) { await node.isAwaited }, journal: node.journal.opened,
            configuration: cluster.partitioning.configuration == link.part ? nil : process.configuration)
    }
}
