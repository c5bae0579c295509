import FencepostModel
import FencepostService

/// The work on the deliveries of one endpoint: which are in memory, which on their way, and when to look again.
///
/// A value without clock or I/O. Its owner tells it what happened, asks for `steps`, does them, and asks again when
/// something happened or `wakeUp` is reached.
struct EndpointRunner: Sendable {
    struct Settings: Hashable, Sendable {
        /// Attempts at a time.
        var maximumInFlight = 4
        /// Deliveries that are read at a time, and so the most that are in memory unsent.
        var window = 32
        /// Attempts whose outcome is not yet on disk; when there are more, the store is in trouble, and the endpoint
        /// waits for it.
        var maximumUnsettled = 1000
    }

    enum Step: Hashable {
        /// Ask the outbox for what is due at that time, those excluded apart.
        case load(at: Timestamp, excluding: Set<String>, limit: Int)
        case attempt(PendingDelivery)
    }

    private(set) var endpoint: Endpoint
    private(set) var health: EndpointHealth?
    private let settings: Settings
    private let schedule: RetrySchedule
    private var breaker = CircuitBreaker()
    private var backpressure: Backpressure
    /// Read, due, and not begun.
    private var waiting: [PendingDelivery] = []
    private(set) var inFlight: [String: PendingDelivery] = [:]
    /// Over, but not yet so on disk, and when they are due again; `distantFuture` when never.
    private var unsettled: [String: Timestamp] = [:]
    private var isLoading = false
    /// How many the reading under way asks for.
    private var limit = 0
    /// How often in a row nothing was found that had been said to be due.
    private var fruitlessReadings = 0
    /// Whether the outbox may hold deliveries that are due and not in memory.
    private var mayHaveMore = true
    /// Whether something was added while a reading was under way, which may have missed it.
    private var wasNotified = false
    /// When the next of those that are not in memory is due.
    private var nextDue: Timestamp?
    private var pausedUntil = Timestamp.distantPast
    /// Whether due times were looked through for those that no schedule can have asked for (rule D5).
    private var hasCheckedDueTimes = false

    init(_ endpoint: Endpoint, settings: Settings, schedule: RetrySchedule) {
        self.endpoint = endpoint
        self.settings = settings
        self.schedule = schedule
        backpressure = Backpressure(width: settings.maximumInFlight)
    }

    var isIdle: Bool { inFlight.isEmpty && unsettled.isEmpty && !isLoading }

    /// Takes what the endpoint is now. What waits is read anew, since it may be there no more.
    ///
    /// - Returns: whether it was enabled again and begins with a clean slate.
    mutating func update(_ endpoint: Endpoint) -> Bool {
        let isEnabled = endpoint.isActive && !self.endpoint.isActive
        self.endpoint = endpoint
        waiting = []
        notify()
        if isEnabled {
            health = EndpointHealth()
            breaker = CircuitBreaker()
            backpressure = Backpressure(width: settings.maximumInFlight)
            pausedUntil = .distantPast
        }
        return isEnabled
    }

    mutating func notify() {
        mayHaveMore = true
        wasNotified = true
    }

    /// Begins with what is known from before; comes with the first reading.
    mutating func restore(_ health: EndpointHealth) {
        guard self.health == nil else { return }
        self.health = health
        breaker = CircuitBreaker(failures: health.consecutiveFailures, lastFailure: health.lastFailure)
    }

    // MARK: What to do

