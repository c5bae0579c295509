import FencepostCluster
import Synchronization
import Testing

@Suite("A pause that can be cut short") struct WakerTests {
    /// A clock on which a sleep ends only when it is cancelled, and which counts them.
    private final class StandingClock: Clock {
        let sleeps = Mutex(0)
        private let base = ContinuousClock()

        var now: ContinuousClock.Instant { base.now }
        var minimumResolution: Duration { base.minimumResolution }

        func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {
            sleeps.withLock { $0 += 1 }
            let (stream, _) = AsyncStream.makeStream(of: Never.self)
            for await _ in stream {}
            try Task.checkCancellation()
        }
    }

    @Test("ends by a signal during it, and at once by one before it", .timeLimit(.minutes(1))) func wakes() async {
        let clock = StandingClock()
        let waker = Waker(clock: clock)
        waker.wake()
        await waker.pause(.seconds(1))
        #expect(clock.sleeps.withLock { $0 } == 0)
        // Until it is rested, every pause ends at once.
        await waker.pause(.seconds(1))
        waker.rest()
        async let pause: Void = waker.pause(.seconds(1))
        while clock.sleeps.withLock({ $0 }) == 0 { await Task.yield() }
        waker.wake()
        await pause
        #expect(clock.sleeps.withLock { $0 } == 1)
    }

    @Test("ends with its task", .timeLimit(.minutes(1))) func cancellation() async {
        let clock = StandingClock()
        let waker = Waker(clock: clock)
        let task = Task { await waker.pause(.seconds(1)) }
        while clock.sleeps.withLock({ $0 }) == 0 { await Task.yield() }
        task.cancel()
        await task.value
    }

    @Test("takes its time without a signal") func time() async {
        let clock = ContinuousClock()
        let waker = Waker(clock: clock)
        let start = clock.now
        await waker.pause(.milliseconds(30))
        #expect(clock.now - start >= .milliseconds(30))
    }
}
