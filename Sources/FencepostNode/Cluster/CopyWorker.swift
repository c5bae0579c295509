import FencepostCluster
import FencepostFiles
import FencepostModel
import FencepostServer
import FencepostService
import FencepostStore
import Logging

/// Does what a node's machine asks for in one part: opens, replaces and closes the copy of the database, applies the log to it,
/// and runs the service over it.
final class CopyWorker {
    /// Records that are applied in one transaction.
    private static let batch = 200
    /// A pause of a node that waits for a signal.
    private static let longPause = Duration.seconds(3600)

    let node: PartitionNode
    private(set) var copy: ReplicaStore?
    var readers: CopyReaders?
    var numbers = RecordNumbers()
    /// What was logged last of the log's failures, each of which is logged once, however often it is met.
    private var knownFailure: LogFailure?

    /// - Parameter node: the node in the part.
    init(_ node: PartitionNode) { self.node = node }

    var process: PartitionNode.Process { node.process }
    var status: ClusterStatus { node.status }
    var link: PartitionLink { node.link }
    var logger: Logger { node.logger }

    /// Does a task.
    ///
    /// - Parameter task: the task; not `end`.
    /// - Returns: its result.
    /// - Throws: what ends the process: a `StoreError`, or a `ReplicaError`.
    func perform(_ task: NodeMachine.Task) async throws -> NodeMachine.Result {
        switch task {
        case .wait:
            _ = try await endReaders()
            await node.pause(Self.longPause)
            return .awake
        case .pause(let time):
            await node.pause(time)
            return .awake
        case .open(let opening): return try await open(opening)
        case .fetch(let sequence, let deadly): return try await fetch(behind: sequence, passing: deadly)
        case .apply: return try await attempt(apply)
        case .look: return try await attempt(look)
        case .takeOver(let epoch): return try await attempt { try await self.takeOver($0, epoch: epoch) }
        case .trim:
            let applied = copy?.mark.sequence ?? 0
            return .trimmed((try? await node.removal.trim(applied: applied)) ?? false)
        case .lead(let epoch): return try await lead(epoch: epoch)
        case .checkDisk:
            _ = try await endReaders()
            return (try? copy?.checkDisk()) != nil ? .hasRoom : .diskFull
        case .close:
            _ = try await endReaders()
            try close()
            return .closed
        case .remove:
            node.journal.close()
            PartitionFile.remove(node.path)
            logger.info("the copy was removed: other nodes have the part", metadata: ["path": "\(node.path)"])
            return .removed
        case .end: return .awake
        }
    }

    /// Ends what reads the copy, before it is closed or a node stands still.
    func endReaders(leads: Bool = false) async throws -> StandbyMonitor? {
        defer { readers = nil }
        return try await readers?.end(leads: leads)
    }

    /// Closes the copy, if it is open. Nothing may read it any more.
    func close() throws {
        try copy?.close()
        copy = nil
    }

    // MARK: - Opening

    private func open(_ opening: NodeMachine.Opening) async throws -> NodeMachine.Result {
        let identity = process.link.identity
        do {
            if opening == .first {
                fetcher.removeLeftovers()
                if identity.isImported, try ReplicaStore.mark(of: node.path) == nil {
                    guard !node.hasFile else { throw ReplicaError.notEmpty }
                    return .lacksStart
                }
            }
            let opened = try ReplicaStore(node.storage, cluster: identity.id, journal: { node.journal.opened })
            if case .forgiving(let position) = opening {
                logger.warning(
                    "no node has passed the record; it is applied again, since the process was killed by others",
                    metadata: ["position": "\(position)"])
                opened.forgetEnds(ofRecordAt: position)
            }
            copy = opened
        } catch let error as StoreError where opening != .first && error.isTemporary {
            logger.error("the copy cannot be opened; trying again", metadata: ["error": "\(error)"])
            return .diskFull
        } catch let error as ReplicaError where opening != .first && !error.needsNewerVersion {
            return refused("\(error)")
        }
        return .opened
    }

    private var fetcher: CopyFetcher {
        CopyFetcher(
            path: node.path, part: link.part, identity: process.link.identity, tls: process.tls, logger: logger)
    }

    private func fetch(
        behind sequence: UInt64?, passing deadly: NodeMachine.SetAside?
    ) async throws -> NodeMachine.Result {
        _ = try await endReaders()
        try close()
        let reports = try? await process.link.reports()
        let others = (reports ?? []).filter { $0.run != node.run && $0.part(link.part)?.hasCopy ?? false }
            .filter { $0.part(link.part)?.position ?? 0 >= deadly?.position ?? 0 }.map(\.address)
        let leader = status.upstream.leader
        var sources = [leader].compactMap(\.self) + others.filter { $0 != leader }
        // A whole copy that is no use would be sent again and again.
        if deadly != nil { sources.removeAll { !others.contains($0) } }
        if let deadly, sources.isEmpty, reports != nil, !deadly.isFaulty { return .isInnocent }
        do {
            guard try await fetcher.fetch(from: sources, behind: sequence) else { return .notFetched }
            // Its file was removed with the old copy.
            node.journal.close()
            node.copyWasReplaced()
            return .fetched
        } catch let error where Self.isPassing(error) {
            logger.error("the copy that has come cannot be stored", metadata: ["error": "\(error)"])
            return .notFetched
        }
    }

    /// Whether an error of the copy's file may be over when its disk has room again.
    static func isPassing(_ error: any Error) -> Bool {
        error is OutputFileError || (error as? StoreError)?.isTemporary ?? false
    }

