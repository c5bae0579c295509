import FencepostModel
import FencepostService
import FencepostTracing
import Logging
import Synchronization

/// The dispatcher's main loop: owns a runner for each endpoint, sends it inputs and performs its actions.
struct DispatchLoop {
    private let dispatcher: WebhookDispatcher
    private var runners: [String: EndpointRunner] = [:]
    /// When each runner has to advance.
    private var wakeUps: [String: Timestamp] = [:]
    /// Endpoints whose runner has had an input since it advanced.
    private var changed: Set<String> = []
    private var journal = DispatchJournal()
    private var generator: any RandomNumberGenerator
    private var attemptsInFlight = 0
    /// When a shutdown stops waiting for attempts in flight; `nil` before a shutdown.
    private var stopAt: Timestamp?
    private var gaugesDue = Timestamp.distantPast
    /// The number of the newest event whose messages have come.
    private var through: Int64 = 0
    /// When messages without rows are looked at; `nil` while no endpoint may have any.
    private var tickDue: Timestamp?

    /// Maximum sleep, and with it the maximum effect of a change of the wall clock.
    private static let longestSleep = Duration.seconds(60)
    private static let gaugeInterval = Duration.seconds(15)
    private static let tickInterval = Duration.seconds(1)

    init(_ dispatcher: WebhookDispatcher) {
        self.dispatcher = dispatcher
        generator = dispatcher.makeGenerator()
    }

    private var clock: ServiceClock { dispatcher.clock }

    mutating func run(in group: inout DiscardingTaskGroup) async {
        while true {
            let now = clock.now()
            for message in dispatcher.mailbox.takeAll() { take(message, now: now, in: &group) }
            if stopAt == nil { advanceRunners(now: now, in: &group) }
            let isTick = tick(now: now, in: &group)
            write(now: now, isTick: isTick, in: &group)
            recordGauges(now: now, in: &group)
            if isDone(now: now) { return }
            await wait(now: now)
        }
    }

    private func isDone(now: Timestamp) -> Bool {
        if Task.isCancelled { return true }
        guard let stopAt else { return false }
        return now >= stopAt || attemptsInFlight == 0 && journal.isEmpty && runners.values.allSatisfy(\.direct.isClosed)
    }

