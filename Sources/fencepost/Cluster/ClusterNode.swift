import FencepostCluster
import FencepostModel
import FencepostNATS
import FencepostOperation
import FencepostService
import FencepostStore
import Foundation
import Logging
import Synchronization

/// A node of a cluster: follows the log with its copy of the database, and runs the service while it leads.
final class ClusterNode: Sendable {
    /// A condition that only a person can end, as a sentence.
    struct Failure: Error {
        let sentence: String
    }

    /// Between looks for new records.
    private static let followInterval = Duration.milliseconds(100)
    /// Records that are applied in one transaction.
    private static let batch = 200

    let cluster: ClusterSettings
    let status = ClusterStatus()
    let logger = Logger(label: "fencepost.cluster")
    /// Identifies this run of the process.
    let run = UInt64.random(in: .min ... .max)
    let events: ProcessEvents
    let address: String
    private let storage: StorageSettings
    private let standby: Standby
    private let lead: @Sendable (LeaderLog, ClusterStatus) async throws -> Void
    private let manager = ServiceManager(environment: ProcessInfo.processInfo.environment)
    private let numbers = Mutex(RecordNumbers())

    /// - Parameters:
    ///   - configuration: the configuration.
    ///   - cluster: its usable settings of the cluster.
    ///   - events: the signals of the process.
    ///   - metricsText: the body of `/metrics`.
    ///   - lead: runs the service over the database until it is stopped.
    init(
        _ configuration: Configuration, _ cluster: ClusterSettings, events: ProcessEvents,
        metricsText: @escaping @Sendable () -> String,
        lead: @escaping @Sendable (LeaderLog, ClusterStatus) async throws -> Void
    ) {
        (self.cluster, self.events, self.lead) = (cluster, events, lead)
        storage = configuration.storage
        address = "\(configuration.server.host):\(configuration.server.port)"
        standby = Standby(
            StandbyServer(
                configuration.server, status: status, metricsText: metricsText, logger: Logger(label: "fencepost.http"))
        )
    }

    /// Works until the process is asked to end.
    ///
    /// - Throws: an exit status, after printing the reason.
    func work() async throws {
        do {
            try await standby.start()
            logger.info("listening as a node that does not lead", metadata: ["address": "\(address)"])
            manager.ready()
            guard let link = try await link() else { return await standby.stop() }
            let copy = try ReplicaStore(storage, cluster: link.id)
            guard let register = try await NodeRegister.enter(self, link) else { return await standby.stop() }
            try await participate(link, copy, register)
            await standby.stop()
        } catch let error as ClusterLink.Misuse {
            throw say("\(error)", .configuration)
        } catch let error as ReplicaError {
            throw say("\(error)", .configuration)
        } catch let error as StoreError {
            throw say("\(error)", error.exitStatus)
        } catch let error as NodeRegister.Duplicate {
            throw say("\(error)", .tryAgain)
        } catch let error as Standby.NotBound {
            throw say("\(address) cannot be listened on: \(error.reason)", .unavailable)
        }
    }

    private func say(_ sentence: String, _ status: ExitStatus) -> any Error {
        Console.say("fencepost: \(sentence)")
        return status.exit
    }

    /// Connects to NATS, again and again while it does not answer; `nil` when the process is to end.
    private func link() async throws -> ClusterLink? {
        let known = try ReplicaStore.mark(of: storage.path)?.cluster
        let newID = String(UInt64.random(in: .min ... .max), radix: 16)
        var isLogged = false
        while !events.isStopping {
            do {
                return try await ClusterLink.open(cluster, knownID: known, newID: newID)
            } catch let error as NATSError {
                status.set(.starting, problem: "NATS is not ready: \(error)")
                if !isLogged { logger.warning("NATS is not ready; trying again", metadata: ["error": "\(error)"]) }
                isLogged = true
                try await Task.sleep(for: .seconds(1))
            }
        }
        return nil
    }

    /// Follows and leads until the end of the process, with the lease and the reports at the same time.
    private func participate(_ link: ClusterLink, _ copy: consuming ReplicaStore, _ register: NodeRegister) async throws
    {
        let runner = LeaseRunner(link, node: cluster.node, run: run)
        let leasing = Task { await runner.run() }
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
        await runner.stop()
        await leasing.value
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
                    now: { InputReader.now },
                    onFailure: { [self] failure in
                        logger.warning("an append to the log failed", metadata: ["failure": "\(failure)"])
                        status.set(.follower, problem: "The log could not be appended to.")
                        Task { await runner.lose() }
                    })
                try copy.close()
                try await serve(log, epoch: epoch, runner)
                copy = try ReplicaStore(storage, cluster: link.id)
                if events.isStopping { break }
                status.set(.follower)
                try await standby.start()
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

    /// Applies the log until this node leads; returns its epoch, or `nil` when the process is to end.
    private func follow(_ copy: ReplicaStore, _ link: ClusterLink, _ runner: LeaseRunner) async throws -> UInt64? {
        status.set(.follower)
        runner.setCanLead(true)
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
            time: InputReader.now,
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
            throw Failure(
                sentence: "The log after record \(after) was trimmed while this node was away. "
                    + "Replace its database by a backup of the leader's.")
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

    private func serve(_ log: LeaderLog, epoch: UInt64, _ runner: LeaseRunner) async throws {
        await standby.stop()
        status.set(.leader)
        let watching = Task { [self] in
            var isLost = false
            while !Task.isCancelled {
                if runner.role == .leader(epoch: epoch), !log.hasFailed {
                    status.set(log.mark)
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
        try await lead(log, status)
        await runner.loseUnless(stopping: events.isStopping)
        logger.info("this node leads no longer", metadata: ["commits": "\(log.figures.commits)"])
    }
}
