import FencepostCluster
import FencepostFiles
import FencepostModel
import FencepostNATS
import FencepostOperation
import FencepostServer
import FencepostService
import FencepostStore
import Foundation
import Logging
import Synchronization

/// A node of a cluster: follows the log with its copy of the database, and runs the service while it leads.
final class ClusterNode: Sendable {
    /// Records are missing behind the one that the copy has applied: it has to be replaced by another node's.
    private struct NeedsCopy: Error {
        let sequence: UInt64
    }

    /// A condition that only a person can end, as a sentence.
    struct Failure: Error {
        let sentence: String
    }

    /// Between looks for new records.
    private static let followInterval = Duration.milliseconds(100)
    /// The longest time that a leader that ends waits for the next one.
    private static let succession = Duration.seconds(3)
    /// Records that are applied in one transaction.
    private static let batch = 200

    let cluster: ClusterSettings
    let status = ClusterStatus()
    let logger = Logger(label: "fencepost.cluster")
    /// Identifies this run of the process.
    let run = UInt64.random(in: .min ... .max)
    let events: ProcessEvents
    private let server: ServerSettings
    private let storage: StorageSettings
    private let front: NodeFront
    private let ports: FrontRunner
    private let lead: @Sendable (LeaderLog, Leadership) async throws -> Void
    private let manager = ServiceManager(environment: ProcessInfo.processInfo.environment)
    private let numbers = Mutex(RecordNumbers())
    /// The node that is to lead in place of this one.
    private let successor = Mutex<String?>(nil)
    /// The time by which this node decodes locations, while it does not lead.
    private let clock: ServiceClock

    /// - Parameters:
    ///   - configuration: the configuration.
    ///   - cluster: its usable settings of the cluster.
    ///   - events: the signals of the process.
    ///   - metricsText: the body of `/metrics`.
    ///   - lead: runs the service over the database until it is stopped.
    init(
        _ configuration: Configuration, _ cluster: ClusterSettings, events: ProcessEvents,
        metricsText: @escaping @Sendable () -> String,
        lead: @escaping @Sendable (LeaderLog, Leadership) async throws -> Void
    ) {
        (self.cluster, self.events, self.lead) = (cluster, events, lead)
        (server, storage) = (configuration.server, configuration.storage)
        let start = ContinuousClock.now
        clock = ServiceClock(steady: { ContinuousClock.now - start }, wall: { WallClock.now })
        let (listening, continuation) = AsyncStream.makeStream(of: Int.self)
        front = NodeFront(
            configuration.server, limits: ConnectionLimits().bounded(byDescriptors: DescriptorLimit.raise()),
            logger: Logger(label: "fencepost.http"), now: { WallClock.now }, metricsText: metricsText,
            holdTime: cluster.holdTime, standing: { [status] _ in status.standing },
            makeCopy: { [storage] _ in try await CopyFetcher.make(of: storage.path) },
            onListening: { continuation.yield($0) })
        ports = FrontRunner(front, bound: (listening, continuation))
    }

    /// Works until the process is asked to end.
    ///
    /// - Throws: an exit status, after printing the reason.
    func work() async throws {
        do {
            // `storage.path` may name a folder that is not there yet.
            try? FileManager.default.createDirectory(
                atPath: FileName.folder(of: storage.path), withIntermediateDirectories: true)
            let port = try await ports.start()
            logger.info("listening as a node of a cluster", metadata: ["host": "\(server.host)", "port": "\(port)"])
            manager.ready()
            try await work(port)
            await ports.stop()
        } catch let error as ClusterLink.Misuse {
            throw say("\(error)", .configuration)
        } catch let error as ReplicaError {
            throw say("\(error)", .configuration)
        } catch let error as StoreError {
            throw say("\(error)", error.exitStatus)
        } catch let error as NodeRegister.Duplicate {
            throw say("\(error)", .tryAgain)
        } catch let error as FrontRunner.NotBound {
            throw say("\(server.host):\(server.port) cannot be listened on: \(error.reason)", .unavailable)
        }
    }

    private func work(_ port: Int) async throws {
        guard let link = try await link() else { return }
        front.setKey(link.identity.key)
        status.set(address: address(link, port))
        let runner = LeaseRunner(link, node: cluster.node, run: run, address: status.address)
        // Requests are sent on to the leader before the copy is open.
        status.follow { [run] in runner.lease.flatMap { $0.isHeld && $0.run != run ? $0.address : nil } }
        let leasing = Task { await runner.run() }
        let result: Result<Void, any Error>
        do {
            if let register = try await NodeRegister.enter(self, link), let copy = try await open(link, runner) {
                try await participate(link, copy, register, runner, leasing)
            }
            result = .success(())
        } catch {
            result = .failure(error)
        }
        await runner.stop()
        await leasing.value
        try result.get()
    }