    /// What is to be done now. Each is under way when this returns.
    mutating func steps(at now: Timestamp) -> [Step] {
        guard endpoint.isActive else { return [] }
        var steps: [Step] = []
        while mayBegin(at: now), !waiting.isEmpty {
            let delivery = waiting.removeFirst()
            breaker.attemptStarted()
            inFlight[delivery.id] = delivery
            steps.append(.attempt(delivery))
        }
        if let nextDue, nextDue <= now { mayHaveMore = true }
        // Nothing is read that could not be sent at once: what lies in memory may be erased on disk.
        let isOfUse = health == nil || mayBegin(at: now) || !waiting.isEmpty
        if mayHaveMore, !isLoading, isOfUse, waiting.count * 4 <= settings.window {
            steps.append(load(at: now, limit: breaker.isOpen ? 1 : settings.window))
        } else if !isLoading, !hasCheckedDueTimes, health != nil, !mayHaveMore {
            hasCheckedDueTimes = true
            steps.append(load(at: .distantFuture, limit: 8 * settings.window))
        }
        return steps
    }

    private mutating func load(at time: Timestamp, limit: Int) -> Step {
        isLoading = true
        self.limit = limit
        mayHaveMore = false
        wasNotified = false
        return .load(at: time, excluding: heldIDs, limit: limit)
    }

    private var heldIDs: Set<String> { Set(unsettled.keys).union(inFlight.keys).union(waiting.map(\.id)) }

    private func mayBegin(at now: Timestamp) -> Bool {
        inFlight.count < (breaker.isOpen ? 1 : backpressure.width) && unsettled.count < settings.maximumUnsettled
            && now >= max(pausedUntil, breaker.opensAt)
    }

    /// When to ask for steps again, if nothing happens before.
    func wakeUp(at now: Timestamp) -> Timestamp? {
        guard endpoint.isActive, !isLoading else { return nil }
        let gate = max(pausedUntil, breaker.opensAt)
        guard gate < .distantFuture, inFlight.count < (breaker.isOpen ? 1 : backpressure.width),
            unsettled.count < settings.maximumUnsettled
        else { return nil }
        let due = mayHaveMore || !waiting.isEmpty ? now : nextDue
        return due.map { max($0, gate) }
    }

    // MARK: What happened

    /// Takes what a reading found.
    ///
    /// - Parameters:
    ///   - time: that was asked for.
    ///   - next: when the next one is due beside these and those that were excluded.
    /// - Returns: settlements that put right what waits for a time that no schedule can have meant.
    mutating func loaded(
        _ deliveries: [PendingDelivery], at time: Timestamp, next: Timestamp?, now: Timestamp
    ) -> [Settlement] {
        isLoading = false
        let held = heldIDs
        let new = deliveries.filter { !held.contains($0.id) }
        if wasNotified || deliveries.count >= limit && time != .distantFuture { mayHaveMore = true }
        guard endpoint.isActive else { return [] }
        if time == .distantFuture {
            nextDue = [nextDue, new.map(\.due).min()].compactMap { $0 }.min()
            return clampDueTimes(of: new, now: now)
        }
        waiting += new
        nextDue = next
        if let next, next <= now {
            // It waits for something else, and more will be known then: no need to ask all the time.
            fruitlessReadings = new.isEmpty ? min(fruitlessReadings + 1, 6) : 0
            nextDue = now + .seconds(1 << fruitlessReadings)
        }
        return []
    }

    private mutating func clampDueTimes(of deliveries: [PendingDelivery], now: Timestamp) -> [Settlement] {
        deliveries.compactMap { delivery in
            let latest = now + schedule.longestDelay(after: delivery.attempts)
            guard delivery.due > latest else { return nil }
            unsettled[delivery.id] = latest
            return Settlement(delivery.id, .retry(at: latest))
        }
    }

    mutating func loadFailed(at now: Timestamp) {
        isLoading = false
        mayHaveMore = false
        nextDue = now + .seconds(2)
    }

