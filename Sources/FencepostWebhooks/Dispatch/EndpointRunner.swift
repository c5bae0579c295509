import FencepostModel
import FencepostService

/// A state machine that schedules the reads and the delivery attempts of one endpoint.
///
/// It has no clock and does no I/O: inputs go in with the time, actions come out, and the owner performs them. Most
/// inputs only record what happened. `advance` starts reads and attempts; the owner sends it after the inputs that have
/// arrived together, so that one read serves all of them, and sends none while it shuts down.
struct EndpointRunner: Sendable {
    enum Input {
        /// The endpoint was read from the store: it may have changed, and deliveries may have been erased.
        case endpointRead(Endpoint)
        /// Deliveries of the endpoint were committed, or made due.
        case deliveriesAdded
        /// Messages of a commit that have no rows.
        case messagesHanded([DirectMessage])
        /// What is known about messages without rows was written.
        case positionWritten(DirectRoute.Position)
        /// It is time to look at messages without rows.
        case tick
        /// The service stops: all messages get rows.
        case stop
        /// The result of a read.
        ///
        /// - `next`: due time of the first delivery that is neither among these nor was excluded.
        /// - `health`: when the read asked for it.
        case deliveriesRead([PendingDelivery], next: Timestamp?, health: EndpointHealth?)
        case readFailed
        case attemptFinished(deliveryID: String, AttemptResult, startedAt: Timestamp)
        /// The settlements of these deliveries are on disk.
        case settled(deliveryIDs: [String])
        /// All inputs that have arrived were handled, or the time of `wake` has come.
        case advance
    }

    enum Action: Hashable {
        /// Read the deliveries that are due now, and the endpoint's health too when `withHealth` says so.
        case readDue(excluding: Set<String>, limit: Int, withHealth: Bool)
        /// Read pending deliveries whatever their due time is.
        case readAll(excluding: Set<String>, limit: Int)
        case attempt(PendingDelivery)
        /// Send these deliveries as one message. The result comes back under the id of the first.
        case attemptGroup([PendingDelivery])
        /// Send `advance` at this time. Replaces the wake-up of an earlier `advance`.
        case wake(at: Timestamp)
        /// Write the result of an attempt, or a corrected due time.
        case settle(PendingDelivery, Settlement)
        /// Report that a delivery had its last attempt.
        case reportExhausted(PendingDelivery, attempts: Int)
        /// Disable the endpoint. The reason is a sentence for people.
        case disable(reason: String)
        /// Write the endpoint's health.
        case saveHealth(EndpointHealth)
        /// Write the rows of messages that have none.
        case store([DirectMessage])
        /// Let messages come without rows, or no longer.
        case setDirect(Bool)
    }

    private(set) var endpoint: Endpoint
    private let settings: Settings
    private let schedule: RetrySchedule
    private var startup = Startup.healthUnknown
    private var reading = Reading.idle(.due)
    var breaker = CircuitBreaker()
    var backpressure: Backpressure
    /// Due deliveries that wait for their attempt, in the order of the attempts. A slice, whose first is removed at once.
    var waiting: ArraySlice<PendingDelivery> = []
    /// Those that have no rows, waiting or in flight.
    var direct: DirectRoute
    private var inFlight: [String: PendingDelivery] = [:]
    /// Those in flight whose endpoint was changed since they were sent.
    private var outdated: Set<String> = []
    /// The other deliveries of messages in flight, by the id of the first.
    private var companions: [String: [PendingDelivery]] = [:]
    /// Deliveries of batches that the receiver has refused, which are sent one by one: one of them may be why. After a restart
    /// they are tried together once more.
    private var separated: Set<String> = []
    private var gate: MessageGate
    /// Deliveries whose attempt is over and whose settlement is not on disk.
    private var unwritten: [String: Unwritten] = [:]
    /// Whether a broker is back, so that what waits for its next attempt is tried now. A receiver of webhooks may be back for one
    /// message and overloaded by the rest; a broker is there or not.
    private var isCatchingUp = false
    /// Reads that found nothing although the outbox had named a due time that had passed, since the last that did.
    private var fruitlessReads = 0

    init(_ endpoint: Endpoint, settings: Settings, schedule: RetrySchedule) {
        self.endpoint = endpoint
        self.settings = settings
        self.schedule = schedule
        backpressure = Backpressure(maximumInFlight: settings.maximumInFlight)
        gate = MessageGate(endpoint)
        direct = DirectRoute(settings.direct)
    }

