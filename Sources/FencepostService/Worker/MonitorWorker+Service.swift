import FencepostEngine
import FencepostModel
import FencepostMonitor
import FencepostRegions
import FencepostSimulator
import Logging
public import ServiceLifecycle
import Synchronization

extension MonitorWorker: ServiceLifecycle.Service {
    /// Runs until graceful shutdown or until the store cannot be read at the start.
    public func run() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                // Deadlines are in whole seconds at best; to look at them each second is enough.
                while !Task.isCancelled {
                    try? await self.sleep(.seconds(1))
                    self.inbox.tick()
                }
            }
            group.addTask {
                await withGracefulShutdownHandler {
                    await Self.untilCancelled()
                } onGracefulShutdown: {
                    self.inbox.close()
                }
                self.inbox.close()
            }
            do {
                try await self.work()
            } catch {
                self.enter(.stopped)
                self.inbox.close()
                await self.refuseWaiting(with: .stopping)
                group.cancelAll()
                throw error
            }
            self.enter(.stopped)
            await self.refuseWaiting(with: .stopping)
            group.cancelAll()
        }
    }

    private static func untilCancelled() async {
        let never = EventSignal()
        await never.wait(since: 0)
    }

    private func enter(_ phase: Phase) {
        published.withLock { $0.phase = phase }
        startup.raise()
    }

    /// Sessions one after the other: a failed write ends one, and the next begins when the store writes again.
    private func work() async throws {
        var isFirst = true
        while true {
            do {
                try await serve()
                return
            } catch let failure as StoreFailure {
                logger.error("the store does not write", metadata: ["error": "\(failure.underlying)"])
                metrics.storeFailed()
                enter(.failing("storage does not write"))
            } catch {
                // Before anything was served it is for whoever started the service to see.
                if isFirst { throw error }
                logger.error("the monitor stopped and begins again", metadata: ["error": "\(error)"])
                enter(.failing("monitor failed"))
            }
            isFirst = false
            while true {
                await refuseWaiting(with: .storeUnavailable)
                if inbox.isClosed { return }
                try? await sleep(.seconds(1))
                if (try? await store.probe()) != nil { break }
            }
        }
    }

    struct StoreFailure: Error {
        let underlying: any Error
    }

    /// One session, from the reading of the store to the end, or to the first write that fails.
    private func serve() async throws {
        var session = try await MonitorSession.load(store: store, composer: composer, settings: settings)
        knownSources.withLock { $0 = session.sources }
        board.replaceAll(session.statuses, live: session.livePositions)
        let (index, apps) = (session.engine.index, session.watchedApps)
        published.withLock { published in
            published.index = index
            published.apps = apps
            published.phase = .ready
        }
        startup.raise()
        logger.info(
            "monitor ready",
            metadata: ["devices": "\(session.engine.deviceCount)", "regions": "\(index.catalog.count)"])
        // A change of regions that is made but for the states that go with it, and those that wait for it.
        var ready: WorkerChange?
        var waiting: [WorkerChange] = []
        var isPreparing = false
        try await withThrowingTaskGroup(of: Void.self) { builders in
            defer {
                for change in waiting + [ready].compactMap(\.self) {
                    change.answer(.failure(MonitorFailure.storeUnavailable))
                }
            }
            try await withThrowingTaskGroup(of: Void.self) { writes in
                // While a group is written the next one is evaluated; when nobody waits, the end of the write is.
                var flight: Group?
                while true {
                    var next: WorkerChange?
                    if ready != nil, session.isReadyForChange {
                        swap(&next, &ready)
                    } else {
                        var items = inbox.poll(locations: Self.groupLimit)
                        if items.isEmpty {
                            try await self.land(&flight, &writes)
                            guard ready == nil else {
                                try await self.writing { try await session.checkpointSome(at: self.clock.now()) }
                                continue
                            }
                            guard let more = await inbox.next(locations: Self.groupLimit) else { break }
                            items = more
                        }
                        guard case .change(let change)? = items.first else {
                            try await self.take(items, &session, &flight, &writes)
                            continue
                        }
                        if case .prepared = change.work {
                            ready = change
                            session.hurryCheckpoints()
                            continue
                        }
                        if isPreparing, !change.endsPreparation {
                            waiting.append(change)
                            continue
                        }
                        next = change
                    }
                    do {
                        try await self.land(&flight, &writes)
                    } catch {
                        // Nobody else knows of it now.
                        next?.answer(.failure(MonitorFailure.storeUnavailable))
                        throw error
                    }
                    while let change = next {
                        next = nil
                        if let prepare = try await self.make(change, &session) {
                            isPreparing = true
                            builders.addTask(operation: prepare)
                        } else {
                            isPreparing = false
                            if !waiting.isEmpty { next = waiting.removeFirst() }
                        }
                    }
                }
            }
            builders.cancelAll()
            reached(.stopping)
            try await self.writing { try await session.checkpointAll(at: self.clock.now()) }
        }
    }

    /// Runs something that writes, and tells its failure from others.
    private func writing<Value>(_ body: () async throws -> Value) async throws -> Value {
        do {
            return try await body()
        } catch {
            throw StoreFailure(underlying: error)
        }
    }

    /// Submissions that are evaluated together, and who waits for them.
    private struct Group {
        var submissions: [Submission] = []
        var senders: [CheckedContinuation<Result<SubmissionReceipt, MonitorFailure>, Never>] = []
        var firstArrival: Timestamp?
        var turn = MonitorSession.Turn(commit: Commit(position: 0, receivedAt: .distantPast))

        func refuse() { for sender in senders { sender.resume(returning: .failure(.storeUnavailable)) } }
    }

    /// Evaluates what came while the group before is being written, and then has it written.
    private func take(
        _ items: [WorkerInbox.Item], _ session: inout MonitorSession, _ flight: inout Group?,
        _ writes: inout ThrowingTaskGroup<Void, any Error>
    ) async throws {
        var group = Group()
        var ticks = false
        for item in items {
            switch item {
            case .submission(let submission, let arrival, let sender):
                group.submissions.append(submission)
                group.senders.append(sender)
                group.firstArrival = group.firstArrival ?? arrival
            case .tick: ticks = true
            case .change: preconditionFailure("a change comes by itself")
            }
        }
        do {
            let start = ContinuousClock.now
            group.turn = try await session.evaluate(
                group.submissions, at: clock.now(), ticks: ticks, while: flight?.turn)
            if !group.submissions.isEmpty { metrics.evaluated(in: ContinuousClock.now - start) }
            reached(.evaluated)
            try await land(&flight, &writes)
        } catch {
            group.refuse()
            // What is on its way may arrive all the same, and then its senders are told so.
            try? await land(&flight, &writes)
            throw error is StoreFailure ? error : StoreFailure(underlying: error)
        }
        guard let write = session.write(of: group.turn) else { return answer(group) }
        writes.addTask(operation: write)
        flight = group
    }

    /// Waits for the group that is being written, and answers its senders.
    private func land(_ flight: inout Group?, _ writes: inout ThrowingTaskGroup<Void, any Error>) async throws {
        guard let group = flight else { return }
        flight = nil
        do {
            try await writes.next()
        } catch {
            group.refuse()
            throw StoreFailure(underlying: error)
        }
        reached(.committed)
        answer(group)
    }

    private func answer(_ group: Group) {
        publish(group.turn)
        for (sender, receipt) in zip(group.senders, group.turn.receipts) { sender.resume(returning: .success(receipt)) }
        metrics.committed(group.turn.commit, submissions: group.submissions, receipts: group.turn.receipts)
        if !group.turn.commit.events.isEmpty, let first = group.firstArrival {
            metrics.delayed(by: clock.now() - first)
        }
    }

    /// Shows what is durable now, and wakes who waits for it.
    func publish(_ turn: MonitorSession.Turn) {
        board.update(turn.news, turn.commit.locations)
        if !turn.commit.events.isEmpty { notices.events.raise() }
        if !turn.commit.deliveries.isEmpty { notices.deliveries(Set(turn.commit.deliveries.map(\.endpointID))) }
    }

    /// Answers everyone who waits with a failure.
    private func refuseWaiting(with failure: MonitorFailure) async {
        for item in inbox.takeAll() {
            switch item {
            case .submission(_, _, let sender): sender.resume(returning: .failure(failure))
            case .change(let change): change.answer(.failure(failure))
            case .tick: break
            }
        }
    }
}