    /// The node's copy, or a new one; `nil` when the process is to end.
    private func open(_ link: ClusterLink, _ runner: LeaseRunner) async throws -> ReplicaStore? {
        fetcher(link).removeLeftovers()
        // The log does not have what a single node had stored.
        if link.identity.isImported, try ReplicaStore.mark(of: storage.path) == nil {
            guard !FileManager.default.fileExists(atPath: storage.path) else { throw ReplicaError.notEmpty }
            guard try await fetch(link, runner, behind: nil) else { return nil }
        }
        return try ReplicaStore(storage, cluster: link.identity.id)
    }

    private func fetcher(_ link: ClusterLink) -> CopyFetcher {
        CopyFetcher(path: storage.path, identity: link.identity, logger: logger)
    }

    /// Fetches a copy from the leader or another node, again and again until one comes; false when the process is to end.
    private func fetch(_ link: ClusterLink, _ runner: LeaseRunner, behind sequence: UInt64?) async throws -> Bool {
        status.set(.fetching)
        runner.setCanLead(false)
        while !events.isStopping {
            let reports = (try? await link.reports()) ?? []
            let others = reports.filter { $0.run != run && [.leader, .follower].contains($0.role) }.map(\.address)
            let leader = status.standing.leader
            let sources = [leader].compactMap(\.self) + others.filter { $0 != leader }
            if try await fetcher(link).fetch(from: sources, behind: sequence) { return true }
            try await Task.sleep(for: .seconds(1))
        }
        return false
    }

    /// Where the other nodes send requests to this one.
    private func address(_ link: ClusterLink, _ port: Int) -> String {
        if let address = cluster.address { return address }
        let isEvery = ["0.0.0.0", "::", "[::]", ""].contains(server.host)
        let host = isEvery ? link.connection.localAddress ?? server.host : server.host
        return "http://" + (host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host) + ":\(port)"
    }

    private func say(_ sentence: String, _ status: ExitStatus) -> any Error {
        Console.say("fencepost: \(sentence)")
        return status.exit
    }

    /// Connects to NATS, again and again while it does not answer; `nil` when the process is to end.
    private func link() async throws -> ClusterLink? {
        let known = try ReplicaStore.mark(of: storage.path)?.cluster
        let fresh = ClusterLink.Identity.random()
        // Logged once, however often it is met.
        var logged = ""
        while !events.isStopping {
            do {
                return try await ClusterLink.open(cluster, knownID: known, fresh: fresh)
            } catch let error as NATSError {
                status.set(.starting, problem: "NATS is not ready: \(error)")
                if "\(error)" != logged {
                    logger.warning("NATS is not ready; trying again", metadata: ["error": "\(error)"])
                }
                logged = "\(error)"
                try await Task.sleep(for: .seconds(1))
            }
        }
        return nil
    }

    /// Follows and leads until the end of the process, with the lease and the reports at the same time.
    private func participate(
        _ link: ClusterLink, _ copy: consuming ReplicaStore, _ register: NodeRegister, _ runner: LeaseRunner,
        _ leasing: Task<Void, Never>
    ) async throws {
        let reporting = Task { try await register.run(self, link) }
        let watchdog = Task { [manager] in
            while let interval = manager.watchdog, !Task.isCancelled {
                manager.alive()
                try? await Task.sleep(for: interval)
            }
        }
        let result: Result<Void, any Error>
        do {
            result = .success(try await alternate(link, copy, runner))
        } catch {
            result = .failure(error)
        }
        manager.stopping()
        let wasLeader = runner.lease?.run == run || status.current.role == .leader
        await runner.stop()
        await leasing.value
        // Requests that came to this node since then wait for the next leader.
        if wasLeader { await runner.waitForSuccessor(of: run, within: Self.succession) }
        watchdog.cancel()
        reporting.cancel()
        status.set(.gone)
        let ended = await reporting.result
        await register.leave(self, link)
        try result.get()
        // The reports end before they are cancelled only when another process has this node's name.
        if case .failure(let error as NodeRegister.Duplicate) = ended { throw error }
    }