    var health: EndpointHealth? { startup.health }

    /// Handles one input; the generator is the source of the jitter of retries.
    mutating func handle(
        _ input: Input, at now: Timestamp, using generator: inout some RandomNumberGenerator
    ) -> [Action] {
        switch input {
        case .endpointRead(let endpoint): return replace(with: endpoint)
        case .deliveriesAdded:
            noteAdded()
            return []
        case .messagesHanded(let messages): return take(messages, now: now)
        case .positionWritten(let position):
            return direct.noteWritten(position).map { [.setDirect($0)] } ?? []
        case .tick: return updateDirect(now: now)
        case .stop:
            direct.stop()
            return [.setDirect(false)] + stored(direct.messagesToStore(at: now, all: true))
        case .deliveriesRead(let deliveries, let next, let health):
            if let health { restore(health, now: now) }
            return take(deliveries, next: next, now: now)
        case .readFailed:
            reading = .idle(.later(now + .seconds(2)))
            return []
        case .attemptFinished(let id, let result, let startedAt):
            return finish(id, result, startedAt: startedAt, now: now, using: &generator)
        case .settled(let ids):
            for id in ids { noteSettled(id) }
            // The device's next delivery may be due now.
            if endpoint.isOrdered { noteAdded() }
            return []
        case .advance: return endpoint.isActive ? advance(now: now) : []
        }
    }

    // MARK: Endpoint

    private mutating func replace(with endpoint: Endpoint) -> [Action] {
        let former = self.endpoint
        self.endpoint = endpoint
        if !former.isDefined(as: endpoint) { outdated.formUnion(inFlight.keys) }
        gate = MessageGate(endpoint, lastMessages: gate.lastMessages, facts: gate.sent?.facts ?? [:])
        // They may have been erased from the store, so they are read again.
        let actions = dropWaiting()
        separated = []
        // Another address has no failures yet.
        guard endpoint.isActive, !former.isActive || former.url != endpoint.url else { return actions }
        let health = EndpointHealth()
        startup.setHealth(health)
        breaker = CircuitBreaker()
        backpressure = Backpressure(maximumInFlight: settings.maximumInFlight)
        return actions + [.saveHealth(health)]
    }

    private mutating func restore(_ stored: EndpointHealth, now: Timestamp) {
        // The clock was ahead when they were written: the circuit would stay open until that time comes.
        var health = stored
        health.firstFailure = stored.firstFailure.map { min($0, now) }
        health.lastFailure = stored.lastFailure.map { min($0, now) }
        // Newer health than what was read is known when the endpoint was enabled during the read.
        guard startup == .healthUnknown else { return }
        startup = .dueTimesUnchecked(health)
        gate = MessageGate(endpoint, lastMessages: health.lastMessages ?? [:], facts: health.sentFacts ?? [:])
        breaker = CircuitBreaker(failures: health.consecutiveFailures, lastFailure: health.lastFailure)
    }

    // MARK: Advance

    private mutating func advance(now: Timestamp) -> [Action] {
        var actions: [Action] = []
        while !waiting.isEmpty, sending(at: now) == .open {
            let delivery = nextWaiting()
            if endpoint.isTooOld(delivery, at: now) {
                unwritten[delivery.id] = .finished
                actions.append(.settle(delivery, Settlement(delivery.id, .expired)))
                continue
            }
            guard admit(delivery, at: now, &actions) else { continue }
            breaker.attemptStarted()
            inFlight[delivery.id] = delivery
            let isCollected = largestGroup > 1 && isCollectable(delivery)
            actions.append(isCollected ? .attemptGroup(group(with: delivery, at: now, &actions)) : .attempt(delivery))
        }
        actions += updateDirect(now: now)
        if let read = startRead(now: now) { actions.append(read) }
        if let time = wakeUp(now: now) { actions.append(.wake(at: time)) }
        return actions
    }

    /// Whether a message may be sent now. Otherwise its settlement is among the actions.
    private mutating func admit(_ delivery: PendingDelivery, at now: Timestamp, _ actions: inout [Action]) -> Bool {
        switch gate.decide(delivery, at: now) {
        case .send: return true
        case .hold(let time):
            unwritten[delivery.id] = .retry(at: time)
            actions.append(.settle(delivery, Settlement(delivery.id, .retry(at: time))))
        case .suppress, .omit:
            unwritten[delivery.id] = .finished
            actions.append(.settle(delivery, Settlement(delivery.id, .suppressed)))
        }
        return false
    }

