import FencepostModel

/// What is wrong with the stamps of a phone.
enum GeneratorClock: CaseIterable {
    /// Single fixes are 1 to 8 hours ahead.
    case ahead, often
    /// Single fixes are 1 to 8 hours behind.
    case behind
    /// Single fixes are ahead or behind.
    case both
    /// The clock of the phone, which stamps its network positions, is off by 20 s to 2 min, or by 5 to 60 min.
    case seconds, minutes

    /// Seconds between single wrong stamps; `nil` without them.
    var interval: Double? {
        switch self {
        case .ahead, .behind, .both: 3 * 3600
        case .often: 3600
        case .seconds, .minutes: nil
        }
    }

    /// Seconds that a stamp is ahead of the right time.
    func error(_ random: inout GeneratorRandom) -> Double {
        switch self {
        case .ahead, .often: random.uniform(1...8) * 3600
        case .behind: -random.uniform(1...8) * 3600
        case .both: random.uniform(1...8) * random.pick([-3600, 3600])
        case .seconds: random.uniform(20...120) * random.pick([-1, 1])
        case .minutes: random.uniform(300...3600) * random.pick([-1, 1])
        }
    }
}

extension GeneratorWorld {
    /// Days of a phone with wrong stamps. The truth has the right times. The order of the fixes is that of their delivery, and
    /// nothing else says when they arrived.
    ///
    /// Single wrong fixes come every 3 hours, of one device every hour. On Android a satellite position has the time of the
    /// satellites, and a network position that of the phone. A clock that is off for all fixes alike is not here, because it
    /// gives the same file with other times.
    static func wrongClock(
        _ draft: Draft, _ clock: GeneratorClock, _ random: inout GeneratorRandom
    ) -> GeneratorWorld {
        var world = days(draft, &random)
        world.addCirclesAboutSites(&random)
        guard let interval = clock.interval else {
            let error = clock.error(&random)
            for index in world.fixes.indices where (world.fixes[index].speed ?? 0) <= 0 {
                world.fixes[index].timestamp = world.fixes[index].timestamp + .milliseconds(Int64(error * 1000))
            }
            return world
        }
        for time in world.events(every: interval, &random) {
            let error = clock.error(&random)
            guard let index = world.shown.firstIndex(where: { world.time(of: $0) >= time }) else { continue }
            world.fixes[index].timestamp = world.shown[index].timestamp + .milliseconds(Int64(error * 1000))
        }
        return world
    }
}