    private func alternate(_ link: ClusterLink, _ first: ReplicaStore, _ runner: LeaseRunner) async throws {
        var copy = first
        while !events.isStopping {
            do {
                guard let epoch = try await follow(copy, link, runner) else { break }
                let log = LeaderLog(
                    link.log, behind: copy.mark,
                    firstID: RecordID(run: run, number: numbers.withLock { $0.leadership() }),
                    now: { WallClock.now },
                    onFailure: { [self] failure in
                        logger.warning("an append to the log failed", metadata: ["failure": "\(failure)"])
                        status.set(.follower, problem: "The log could not be appended to.")
                        Task { await runner.lose() }
                    })
                try copy.close()
                try await serve(log, epoch: epoch, runner, link)
                copy = try ReplicaStore(storage, cluster: link.identity.id)
                if events.isStopping { break }
                status.set(.follower)
            } catch let missing as NeedsCopy {
                logger.warning(
                    "the log was trimmed while this node was away", metadata: ["after": "\(missing.sequence)"])
                try copy.close()
                let isDone = try await fetch(link, runner, behind: missing.sequence)
                copy = try ReplicaStore(storage, cluster: link.identity.id)
                if !isDone { break }
            } catch let failure as Failure {
                try await fail(failure.sentence, runner)
            } catch let error as ReplicaError {
                try await fail("\(error)", runner)
            }
        }
        try copy.close()
    }

    /// Stays without leading until the process ends, so that `/readyz` and `fencepost cluster status` have the reason.
    private func fail(_ sentence: String, _ runner: LeaseRunner) async throws {
        logger.error("this node cannot follow its cluster", metadata: ["reason": "\(sentence)"])
        runner.setCanLead(false)
        await runner.lose()
        status.set(.failed, problem: sentence)
        while !events.isStopping { try await Task.sleep(for: Self.followInterval) }
    }

    // MARK: - Following

    /// Applies the log until this node leads, and decodes locations meanwhile; returns its epoch, or `nil` when the process
    /// is to end.
    private func follow(_ copy: ReplicaStore, _ link: ClusterLink, _ runner: LeaseRunner) async throws -> UInt64? {
        status.set(.follower)
        runner.setCanLead(cluster.role == .member)
        let tokens = try ReplicaTokens(of: storage.path)
        front.decode(with: tokens, clock: clock)
        let result: Result<UInt64?, any Error>
        do {
            result = .success(try await applyLog(copy, link, runner))
        } catch {
            result = .failure(error)
        }
        front.decode(with: nil, clock: clock)
        try tokens.close()
        return try result.get()
    }

    private func applyLog(_ copy: ReplicaStore, _ link: ClusterLink, _ runner: LeaseRunner) async throws -> UInt64? {
        // Logged once, however often it is met.
        var known: LogFailure?
        while !events.isStopping {
            do {
                if case .leader(let epoch) = runner.role {
                    try await takeOver(copy, link, epoch: epoch)
                    return epoch
                }
                try await catchUp(copy, link)
                status.set(.follower)
                known = nil
            } catch let failure as LogFailure {
                if failure != known {
                    logger.warning("the log cannot be followed; trying again", metadata: ["failure": "\(failure)"])
                }
                known = failure
                try await handle(failure, runner)
            }
            try await Task.sleep(for: Self.followInterval)
        }
        return nil
    }

    private func catchUp(_ copy: ReplicaStore, _ link: ClusterLink) async throws {
        while true {
            let records = try await link.log.records(behind: copy.mark.sequence, limit: Self.batch)
            try copy.apply(records)
            // Readers of tokens take milliseconds.
            while try !copy.eraseUnused() { try await Task.sleep(for: .milliseconds(20)) }
            status.set(copy.mark)
            if records.count < Self.batch { return }
        }
    }

    /// Appends the record by which this node leads, behind all others.
    private func takeOver(_ copy: ReplicaStore, _ link: ClusterLink, epoch: UInt64) async throws {
        try await catchUp(copy, link)
        let record = LogRecord(
            epoch: epoch, position: copy.mark.position + 1,
            id: RecordID(run: run, number: numbers.withLock { $0.takeover() }),
            time: WallClock.now,
            content: .lead(LogRecord.Leadership(node: cluster.node, version: FencepostVersion.current)))
        let last = copy.mark.sequence
        let sequence = try await link.log.append(record, behind: last)
        try copy.apply([LoggedRecord(sequence: sequence, predecessor: last, record: record)])
        status.set(copy.mark)
        logger.info(
            "this node leads", metadata: ["epoch": "\(epoch)", "position": "\(record.position)"])
    }

