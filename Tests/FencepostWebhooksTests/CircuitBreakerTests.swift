import FencepostModel
import Testing

@testable import FencepostWebhooks

@Suite("Circuit breaker") struct CircuitBreakerTests {
    let start = Timestamp(seconds: 1_772_353_800)

    @Test("opens with the tenth failure in a row, and not before")
    func opens() {
        var breaker = CircuitBreaker()
        for _ in 1...9 {
            breaker.attemptStarted()
            breaker.attemptFailed(at: start)
        }
        #expect(breaker.state == .closed(failures: 9))
        breaker.attemptSucceeded()
        #expect(breaker.state == .closed(failures: 0))
        for _ in 1...9 { breaker.attemptFailed(at: start) }
        #expect(breaker.state == .closed(failures: 9))
        breaker.attemptFailed(at: start)
        #expect(breaker.state == .open(until: start + .seconds(60)))
    }

    @Test("starts open when enough attempts failed before, and closed otherwise")
    func restores() {
        #expect(CircuitBreaker(failures: 9, lastFailure: start).state == .closed(failures: 9))
        #expect(CircuitBreaker(failures: 10, lastFailure: start).state == .open(until: start + .seconds(60)))
    }

    @Test("probes once, and opens for another minute when the probe fails")
    func probeFails() {
        var breaker = CircuitBreaker(failures: 10, lastFailure: start)
        breaker.attemptStarted()
        #expect(breaker.state == .probing)
        breaker.attemptFailed(at: start + .seconds(75))
        #expect(breaker.state == .open(until: start + .seconds(135)))
    }

    @Test("stays open as long when an attempt fails that was in flight before it opened")
    func lateFailure() {
        var breaker = CircuitBreaker(failures: 10, lastFailure: start)
        breaker.attemptFailed(at: start + .seconds(15))
        #expect(breaker.state == .open(until: start + .seconds(60)))
    }

    @Test("closes when the probe succeeds")
    func probeSucceeds() {
        var breaker = CircuitBreaker(failures: 10, lastFailure: start)
        breaker.attemptStarted()
        breaker.attemptSucceeded()
        #expect(breaker.state == .closed(failures: 0))
    }
}
