import FencepostGeometry
import FencepostModel
import FencepostTesting
import Foundation
import Testing

@testable import FencepostMonitor

/// Alerts of times of day, of random tracks, against a slow definition that looks at the crossings of the whole track.
@Suite("Alerts of times of day against a slow definition") struct AppointmentOracleTests {
    private static let day: Int64 = 86_400
    private static let start: Int64 = 1_772_755_200  // midnight in UTC
    private static let school = RegionID("school")

    /// Seconds of each location since the start, and whether it is in the region.
    private static func track(_ random: inout SeededGenerator) -> [(second: Int64, isInside: Bool)] {
        var second: Int64 = .random(in: 0...40_000, using: &random)
        return (0..<60).map { _ in
            defer {
                // Mostly hours, sometimes more than a week.
                let longest: Int64 = Int.random(in: 0..<20, using: &random) == 0 ? 900_000 : 20_000
                second += .random(in: 1...longest, using: &random)
            }
            return (second, Bool.random(using: &random))
        }
    }

    /// What a rule reports up to a second, by the definition.
    private static func expected(
        _ track: [(second: Int64, isInside: Bool)], _ rule: AlertRule, minute: Int64, through end: Int64
    ) -> [String] {
        let hold = Int64(rule.hold.seconds)
        var lines: [String] = []
        for day in -1...(end / Self.day + 1) {
            let time = day * Self.day + minute * 60
            let due = time + hold
            // A location at that very second comes after the decision.
            guard due <= end, let last = track.last(where: { $0.second < due }), due - last.second <= 7 * Self.day
            else { continue }
            guard last.isInside == (rule.condition.kind == .present) else { continue }
            lines.append("\(time)(\(due)) \(rule.id) started")
            let midnight = (due / Self.day + 1) * Self.day
            let change = track.first { $0.second >= due && $0.isInside != last.isInside }?.second ?? .max
            if change < midnight {
                lines.append("\(change) \(rule.id) ended")
            } else if midnight <= end {
                lines.append("\(midnight) \(rule.id) ended")
            }
        }
        return lines
    }

    @Test("are the same, with the clock or without it, in whatever pieces the state is stored", arguments: 0..<200)
    func randomTracks(seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        let track = Self.track(&random)
        let minute = Int64.random(in: 0..<1440, using: &random)
        let time = DailyTime(minute: Int(minute), timeZone: .gmt)
        let hold = Duration.seconds(Int.random(in: 0...3, using: &random) * 400)
        var settings = MonitorSettings()
        (settings.visits, settings.staleAfter, settings.crossing) = (nil, nil, .raw)
        settings.alerts = [
            AlertRule(id: "absent", .absent(from: Self.school, by: time), hold: hold),
            AlertRule(id: "present", .present(in: Self.school, at: time), hold: hold),
        ]
        let center = Coordinate(latitude: 38.7, longitude: -9.1)
        let catalog = RegionCatalog([
            Region(id: Self.school, shape: .circle(Circle(center: center, radius: 100)))
        ])
        let handle = try #require(catalog.handle(for: Self.school))
        let rules = WatchRules(catalog, settings)
        var monitor = DeviceMonitor(deviceID: DeviceID("jane"), settings: settings)
        var lines: [String: [String]] = [:]
        func note(_ events: [Event]) {
            for event in events {
                guard case .alert(let alert) = event.occurrence else { continue }
                let (at, detected) = (
                    event.timestamp.milliseconds / 1000 - Self.start, event.detectedAt.milliseconds / 1000 - Self.start
                )
                let isStart = alert.state == .started
                lines[alert.rule, default: []].append(
                    "\(at)\(isStart ? "(\(detected))" : "") \(alert.rule) \(alert.state.rawValue)")
            }
        }
        var now: Int64 = 0
        for (second, isInside) in track {
            if seed % 2 == 0, second > now + 1 {
                note(
                    monitor.handle(
                        .clock(Timestamp(seconds: Self.start + .random(in: now..<second, using: &random))), rules))
            }
            now = second
            let position = isInside ? center : Coordinate(latitude: 38.8, longitude: -9.1)
            let fix = Location(
                deviceID: DeviceID("jane"), timestamp: Timestamp(seconds: Self.start + second), coordinate: position,
                horizontalAccuracy: 5)
            let proximity = isInside ? [Proximity(region: handle, covers: true, signedDistance: -100, width: 200)] : []
            note(monitor.handle(.located(fix, proximity), rules))
            if Int.random(in: 0..<5, using: &random) == 0 {
                monitor = DeviceMonitor(monitor.snapshot(in: catalog), in: catalog, settings: settings)
            }
        }
        // The first location of the track begins the rules.
        for rule in settings.alerts {
            let expected = Self.expected(track, rule, minute: minute, through: now)
            #expect((lines[rule.id] ?? []) == expected, "\(rule.id)")
        }
    }
}