    /// What a failure of the log means for a node that follows.
    private func handle(_ failure: LogFailure, _ runner: LeaseRunner) async throws {
        switch failure {
        case .unavailable: status.set(.follower, problem: "The cluster's log does not answer.")
        // Records came in between; they are applied first.
        case .behind, .diverged: break
        case .deposed(let epoch):
            logger.info("another node leads", metadata: ["epoch": "\(epoch)"])
            await runner.lose()
        case .full:
            status.set(.follower, problem: "The cluster's log is full, or a disk of its servers.")
            logger.error("the cluster's log is full; raise cluster.logLimit and the stream's max_bytes")
            await runner.lose()
        case .forgotten(let end):
            throw Failure(
                sentence: "The log in NATS ends at \(end), before what this copy has applied: its servers lost records "
                    + "that they had acknowledged. Stop all nodes, and compare their copies before you go on.")
        case .hole(let after):
            throw NeedsCopy(sequence: after)
        case .unreadable(let sequence, .newerFormat):
            throw Failure(
                sentence: "Record \(sequence) of the log is of a newer Fencepost. Install that version on this node.")
        case .unreadable(let sequence, .damaged(let reason)):
            throw Failure(sentence: "Record \(sequence) of the log is damaged: \(reason).")
        case .tooLarge:
            throw Failure(sentence: "The NATS servers refuse records of this size. Raise max_payload to 1 MB.")
        }
    }

    // MARK: - Leading

    /// Lets another node lead, if this one does.
    func handOver(to node: String) {
        guard status.current.role == .leader else { return }
        logger.info("another node is to lead", metadata: ["node": "\(node)"])
        successor.withLock { $0 = node }
    }

    /// The longest time that the erasure of a device waits for the other nodes.
    private static let erasureTime = Duration.seconds(15)
    /// Records that are overwritten one by one before the log is trimmed. The servers give back a block that is mostly unused
    /// and has 2 MiB or more, so this is a block of small records.
    private static let overwritten: UInt64 = 8192

    /// Waits until the nodes that run have erased what the leader has, and removes all records from the log that have it. A
    /// node that is away meanwhile gets a new copy.
    private func removeErased(before mark: ReplicaMark, _ link: ClusterLink) async {
        let end = ContinuousClock.now + Self.erasureTime
        while ContinuousClock.now < end {
            // One that led a moment ago has not reported yet that it follows.
            let others = (try? await link.reports())?.filter {
                $0.run != run && [.follower, .leader].contains($0.role)
            }
            if let others, others.allSatisfy({ $0.position >= mark.position }) { break }
            try? await Task.sleep(for: .milliseconds(250))
        }
        do {
            // Older ones are in blocks that go as a whole.
            let first = try await link.stream.content(on: link.connection).first
            let newest = max(first, mark.sequence - min(mark.sequence, Self.overwritten))..<mark.sequence
            if first < mark.sequence { try await link.stream.erase(newest, on: link.connection) }
            try await link.stream.trim(before: mark.sequence, on: link.connection)
        } catch {
            logger.error(
                "erased data is in the log until it is trimmed; erase the device again", metadata: ["error": "\(error)"]
            )
        }
    }

    private func serve(_ log: LeaderLog, epoch: UInt64, _ runner: LeaseRunner, _ link: ClusterLink) async throws {
        successor.withLock { $0 = nil }
        status.set(.leader)
        let watching = Task { [self] in
            var isLost = false
            while !Task.isCancelled {
                if runner.role == .leader(epoch: epoch), !log.hasFailed {
                    status.set(log.mark)
                    // Again and again: the service may not listen to events yet.
                    if successor.withLock({ $0 != nil }) { events.stopService() }
                } else {
                    if !isLost { logger.warning("another node may lead; this one stops to") }
                    isLost = true
                    status.set(.follower, problem: "This node has lost the lead.")
                    // Again and again: the service may not listen to events yet.
                    events.stopService()
                }
                try? await Task.sleep(for: Self.followInterval)
            }
        }
        defer { watching.cancel() }
        let report: @Sendable () async -> ClusterReport? = { [cluster] in try? await ClusterReport.read(cluster, link) }
        let leadership = Leadership(
            name: cluster.name, status: status, front: front, report: report,
            didErase: { [self] mark in await removeErased(before: mark, link) })
        try await lead(log, leadership)
        if let node = successor.withLock({ $0 }), runner.role == .leader(epoch: epoch), !events.isStopping {
            status.set(.follower)
            await runner.handOver(to: node)
        } else {
            await runner.loseUnless(stopping: events.isStopping)
        }
        logger.info("this node leads no longer", metadata: ["commits": "\(log.figures.commits)"])
    }
}
