import FencepostEngine
import FencepostModel
import FencepostRegions
import Logging
public import ServiceLifecycle
import Synchronization

extension MonitorWorker: ServiceLifecycle.Service {
    /// Runs until graceful shutdown or cancellation.
    ///
    /// - Throws: when the store cannot be loaded at the start.
    public func run() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                // Deadlines have a resolution of one second.
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
                try await self.runSessions()
            } catch {
                self.enter(.stopped)
                self.inbox.close()
                self.refuseWaiting(with: .stopping)
                group.cancelAll()
                throw error
            }
            self.enter(.stopped)
            self.refuseWaiting(with: .stopping)
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

    /// Runs one session after the other. A failed write ends a session; the next starts when the store writes again.
    private func runSessions() async throws {
        var isFirst = true
        while true {
            do {
                try await runSession()
                return
            } catch let failure as StoreFailure {
                logger.error("the store does not write", metadata: ["error": "\(failure.underlying)"])
                metrics.storeFailed()
                enter(.failing("storage does not write"))
            } catch {
                // A store that cannot be loaded at the start ends the service.
                if isFirst { throw error }
                logger.error("the monitor failed and restarts", metadata: ["error": "\(error)"])
                enter(.failing("monitor failed"))
            }
            isFirst = false
            while true {
                // A cancelled task does not sleep. It would spin here until another one closes the inbox.
                if Task.isCancelled { inbox.close() }
                refuseWaiting(with: .storeUnavailable)
                if inbox.isClosed { return }
                try? await sleep(.seconds(1))
                if (try? await store.probe()) != nil { break }
            }
        }
    }

    /// A failed write or evaluation, which ends the session.
    struct StoreFailure: Error {
        let underlying: any Error
    }

    /// Loads the store, then performs the steps of a `WorkerMachine` until it ends.
    private func runSession() async throws {
        try await setAside()
        var session = try await loadSession()
        publish(session)
        var work = SessionWork()
        await withTaskGroup(of: SessionTask.self) { tasks in
            var machine = WorkerMachine()
            var input: WorkerMachine.Input? = .started
            while let next = input {
                let output = machine.handle(next)
                for effect in output.effects { perform(effect, &session, &work, &tasks) }
                input = await perform(output.step, &session, &work, &tasks)
            }
            tasks.cancelAll()
        }
        if let failure = work.failure { throw failure }
    }

    /// Devices whose states cannot be read and which are set aside at a start. With more of them the database is damaged.
    private static let unreadableStates = 64

    /// Loads the store; a device whose state cannot be read is set aside, so that all others are served.
    private func loadSession() async throws -> MonitorSession {
        for _ in 0..<Self.unreadableStates {
            do {
                let session = try await MonitorSession.load(
                    store: store, composer: composer, settings: settings, journal: journal,
                    standby: succession.standby)
                for error in session.unreadable { logger.error("\(error)") }
                return session
            } catch MonitorStateError.unreadableState(let id) {
                try await store.setAside([SetAside(.device, id, work: .start, ends: 0, since: clock.now())])
                logger.error(
                    "set aside, since its stored state cannot be read; see docs/runbook.md",
                    metadata: ["device": "\(id)"])
            }
        }
        return try await MonitorSession.load(
            store: store, composer: composer, settings: settings, journal: journal, standby: succession.standby)
    }

    /// Sets aside what has ended the process too often, before it can do so again.
    private func setAside() async throws {
        for ended in journal.takeFound() {
            logger.warning(
                "the process ended during this work",
                metadata: [
                    "work": "\(ended.work)", "\(Self.word(ended))": "\(ended.id)", "faults": "\(ended.faults)",
                    "kills": "\(ended.kills)",
                ])
        }
        let excessive = journal.excessive.filter { $0.kind != nil }
        guard !excessive.isEmpty else { return }
        try await store.setAside(
            excessive.compactMap { ended in
                ended.kind.map {
                    SetAside($0, ended.id, work: ended.work, ends: ended.faults + ended.kills, since: clock.now())
                }
            })
        for ended in excessive {
            if let kind = ended.kind { journal.settle(kind, ended.id) }
            logger.error(
                "set aside, since it ended the process repeatedly; see docs/runbook.md",
                metadata: ["work": "\(ended.work)", "\(Self.word(ended))": "\(ended.id)"])
        }
    }

    private static func word(_ ended: WorkJournal.Ended) -> String { ended.kind?.rawValue ?? "\(ended.work)" }

    /// Publishes what was loaded.
    private func publish(_ session: borrowing MonitorSession) {
        let (sources, index, apps) = (session.sources, session.engine.index, session.watchedApps)
        let (deviceCount, stoodBy) = (session.engine.deviceCount, session.stoodBy)
        knownSources.withLock { $0 = sources }
        statuses.replaceAll(session.statuses, live: session.livePositions)
        published.withLock { published in
            published.index = index
            published.apps = apps
            published.phase = .ready
        }
        startup.raise()
        logger.info(
            stoodBy ? "states are ready" : "states restored",
            metadata: [
                "devices": .stringConvertible(deviceCount), "regions": .stringConvertible(index.catalog.count),
            ])
    }

    /// Refuses everything in the inbox.
    private func refuseWaiting(with failure: MonitorFailure) {
        for item in inbox.takeAll() {
            switch item {
            case .submission(_, _, let sender): sender.resume(returning: .failure(failure))
            case .change(let change): change.answer(.failure(failure))
            case .history(_, let sender): sender.resume(returning: .failure(failure))
            case .tick: break
            // The machine has refused its change.
            case .indexBuildEnded: break
            }
        }
    }
}
