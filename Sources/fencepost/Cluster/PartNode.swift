import FencepostAppCommands
import FencepostCluster
import FencepostFiles
import FencepostModel
import FencepostMonitor
import FencepostNATS
import FencepostServer
import FencepostService
import FencepostStore
import Foundation
import Logging
import Synchronization

/// What a node does in one part of its cluster: while it has a copy of the database it follows the part's log, and runs the
/// service while it leads.
final class PartNode: Sendable {
    /// A condition that only a person can end, as a sentence.
    private struct Failure: Error {
        let sentence: String
    }

    /// Between looks at what the node is to do.
    private static let followInterval = Duration.milliseconds(100)
    /// In a cluster with several partitions, an idle log is read only each time this many intervals have passed.
    private static let idleLooks = 5
    /// The longest time that a leader that ends waits for the next one.
    private static let succession = Duration.seconds(3)
    /// Between attempts while the copy's disk is full, or the log.
    private static let fullInterval = Duration.seconds(1)
    /// Records that are applied in one transaction.
    private static let batch = 200

    let status: ClusterStatus
    let link: PartLink
    let process: Process
    private let storage: StorageSettings
    let runner: LeaseRunner
    let logger: Logger
    private let numbers = Mutex(RecordNumbers())
    /// How often the copy was replaced by another node's.
    let replacements = Mutex(0)
    /// What it writes to while it leads.
    private let log = Mutex<LeaderLog?>(nil)
    /// The node that is to lead in place of this one.
    private let successor = Mutex<String?>(nil)
    /// Whether the copy is to be removed.
    private let released = Mutex(false)
    let journal: CopyJournal

    /// - Parameters:
    ///   - link: the part.
    ///   - process: what the parts of the node share.
    ///   - storage: the part's database.
    ///   - status: what the node is in the part.
    init(_ link: PartLink, _ process: Process, _ storage: StorageSettings, _ status: ClusterStatus) {
        (self.link, self.process, self.storage, self.status) = (link, process, storage, status)
        runner = LeaseRunner(link, node: process.cluster.node, run: process.run, address: process.address)
        var logger = Logger(label: "fencepost.cluster")
        if process.cluster.partitions > 1 { logger[metadataKey: "part"] = "\(link.part)" }
        self.logger = logger
        journal = CopyJournal(nextTo: storage.path, logger)
        // Requests are sent on to the leader before the copy is open.
        status.follow { [runner, run = process.run] in runner.leader(besides: run) }
    }

    /// The path of the part's database.
    var path: String { storage.path }
    /// How often the file at the path was replaced.
    var generation: Int { replacements.withLock { $0 } }

    private var events: ProcessEvents { process.events }
    var run: UInt64 { process.run }

    /// Reads who leads, so that requests are sent on before the node works.
    func lookForLeader() async { await runner.look() }

    /// Follows and leads until the end of the process.
    ///
    /// - Throws: a `StoreError` or a `ReplicaError`.
    func work() async throws {
        let leasing = Task { [runner] in await runner.run() }
        let result: Result<Void, any Error>
        do {
            while !events.isStopping {
                if isNeeded {
                    if let copy = try await open() { try await alternate(copy) }
                } else {
                    try await standBy()
                }
                if isReleased { removeCopy() }
            }
            result = .success(())
        } catch {
            result = .failure(error)
        }
        let wasLeader = runner.lease?.run == run || status.current.role == .leader
        await runner.stop()
        await leasing.value
        // Requests that came to this node since then wait for the next leader.
        if wasLeader { await runner.waitForSuccessor(of: run, within: Self.succession) }
        status.set(.gone)
        try result.get()
    }

    // MARK: - The copy

    /// Whether there is a database of the part on this node.
    var hasFile: Bool { FileManager.default.fileExists(atPath: storage.path) }

    /// Whether the node follows or leads with a copy that it keeps.
    var hasOpenCopy: Bool { [.follower, .leader].contains(status.current.role) && !isReleased }

    /// Whether the copy is to be removed.
    var isReleased: Bool { released.withLock { $0 } }

    /// Removes the copy as soon as it is closed. To be called when other nodes have theirs, and the list of copies in NATS has
    /// this node no longer.
    func release() { released.withLock { $0 = true } }

    /// Whether the process goes on, and the node is to have a copy or has one that it has to keep.
    var isNeeded: Bool {
        !events.isStopping && !isReleased && (process.plan.isHolder(of: link.part) || hasFile)
    }

    /// Lets requests go to the leader, while the node has no copy.
    private func standBy() async throws {
        runner.setCanLead(false)
        // It was claimed at the moment when the copy was given up.
        if case .leader = runner.role { await runner.handOver(to: nil) }
        status.setNoCopy()
        try await Task.sleep(for: Self.followInterval)
    }