    /// Takes what came of an attempt.
    mutating func finished(
        _ id: String, _ answer: WebhookAnswer, startedAt: Timestamp, now: Timestamp,
        using generator: inout some RandomNumberGenerator
    ) -> Outcome? {
        guard let delivery = inFlight.removeValue(forKey: id) else { return nil }
        unsettled[id] = .distantFuture
        let number = delivery.attempts + 1
        var attempt = DeliveryAttempt(
            number: number, startedAt: startedAt, duration: answer.duration, status: answer.status,
            failure: answer.failure, excerpt: answer.excerpt)
        let reason = note(answer, at: now, using: &generator)
        let result: Settlement.Result
        if answer.failure == nil {
            result = .delivered
        } else if answer.wish == .abortMessage {
            result = .cancelled
        } else if reason == nil, endpoint.isActive,
            let delay = schedule.delay(
                after: number, elapsed: now - delivery.createdAt, retryAfter: answer.retryAfter, using: &generator)
        {
            attempt.nextAttempt = now + delay
            result = .retry(at: now + delay)
            unsettled[id] = now + delay
        } else {
            result = .exhausted
        }
        let isExhausted = result == .exhausted && reason == nil && endpoint.isActive
        if let reason, endpoint.isActive { endpoint.state = .disabled(since: now, reason: reason) }
        return Outcome(
            delivery: delivery, settlement: Settlement(id, result, attempt: attempt), isExhausted: isExhausted,
            disabledBecause: reason)
    }

    struct Outcome {
        var delivery: PendingDelivery
        var settlement: Settlement
        /// Whether it was the last attempt that there is.
        var isExhausted: Bool
        /// Why the endpoint is now disabled; `nil` when it is not, or was before.
        var disabledBecause: String?
    }

    /// Takes an answer into health, breaker and pace.
    ///
    /// - Returns: why the endpoint has to be disabled, if it has.
    private mutating func note(
        _ answer: WebhookAnswer, at now: Timestamp, using generator: inout some RandomNumberGenerator
    ) -> String? {
        var health = self.health ?? EndpointHealth()
        defer { self.health = health }
        guard endpoint.isActive else { return nil }
        if answer.failure == nil {
            health.noteSuccess(at: now)
            breaker.attemptSucceeded()
            backpressure.noteSuccess()
        } else if answer.wish == .abortMessage {
            // It works and has a will.
            breaker.attemptSucceeded()
        } else {
            let isHopeless = health.noteFailure(at: now)
            breaker.attemptFailed(at: now)
            if let status = answer.status, Backpressure.statuses.contains(status) {
                let asked = min(answer.retryAfter ?? .zero, schedule.longestRetryAfter)
                pausedUntil = max(pausedUntil, now + max(backpressure.slowDown(), asked))
            }
            if isHopeless { return "it took no message for five days" }
        }
        // What waits in memory would wait for long.
        if breaker.isOpen || pausedUntil > now, !waiting.isEmpty {
            waiting = []
            notify()
        }
        if answer.wish == .disable { return "its receiver asked for it" }
        return answer.status == 410 ? "its receiver answered 410 Gone" : nil
    }

    /// Takes that settlements are on disk.
    mutating func settled(_ ids: some Sequence<String>) {
        for id in ids {
            guard let due = unsettled.removeValue(forKey: id), due < .distantFuture else { continue }
            nextDue = min(nextDue ?? due, due)
            // A reading that is under way left it out.
            wasNotified = true
        }
        // The next one of the device may be due now.
        if endpoint.isOrdered { notify() }
    }
}

/// How much of a hurry an endpoint can take: 429, 502, 503 and 504 make it less (rule W5).
struct Backpressure: Hashable, Sendable {
    static let statuses: Set<Int> = [429, 502, 503, 504]

    /// Attempts at a time.
    private(set) var width: Int
    private let fullWidth: Int
    private var pause = Duration.zero

    init(width: Int) {
        self.width = width
        fullWidth = width
    }

    /// - Returns: for how long to leave the endpoint alone: a second, and twice as long each time, up to a minute.
    mutating func slowDown() -> Duration {
        width = 1
        pause = min(max(pause * 2, .seconds(1)), .seconds(60))
        return pause
    }

    mutating func noteSuccess() {
        width = min(width + 1, fullWidth)
        pause = .zero
    }
}
