import FencepostModel
import Testing

@testable import FencepostService

@Suite("The service's time") struct ServiceTimeTests {
    private static let noon = Timestamp(seconds: 1_780_000_000)

    /// A clock that a test reads after some time, with the wall clock off by an error.
    private struct Clock {
        var steady = Duration.zero
        var error: Duration
        var wasSet = false
        var time: ServiceTime

        init(error: Duration = .zero, notBefore floor: Timestamp = .distantPast) {
            self.error = error
            time = ServiceTime(ClockReading(steady: .zero, wall: noon + error), notBefore: floor)
        }

        mutating func pass(_ span: Duration) -> ClockStep? {
            steady += span
            let step = time.advance(to: ClockReading(steady: steady, wall: noon + steady + error)) { [wasSet] in wasSet
            }
            wasSet = false
            return step
        }

        /// How far the service's time is behind the true time.
        var lag: Duration { noon + steady - time.now }
    }

    @Test("follows a clock that is right")
    func follows() {
        var clock = Clock()
        for _ in 0..<100 { #expect(clock.pass(.milliseconds(1234)) == nil) }
        #expect(clock.lag == .zero)
        #expect(clock.time.status == .following)
    }

    @Test("follows an hour's jump by a tenth of the time that passes", arguments: [3600, -3600])
    func slews(seconds: Int) {
        var clock = Clock()
        clock.error = .seconds(seconds)
        clock.wasSet = true
        #expect(clock.pass(.seconds(1000)) == nil)
        #expect(clock.lag == .seconds(seconds < 0 ? 100 : -100))
        #expect(clock.time.status == .slewing(by: .seconds(seconds < 0 ? seconds + 100 : seconds - 100)))
    }

    @Test("takes a large jump forward at once, if the system reports it")
    func stepsForward() {
        var clock = Clock(error: .seconds(-3 * 86_400))
        #expect(clock.pass(.seconds(10)) == nil)
        clock.error = .zero
        clock.wasSet = true
        #expect(clock.pass(.seconds(1)) == .ahead(by: .seconds(3 * 86_400)))
        #expect(clock.lag == .zero)
        #expect(clock.time.status == .following)
    }

    @Test("slews a large jump that the system does not report, and any jump back")
    func slewsUnreported() {
        var clock = Clock()
        clock.error = .seconds(400 * 86_400)
        #expect(clock.pass(.seconds(100)) == nil)
        #expect(clock.lag == .seconds(-10))
        clock.error = .seconds(-400 * 86_400)
        clock.wasSet = true
        #expect(clock.pass(.seconds(100)) == nil)
        #expect(clock.lag == .zero)
    }

    @Test("waits for a clock that was never set, and takes it at once when it is")
    func waits() {
        var clock = Clock(error: .seconds(-400 * 86_400), notBefore: Self.noon)
        #expect(!clock.time.status.isBelievable)
        let before = clock.time.now
        #expect(clock.pass(.seconds(5)) == nil)
        #expect(clock.time.now == before + .seconds(5))
        #expect(!clock.time.status.isBelievable)
        clock.error = .zero
        #expect(clock.pass(.seconds(1)) == .becameBelievable(by: .seconds(400 * 86_400)))
        #expect(clock.time.status == .following)
        #expect(clock.lag == .zero)
    }

    @Test("stays believable and does not follow a clock that is set to before its floor")
    func ignoresAReset() {
        var clock = Clock(notBefore: Self.noon)
        clock.error = .seconds(-1_780_000_000)
        for _ in 0..<50 { #expect(clock.pass(.seconds(3600)) == nil) }
        #expect(clock.lag == .zero)
        #expect(clock.time.status.isBelievable)
    }

    @Test("never goes back, whatever the clock does", arguments: 1...50 as ClosedRange<Int64>)
    func neverDecreases(seed: Int64) {
        var state = UInt64(bitPattern: seed) &* 0x9E37_79B9_7F4A_7C15
        func next(_ bound: Int64) -> Int64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int64(state >> 33) % bound
        }
        var clock = Clock(error: .seconds(next(10_000) - 5000), notBefore: Self.noon)
        var (last, wasBelievable) = (clock.time.now, clock.time.status.isBelievable)
        for _ in 0..<200 {
            if next(5) == 0 { clock.error = .seconds(next(1_000_000) - 500_000) }
            clock.wasSet = next(2) == 0
            _ = clock.pass(.milliseconds(next(100_000)))
            #expect(clock.time.now >= last)
            #expect(clock.time.status.isBelievable || !wasBelievable)
            (last, wasBelievable) = (clock.time.now, clock.time.status.isBelievable)
        }
    }
}

@Suite("The guard of the retention") struct RetentionGuardTests {
    private static let noon = Timestamp(seconds: 1_780_000_000)
    private static func days(_ count: Int) -> Duration { .seconds(count * 86_400) }

    @Test("does nothing by a clock that is not believable, and nothing in the way of one that is")
    func clock() {
        var retention = RetentionGuard()
        #expect(
            retention.decide(now: Self.noon, isBelievable: false, newestFix: Self.noon, uptime: .zero) == .skip)
        #expect(
            retention.decide(now: Self.noon, isBelievable: true, newestFix: nil, uptime: .zero) == .run(at: Self.noon))
        #expect(
            retention.decide(now: Self.noon, isBelievable: true, newestFix: Self.noon, uptime: .zero)
                == .run(at: Self.noon))
    }

    @Test("counts from the newest fix while the clock is far ahead of it, for a week without fixes")
    func secondOpinion() {
        var retention = RetentionGuard()
        let ahead = Self.noon + Self.days(400)
        func decide(_ uptime: Duration, _ newest: Timestamp) -> RetentionGuard.Decision {
            retention.decide(now: ahead + uptime, isBelievable: true, newestFix: newest, uptime: uptime)
        }
        #expect(decide(.zero, Self.noon) == .runBehind(at: Self.noon + Self.days(1), clock: ahead))
        // A fix of now arrives, which contradicts the clock again.
        let fix = Self.noon + Self.days(2)
        #expect(decide(Self.days(2), fix) == .runBehind(at: fix + Self.days(1), clock: ahead + Self.days(2)))
        #expect(decide(Self.days(8), fix) == .runBehind(at: fix + Self.days(1), clock: ahead + Self.days(8)))
        #expect(decide(Self.days(9), fix) == .run(at: ahead + Self.days(9)))
    }

    @Test("removes a tenth of the stored time in a run, and a day in any case")
    func share() {
        let oldest = Self.noon - Self.days(100)
        #expect(RetentionGuard.limit(Self.noon, oldest: oldest, newest: Self.noon) == oldest + Self.days(10))
        #expect(
            RetentionGuard.limit(oldest + Self.days(3), oldest: oldest, newest: Self.noon) == oldest + Self.days(3))
        #expect(
            RetentionGuard.limit(Self.noon, oldest: Self.noon - .seconds(7200), newest: Self.noon) == Self.noon)
        #expect(RetentionGuard.limit(Self.noon, oldest: nil, newest: nil) == Self.noon)
    }
}