    /// The largest number of deliveries in one message.
    private var largestGroup: Int { gate.collects ? MessageGate.largestGroup : endpoint.batchSize }

    private var window: Int { max(settings.window, 2 * endpoint.batchSize) }

    /// Whether a delivery may be in a message with others. A report has a file of its own.
    private func isCollectable(_ delivery: PendingDelivery) -> Bool {
        !delivery.isReport && !separated.contains(delivery.id)
    }

    /// A message and those that wait with it, which are sent as one.
    private mutating func group(
        with first: PendingDelivery, at now: Timestamp, _ actions: inout [Action]
    ) -> [PendingDelivery] {
        var others: [PendingDelivery] = []
        var size = first.body.utf8.count
        while let next = waiting.first, others.count + 1 < largestGroup, isCollectable(next) {
            size += next.body.utf8.count
            if size > Self.largestMessage { break }
            _ = nextWaiting()
            if endpoint.isTooOld(next, at: now) {
                unwritten[next.id] = .finished
                actions.append(.settle(next, Settlement(next.id, .expired)))
            } else if admit(next, at: now, &actions) {
                others.append(next)
            }
        }
        companions[first.id] = others
        return [first] + others
    }

    /// Bytes of the bodies in one message.
    private static let largestMessage = 1_000_000

    private func sending(at now: Timestamp) -> Sending {
        let limit: Int
        var earliest = backpressure.pausedUntil
        switch breaker.state {
        // People read messages in the order in which they come.
        case .closed: limit = endpoint.kind.isForPeople ? 1 : backpressure.maximumInFlight
        case .open(let until): (limit, earliest) = (1, max(earliest, until))
        case .probing: return .full
        }
        guard inFlight.count < limit, unwritten.count < settings.maximumUnwritten else { return .full }
        return now < earliest ? .paused(until: earliest) : .open
    }

    private mutating func startRead(now: Timestamp) -> Action? {
        guard case .idle(let unread) = reading else { return nil }
        let isDue: Bool
        switch unread {
        case .none: isDue = false
        case .due: isDue = true
        case .later(let time): isDue = time <= now
        }
        guard isDue else { return startEarlyRead(unread: unread, now: now) ?? startCheckOfDueTimes(unread: unread) }
        // Deliveries are not read long before their attempt: the API may erase them from the store.
        let isUseful = startup == .healthUnknown || sending(at: now) == .open || !waiting.isEmpty
        guard isUseful, (waiting.count - direct.waitingCount) * 4 <= window else {
            reading = .idle(.due)
            return nil
        }
        let limit = breaker.isClosed ? window : 1
        reading = .due(limit: limit, isOutdated: false)
        return .readDue(excluding: heldIDs, limit: limit, withHealth: startup == .healthUnknown)
    }

    /// Once after a broker is back, when nothing is due. What is not on disk yet is not found, so the read waits for it.
    private mutating func startEarlyRead(unread: Unread, now: Timestamp) -> Action? {
        guard isCatchingUp, waiting.isEmpty, unwritten.isEmpty, sending(at: now) == .open else { return nil }
        // Messages of quiet hours are due at their end.
        if endpoint.quietHours?.schedule?.isOpen(at: now) == true { return nil }
        reading = .early(limit: settings.window, unread: unread)
        return .readAll(excluding: heldIDs, limit: settings.window)
    }

    /// Once after the start, when nothing is due.
    private mutating func startCheckOfDueTimes(unread: Unread) -> Action? {
        guard case .dueTimesUnchecked(let health) = startup else { return nil }
        startup = .complete(health)
        reading = .all(unread: unread)
        return .readAll(excluding: heldIDs, limit: 8 * settings.window)
    }

    /// When to advance again if there is no other input; `nil` when only another input changes anything.
    private func wakeUp(now: Timestamp) -> Timestamp? {
        guard case .idle(let unread) = reading else { return nil }
        let earliest: Timestamp
        switch sending(at: now) {
        case .full: return nil
        case .open: earliest = now
        case .paused(let until): earliest = until
        }
        if !waiting.isEmpty { return earliest }
        switch unread {
        case .none: return nil
        case .due: return earliest
        case .later(let time): return max(time, earliest)
        }
    }

