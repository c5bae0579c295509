import FencepostModel

/// The number of events of each type, without a lookup for each event.
struct EventCounters {
    private var counts = [Int](repeating: 0, count: EventType.allCases.count)

    mutating func count(_ type: EventType) { counts[Self.index(of: type)] += 1 }

    /// The types of which there was an event.
    var byType: [EventType: Int] {
        var result: [EventType: Int] = [:]
        for type in EventType.allCases where counts[Self.index(of: type)] > 0 {
            result[type] = counts[Self.index(of: type)]
        }
        return result
    }

    private static func index(of type: EventType) -> Int {
        switch type {
        case .regionEntered: 0
        case .regionExited: 1
        case .regionDwelled: 2
        case .visitArrived: 3
        case .visitDeparted: 4
        case .deviceStale: 5
        case .deviceRecovered: 6
        case .appRelaunched: 7
        case .alertSpeed: 8
        case .alertBattery: 9
        case .alertAccuracy: 10
        case .alertJump: 11
        case .alertUnplugged: 12
        case .alertAbsent: 13
        case .alertPresent: 14
        case .alertSilent: 15
        case .fenceArmed: 16
        case .fenceBroken: 17
        case .fenceDisarmed: 18
        case .proximityEntered: 19
        case .proximityExited: 20
        case .proximityDwelled: 21
        case .proximityUnaccompanied: 22
        case .planVisited: 23
        case .planLate: 24
        case .planMissed: 25
        case .planCompleted: 26
        }
    }
}