    private func removeCopy() {
        journal.close()
        runner.setCanLead(false)
        PartFile.remove(storage.path)
        released.withLock { $0 = false }
        logger.info("the copy was removed: other nodes have the part", metadata: ["path": "\(storage.path)"])
    }

    /// The node's copy, or a new one; `nil` when the process is to end, or the node is to have none.
    private func open() async throws -> ReplicaStore? {
        fetcher.removeLeftovers()
        // The log does not have what a single node had stored.
        if process.link.identity.isImported, try ReplicaStore.mark(of: storage.path) == nil {
            guard !hasFile else { throw ReplicaError.notEmpty }
            guard try await fetch(behind: nil) == .fetched else { return nil }
        }
        return try ReplicaStore(storage, cluster: process.link.identity.id, journal: { journal.opened })
    }

    var fetcher: CopyFetcher {
        CopyFetcher(
            path: storage.path, part: link.part, identity: process.link.identity, tls: process.tls, logger: logger)
    }

    /// Whether an error of the copy's file may be over when its disk has room again.
    static func isPassing(_ error: any Error) -> Bool {
        error is OutputFileError || (error as? StoreError)?.isTemporary ?? false
    }

    /// Opens the copy that this process had open before, again and again while its disk is full; `nil` when the process is to
    /// end.
    func reopen() async throws -> ReplicaStore? {
        while true {
            do {
                return try ReplicaStore(storage, cluster: process.link.identity.id, journal: { journal.opened })
            } catch let error as StoreError where error.isTemporary {
                logger.error("the copy cannot be opened; trying again", metadata: ["error": "\(error)"])
                await giveUp()
            }
            guard !events.isStopping else { return nil }
            try await Task.sleep(for: Self.fullInterval)
        }
    }

    /// Lets another node lead, since the disk of this one's copy cannot be written.
    private func giveUp() async {
        runner.setCanLead(false)
        status.set(.follower, problem: "The disk of this node's copy is full, or cannot be written.")
        await runner.handOver(to: nil)
    }

    /// Waits until the copy's disk has room again, while another node leads.
    private func waitForDisk(of copy: ReplicaStore, _ error: any Error) async throws {
        logger.error("the copy cannot be written; trying again", metadata: ["error": "\(error)"])
        await giveUp()
        while isNeeded {
            try await Task.sleep(for: Self.fullInterval)
            if (try? copy.checkDisk()) != nil { return }
        }
    }

    /// The position that the copy has applied; the newest record's while this node leads.
    var position: UInt64 { log.withLock { $0 }?.mark.position ?? status.current.mark?.position ?? 0 }

    /// Waits until the copy has what the log has now, or for a time.
    func catchUp(within time: Duration) async {
        guard status.current.role != .leader, let end = try? await link.log.end() else { return }
        let deadline = ContinuousClock.now + time
        while (status.current.mark?.sequence ?? 0) < end, ContinuousClock.now < deadline {
            try? await Task.sleep(for: .milliseconds(20))
        }
    }

    private func alternate(_ first: ReplicaStore) async throws {
        var copy = first
        while isNeeded {
            do {
                guard let (epoch, standby) = try await follow(copy) else { break }
                let log = LeaderLog(
                    link.log, behind: copy.mark,
                    firstID: RecordID(run: run, number: numbers.withLock { $0.leadership() }),
                    now: { WallClock.now },
                    onFailure: { [self] failure in
                        logger.warning("an append to the log failed", metadata: ["failure": "\(failure)"])
                        status.set(.follower, problem: "The log could not be appended to.")
                        // Most likely it is its own disk, so another node leads without delay.
                        let isUnable = failure == .behind
                        if isUnable { runner.setCanLead(false) }
                        let applied = status.current.mark?.sequence ?? 0
                        Task { [runner, removal] in
                            // Else the next leader may have room for the record by which it leads, and for no other.
                            if failure == .full { _ = try? await removal.trim(applied: applied) }
                            if isUnable { await runner.handOver(to: nil) } else { await runner.lose() }
                        }
                    }, didAppend: { CrashTest.shared?.reached(NodeCrashPoint.appended) })
                try copy.close()
                do {
                    try await serve(log, epoch: epoch, standby)
                } catch let error where Self.isPassing(error) {
                    logger.error("the service cannot begin", metadata: ["error": "\(error)"])
                    await giveUp()
                }
                guard let opened = try await reopen() else { return }
                copy = opened
                if !isNeeded { break }
                status.set(.follower)
            } catch ReplicaError.missing(let sequence) {
                guard let fetched = try await replace(copy, behind: sequence) else { return }
                copy = fetched.copy
                if !fetched.isNeeded { break }
            } catch ReplicaError.setAside(let position) {
                guard let passed = try await pass(position, copy) else { return }
                copy = passed.copy
                if !passed.isNeeded { break }
            } catch let failure as Failure {
                try await fail(failure.sentence)
            } catch let error as ReplicaError where error.needsNewerVersion {
                // This process cannot follow any more, in no part.
                try copy.close()
                throw error
            } catch let error as ReplicaError {
                try await fail("\(error)")
            } catch let error as StoreError where error.isTemporary {
                try await waitForDisk(of: copy, error)
            }
        }
        try copy.close()
    }

