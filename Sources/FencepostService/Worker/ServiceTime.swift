internal import FencepostGeometry
public import FencepostModel

/// One reading of the system's clocks.
struct ClockReading: Hashable, Sendable {
    /// Time since a fixed moment; monotonic, without jumps.
    var steady: Duration
    /// Wall time.
    var wall: Timestamp
}

/// The state of the service's time.
public enum ClockStatus: Hashable, Sendable {
    /// The service's time follows the wall clock.
    case following
    /// The wall clock was set, and the service's time approaches it slowly. The difference is wall time minus the
    /// service's time.
    case slewing(by: Duration)
    /// The wall clock has been before `floor` since the start, so it was never set.
    case notBelievable(wall: Timestamp, floor: Timestamp)

    /// Whether the service's time may be used to accept and to expire data.
    public var isBelievable: Bool {
        switch self {
        case .following, .slewing: true
        case .notBelievable: false
        }
    }
}

/// A step of the service's time.
public enum ClockStep: Hashable, Sendable {
    /// The wall clock became believable; the service's time was set to it.
    case becameBelievable(by: Duration)
    /// The system set the wall clock far ahead; the service's time was set to it.
    case ahead(by: Duration)
}

/// The service's time as a state machine over clock readings (rule D5).
///
/// It advances with the steady clock. The wall clock corrects it by a tenth of the elapsed time, so that a wall clock that
/// is set by an hour makes no timer fire more than a tenth early or late. There are two steps, both forward: when a wall
/// clock that was never set is set, and when the system reports that it set the clock by more than `largestSlew`, because
/// fixes of the present would otherwise be refused for days.
struct ServiceTime: Hashable, Sendable {
    /// Largest correction per elapsed time, a ratio.
    static let slew = 0.1
    /// Largest difference that is only slewed. A fix may be 24 hours ahead, so no fix is refused meanwhile.
    static let largestSlew = Duration.seconds(6 * 3600)

    private enum State: Hashable {
        /// The wall clock was before the floor at the start, and in all readings since.
        case waiting
        /// The wall clock was at or after the floor once.
        case running
    }

    /// The current time; never decreases.
    private(set) var now: Timestamp
    /// A wall clock before this is not believable.
    let floor: Timestamp
    private var state: State
    private var reading: ClockReading

    init(_ reading: ClockReading, notBefore floor: Timestamp) {
        now = reading.wall
        self.floor = floor
        self.reading = reading
        state = reading.wall < floor ? .waiting : .running
    }

    var status: ClockStatus {
        switch state {
        case .waiting: return .notBelievable(wall: reading.wall, floor: floor)
        case .running:
            let ahead = reading.wall - now
            return ahead.milliseconds.magnitude < 1000 ? .following : .slewing(by: ahead)
        }
    }

    /// Advances to a reading.
    ///
    /// `wasSet` is whether the system has reported that it set the wall clock. It is asked only when the wall clock is
    /// far ahead.
    ///
    /// - Returns: the step, if there was one.
    mutating func advance(to next: ClockReading, wasSet: () -> Bool) -> ClockStep? {
        let passed = max(next.steady - reading.steady, .zero).milliseconds
        reading.wall = next.wall
        let expected = now + .milliseconds(passed)
        let ahead = (next.wall - expected).milliseconds
        switch state {
        case .waiting where next.wall >= floor:
            state = .running
            move(to: max(next.wall, now), at: next)
            return .becameBelievable(by: .milliseconds(ahead))
        case .running where ahead > Self.largestSlew.milliseconds && wasSet():
            move(to: next.wall, at: next)
            return .ahead(by: .milliseconds(ahead))
        case .waiting:
            advance(by: passed, correction: 0)
        case .running:
            let most = Int64(clamped: Double(passed) * Self.slew)
            // A difference below a second comes from a wall clock that NTP slews already. A wall clock that was set to a
            // time before the floor is not followed.
            let correction = next.wall < floor ? 0 : ahead.magnitude < 1000 ? ahead : min(max(ahead, -most), most)
            advance(by: passed, correction: correction)
        }
        return nil
    }

    private mutating func advance(by passed: Int64, correction: Int64) {
        let step = max(passed + correction, 0)
        guard step > 0 else { return }
        now = now + .milliseconds(step)
        // The rest of a millisecond counts next time.
        reading.steady += .milliseconds(passed)
    }

    private mutating func move(to time: Timestamp, at next: ClockReading) {
        now = time
        reading = next
    }
}
