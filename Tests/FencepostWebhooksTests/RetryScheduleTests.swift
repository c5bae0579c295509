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

    @Test("changes each delay by up to 20 % in both directions, and ends", arguments: 1...7)
    func jitter(attempts: Int) throws {
        var random = SeededGenerator(seed: UInt64(attempts))
        let nominal = schedule.delays[attempts - 1]
        // Later than any message with this number of attempts.
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

    @Test("never ends earlier than without jitter", arguments: 1...500 as ClosedRange<UInt64>)
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

    @Test("waits as long as Retry-After asks, up to a day, and not shorter than without it")
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

    @Test("has a maximum delay for each number of attempts")
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
        "is parsed as seconds and in the three date formats",
        arguments: [
            ("0", 0), (" 120 ", 120), ("99999999999", 999_999_999), ("Sun, 06 Nov 1994 08:49:37 GMT", 60),
            ("Sunday, 06-Nov-94 08:49:37 GMT", 60), ("Sun Nov  6 08:49:37 1994", 60),
            ("Sun, 06 Nov 1994 08:40:00 GMT", 0),
        ])
    func read(text: String, seconds: Int64) {
        #expect(RetryAfter.delay(text, now: date - .seconds(60)) == .seconds(seconds))
    }

    @Test(
        "is nil for other texts",
        arguments: [
            "", "-1", "1.5", "soon", "Sun, 06 Nov 1994 08:49:37", "Sun, 31 Feb 1994 08:49:37 GMT",
            "Sun, 06 Foo 1994 08:49:37 GMT", "Sun, 06 Nov 1994 25:49:37 GMT", "a b c d e GMT",
        ])
    func refused(text: String) {
        #expect(RetryAfter.delay(text, now: date) == nil)
    }
}
