/// A kind of input of real phones that the other generated benchmarks do not have. Each has a world and a random stream of
/// its own. `docs/quality.md` has the assumptions.
public enum GeneratorKind: String, Hashable, Sendable, CaseIterable {
    /// Train rides without speeds, with a silence of 5 to 15 minutes in a tunnel.
    case tunnel
    /// A fix every 5 minutes; the phone sleeps for hours and wakes some hundred metres away.
    case sleeper
    /// Only cell towers for hours, kilometres off.
    case cells
    /// A few fixes of ±65 m inside a building, and silence.
    case indoors
    /// Jammed fixes 50 to 500 km away, and leaps of 450 m and back in 10 s.
    case jam
    /// Single fixes hours ahead or behind, and network positions with a clock that is off by a constant.
    case wrongClock

    /// What is scored.
    enum Measure: String {
        case crossings, visits
        /// Visits; one whose departure is more than 10 minutes off is not found.
        case departures
    }

    var measures: [Measure] {
        switch self {
        case .tunnel: [.visits]
        case .sleeper: [.departures]
        case .cells, .jam: [.crossings, .visits]
        case .indoors, .wrongClock: [.crossings]
        }
    }

    /// Separates the random stream of the kind from all others.
    var salt: UInt64 {
        switch self {
        case .tunnel: 0x7A1E_0001
        case .sleeper: 0x7A1E_0002
        case .cells: 0x7A1E_0003
        case .indoors: 0x7A1E_0004
        case .jam: 0x7A1E_0005
        case .wrongClock: 0x7A1E_0006
        }
    }

    /// One device for each: phones that send often, rarely, by distance, and not at rest.
    var profiles: [GeneratorProfile] {
        switch self {
        case .sleeper: Array(repeating: .sleeper, count: 6)
        case .tunnel, .indoors: [.continuous, .every30, .every60, .distance50, .pausingIOS, .pausingAndroid]
        case .cells, .jam, .wrongClock: [.continuous, .every30, .every60, .every5min, .pausingIOS, .pausingAndroid]
        }
    }
}