    // MARK: - Following

    /// Tries something with the open copy; what can be over, or is for a person, is a result.
    private func attempt(
        _ body: (ReplicaStore) async throws -> NodeMachine.Result
    ) async throws -> NodeMachine.Result {
        guard let copy else { return .refused("The copy is not open.") }
        do {
            let result = try await body(copy)
            knownFailure = nil
            return result
        } catch let failure as LogFailure {
            return failed(failure, copy)
        } catch ReplicaError.missing(let sequence) {
            return failed(.hole(after: sequence), copy)
        } catch ReplicaError.setAside(let position) {
            return setAside(position, copy)
        } catch let error as ReplicaError where !error.needsNewerVersion {
            return refused("\(error)")
        } catch let error as StoreError where error.isTemporary {
            logger.error("the copy cannot be written; trying again", metadata: ["error": "\(error)"])
            return .diskFull
        }
    }

    func refused(_ sentence: String) -> NodeMachine.Result {
        logger.error("this node cannot follow its cluster", metadata: ["reason": "\(sentence)"])
        return .refused(sentence)
    }

    private func failed(_ failure: LogFailure, _ copy: ReplicaStore) -> NodeMachine.Result {
        defer { knownFailure = failure }
        switch failure {
        case .hole(let sequence):
            logger.warning("the log was trimmed while this node was away", metadata: ["after": "\(sequence)"])
        case .deposed(let epoch): logger.info("another node leads", metadata: ["epoch": "\(epoch)"])
        case .forgotten, .newerFormat, .tooLarge:
            logger.error("this node cannot follow its cluster", metadata: ["failure": "\(failure)"])
        case .full where failure != knownFailure:
            logger.error("the cluster's log is full; raise cluster.logLimit and the stream's max_bytes")
        case .diverged, .behind, .unavailable, .full:
            guard failure != knownFailure else { break }
            logger.warning("the log cannot be followed; trying again", metadata: ["failure": "\(failure)"])
        }
        return .failed(failure)
    }

    private func setAside(_ position: UInt64, _ copy: ReplicaStore) -> NodeMachine.Result {
        let ended = copy.ends(ofRecordAt: position)
        logger.error(
            "a record is set aside, since it ended the process repeatedly; see docs/runbook.md",
            metadata: [
                "position": "\(position)", "faults": "\(ended?.faults ?? 0)", "kills": "\(ended?.kills ?? 0)",
            ])
        status.countSetAside()
        return .setAside(
            NodeMachine.SetAside(
                position: position, isFaulty: ended?.isFaulty ?? true, behind: copy.mark.sequence))
    }

    private func apply(_ copy: ReplicaStore) async throws -> NodeMachine.Result {
        if copy.isSealed { link.log.requireSeals() }
        let records = try await link.log.records(behind: copy.mark.sequence, limit: Self.batch)
        status.note(link.log.foreign, logger)
        try await copy.applyAside(records)
        // Readers of tokens take milliseconds.
        while try !copy.eraseUnused() { try await Task.sleep(for: .milliseconds(20)) }
        // Another node's copy has a newer position without a record.
        let isNew = status.current.mark != copy.mark
        status.set(copy.mark)
        if !records.isEmpty { CrashTest.shared?.reached(NodeCrashPoint.applied) }
        if isNew { node.configurationDidChange() }
        return .applied(count: records.count, isEnd: records.count < Self.batch)
    }

    private func look(_ copy: ReplicaStore) async throws -> NodeMachine.Result {
        let readers = readers ?? makeReaders(copy)
        self.readers = readers
        let mayLead = await mayLead(copy)
        try readers.read(copy, behind: node.runner.lease)
        status.set(standsBy: readers.standsBy)
        return .looked(mayLead: mayLead)
    }

    private func makeReaders(_ copy: ReplicaStore) -> CopyReaders {
        if copy.upgrade != nil, copy.schema > 0 {
            logger.info(
                "the cluster has an older schema than this version; this node leads when no older one can",
                metadata: ["schema": "\(copy.schema)"])
        }
        return CopyReaders(
            process.cluster.partitions == 1 ? process.router : nil, process.clock, process.standby, node.journal.opened,
            logger, onDivergence: { [status] in status.add(divergences: $0) })
    }

    /// Whether this node takes the lead when it is free. A leader upgrades its part, which older nodes cannot follow.
    private func mayLead(_ copy: ReplicaStore) async -> Bool {
        guard process.cluster.role == .member, copy.upgrade != nil else { return process.cluster.role == .member }
        return await process.upgrades.isOpen(link.part)
    }

    private func takeOver(_ copy: ReplicaStore, epoch: UInt64) async throws -> NodeMachine.Result {
        // Else it would lead with a database that it cannot bring to its own schema.
        try copy.checkUpgrade()
        // A node that cannot write what it appends would only keep others from leading.
        try copy.checkDisk()
        let leadership = LogRecord.Leadership(node: process.cluster.node, version: FencepostVersion.current)
        for content in [.lead(leadership), copy.upgrade].compactMap(\.self) {
            let id = RecordID(run: node.run, number: numbers.takeover())
            try await link.append(content, to: copy, epoch: epoch, id: id)
            CrashTest.shared?.reached(NodeCrashPoint.led)
            if case .upgrade(let schema) = content {
                logger.info("the database is upgraded", metadata: ["schema": "\(schema)"])
            }
        }
        status.set(copy.mark)
        logger.info(
            "this node leads", metadata: ["epoch": "\(epoch)", "position": "\(copy.mark.position)"])
        return .tookOver
    }
}
