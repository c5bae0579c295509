public import FencepostModel

/// The part of the time of logged legs that has the right mode, over whole days with their stays and trips.
///
/// The mode of a moment is that of the leg of a trip that covers it; where no trip does, it is wrong.
public struct PhoneDayScore: Sendable {
    /// Seconds, and those of them with the right mode.
    public struct Time: Hashable, Sendable {
        public internal(set) var seconds = 0.0, right = 0.0

        /// From 0 to 1.
        public var fraction: Double { seconds > 0 ? right / seconds : 0 }
    }

    /// Number of phones with a logged leg.
    public private(set) var phones = 0
    /// Of all legs.
    public private(set) var all = Time()
    /// By the right mode.
    public private(set) var modes: [TravelMode: Time] = [:]
    /// The phone with the smallest fraction.
    public private(set) var worst: (device: DeviceID, fraction: Double)?

    /// The mean of the fractions of the modes, each with the same weight.
    public var meanOfModes: Double {
        modes.isEmpty ? 0 : modes.values.map(\.fraction).reduce(0, +) / Double(modes.count)
    }

    /// Scores the trips of each phone.
    public init(_ results: some Sequence<(phone: PhoneCase, trips: [Trip])>) {
        for (phone, trips) in results {
            let legs = trips.flatMap(\.legs).map { (span: TimeSpan($0.start, $0.end), mode: $0.mode) }
            var own = Time()
            for interval in phone.intervals where interval.kind == .move && interval.isTravel {
                guard let mode = interval.mode else { continue }
                let right = legs.filter { $0.mode == mode }.reduce(0) { $0 + $1.span.overlap(interval.span) }
                let time = Time(seconds: interval.span.seconds, right: right)
                own.add(time)
                modes[mode, default: Time()].add(time)
            }
            guard own.seconds > 0 else { continue }
            phones += 1
            all.add(own)
            if own.fraction < worst?.fraction ?? .infinity { worst = (phone.device, own.fraction) }
        }
    }
}

extension PhoneDayScore.Time {
    fileprivate mutating func add(_ other: Self) {
        seconds += other.seconds
        right += other.right
    }
}