    /// Deliveries that a read must not return.
    private var heldIDs: Set<String> {
        Set(unwritten.keys).union(inFlight.keys).union(waiting.map(\.id))
            .union(companions.values.joined().map(\.id))
    }

    // MARK: Reads

    mutating func noteAdded() {
        switch reading {
        case .idle: reading = .idle(.due)
        case .due(let limit, _): reading = .due(limit: limit, isOutdated: true)
        case .all: reading = .all(unread: .due)
        case .early(let limit, _): reading = .early(limit: limit, unread: .due)
        }
    }

    private mutating func noteSettled(_ id: String) {
        direct.remove(id)
        guard let state = unwritten.removeValue(forKey: id), case .retry(let time) = state else { return }
        switch reading {
        case .idle(var unread):
            unread.add(dueAt: time)
            reading = .idle(unread)
        // A read that runs has excluded it.
        case .due, .all, .early: noteAdded()
        }
    }

    private mutating func take(_ deliveries: [PendingDelivery], next: Timestamp?, now: Timestamp) -> [Action] {
        let held = heldIDs
        let new = deliveries.filter { !held.contains($0.id) }
        direct.noteRead(new.count, at: now)
        guard endpoint.isActive else {
            reading = .idle(.due)
            return []
        }
        switch reading {
        // Not the result of a read that was asked for.
        case .idle: reading = .idle(.due)
        case .due(let limit, let isOutdated):
            waiting += new
            var unread = next.map { Unread.later($0) } ?? .none
            if let next, next <= now {
                // It is due and was not returned: it waits for another delivery, whose end is an input too. The time
                // between reads grows from 1 s to 64 s.
                fruitlessReads = new.isEmpty ? min(fruitlessReads + 1, 6) : 0
                unread = .later(now + .seconds(1 << fruitlessReads))
            }
            // The check at the start has not seen deliveries that waited for others, nor those beyond its limit.
            if let next, next > now + schedule.longestDelay, case .complete(let health) = startup {
                startup = .dueTimesUnchecked(health)
            }
            reading = .idle(isOutdated || deliveries.count >= limit ? .due : unread)
        case .all(var unread):
            if let first = new.map(\.due).min() { unread.add(dueAt: first) }
            reading = .idle(unread)
            return correctDueTimes(of: new, now: now)
        case .early(let limit, let unread):
            waiting += new
            isCatchingUp = isCatchingUp && deliveries.count >= limit
            // Those that are not read have a later due time than was known.
            reading = .idle(new.isEmpty ? unread : .due)
        }
        return []
    }

    /// Moves due times that are further away than any retry delay (rule D5): the clock was wrong when they were
    /// written.
    private mutating func correctDueTimes(of deliveries: [PendingDelivery], now: Timestamp) -> [Action] {
        deliveries.compactMap { delivery in
            let latest = now + schedule.longestDelay(after: delivery.attempts)
            guard delivery.due > latest else { return nil }
            unwritten[delivery.id] = .retry(at: latest)
            return .settle(delivery, Settlement(delivery.id, .retry(at: latest)))
        }
    }

    // MARK: Attempts

    private mutating func finish(
        _ id: String, _ result: AttemptResult, startedAt: Timestamp, now: Timestamp,
        using generator: inout some RandomNumberGenerator
    ) -> [Action] {
        guard let delivery = inFlight.removeValue(forKey: id) else { return [] }
        // How the former address answers says nothing about the present one.
        let isOutdated = outdated.remove(id) != nil
        let consequences = endpoint.isActive && !isOutdated ? noteResult(result, now: now) : []
        let deliveries = [delivery] + (companions.removeValue(forKey: id) ?? [])
        var outcome = result
        if deliveries.count > 1, endpoint.kind == .webhook, result.refusesMessage {
            separated.formUnion(deliveries.map(\.id))
            // The instruction was about the batch.
            if result.instruction == .abortMessage { outcome.instruction = nil }
        }
        return deliveries.flatMap { settle($0, outcome, startedAt: startedAt, now: now, using: &generator) }
            + consequences
    }

