import FencepostModel
import FencepostService
import FencepostTesting
import Testing

@testable import FencepostWebhooks

@Suite("Retry schedule") struct RetryScheduleTests {
    let schedule = RetrySchedule.standard

    @Test("has eight attempts in 27.6 hours")
    func standard() {
        #expect(schedule.maximumAttempts == 8)
        let whole: Duration = schedule.delays.reduce(.zero, +)
        #expect(whole == .seconds(99_305))
    }

    @Test("stays within a fifth of each delay, uses both sides, and ends", arguments: 1...7)
    func jitter(attempts: Int) throws {
        var random = SeededGenerator(seed: UInt64(attempts))
        let nominal = schedule.delays[attempts - 1]
        // As late as a message can be that has failed so often.
        let elapsed = schedule.delays[..<attempts].reduce(Duration.zero, +) * 2
        let delays = (0..<500).compactMap { _ in
            schedule.delay(after: attempts, elapsed: elapsed, using: &random)
        }
        #expect(delays.count == 500)
        let (least, most) = (delays.min() ?? .zero, delays.max() ?? .zero)
        #expect(least >= nominal * 0.8 && least < nominal * 0.9)
        #expect(most <= nominal * 1.2 && most > nominal * 1.1)
        #expect(schedule.delay(after: 8, elapsed: elapsed, using: &random) == nil)
    }

    @Test("never ends before its time, whatever the dice say", arguments: 1...500 as ClosedRange<UInt64>)
    func wholeTime(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var elapsed = Duration.zero
        for attempts in 1...7 {
            elapsed += schedule.delay(after: attempts, elapsed: elapsed, using: &random) ?? .zero
        }
        let whole = Duration.seconds(99_305)
        #expect(elapsed >= whole - .milliseconds(10))
        #expect(elapsed <= whole * 1.2)
    }

    @Test("waits for as long as the receiver asks, up to a day, and not shorter")
    func retryAfter() throws {
        var random = SeededGenerator(seed: 1)
        #expect(schedule.delay(after: 1, elapsed: .zero, retryAfter: .seconds(100), using: &random) == .seconds(100))
        #expect(
            schedule.delay(after: 1, elapsed: .zero, retryAfter: .seconds(900_000), using: &random)
                == .seconds(86_400))
        let delay = try #require(
            schedule.delay(after: 3, elapsed: .zero, retryAfter: .seconds(1), using: &random))
        #expect(delay >= .seconds(1440))
    }

    @Test("knows the longest that a message can wait")
    func longest() {
        #expect(schedule.longestDelay(after: 0) == .zero)
        #expect(schedule.longestDelay(after: 1) == .seconds(86_400))
        #expect(RetrySchedule(delays: [.seconds(200_000)]).longestDelay(after: 1) == .seconds(240_000))
    }
}

@Suite("Retry-After") struct RetryAfterTests {
    /// 1994-11-06T08:49:37Z, the date of RFC 9110's examples.
    let date = Timestamp(seconds: 784_111_777)

    @Test(
        "is read in seconds and in the three forms of a date",
        arguments: [
            ("0", 0), (" 120 ", 120), ("99999999999", 999_999_999), ("Sun, 06 Nov 1994 08:49:37 GMT", 60),
            ("Sunday, 06-Nov-94 08:49:37 GMT", 60), ("Sun Nov  6 08:49:37 1994", 60),
            ("Sun, 06 Nov 1994 08:40:00 GMT", 0),
        ])
    func read(text: String, seconds: Int64) {
        #expect(RetryAfter.delay(text, now: date - .seconds(60)) == .seconds(seconds))
    }

    @Test(
        "is nothing when it is neither",
        arguments: [
            "", "-1", "1.5", "soon", "Sun, 06 Nov 1994 08:49:37", "Sun, 31 Feb 1994 08:49:37 GMT",
            "Sun, 06 Foo 1994 08:49:37 GMT", "Sun, 06 Nov 1994 25:49:37 GMT", "a b c d e GMT",
        ])
    func refused(text: String) {
        #expect(RetryAfter.delay(text, now: date) == nil)
    }
}

@Suite("Circuit breaker") struct CircuitBreakerTests {
    let start = Timestamp(seconds: 1_772_353_800)

    @Test("opens with the tenth failure in a row, and not before")
    func opens() {
        var breaker = CircuitBreaker()
        for _ in 1...9 {
            breaker.attemptStarted()
            breaker.attemptFailed(at: start)
        }
        #expect(!breaker.isOpen && breaker.opensAt == .distantPast)
        breaker.attemptSucceeded()
        for _ in 1...9 { breaker.attemptFailed(at: start) }
        #expect(!breaker.isOpen, "a success begins the count anew")
        breaker.attemptFailed(at: start)
        #expect(breaker.isOpen && breaker.opensAt == start + .seconds(60))
    }

    @Test("lets one probe through a minute, and closes with one that goes well")
    func probes() {
        var breaker = CircuitBreaker(failures: 10, lastFailure: start)
        #expect(breaker.opensAt == start + .seconds(60))
        breaker.attemptStarted()
        #expect(breaker.isOpen && breaker.opensAt == .distantFuture, "a second one has to wait")
        breaker.attemptFailed(at: start + .seconds(75))
        #expect(breaker.opensAt == start + .seconds(135))
        breaker.attemptFailed(at: start + .seconds(90))
        #expect(breaker.opensAt == start + .seconds(135), "one that was on its way does not put it off")
        breaker.attemptStarted()
        breaker.attemptSucceeded()
        #expect(!breaker.isOpen)
    }
}

@Suite("Endpoint health") struct EndpointHealthTests {
    let start = Timestamp(seconds: 1_772_353_800)

    @Test("is given up after five days of failures, and not a moment before")
    func fiveDays() {
        var health = EndpointHealth()
        let firstIsHopeless = health.noteFailure(at: start)
        #expect(!firstIsHopeless)
        let halfDayIsHopeless = health.noteFailure(at: start + .seconds(12 * 3600))
        #expect(!halfDayIsHopeless)
        var early = health
        let earlyIsHopeless = early.noteFailure(at: start + .seconds(5 * 86_400 - 1))
        #expect(!earlyIsHopeless)
        let fiveDaysIsHopeless = health.noteFailure(at: start + .seconds(5 * 86_400))
        #expect(fiveDaysIsHopeless)
    }

    @Test("is not given up for two failures at the ends of a quiet week")
    func quietWeek() {
        var health = EndpointHealth()
        let oneIsHopeless = health.noteFailure(at: start)
        #expect(!oneIsHopeless)
        let anotherIsHopeless = health.noteFailure(at: start + .seconds(60))
        #expect(!anotherIsHopeless)
        let weekIsHopeless = health.noteFailure(at: start + .seconds(7 * 86_400))
        #expect(!weekIsHopeless)
        let moreIsHopeless = health.noteFailure(at: start + .seconds(7 * 86_400 + 60))
        #expect(moreIsHopeless)
    }

    @Test("is well again with one success")
    func success() {
        var health = EndpointHealth()
        _ = health.noteFailure(at: start)
        _ = health.noteFailure(at: start + .seconds(86_400))
        health.noteSuccess(at: start + .seconds(90_000))
        #expect(health.consecutiveFailures == 0 && health.firstFailure == nil)
        let lateIsHopeless = health.noteFailure(at: start + .seconds(6 * 86_400))
        #expect(!lateIsHopeless)
        let laterIsHopeless = health.noteFailure(at: start + .seconds(6 * 86_400 + 60))
        #expect(!laterIsHopeless)
    }
}