    /// Stays without leading until the process ends or the copy is not needed, so that `/readyz` and `fencepost cluster
    /// status` have the reason.
    private func fail(_ sentence: String) async throws {
        logger.error("this node cannot follow its cluster", metadata: ["reason": "\(sentence)"])
        runner.setCanLead(false)
        await runner.lose()
        status.set(.failed, problem: sentence)
        while isNeeded { try await Task.sleep(for: Self.followInterval) }
    }

    // MARK: - Following

    /// Applies the log until this node leads, while others read the copy; returns its epoch and the monitor that stood by, or
    /// `nil` when the copy is not needed any more.
    private func follow(_ copy: ReplicaStore) async throws -> (epoch: UInt64, standby: StandbyMonitor?)? {
        if copy.isSealed { link.log.requireSeals() }
        status.set(.follower)
        if copy.upgrade != nil, copy.schema > 0 {
            logger.info(
                "the cluster has an older schema than this version; this node leads when no older one can",
                metadata: ["schema": "\(copy.schema)"])
        }
        let readers = CopyReaders(
            process.cluster.partitions == 1 ? process.front : nil, process.clock, process.standby, journal.opened,
            logger,
            onDivergence: { [status] in status.add(divergences: $0) })
        let result: Result<UInt64?, any Error>
        do {
            result = .success(try await applyLog(copy, readers))
        } catch {
            result = .failure(error)
        }
        let standby = try await readers.end(leads: (try? result.get()) != nil)
        return try result.get().map { ($0, standby) }
    }

    private func applyLog(_ copy: ReplicaStore, _ readers: CopyReaders) async throws -> UInt64? {
        // Logged once, however often it is met.
        var known: LogFailure?
        var (looks, restsAfter) = (
            0, link.part == process.cluster.partitioning.configuration ? Int.max : Self.idleLooks
        )
        while isNeeded {
            do {
                if case .leader(let epoch) = runner.role {
                    try await takeOver(copy, epoch: epoch)
                    return epoch
                }
                if looks < restsAfter || looks % Self.idleLooks == 0 {
                    let former = copy.mark.sequence
                    try await catchUp(copy)
                    if copy.mark.sequence != former { looks = 0 }
                }
                looks += 1
                status.set(.follower)
                // Not before the copy could be written.
                runner.setCanLead(await mayLead(copy))
                try readers.read(copy, behind: runner.lease)
                status.set(standsBy: readers.standsBy)
                known = nil
            } catch let failure as LogFailure {
                if failure != known {
                    logger.warning("the log cannot be followed; trying again", metadata: ["failure": "\(failure)"])
                }
                known = failure
                try await handle(failure, copy.mark)
            }
            try await Task.sleep(for: Self.followInterval)
        }
        return nil
    }

    private func catchUp(_ copy: ReplicaStore) async throws {
        while true {
            let records = try await link.log.records(behind: copy.mark.sequence, limit: Self.batch)
            status.note(link.log.foreign, logger)
            try await copy.applyAside(records)
            // Readers of tokens take milliseconds.
            while try !copy.eraseUnused() { try await Task.sleep(for: .milliseconds(20)) }
            status.set(copy.mark)
            if !records.isEmpty {
                CrashTest.shared?.reached(NodeCrashPoint.applied)
                configurationDidChange()
            }
            if records.count < Self.batch { return }
        }
    }

    /// Lets the ports forget what they know of tokens, where this part has the configuration of a cluster with several.
    private func configurationDidChange() {
        guard process.cluster.partitions > 1, link.part == .configuration else { return }
        process.front.tokensDidChange()
    }

    /// Whether this node takes the lead when it is free. A leader upgrades its part, which older nodes cannot follow.
    private func mayLead(_ copy: ReplicaStore) async -> Bool {
        guard process.cluster.role == .member, copy.upgrade != nil else { return process.cluster.role == .member }
        return await process.upgrades.isOpen(link.part)
    }