    /// Sleeps until a message arrives or something is due.
    private func wait(now: Timestamp) async {
        let deadline = [wakeUps.values.min(), stopAt, journal.retryAt, tickDue].compactMap { $0 }.min()
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

    // MARK: Inputs

    private mutating func take(_ message: DispatchMailbox.Message, now: Timestamp, in group: inout DiscardingTaskGroup)
    {
        switch message {
        case .deliveriesAdded(let ids):
            for id in ids { send(.deliveriesAdded, to: id, now: now, in: &group) }
        case .messagesHanded(let handed):
            through = max(through, handed.through)
            take(handed, now: now, in: &group)
        case .endpointsRead(let endpoints, let number):
            take(endpoints, now: now, in: &group)
            dispatcher.restoreRoster(endpoints, number: number)
        case .deliveriesRead(let id, .success(let read)):
            let input = EndpointRunner.Input.deliveriesRead(read.deliveries, next: read.next, health: read.health)
            send(input, to: id, now: now, in: &group)
        case .deliveriesRead(let id, .failure(let error)):
            dispatcher.logger.warning(
                "reading due deliveries failed; the next try is in 2 s", metadata: ["error": "\(error)"])
            send(.readFailed, to: id, now: now, in: &group)
        case .attemptFinished(let id, let delivery, let result, let startedAt):
            attemptsInFlight -= 1
            let input = EndpointRunner.Input.attemptFinished(deliveryID: delivery, result, startedAt: startedAt)
            send(input, to: id, now: now, in: &group)
        case .written(let extent):
            guard let batch = journal.written(extent, now: now) else { return }
            for (id, deliveries) in batch.settled {
                send(.settled(deliveryIDs: deliveries), to: id, now: now, in: &group)
            }
            if !batch.events.isEmpty { dispatcher.eventsStored() }
            for message in batch.direct.messages {
                let delivery = message.delivery
                send(.settled(deliveryIDs: [delivery.id]), to: delivery.endpointID, now: now, in: &group)
            }
            for (id, position) in batch.direct.positions {
                send(.positionWritten(position.map { .through($0) } ?? .all), to: id, now: now, in: &group)
            }
            let added = batch.deliveries.map(\.endpointID) + batch.direct.messages.map(\.delivery.endpointID)
            for id in Set(added) { send(.deliveriesAdded, to: id, now: now, in: &group) }
        case .stop:
            stopAt = stopAt ?? now + dispatcher.settings.stopGrace
            for id in runners.keys { send(.stop, to: id, now: now, in: &group) }
        }
    }

    private mutating func take(_ handed: DirectMessages, now: Timestamp, in group: inout DiscardingTaskGroup) {
        var rest = handed.messages[...]
        // Those of an endpoint are next to each other where it is the only one.
        while let id = rest.first?.delivery.endpointID {
            let messages = rest.prefix { $0.delivery.endpointID == id }
            send(.messagesHanded(Array(messages)), to: id, now: now, in: &group)
            rest = rest.dropFirst(messages.count)
        }
        for id in handed.endpointsWithRows { send(.deliveriesAdded, to: id, now: now, in: &group) }
    }

    /// Looks at messages without rows once a second, while there may be some.
    ///
    /// - Returns: whether it is time to write what is known about them.
    private mutating func tick(now: Timestamp, in group: inout DiscardingTaskGroup) -> Bool {
        guard runners.values.contains(where: { !$0.direct.isClosed }) else {
            tickDue = nil
            return false
        }
        if let tickDue, now < tickDue, tickDue <= now + Self.tickInterval { return stopAt != nil }
        tickDue = now + Self.tickInterval
        for (id, runner) in runners where !runner.direct.isClosed { send(.tick, to: id, now: now, in: &group) }
        return true
    }

    /// What is to be written about messages without rows.
    private mutating func positions() -> [String: Int64?] {
        var positions: [String: Int64?] = [:]
        for id in runners.keys {
            switch runners[id]?.position(through: through) {
            case .through(let number): positions[id] = .some(number)
            case .all: positions[id] = .some(nil)
            case nil: break
            }
        }
        return positions
    }

    private mutating func take(_ endpoints: [Endpoint], now: Timestamp, in group: inout DiscardingTaskGroup) {
        let ids = Set(endpoints.map(\.id))
        for id in runners.keys where !ids.contains(id) {
            runners[id] = nil
            wakeUps[id] = nil
        }
        var settings = EndpointRunner.Settings()
        settings.maximumInFlight = dispatcher.settings.maximumInFlight
        if dispatcher.mayBeDirect.load(ordering: .relaxed) { settings.direct = dispatcher.settings.direct }
        for endpoint in endpoints {
            if runners[endpoint.id] == nil {
                runners[endpoint.id] = EndpointRunner(
                    endpoint, settings: settings, schedule: dispatcher.settings.schedule)
                changed.insert(endpoint.id)
            } else {
                send(.endpointRead(endpoint), to: endpoint.id, now: now, in: &group)
            }
        }
    }

    private mutating func advanceRunners(now: Timestamp, in group: inout DiscardingTaskGroup) {
        for (id, time) in wakeUps where time <= now { changed.insert(id) }
        for id in changed {
            wakeUps[id] = nil
            send(.advance, to: id, now: now, in: &group)
        }
        changed = []
    }

    /// Sends an input to the runner of an endpoint. Ignored when the endpoint was deleted: its deliveries were
    /// cancelled with it.
    private mutating func send(
        _ input: EndpointRunner.Input, to id: String, now: Timestamp, in group: inout DiscardingTaskGroup
    ) {
        guard let actions = runners[id]?.handle(input, at: now, using: &generator) else { return }
        changed.insert(id)
        for action in actions { perform(action, of: id, now: now, in: &group) }
    }

    // MARK: Actions

    private mutating func perform(
        _ action: EndpointRunner.Action, of id: String, now: Timestamp, in group: inout DiscardingTaskGroup
    ) {
        guard let endpoint = runners[id]?.endpoint else { return }
        switch action {
        case .readDue(let excluded, let limit, let withHealth):
            let outbox = dispatcher.outbox
            read(id, in: &group) {
                let health = withHealth ? try await outbox.health(of: id) : nil
                let found = try await outbox.due(for: id, at: now, excluding: excluded, limit: limit)
                // After a full read there is another one anyway.
                let next =
                    found.count < limit
                    ? try await outbox.nextDue(for: id, excluding: excluded.union(found.map(\.id))) : nil
                return DispatchMailbox.Read(deliveries: found, next: next, health: health)
            }
        case .readAll(let excluded, let limit):
            let outbox = dispatcher.outbox
            read(id, in: &group) {
                let found = try await outbox.due(for: id, at: .distantFuture, excluding: excluded, limit: limit)
                return DispatchMailbox.Read(deliveries: found)
            }
        case .attempt(let delivery): attempt([delivery], to: endpoint, now: now, in: &group)
        case .attemptGroup(let deliveries): attempt(deliveries, to: endpoint, now: now, in: &group)
        case .wake(let time): wakeUps[id] = time
        case .settle(let delivery, var settlement):
            settlement.message = runners[id]?.leave(delivery.id)
            journal.settle(settlement, of: id)
            if settlement.result == .expired { dispatcher.metrics.recordExpired() }
            if let tracer = dispatcher.settings.tracer { DeliveryTrace.record(delivery, settlement, at: now, tracer) }
            log(settlement, of: delivery)
        case .reportExhausted(let delivery, let attempts):
            report(ServiceEvents.exhausted(delivery, of: endpoint, attempts: attempts, at: now))
        case .disable(let reason):
            dispatcher.logger.warning("endpoint disabled: \(reason)", metadata: ["endpoint": "\(id)"])
            dispatcher.roster.remove(id)
            report(ServiceEvents.disabled(endpoint, reason: reason, at: now))
            dispatcher.metrics.record(runners.values.map(\.endpoint))
        case .saveHealth(let health): journal.update(endpoint, health: health)
        case .store(let messages): journal.store(messages)
        case .setDirect(let isDirect): dispatcher.roster.setDirect(isDirect, id)
        }
    }

    private mutating func report(_ event: NewEvent) {
        journal.add(event, dispatcher.roster.messages(for: event))
    }

    private func log(_ settlement: Settlement, of delivery: PendingDelivery) {
        guard let attempt = settlement.attempt else { return }
        dispatcher.logger.debug(
            "webhook attempt",
            metadata: [
                "delivery": "\(delivery.id)", "event": "\(delivery.eventID)", "endpoint": "\(delivery.endpointID)",
                "attempt": .stringConvertible(attempt.number),
                "milliseconds": .stringConvertible(attempt.duration.milliseconds),
                "status": attempt.status.map { .stringConvertible($0) } ?? "-",
                "failure": "\(attempt.failure?.rawValue ?? "-")",
                "next": "\(attempt.nextAttempt?.rfc3339 ?? "-")",
            ])
    }

    /// Reads from the outbox in a child task.
    private func read(
        _ id: String, in group: inout DiscardingTaskGroup,
        _ work: @escaping @Sendable () async throws -> DispatchMailbox.Read
    ) {
        child(in: &group) {
            do { return .deliveriesRead(endpoint: id, .success(try await work())) } catch {
                return .deliveriesRead(endpoint: id, .failure(error))
            }
        }
    }

    /// Sends the message of one delivery, or of several that were collected.
    private mutating func attempt(
        _ deliveries: [PendingDelivery], to endpoint: Endpoint, now: Timestamp, in group: inout DiscardingTaskGroup
    ) {
        attemptsInFlight += 1
        let (sender, metrics, reports) = (dispatcher.sender, dispatcher.metrics, dispatcher.reports)
        var request = WebhookRequest(
            endpoint, deliveries: deliveries, wall: clock.wall(), zone: dispatcher.roster.zone.current)
        let trace = dispatcher.settings.tracer.flatMap { AttemptTrace(deliveries, to: endpoint, $0) }
        if let trace { request.headers["traceparent"] = trace.context.traceparent }
        let (id, complete) = (deliveries[0].id, request)
        child(in: &group) {
            let result =
                switch await complete.withFile(from: reports) {
                case .success(let complete): await sender.send(complete)
                case .failure(let reason): AttemptResult(failure: .report, excerpt: reason.text)
                }
            // The shutdown ended the attempt: the delivery stays pending.
            guard !Task.isCancelled else { return nil }
            metrics.record(result)
            trace?.record(result)
            return .attemptFinished(endpoint: endpoint.id, delivery: id, result, startedAt: now)
        }
    }

    private mutating func write(now: Timestamp, isTick: Bool, in group: inout DiscardingTaskGroup) {
        guard let batch = nextBatch(now: now, isTick: isTick) else { return }
        let (outbox, logger) = (dispatcher.outbox, dispatcher.logger)
        child(in: &group) {
            var extent = DispatchJournal.Extent.nothing
            do {
                if batch.hasDeliveries {
                    try await outbox.settle(
                        batch.settlements, events: batch.events, deliveries: batch.deliveries, direct: batch.direct)
                }
                extent = .deliveries
                for update in batch.updates { try await outbox.update(update.endpoint, health: update.health) }
                extent = .everything
            } catch {
                logger.warning("writing the results of attempts failed", metadata: ["error": "\(error)"])
            }
            return .written(extent)
        }
    }

    private mutating func nextBatch(now: Timestamp, isTick: Bool) -> DispatchJournal.Batch? {
        journal.isIdle
            ? journal.nextBatch(now: now, positions: journal.hasMore || isTick ? positions() : [:])
            : journal.nextBatch(now: now)
    }

    private mutating func recordGauges(now: Timestamp, in group: inout DiscardingTaskGroup) {
        guard now >= gaugesDue, stopAt == nil else { return }
        gaugesDue = now + Self.gaugeInterval
        let (outbox, metrics) = (dispatcher.outbox, dispatcher.metrics)
        let inMemory = runners.values.reduce(0) { $0 + $1.direct.count }
        child(in: &group) {
            if let backlog = try? await outbox.backlog() {
                metrics.record(pending: backlog.pending + inMemory, oldest: backlog.oldest, now: now)
            }
            return nil
        }
    }

    /// Starts a child task. Its return value comes back as a message.
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
