import FencepostModel
import FencepostService
import Logging
import Synchronization

/// The dispatcher at work: owns the runners, and does what they want done.
struct DispatchLoop {
    private let dispatcher: WebhookDispatcher
    private var runners: [String: EndpointRunner] = [:]
    /// When each runner wants to be asked again.
    private var wakeUps: [String: Timestamp] = [:]
    /// Runners to which something happened.
    private var touched: Set<String> = []
    private var journal = DispatchJournal()
    private var generator: AnyGenerator
    private var attemptsInFlight = 0
    /// When a stop waits no longer; `nil` while nobody wants to stop.
    private var stopAt: Timestamp?
    private var gaugesDue = Timestamp.distantPast

    /// No sleep is longer, so that a wall clock that was set makes no more of a difference than this.
    private static let longestSleep = Duration.seconds(60)
    private static let gaugeInterval = Duration.seconds(15)

    init(_ dispatcher: WebhookDispatcher) {
        self.dispatcher = dispatcher
        generator = AnyGenerator(base: dispatcher.makeGenerator())
    }

    private var clock: ServiceClock { dispatcher.clock }

    mutating func run(in group: inout DiscardingTaskGroup) async {
        while true {
            let now = clock.now()
            for message in dispatcher.mailbox.takeAll() { take(message, now: now) }
            for (id, time) in wakeUps where time <= now { touched.insert(id) }
            if stopAt == nil { work(now: now, in: &group) }
            write(now: now, in: &group)
            noteGauges(now: now, in: &group)
            if isDone(now: now) { return }
            await wait(now: now)
        }
    }

    private func isDone(now: Timestamp) -> Bool {
        if Task.isCancelled { return true }
        guard let stopAt else { return false }
        return now >= stopAt || attemptsInFlight == 0 && journal.isEmpty
    }

