import FencepostCluster
import FencepostModel
import FencepostServer
import FencepostService
import FencepostStore
import Foundation
import Logging
import Synchronization

/// A node in one part of its cluster: takes the signals for its machine, and lets a worker do what that asks for.
final class PartitionNode: Sendable {
    /// The longest time that a leader that ends waits for the next one.
    private static let succession = Duration.seconds(3)

    let status: ClusterStatus
    let link: PartitionLink
    let process: Process
    let storage: StorageSettings
    let runner: LeaseRunner
    let logger: Logger
    private let machine: Mutex<NodeMachine>
    private let waker = Waker()
    /// How often the copy was replaced by another node's.
    private let replacements = Mutex(0)
    /// What it writes to while it leads.
    private let log = Mutex<LeaderLog?>(nil)
    let journal: CopyJournal

    /// - Parameters:
    ///   - link: the part.
    ///   - process: what the parts of the node share.
    ///   - storage: the part's database.
    ///   - status: what the node is in the part.
    init(_ link: PartitionLink, _ process: Process, _ storage: StorageSettings, _ status: ClusterStatus) {
        (self.link, self.process, self.storage, self.status) = (link, process, storage, status)
        runner = LeaseRunner(link, node: process.cluster.node, run: process.run, address: process.address)
        let partitioning = process.cluster.partitioning
        machine = Mutex(NodeMachine(restsWhenIdle: link.part != partitioning.configuration))
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
    var run: UInt64 { process.run }

    /// Whether there is a database of the part on this node.
    var hasFile: Bool { FileManager.default.fileExists(atPath: storage.path) }

    /// Whether the node follows or leads with a copy that it keeps.
    var hasOpenCopy: Bool { [.follower, .leader].contains(status.current.role) && !isReleased }

    /// Whether the copy is to be removed.
    var isReleased: Bool { machine.withLock { $0.isReleased } }

    /// Removes records from the part's log.
    var removal: LogRemoval { LogRemoval(link: link, cluster: process.link, run: run, logger: logger) }

    /// Reads who leads, so that requests are sent on before the node works.
    func lookForLeader() async { await runner.look() }

    /// Follows and leads until the end of the process.
    ///
    /// - Throws: a `StoreError` or a `ReplicaError`.
    func work() async throws {
        let leasing = Task { [self] in await runner.run { signal(.lease($0)) } }
        process.events.whenStopping { [weak self] in self?.signal(.stop) }
        let result: Result<Void, any Error>
        do {
            try await perform()
            result = .success(())
        } catch {
            result = .failure(error)
        }
        let wasLeader = runner.lease?.run == run || status.current.role == .leader
        runner.stop()
        await leasing.value
        // Requests that came to this node since then wait for the next leader.
        if wasLeader { await runner.waitForSuccessor(of: run, within: Self.succession) }
        status.set(.gone)
        try result.get()
    }

    private func perform() async throws {
        let worker = CopyWorker(self)
        var task = machine.withLock {
            $0.begin(hasFile: hasFile, isHolder: process.plan.isHolder(of: link.part))
        }
        publish()
        do {
            while task != .end {
                let result = try await worker.perform(task)
                let answer = machine.withLock { machine in
                    // Signals until now are known to the machine; later ones end the next pause.
                    waker.rest()
                    return machine.step(result)
                }
                // What it was at the end decides whether it waits for a successor.
                if answer.task != .end { publish() }
                for effect in answer.effects { perform(effect) }
                task = answer.task
            }
        } catch {
            _ = try? await worker.endReaders()
            try? worker.close()
            throw error
        }
    }

    /// Waits for a time, or until a signal.
    func pause(_ time: Duration) async { await waker.pause(time) }

    // MARK: - Signals

    /// Lets another node lead the part, if this one does.
    func handOver(to node: String) {
        guard status.current.role == .leader else { return }
        logger.info("another node is to lead", metadata: ["node": "\(node)"])
        signal(.handOver(to: node))
    }

    /// Removes the copy as soon as it is closed. To be called when other nodes have theirs, and the list of copies in NATS has
    /// this node no longer.
    func release() { signal(.release) }

    /// Takes note of the members as they were read last.
    func planDidChange() { signal(.holder(process.plan.isHolder(of: link.part))) }

    /// Takes a signal, whatever the node does at the moment.
    func signal(_ signal: NodeMachine.Signal) {
        let (former, state, effects) = machine.withLock { machine in
            let former = machine.state
            let effects = machine.signal(signal)
            return (former, machine.state, effects)
        }
        if former != state {
            publish()
            if case .steppingDown(.leadLost) = state {
                logger.warning("another node may lead; this one stops to")
            }
        }
        for effect in effects { perform(effect) }
    }

    private func perform(_ effect: NodeMachine.Effect) {
        switch effect {
        case .wake: waker.wake()
        case .stopService: process.events.stopService(of: link.part)
        case .handOver(let node): runner.handOver(to: node)
        case .lose: runner.lose()
        case .trimAndLose:
            let applied = status.current.mark?.sequence ?? 0
            Task { [runner, removal] in
                _ = try? await removal.trim(applied: applied)
                runner.lose()
            }
        }
    }

    /// Lets the reports, the ports and the lease know what the node is.
    private func publish() {
        // In the order of the changes, which several threads make.
        machine.withLock { machine in
            runner.setCanLead(machine.canLead)
            let report = machine.report
            switch report.role {
            case .noCopy: status.setNoCopy()
            case .starting, .follower, .leader, .failed, .fetching, .gone:
                status.set(report.role, problem: report.problem)
            }
        }
    }

    // MARK: - The copy

    /// The position that the copy has applied; the newest record's while this node leads.
    var position: UInt64 { log.withLock { $0 }?.mark.position ?? status.current.mark?.position ?? 0 }

    /// Sets what is written to while the node leads.
    func set(_ log: LeaderLog?) { self.log.withLock { $0 = log } }

    /// Notes that the copy was replaced by another node's.
    func copyWasReplaced() { replacements.withLock { $0 += 1 } }

    /// Notes that a leader has appended a record.
    func didAppend() {
        guard let log = log.withLock({ $0 }) else { return }
        status.set(log.mark)
        status.note(link.log.foreign, logger)
        configurationDidChange()
    }

    /// Lets the ports forget what they know of tokens, and the partitions take the configuration over, where this part has
    /// that of a cluster with several.
    func configurationDidChange() {
        guard process.cluster.partitions > 1, link.part == .configuration else { return }
        process.router.tokensDidChange()
        process.configuration.changes.raise()
    }

    /// Waits until the copy has what the log has now, or for a time.
    func catchUp(within time: Duration) async {
        guard status.current.role != .leader, let end = try? await link.log.end() else { return }
        let deadline = ContinuousClock.now + time
        while (status.current.mark?.sequence ?? 0) < end, ContinuousClock.now < deadline {
            try? await Task.sleep(for: .milliseconds(20))
        }
    }
}
