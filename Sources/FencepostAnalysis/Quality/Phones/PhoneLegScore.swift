/// Agreement of the modes and the lengths of trips with those of logged legs.
///
/// The longest trip of a leg's fixes has its mode; without a trip the mode is wrong. A length counts if the fixes are one
/// trip and the length of the leg is known.
public struct PhoneLegScore: Sendable {
    /// Number of legs, and of those whose mode is right.
    public struct Count: Hashable, Sendable {
        public internal(set) var legs = 0, right = 0

        /// From 0 to 1.
        public var fraction: Double { Statistics.fraction(right, of: legs) }
    }

    /// The relative errors of lengths: found minus true length, as a part of the true one.
    public struct Lengths: Hashable, Sendable {
        /// With their signs.
        public internal(set) var errors: [Double] = []

        /// The median with its sign; `nil` without a length.
        public var bias: Double? { Statistics.rank(0.5, of: errors) }
        /// Quantile of the errors without their signs; `nil` without a length. 1 is the largest.
        public func error(_ fraction: Double) -> Double? { Statistics.rank(fraction, of: errors.map(\.magnitude)) }
    }

    /// Of all legs.
    public private(set) var all = Count()
    /// By the right mode.
    public private(set) var modes: [TravelMode: Count] = [:]
    /// By the mode in the log, such as `LIGHT_RAIL`.
    public private(set) var loggedModes: [String: Count] = [:]
    /// The lengths of all legs.
    public private(set) var lengths = Lengths()
    /// The lengths by the mode in the log.
    public private(set) var lengthsByMode: [String: Lengths] = [:]
    /// The lengths by the mode in the log and the name of the route.
    private var routes: [String: [String: Lengths]] = [:]

    /// The mean of the fractions of the modes, each with the same weight.
    public var meanOfModes: Double {
        modes.isEmpty ? 0 : modes.values.map(\.fraction).reduce(0, +) / Double(modes.count)
    }

    /// The mode in the log of which the smallest fraction is right.
    public var worstMode: (name: String, count: Count)? {
        loggedModes.min { ($0.value.fraction, $0.key) < ($1.value.fraction, $1.key) }.map {
            (name: $0.key, count: $0.value)
        }
    }

    /// The route of a mode with the largest bias without its sign.
    public func worstRoute(of mode: String) -> (name: String, bias: Double)? {
        (routes[mode] ?? [:]).compactMap { name, lengths in lengths.bias.map { (name: name, bias: $0) } }
            .max { ($0.bias.magnitude, $1.name) < ($1.bias.magnitude, $0.name) }
    }

    /// Scores the trips of each leg's fixes, in the order of the legs.
    public init(_ results: some Sequence<(leg: PhoneLeg, trips: [Trip])>) {
        for (leg, trips) in results {
            let longest = trips.max { $0.seconds < $1.seconds }
            let count = Count(legs: 1, right: longest?.mode == leg.mode ? 1 : 0)
            all.add(count)
            modes[leg.mode, default: Count()].add(count)
            loggedModes[leg.loggedMode, default: Count()].add(count)
            guard let length = leg.length, trips.count == 1 else { continue }
            // In whole metres, as the program prints it.
            let error = trips[0].distance.rounded() / length - 1
            lengths.errors.append(error)
            lengthsByMode[leg.loggedMode, default: Lengths()].errors.append(error)
            routes[leg.loggedMode, default: [:]][leg.route, default: Lengths()].errors.append(error)
        }
    }
}

extension PhoneLegScore.Count {
    fileprivate mutating func add(_ other: Self) {
        legs += other.legs
        right += other.right
    }
}
