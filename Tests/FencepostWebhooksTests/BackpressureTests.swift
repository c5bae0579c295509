import FencepostModel
import Testing

@testable import FencepostWebhooks

@Suite("Backpressure") struct BackpressureTests {
    let start = Timestamp(seconds: 1_772_353_800)

    @Test("pauses 1 s, 2 s, 4 s … 60 s, with one attempt at a time")
    func slowsDown() {
        var backpressure = Backpressure(maximumInFlight: 4)
        #expect(backpressure.maximumInFlight == 4 && backpressure.pausedUntil == .distantPast)
        for pause in [1, 2, 4, 8, 16, 32, 60, 60] {
            backpressure.slowDown(at: start)
            #expect(backpressure.maximumInFlight == 1 && backpressure.pausedUntil == start + .seconds(pause))
        }
    }

    @Test("pauses at least as long as the receiver asks for")
    func retryAfter() {
        var backpressure = Backpressure(maximumInFlight: 4)
        backpressure.slowDown(at: start, retryAfter: .seconds(100))
        #expect(backpressure.pausedUntil == start + .seconds(100))
        backpressure.slowDown(at: start + .seconds(10))
        #expect(backpressure.pausedUntil == start + .seconds(100), "a shorter pause does not end a longer one")
    }

    @Test("allows one attempt more with each success, and begins with 1 s again")
    func recovers() {
        var backpressure = Backpressure(maximumInFlight: 4)
        backpressure.slowDown(at: start)
        backpressure.slowDown(at: start)
        var limits: [Int] = []
        for _ in 1...4 {
            backpressure.noteSuccess()
            limits.append(backpressure.maximumInFlight)
        }
        #expect(limits == [2, 3, 4, 4])
        #expect(backpressure.pausedUntil == start + .seconds(2), "a success does not end a pause")
        backpressure.slowDown(at: start + .seconds(10))
        #expect(backpressure.pausedUntil == start + .seconds(11))
    }
}