    /// Sleeps until there is a message or something is due.
    private func wait(now: Timestamp) async {
        let deadline = [wakeUps.values.min(), stopAt, journal.retryAt].compactMap { $0 }.min()
        let span = min(deadline.map { max($0 - now, .milliseconds(1)) } ?? Self.longestSleep, Self.longestSleep)
        let (mailbox, sleep) = (dispatcher.mailbox, dispatcher.sleep)
        guard mailbox.isEmpty else { return }
        dispatcher.activity.withLock { $0.isAsleep = true }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await mailbox.arrival() }
            group.addTask { try? await sleep(span) }
            await group.next()
            group.cancelAll()
        }
        dispatcher.activity.withLock { $0.isAsleep = false }
    }

    // MARK: What happened

    private mutating func take(_ message: DispatchMailbox.Message, now: Timestamp) {
        switch message {
        case .notified(let ids):
            for id in ids where runners[id] != nil {
                runners[id]?.notify()
                touched.insert(id)
            }
        case .endpoints(let endpoints): take(endpoints)
        case .loaded(let id, let time, let result):
            touched.insert(id)
            switch result {
            case .found(let deliveries, let next, let health):
                if let health { runners[id]?.restore(health) }
                let settlements = runners[id]?.loaded(deliveries, at: time, next: next, now: now) ?? []
                for settlement in settlements { journal.settle(settlement, of: id) }
            case .failed(let error):
                runners[id]?.loadFailed(at: now)
                dispatcher.logger.warning("deliveries could not be read", metadata: ["error": "\(error)"])
            }
        case .finished(let id, let delivery, let answer, let startedAt):
            attemptsInFlight -= 1
            finish(delivery, of: id, answer, startedAt: startedAt, now: now)
        case .written(let result):
            guard let batch = journal.written(result, now: now) else { return }
            for (id, deliveries) in batch.settled {
                runners[id]?.settled(deliveries)
                touched.insert(id)
            }
            if !batch.events.isEmpty { dispatcher.eventsStored() }
            for delivery in batch.deliveries {
                runners[delivery.endpointID]?.notify()
                touched.insert(delivery.endpointID)
            }
        case .stop: stopAt = stopAt ?? now + dispatcher.settings.stopGrace
        }
    }

    private mutating func take(_ endpoints: [Endpoint]) {
        let ids = Set(endpoints.map(\.id))
        for id in runners.keys where !ids.contains(id) {
            runners[id] = nil
            wakeUps[id] = nil
        }
        var settings = EndpointRunner.Settings()
        settings.maximumInFlight = dispatcher.settings.maximumInFlight
        for endpoint in endpoints {
            if runners[endpoint.id]?.update(endpoint) == true, let health = runners[endpoint.id]?.health {
                journal.update(endpoint, health: health)
            }
            if runners[endpoint.id] == nil {
                runners[endpoint.id] = EndpointRunner(
                    endpoint, settings: settings, schedule: dispatcher.settings.schedule)
            }
            touched.insert(endpoint.id)
        }
    }

    private mutating func finish(
        _ delivery: String, of id: String, _ answer: WebhookAnswer, startedAt: Timestamp, now: Timestamp
    ) {
        touched.insert(id)
        // Of an endpoint that is gone nothing is kept; its deliveries were cancelled with it.
        guard var runner = runners[id] else { return }
        let before = runner.health
        let outcome = runner.finished(delivery, answer, startedAt: startedAt, now: now, using: &generator)
        runners[id] = runner
        guard let outcome else { return }
        journal.settle(outcome.settlement, of: id)
        if outcome.isExhausted, ServiceEventType(rawValue: outcome.delivery.eventType) == nil {
            tell(
                ServiceEvents.exhausted(
                    outcome.delivery, of: runner.endpoint, attempts: outcome.delivery.attempts + 1, at: now))
        }
        if let reason = outcome.disabledBecause {
            dispatcher.logger.warning("endpoint disabled: \(reason)", metadata: ["endpoint": "\(id)"])
            dispatcher.roster.remove(id)
            tell(ServiceEvents.disabled(runner.endpoint, reason: reason, at: now))
            // When someone enables it again, it begins anew.
            journal.update(runner.endpoint, health: EndpointHealth())
            dispatcher.metrics.note(runners.values.map(\.endpoint))
        } else if let health = runner.health, health.isWorthWriting(after: before) {
            journal.update(runner.endpoint, health: health)
        }
        log(outcome, of: id)
    }

    private mutating func tell(_ event: NewEvent) {
        journal.add(event, dispatcher.roster.messages(for: event))
    }

    private func log(_ outcome: EndpointRunner.Outcome, of id: String) {
        guard let attempt = outcome.settlement.attempt else { return }
        dispatcher.logger.debug(
            "webhook attempt",
            metadata: [
                "delivery": "\(outcome.delivery.id)", "event": "\(outcome.delivery.eventID)", "endpoint": "\(id)",
                "attempt": "\(attempt.number)", "milliseconds": "\(attempt.duration.milliseconds)",
                "status": "\(attempt.status.map(String.init) ?? "-")",
                "failure": "\(attempt.failure?.rawValue ?? "-")",
                "next": "\(attempt.nextAttempt?.rfc3339 ?? "-")",
            ])
    }

    // MARK: What is to be done

    private mutating func work(now: Timestamp, in group: inout DiscardingTaskGroup) {
        for id in touched {
            guard var runner = runners[id] else { continue }
            let steps = runner.steps(at: now)
            wakeUps[id] = runner.wakeUp(at: now)
            let needsHealth = runner.health == nil
            runners[id] = runner
            for step in steps {
                switch step {
                case .load(let time, let excluded, let limit):
                    load(id, at: time, excluding: excluded, limit: limit, needsHealth: needsHealth, in: &group)
                case .attempt(let delivery): attempt(delivery, to: runner.endpoint, now: now, in: &group)
                }
            }
        }
        touched = []
    }

    private func load(
        _ id: String, at time: Timestamp, excluding excluded: Set<String>, limit: Int, needsHealth: Bool,
        in group: inout DiscardingTaskGroup
    ) {
        let outbox = dispatcher.outbox
        child(in: &group) {
            do {
                let health = needsHealth ? try await outbox.health(of: id) : nil
                let found = try await outbox.due(for: id, at: time, excluding: excluded, limit: limit)
                let next =
                    found.count < limit && time != .distantFuture
                    ? try await outbox.nextDue(for: id, excluding: excluded.union(found.map(\.id))) : nil
                return .loaded(endpoint: id, at: time, .found(found, next: next, health: health))
            } catch {
                return .loaded(endpoint: id, at: time, .failed("\(error)"))
            }
        }
    }

    private mutating func attempt(
        _ delivery: PendingDelivery, to endpoint: Endpoint, now: Timestamp, in group: inout DiscardingTaskGroup
    ) {
        attemptsInFlight += 1
        let (sender, metrics) = (dispatcher.sender, dispatcher.metrics)
        let request = WebhookRequest(
            endpoint, id: delivery.eventID, body: delivery.body, headers: delivery.headers, wall: clock.wall())
        child(in: &group) {
            let answer = await sender.send(request)
            // Broken off by the stop: it stays pending.
            guard !Task.isCancelled else { return nil }
            metrics.note(answer)
            return .finished(endpoint: endpoint.id, delivery: delivery.id, answer, startedAt: now)
        }
    }

    private mutating func write(now: Timestamp, in group: inout DiscardingTaskGroup) {
        guard let batch = journal.nextBatch(now: now) else { return }
        let (outbox, logger) = (dispatcher.outbox, dispatcher.logger)
        child(in: &group) {
            var result = DispatchJournal.Result.nothing
            do {
                if !batch.isEmptyOfDeliveries {
                    try await outbox.settle(batch.settlements, events: batch.events, deliveries: batch.deliveries)
                }
                result = .deliveries
                for update in batch.updates { try await outbox.update(update.endpoint, health: update.health) }
                result = .everything
            } catch {
                logger.warning("deliveries could not be settled", metadata: ["error": "\(error)"])
            }
            return .written(result)
        }
    }

    private mutating func noteGauges(now: Timestamp, in group: inout DiscardingTaskGroup) {
        guard now >= gaugesDue, stopAt == nil else { return }
        gaugesDue = now + Self.gaugeInterval
        let (outbox, metrics) = (dispatcher.outbox, dispatcher.metrics)
        child(in: &group) {
            if let backlog = try? await outbox.backlog() {
                metrics.note(pending: backlog.pending, oldest: backlog.oldest, now: now)
            }
            return nil
        }
    }

    /// Runs something beside the loop; what it returns comes back as a message.
    private func child(
        in group: inout DiscardingTaskGroup, _ work: @escaping @Sendable () async -> DispatchMailbox.Message?
    ) {
        let dispatcher = dispatcher
        dispatcher.activity.withLock { $0.children += 1 }
        group.addTask {
            if let message = await work() { dispatcher.mailbox.post(message) }
            dispatcher.activity.withLock { $0.children -= 1 }
        }
    }
}

/// A generator of whatever kind.
struct AnyGenerator: RandomNumberGenerator {
    var base: any RandomNumberGenerator

    mutating func next() -> UInt64 { base.next() }
}

extension EndpointHealth {
    /// Whether a crash must not forget the difference; successes in a row are written once a minute.
    func isWorthWriting(after before: EndpointHealth?) -> Bool {
        guard let before else { return true }
        if (consecutiveFailures == 0) != (before.consecutiveFailures == 0) || consecutiveFailures > 0 { return true }
        guard let last = lastSuccess, let previous = before.lastSuccess else {
            return lastSuccess != before.lastSuccess
        }
        return last.milliseconds / 60_000 != previous.milliseconds / 60_000
    }
}
