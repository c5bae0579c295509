import FencepostModel
import FencepostService
import FencepostTesting
import Testing

@testable import FencepostWebhooks

/// Each test is a dialogue: an input, and the actions that the runner answers with.
@Suite("Endpoint runner") struct EndpointRunnerTests {
    typealias Action = EndpointRunner.Action

    /// A runner with a retry schedule of 5 s and 300 s without jitter.
    struct Dialogue {
        static let start = Timestamp(seconds: 1_772_353_800)

        var runner: EndpointRunner
        private var generator = SeededGenerator(seed: 1)

        init(
            _ endpoint: Endpoint = .test(), settings: EndpointRunner.Settings = EndpointRunner.Settings()
        ) {
            runner = EndpointRunner(
                endpoint, settings: settings,
                schedule: RetrySchedule(delays: [.seconds(5), .seconds(300)], jitter: 0))
        }

        /// Sends an input at a number of seconds since the start.
        mutating func send(_ input: EndpointRunner.Input, at seconds: Int = 0) -> [Action] {
            runner.handle(input, at: Dialogue.time(seconds), using: &generator)
        }

        static func time(_ seconds: Int) -> Timestamp { start + .seconds(seconds) }

        /// Brings the runner past its first read and the check of due times: nothing is pending.
        static func idle(
            _ endpoint: Endpoint = .test(), health: EndpointHealth = EndpointHealth(),
            settings: EndpointRunner.Settings = EndpointRunner.Settings()
        ) -> Dialogue {
            var dialogue = Dialogue(endpoint, settings: settings)
            _ = dialogue.send(.advance)
            _ = dialogue.send(.deliveriesRead([], next: nil, health: health))
            _ = dialogue.send(.advance)
            _ = dialogue.send(.deliveriesRead([], next: nil, health: nil))
            return dialogue
        }

        /// Lets an idle runner read these deliveries.
        ///
        /// - Returns: the actions of the advance after the read.
        mutating func read(_ deliveries: PendingDelivery..., next: Timestamp? = nil, at seconds: Int = 0) -> [Action] {
            _ = send(.deliveriesAdded, at: seconds)
            _ = send(.advance, at: seconds)
            _ = send(.deliveriesRead(deliveries, next: next, health: nil), at: seconds)
            return send(.advance, at: seconds)
        }

        mutating func finish(_ delivery: PendingDelivery, _ result: AttemptResult, at seconds: Int = 0) -> [Action] {
            send(.attemptFinished(deliveryID: delivery.id, result, startedAt: Dialogue.start), at: seconds)
        }
    }

    static func delivery(
        _ id: String, attempts: Int = 0, type: String = "region.entered", due: Timestamp = Dialogue.start
    ) -> PendingDelivery {
        PendingDelivery(
            id: id, endpointID: "end_a", eventID: "evt_\(id)", eventType: type, deviceID: nil, body: "{}", headers: [:],
            attempts: attempts, createdAt: Dialogue.start, due: due)
    }

    static func settle(
        _ delivery: PendingDelivery, _ result: Settlement.Result, after answer: AttemptResult, next: Int? = nil
    ) -> Action {
        .settle(
            delivery,
            Settlement(
                delivery.id, result,
                attempt: DeliveryAttempt(
                    number: delivery.attempts + 1, startedAt: Dialogue.start, duration: answer.duration,
                    status: answer.status, failure: answer.failure, excerpt: answer.excerpt,
                    nextAttempt: next.map(Dialogue.time))))
    }

    static func health(failures: Int, first: Int = 0, last: Int = 0) -> EndpointHealth {
        var health = EndpointHealth()
        health.consecutiveFailures = failures
        health.firstFailure = Dialogue.time(first)
        health.lastFailure = Dialogue.time(last)
        return health
    }

    static let accepted = AttemptResult(status: 200)
    static let refused = AttemptResult(status: 500, failure: .status)
    static let a = delivery("a"), b = delivery("b"), c = delivery("c"), d = delivery("d"), e = delivery("e")

    // MARK: Start