    private mutating func settle(
        _ delivery: PendingDelivery, _ result: AttemptResult, startedAt: Timestamp, now: Timestamp,
        using generator: inout some RandomNumberGenerator
    ) -> [Action] {
        let id = delivery.id
        let number = delivery.attempts + 1
        var attempt = DeliveryAttempt(
            number: number, startedAt: startedAt, duration: result.duration, status: result.status,
            failure: result.failure, excerpt: result.excerpt)
        let outcome: Settlement.Result
        unwritten[id] = .finished
        if result.failure == nil {
            outcome = .delivered
        } else if result.instruction == .abortMessage {
            outcome = .cancelled
        } else if endpoint.isActive,
            let delay = delay(after: number, result, of: delivery, now: now, using: &generator)
        {
            attempt.nextAttempt = now + delay
            outcome = .retry(at: now + delay)
            unwritten[id] = .retry(at: now + delay)
        } else {
            outcome = .exhausted
        }
        if case .retry = outcome {} else { separated.remove(id) }

        var actions: [Action] = [.settle(delivery, Settlement(id, outcome, attempt: attempt))]
        // An event about the service itself is not reported again: each report could cause the next one.
        if outcome == .exhausted, endpoint.isActive, ServiceEventType(rawValue: delivery.eventType) == nil {
            actions.append(.reportExhausted(delivery, attempts: number))
        }
        return actions
    }

    /// The delay after a failed attempt; `nil` when no attempt is left.
    ///
    /// A broker that is away is asked once a minute, since it may be back any moment, and nothing of an ordered endpoint is sent
    /// before the message that failed. These attempts do not use the schedule up. What a broker has against one message does not
    /// change so soon.
    private func delay(
        after number: Int, _ result: AttemptResult, of delivery: PendingDelivery, now: Timestamp,
        using generator: inout some RandomNumberGenerator
    ) -> Duration? {
        let elapsed = now - delivery.createdAt
        let isEarly = endpoint.kind.isBroker && elapsed < schedule.total
        let delay = schedule.delay(
            after: isEarly ? min(number, schedule.delays.count) : number, elapsed: elapsed,
            retryAfter: result.retryAfter, using: &generator)
        guard isEarly, let delay, result.failure != .size, result.failure != .refused else { return delay }
        return min(delay, Self.brokerDelay)
    }

    /// The interval of the circuit breaker: with an open circuit, no message is sent more often.
    private static let brokerDelay = Duration.seconds(60)

    /// Updates health, circuit breaker and backpressure of an active endpoint, and disables it where the result asks
    /// for that.
    private mutating func noteResult(_ result: AttemptResult, now: Timestamp) -> [Action] {
        let before = startup.health
        var health = before ?? EndpointHealth()
        var isOutageTooLong = false
        isCatchingUp =
            result.failure == nil && (isCatchingUp || endpoint.kind.isBroker && health.consecutiveFailures > 0)
        if result.failure == nil {
            health.noteSuccess(at: now)
            breaker.attemptSucceeded()
            backpressure.noteSuccess()
        } else if result.instruction == .abortMessage {
            // The receiver works and refuses this one message: the circuit closes, the health stays.
            breaker.attemptSucceeded()
        } else {
            isOutageTooLong = health.noteFailure(at: now)
            breaker.attemptFailed(at: now)
            if let status = result.status, Backpressure.statuses.contains(status) {
                backpressure.slowDown(
                    at: now, retryAfter: min(result.retryAfter ?? .zero, schedule.longestRetryAfter))
            }
        }
        if endpoint.cooldown != nil { health.lastMessages = gate.lastMessages }
        if let facts = gate.sent?.facts, !facts.isEmpty { health.sentFacts = facts }
        startup.setHealth(health)
        if let reason = reasonToDisable(after: result, isOutageTooLong: isOutageTooLong) {
            endpoint.state = .disabled(since: now, reason: reason)
            // The health starts from zero when the endpoint is enabled again.
            return dropWaiting() + [.disable(reason: reason), .saveHealth(EndpointHealth())]
        }
        // Deliveries do not stay in memory while the endpoint pauses.
        let actions = isPaused(at: now) && !waiting.isEmpty ? dropWaiting() : []
        return actions + (health.isWorthWriting(after: before) ? [.saveHealth(health)] : [])
    }

    private func reasonToDisable(after result: AttemptResult, isOutageTooLong: Bool) -> String? {
        if isOutageTooLong { return "no delivery succeeded for five days" }
        if result.instruction == .disable { return "the receiver asked to be disabled" }
        return result.status == 410 ? "the receiver answered 410 Gone" : nil
    }
}