    /// Appends the record by which this node leads, behind all others, and the one that upgrades the database if that is older.
    private func takeOver(_ copy: ReplicaStore, epoch: UInt64) async throws {
        try await catchUp(copy)
        // Else it would lead with a database that it cannot bring to its own schema.
        try copy.checkUpgrade()
        // A node that cannot write what it appends would only keep others from leading.
        try copy.checkDisk()
        let leadership = LogRecord.Leadership(node: process.cluster.node, version: FencepostVersion.current)
        for content in [.lead(leadership), copy.upgrade].compactMap(\.self) {
            let id = RecordID(run: run, number: numbers.withLock { $0.takeover() })
            try await link.append(content, to: copy, epoch: epoch, id: id)
            CrashTest.shared?.reached(NodeCrashPoint.led)
            if case .upgrade(let schema) = content {
                logger.info("the database is upgraded", metadata: ["schema": "\(schema)"])
            }
        }
        status.set(copy.mark)
        logger.info(
            "this node leads", metadata: ["epoch": "\(epoch)", "position": "\(copy.mark.position)"])
    }

    /// What a failure of the log means for a node that follows and has applied it up to a mark.
    private func handle(_ failure: LogFailure, _ mark: ReplicaMark) async throws {
        switch failure {
        case .unavailable: status.set(.follower, problem: "The cluster's log does not answer.")
        // Records came in between; they are applied first.
        case .behind, .diverged: break
        case .deposed(let epoch):
            logger.info("another node leads", metadata: ["epoch": "\(epoch)"])
            await runner.lose()
        case .full:
            // While the log is full, no node can lead, so the candidate trims it first.
            if case .leader = runner.role, (try? await removal.trim(applied: mark.sequence)) == true { return }
            status.set(.follower, problem: "The cluster's log is full, or a disk of its servers.")
            logger.error("the cluster's log is full; raise cluster.logLimit and the stream's max_bytes")
            try await Task.sleep(for: Self.fullInterval)
            await runner.lose()
        case .forgotten(let end):
            throw Failure(
                sentence: "The log in NATS ends at \(end), before what this copy has applied: its servers lost records "
                    + "that they had acknowledged. Stop all nodes, and compare their copies before you go on.")
        case .hole(let after):
            throw ReplicaError.missing(after: after)
        case .newerFormat(let sequence):
            throw Failure(
                sentence: "Record \(sequence) of the log is of a newer Fencepost. Install that version on this node.")
        case .tooLarge:
            throw Failure(sentence: "The NATS servers refuse records of this size. Raise max_payload to 1 MB.")
        }
    }

    // MARK: - Leading

    /// Lets another node lead the part, if this one does.
    func handOver(to node: String) {
        guard status.current.role == .leader else { return }
        logger.info("another node is to lead", metadata: ["node": "\(node)"])
        successor.withLock { $0 = node }
    }

    /// Removes records from the part's log.
    var removal: LogRemoval { LogRemoval(link: link, cluster: process.link, run: run, logger: logger) }

    private func serve(_ log: LeaderLog, epoch: UInt64, _ standby: StandbyMonitor?) async throws {
        successor.withLock { $0 = nil }
        status.set(.leader)
        status.set(standsBy: false)
        self.log.withLock { $0 = log }
        defer { self.log.withLock { $0 = nil } }
        let watching = Task { [self] in
            var isLost = false
            while !Task.isCancelled {
                status.note(link.log.foreign, logger)
                if runner.role == .leader(epoch: epoch), !log.hasFailed {
                    if log.mark.position != status.current.mark?.position { configurationDidChange() }
                    status.set(log.mark)
                    // Again and again: the service may not listen to events yet.
                    if successor.withLock({ $0 != nil }) || isReleased { events.stopService(of: link.part) }
                } else {
                    if !isLost { logger.warning("another node may lead; this one stops to") }
                    isLost = true
                    status.set(.follower, problem: "This node has lost the lead.")
                    // Again and again: the service may not listen to events yet.
                    events.stopService(of: link.part)
                }
                try? await Task.sleep(for: Self.followInterval)
            }
        }
        defer { watching.cancel() }
        let (cluster, whole) = (process.cluster, process.link)
        let report: @Sendable () async -> ClusterReport? = { try? await ClusterReport.read(cluster, whole) }
        let leadership = Leadership(
            name: cluster.name, part: link.part, partitioning: cluster.partitioning, storage: storage, status: status,
            front: process.front, report: report,
            didErase: { [removal] mark in await removal.removeErased(before: mark) },
            position: { log.mark.position },
            succession: WorkerSuccession(standby: standby) { [self] in await isAwaited }, journal: journal.opened,
            configuration: process.cluster.partitioning.configuration == link.part ? nil : process.configuration)
        try await process.lead(log, leadership)
        let node = successor.withLock { $0 }
        if node != nil || isReleased, runner.role == .leader(epoch: epoch), !events.isStopping {
            status.set(.follower)
            await runner.handOver(to: node)
        } else {
            await runner.loseUnless(stopping: events.isStopping)
        }
        logger.info("this node leads no longer", metadata: ["commits": "\(log.figures.commits)"])
    }
}