    @Test("starts with one read, of due deliveries and the health")
    func firstRead() {
        var dialogue = Dialogue()
        #expect(dialogue.send(.advance) == [.readDue(excluding: [], limit: 32, withHealth: true)])
        #expect(dialogue.send(.advance) == [])
    }

    @Test("attempts what the first read found, and then checks all due times once")
    func firstAttempts() {
        var dialogue = Dialogue()
        _ = dialogue.send(.advance)
        #expect(dialogue.send(.deliveriesRead([Self.a, Self.b], next: nil, health: EndpointHealth())) == [])
        #expect(
            dialogue.send(.advance) == [
                .attempt(Self.a), .attempt(Self.b), .readAll(excluding: ["a", "b"], limit: 256),
            ])
        #expect(dialogue.send(.deliveriesRead([], next: nil, health: nil)) == [])
        #expect(dialogue.send(.advance) == [])
    }

    @Test("corrects a due time that no retry schedule produces, and waits for the others")
    func dueTimes() {
        var dialogue = Dialogue()
        _ = dialogue.send(.advance)
        _ = dialogue.send(.deliveriesRead([], next: nil, health: EndpointHealth()))
        #expect(dialogue.send(.advance) == [.readAll(excluding: [], limit: 256)])
        let wrong = Self.delivery("wrong", attempts: 1, due: Dialogue.time(400 * 86_400))
        let right = Self.delivery("right", attempts: 1, due: Dialogue.time(200))
        #expect(
            dialogue.send(.deliveriesRead([wrong, right], next: nil, health: nil)) == [
                .settle(wrong, Settlement("wrong", .retry(at: Dialogue.time(86_400))))
            ])
        #expect(dialogue.send(.advance) == [.wake(at: Dialogue.time(200))])
        #expect(dialogue.send(.settled(deliveryIDs: ["wrong"])) == [])
        #expect(dialogue.send(.advance) == [.wake(at: Dialogue.time(200))])
    }

    @Test("checks the due times again when a delivery that waited for another one turns out to be due too late")
    func dueTimesOfWaiting() {
        var dialogue = Dialogue.idle()
        #expect(dialogue.send(.deliveriesAdded) == [])
        #expect(dialogue.send(.advance) == [.readDue(excluding: [], limit: 32, withHealth: false)])
        // No retry schedule produces this time.
        _ = dialogue.send(.deliveriesRead([], next: Dialogue.time(400 * 86_400), health: nil))
        #expect(dialogue.send(.advance) == [.readAll(excluding: [], limit: 256)])
        let wrong = Self.delivery("wrong", attempts: 1, due: Dialogue.time(400 * 86_400))
        #expect(
            dialogue.send(.deliveriesRead([wrong], next: nil, health: nil)) == [
                .settle(wrong, Settlement("wrong", .retry(at: Dialogue.time(86_400))))
            ])
    }

    @Test("continues with the circuit that was open before a restart")
    func restoresCircuit() {
        var dialogue = Dialogue()
        _ = dialogue.send(.advance)
        _ = dialogue.send(.deliveriesRead([Self.a], next: nil, health: Self.health(failures: 10, last: -20)))
        #expect(dialogue.send(.advance) == [.readAll(excluding: ["a"], limit: 256)])
        _ = dialogue.send(.deliveriesRead([], next: nil, health: nil))
        #expect(dialogue.send(.advance) == [.wake(at: Dialogue.time(40))])
        #expect(dialogue.send(.advance, at: 40) == [.attempt(Self.a)])
    }

    @Test("opens the circuit for its interval only, if the clock was ahead when it opened")
    func restoresCircuitOfTheFuture() {
        var dialogue = Dialogue()
        _ = dialogue.send(.advance)
        _ = dialogue.send(.deliveriesRead([Self.a], next: nil, health: Self.health(failures: 10, last: 400 * 86_400)))
        #expect(dialogue.send(.advance) == [.readAll(excluding: ["a"], limit: 256)])
        _ = dialogue.send(.deliveriesRead([], next: nil, health: nil))
        #expect(dialogue.send(.advance) == [.wake(at: Dialogue.time(60))])
    }

    // MARK: A broker that is back

    private static let broker: Endpoint = {
        var endpoint = Endpoint.test()
        endpoint.kind = .redis
        return endpoint
    }()

    private static let away = AttemptResult(failure: .connect)

    /// A runner whose first delivery has failed and waits on disk.
    private static func failed(_ endpoint: Endpoint) -> Dialogue {
        var dialogue = Dialogue.idle(endpoint)
        _ = dialogue.read(a)
        _ = dialogue.finish(a, away)
        _ = dialogue.send(.settled(deliveryIDs: ["a"]))
        return dialogue
    }

    @Test("the first success after a failure has everything tried that waits")
    func catchesUp() {
        var dialogue = Self.failed(Self.broker)
        #expect(
            dialogue.read(Self.b, next: Dialogue.time(5)) == [.attempt(Self.b), .wake(at: Dialogue.time(5))])
        _ = dialogue.finish(Self.b, AttemptResult())
        // What is not on disk would be missed.
        #expect(dialogue.send(.advance) == [.wake(at: Dialogue.time(5))])
        _ = dialogue.send(.settled(deliveryIDs: ["b"]))
        #expect(dialogue.send(.advance) == [.readAll(excluding: [], limit: 32)])
        let waiting = Self.delivery("a", attempts: 1, due: Dialogue.time(5))
        #expect(dialogue.send(.deliveriesRead([waiting], next: nil, health: nil)) == [])
        #expect(
            dialogue.send(.advance) == [.attempt(waiting), .readDue(excluding: ["a"], limit: 32, withHealth: false)])
        _ = dialogue.send(.deliveriesRead([], next: nil, health: nil))
        _ = dialogue.finish(waiting, AttemptResult())
        _ = dialogue.send(.settled(deliveryIDs: ["a"]))
        #expect(dialogue.send(.advance) == [], "once")
    }

    @Test("a webhook keeps its schedule after a success")
    func keepsSchedule() {
        var dialogue = Self.failed(.test())
        _ = dialogue.read(Self.b, next: Dialogue.time(5))
        _ = dialogue.finish(Self.b, Self.accepted)
        _ = dialogue.send(.settled(deliveryIDs: ["b"]))
        #expect(dialogue.send(.advance) == [.wake(at: Dialogue.time(5))])
    }

    @Test("a failure ends it")
    func stopsCatchingUp() {
        var dialogue = Self.failed(Self.broker)
        _ = dialogue.read(Self.b, Self.c, next: Dialogue.time(5))
        _ = dialogue.finish(Self.b, AttemptResult())
        _ = dialogue.finish(Self.c, Self.away)
        _ = dialogue.send(.settled(deliveryIDs: ["b", "c"]))
        #expect(dialogue.send(.advance) == [.wake(at: Dialogue.time(5))])
    }

    @Test("a message to a broker is not given up before the schedule is over, and one to a webhook is")
    func attemptsOfBrokers() {
        // The schedule of these tests has three attempts in 305 s.
        let last = Self.delivery("a", attempts: 7)
        func outcome(
            _ endpoint: Endpoint, _ result: AttemptResult = Self.away, at seconds: Int
        ) -> Settlement.Result? {
            var dialogue = Dialogue.idle(endpoint)
            _ = dialogue.read(last, at: seconds)
            for case .settle(_, let settlement) in dialogue.finish(last, result, at: seconds) {
                return settlement.result
            }
            return nil
        }
        #expect(outcome(Self.broker, at: 100) == .retry(at: Dialogue.time(160)), "a broker is asked once a minute")
        let tooLarge = AttemptResult(failure: .size)
        #expect(outcome(Self.broker, tooLarge, at: 100) == .retry(at: Dialogue.time(400)))
        #expect(outcome(Self.broker, at: 305) == .exhausted)
        #expect(outcome(.test(), at: 100) == .exhausted)
    }

    // MARK: Reads

    @Test("reads again after deliveries were added, and again when more came during the read")
    func readsAgain() {
        var dialogue = Dialogue.idle()
        #expect(dialogue.send(.deliveriesAdded) == [])
        #expect(dialogue.send(.advance) == [.readDue(excluding: [], limit: 32, withHealth: false)])
        #expect(dialogue.send(.deliveriesAdded) == [])
        #expect(dialogue.send(.advance) == [])
        #expect(dialogue.send(.deliveriesRead([Self.a], next: nil, health: nil)) == [])
        #expect(
            dialogue.send(.advance) == [
                .attempt(Self.a), .readDue(excluding: ["a"], limit: 32, withHealth: false),
            ])
    }

    @Test("wakes up for the next due time")
    func nextDue() {
        var dialogue = Dialogue.idle()
        #expect(dialogue.read(next: Dialogue.time(70)) == [.wake(at: Dialogue.time(70))])
        #expect(dialogue.send(.advance, at: 69) == [.wake(at: Dialogue.time(70))])
        #expect(dialogue.send(.advance, at: 70) == [.readDue(excluding: [], limit: 32, withHealth: false)])
    }

    @Test("reads a full window again when most of it was attempted")
    func fullWindow() {
        var dialogue = Dialogue.idle(settings: .init(maximumInFlight: 2, window: 4))
        #expect(
            dialogue.read(Self.a, Self.b, Self.c, Self.d) == [.attempt(Self.a), .attempt(Self.b)],
            "two more are in memory")
        _ = dialogue.finish(Self.a, Self.accepted)
        #expect(
            dialogue.send(.advance) == [
                .attempt(Self.c),
                .readDue(excluding: ["a", "b", "c", "d"], limit: 4, withHealth: false),
            ])
    }

    @Test("waits 2 s, 4 s … 64 s when a due delivery is not returned, and 1 s after a read that found others")
    func fruitlessReads() {
        var dialogue = Dialogue.idle()
        _ = dialogue.send(.deliveriesAdded)
        var now = 0
        for wait in [2, 4, 8, 16, 32, 64, 64] {
            #expect(
                dialogue.send(.advance, at: now) == [.readDue(excluding: [], limit: 32, withHealth: false)])
            _ = dialogue.send(.deliveriesRead([], next: Dialogue.start, health: nil), at: now)
            #expect(dialogue.send(.advance, at: now) == [.wake(at: Dialogue.time(now + wait))])
            now += wait
        }
        _ = dialogue.send(.advance, at: now)
        _ = dialogue.send(.deliveriesRead([Self.a], next: Dialogue.start, health: nil), at: now)
        #expect(dialogue.send(.advance, at: now) == [.attempt(Self.a), .wake(at: Dialogue.time(now + 1))])
    }

    @Test("reads again 2 s after a read failed")
    func readFails() {
        var dialogue = Dialogue()
        _ = dialogue.send(.advance)
        #expect(dialogue.send(.readFailed) == [])
        #expect(dialogue.send(.advance) == [.wake(at: Dialogue.time(2))])
        #expect(dialogue.send(.advance, at: 2) == [.readDue(excluding: [], limit: 32, withHealth: true)])
    }

    @Test("reads deliveries again that were in memory when the endpoint was read, since they may be erased")
    func endpointRead() {
        var dialogue = Dialogue.idle()
        _ = dialogue.read(Self.a, Self.b, Self.c, Self.d, Self.e)
        #expect(dialogue.send(.endpointRead(.test())) == [])
        #expect(dialogue.send(.advance) == [], "four attempts are in flight")
        _ = dialogue.finish(Self.a, Self.accepted)
        #expect(
            dialogue.send(.advance) == [.readDue(excluding: ["a", "b", "c", "d"], limit: 32, withHealth: false)])
    }

    @Test("ignores the result of a read that it did not ask for, and reads itself")
    func unknownRead() {
        var dialogue = Dialogue.idle()
        #expect(dialogue.send(.deliveriesRead([Self.a], next: nil, health: nil)) == [])
        #expect(dialogue.send(.advance) == [.readDue(excluding: [], limit: 32, withHealth: false)])
    }

    // MARK: Results of attempts

    @Test("attempts at most four deliveries at a time")
    func inFlight() {
        var dialogue = Dialogue.idle()
        #expect(
            dialogue.read(Self.a, Self.b, Self.c, Self.d, Self.e) == [
                .attempt(Self.a), .attempt(Self.b), .attempt(Self.c), .attempt(Self.d),
            ])
        _ = dialogue.finish(Self.b, Self.accepted)
        #expect(dialogue.send(.advance) == [.attempt(Self.e)])
    }

    @Test("settles an accepted delivery and does not read it again")
    func accepted() {
        var dialogue = Dialogue.idle()
        #expect(dialogue.read(Self.a) == [.attempt(Self.a)])
        var health = EndpointHealth()
        health.lastSuccess = Dialogue.start
        #expect(
            dialogue.finish(Self.a, Self.accepted) == [
                Self.settle(Self.a, .delivered, after: Self.accepted), .saveHealth(health),
            ])
        #expect(dialogue.send(.settled(deliveryIDs: ["a"])) == [])
        #expect(dialogue.send(.advance) == [])
    }

    @Test("retries a refused delivery after the schedule's delay, once the settlement is on disk")
    func refused() {
        var dialogue = Dialogue.idle()
        _ = dialogue.read(Self.a)
        #expect(
            dialogue.finish(Self.a, Self.refused, at: 1) == [
                Self.settle(Self.a, .retry(at: Dialogue.time(6)), after: Self.refused, next: 6),
                .saveHealth(Self.health(failures: 1, first: 1, last: 1)),
            ])
        #expect(dialogue.send(.advance, at: 1) == [])
        #expect(dialogue.send(.settled(deliveryIDs: ["a"]), at: 2) == [])
        #expect(dialogue.send(.advance, at: 2) == [.wake(at: Dialogue.time(6))])
        #expect(dialogue.send(.advance, at: 6) == [.readDue(excluding: [], limit: 32, withHealth: false)])
    }

    @Test("excludes a delivery from reads until its settlement is on disk")
    func unwritten() {
        var dialogue = Dialogue.idle()
        _ = dialogue.read(Self.a)
        _ = dialogue.finish(Self.a, Self.refused)
        _ = dialogue.send(.deliveriesAdded)
        #expect(dialogue.send(.advance) == [.readDue(excluding: ["a"], limit: 32, withHealth: false)])
        _ = dialogue.send(.settled(deliveryIDs: ["a"]))
        _ = dialogue.send(.deliveriesRead([], next: nil, health: nil))
        #expect(
            dialogue.send(.advance) == [.readDue(excluding: [], limit: 32, withHealth: false)],
            "the read that ran had excluded it")
    }

    @Test("reports a delivery whose last attempt failed")
    func exhausted() {
        var dialogue = Dialogue.idle()
        let last = Self.delivery("last", attempts: 2)
        _ = dialogue.read(last)
        #expect(
            dialogue.finish(last, Self.refused) == [
                Self.settle(last, .exhausted, after: Self.refused), .reportExhausted(last, attempts: 3),
                .saveHealth(Self.health(failures: 1)),
            ])
    }

    @Test("does not report an exhausted report", arguments: ServiceEventType.allCases)
    func exhaustedReport(type: ServiceEventType) {
        var dialogue = Dialogue.idle()
        let last = Self.delivery("last", attempts: 2, type: type.rawValue)
        _ = dialogue.read(last)
        #expect(
            dialogue.finish(last, Self.refused) == [
                Self.settle(last, .exhausted, after: Self.refused), .saveHealth(Self.health(failures: 1)),
            ])
    }

    @Test("cancels a message that the receiver does not want, and closes the circuit")
    func abortMessage() {
        var dialogue = Dialogue.idle(health: Self.health(failures: 9))
        let aborted = AttemptResult(status: 400, failure: .status, instruction: .abortMessage)
        _ = dialogue.read(Self.a, Self.b)
        #expect(
            dialogue.finish(Self.a, aborted) == [
                Self.settle(Self.a, .cancelled, after: aborted), .saveHealth(Self.health(failures: 9)),
            ])
        _ = dialogue.finish(Self.b, Self.refused)
        _ = dialogue.send(.deliveriesAdded)
        #expect(
            dialogue.send(.advance) == [.readDue(excluding: ["a", "b"], limit: 32, withHealth: false)],
            "a tenth failure in a row would have opened it")
    }

    @Test("ignores the result of an attempt that it did not start")
    func unknownAttempt() {
        var dialogue = Dialogue.idle()
        #expect(dialogue.finish(Self.a, Self.refused) == [])
    }

    @Test("starts no attempt while too many results are not on disk")
    func storeInTrouble() {
        var dialogue = Dialogue.idle(settings: .init(maximumInFlight: 1, maximumUnwritten: 1))
        #expect(dialogue.read(Self.a, Self.b) == [.attempt(Self.a)])
        _ = dialogue.finish(Self.a, Self.accepted)
        #expect(dialogue.send(.advance) == [])
        _ = dialogue.send(.settled(deliveryIDs: ["a"]))
        #expect(dialogue.send(.advance) == [.attempt(Self.b)])
    }

    @Test("looks for the device's next delivery after a settlement, where the order is kept")
    func ordered() {
        var dialogue = Dialogue.idle(.test(ordered: true))
        _ = dialogue.read(Self.a)
        _ = dialogue.finish(Self.a, Self.accepted)
        #expect(dialogue.send(.settled(deliveryIDs: ["a"])) == [])
        #expect(dialogue.send(.advance) == [.readDue(excluding: [], limit: 32, withHealth: false)])
    }

    // MARK: Pauses

    @Test("pauses for as long as Retry-After says, and forgets what waits in memory")
    func retryAfter() {
        var dialogue = Dialogue.idle(settings: .init(maximumInFlight: 1))
        #expect(dialogue.read(Self.a, Self.b) == [.attempt(Self.a)])
        let busy = AttemptResult(status: 503, failure: .status, retryAfter: .seconds(100))
        #expect(
            dialogue.finish(Self.a, busy).first
                == Self.settle(Self.a, .retry(at: Dialogue.time(100)), after: busy, next: 100))
        #expect(dialogue.send(.advance) == [.wake(at: Dialogue.time(100))])
        #expect(dialogue.send(.advance, at: 99) == [.wake(at: Dialogue.time(100))])
        #expect(dialogue.send(.advance, at: 100) == [.readDue(excluding: ["a"], limit: 32, withHealth: false)])
    }

    @Test("opens the circuit with the tenth failure in a row, and probes with one delivery a minute")
    func circuit() {
        var dialogue = Dialogue.idle(health: Self.health(failures: 9))
        #expect(dialogue.read(Self.a, Self.b) == [.attempt(Self.a), .attempt(Self.b)])
        _ = dialogue.finish(Self.a, Self.refused)
        _ = dialogue.finish(Self.b, Self.refused)
        _ = dialogue.send(.settled(deliveryIDs: ["a", "b"]))
        #expect(dialogue.send(.advance) == [.wake(at: Dialogue.time(60))], "both would be due after 5 s")
        // The first probe fails.
        #expect(dialogue.send(.advance, at: 60) == [.readDue(excluding: [], limit: 1, withHealth: false)])
        _ = dialogue.send(.deliveriesRead([Self.a], next: nil, health: nil), at: 60)
        #expect(dialogue.send(.advance, at: 60) == [.attempt(Self.a)])
        _ = dialogue.send(.deliveriesAdded, at: 61)
        #expect(dialogue.send(.advance, at: 61) == [], "one probe at a time")
        _ = dialogue.finish(Self.a, Self.refused, at: 75)
        #expect(dialogue.send(.advance, at: 75) == [.wake(at: Dialogue.time(135))])
        // The second one succeeds.
        _ = dialogue.send(.advance, at: 135)
        _ = dialogue.send(.deliveriesRead([Self.b], next: nil, health: nil), at: 135)
        #expect(dialogue.send(.advance, at: 135) == [.attempt(Self.b)])
        _ = dialogue.finish(Self.b, Self.accepted, at: 136)
        _ = dialogue.send(.deliveriesAdded, at: 136)
        #expect(
            dialogue.send(.advance, at: 136) == [.readDue(excluding: ["a", "b"], limit: 32, withHealth: false)])
    }

    // MARK: Disabled

    @Test(
        "is disabled on 410 and when the receiver asks for it",
        arguments: [
            (AttemptResult(status: 410, failure: .status), "the receiver answered 410 Gone"),
            (AttemptResult(status: 500, failure: .status, instruction: .disable), "the receiver asked to be disabled"),
        ])
    func disabled(result: AttemptResult, reason: String) {
        var dialogue = Dialogue.idle()
        _ = dialogue.read(Self.a)
        #expect(
            dialogue.finish(Self.a, result, at: 3) == [
                Self.settle(Self.a, .exhausted, after: result), .disable(reason: reason),
                .saveHealth(EndpointHealth()),
            ])
        #expect(dialogue.runner.endpoint.state == .disabled(since: Dialogue.time(3), reason: reason))
        _ = dialogue.send(.deliveriesAdded, at: 4)
        #expect(dialogue.send(.advance, at: 4) == [])
    }

    @Test("is disabled after five days without a success")
    func outage() {
        let day = 86_400
        var dialogue = Dialogue.idle(health: Self.health(failures: 3, first: -5 * day, last: -day))
        _ = dialogue.read(Self.a)
        #expect(
            dialogue.finish(Self.a, Self.refused) == [
                Self.settle(Self.a, .exhausted, after: Self.refused),
                .disable(reason: "no delivery succeeded for five days"), .saveHealth(EndpointHealth()),
            ])
    }

    @Test("settles what is in flight while it is disabled, without a retry and without a change of its health")
    func disabledInFlight() {
        var dialogue = Dialogue.idle()
        _ = dialogue.read(Self.a, Self.b)
        var endpoint = Endpoint.test()
        endpoint.state = .disabled(since: Dialogue.start, reason: "by hand")
        #expect(dialogue.send(.endpointRead(endpoint)) == [])
        #expect(dialogue.finish(Self.a, Self.refused) == [Self.settle(Self.a, .exhausted, after: Self.refused)])
        #expect(dialogue.finish(Self.b, Self.accepted) == [Self.settle(Self.b, .delivered, after: Self.accepted)])
        #expect(dialogue.runner.health == EndpointHealth())
    }

    @Test("drops what a read returns while it is disabled")
    func disabledRead() {
        var dialogue = Dialogue.idle()
        _ = dialogue.send(.deliveriesAdded)
        _ = dialogue.send(.advance)
        var endpoint = Endpoint.test()
        endpoint.state = .disabled(since: Dialogue.start, reason: "by hand")
        _ = dialogue.send(.endpointRead(endpoint))
        #expect(dialogue.send(.deliveriesRead([Self.a], next: nil, health: nil)) == [])
        #expect(dialogue.send(.advance) == [])
        #expect(dialogue.send(.endpointRead(.test())) == [.saveHealth(EndpointHealth())])
        #expect(dialogue.send(.advance) == [.readDue(excluding: [], limit: 32, withHealth: false)])
    }

    @Test("starts from zero when it is enabled again: health, circuit and pauses")
    func enabled() {
        var dialogue = Dialogue.idle(health: Self.health(failures: 9))
        _ = dialogue.read(Self.a, Self.b)
        _ = dialogue.finish(Self.a, AttemptResult(status: 503, failure: .status, retryAfter: .seconds(500)))
        _ = dialogue.finish(Self.b, AttemptResult(status: 410, failure: .status))
        #expect(dialogue.send(.endpointRead(.test())) == [.saveHealth(EndpointHealth())])
        #expect(dialogue.runner.health == EndpointHealth())
        #expect(
            dialogue.send(.advance) == [.readDue(excluding: ["a", "b"], limit: 32, withHealth: false)])
    }
}
