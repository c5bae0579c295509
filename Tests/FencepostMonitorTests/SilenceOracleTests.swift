import FencepostGeometry
import FencepostModel
import FencepostTesting
import Foundation
import Testing

@testable import FencepostMonitor

/// Alerts of silent devices, of random tracks, against a slow definition that looks at all times of the track.
@Suite("Alerts of silence against a slow definition") struct SilenceOracleTests {
    // Milliseconds.
    private static let day: Int64 = 86_400_000
    private static let start: Int64 = 1_772_755_200_000  // midnight in UTC
    private static let minimum: Int64 = 900_000

    /// A moment at which the monitor takes an input, in milliseconds since the start.
    private enum Step {
        case fix(Int64), clock(Int64)
    }

    /// About a month of a device that sleeps and falls silent, and sometimes sends late what it has taken.
    private static func steps(_ random: inout SeededGenerator, usesClock: Bool) -> [Step] {
        var steps: [Step] = []
        var now: Int64 = 0
        // The silence of every day, as phones have it.
        let night = Int64.random(in: 1_000_000...40_000_000, using: &random)
        while now < 32 * day {
            let gap: Int64 =
                switch Int.random(in: 0..<200, using: &random) {
                case 0: .random(in: 600_000_000...1_400_000_000, using: &random)
                case 1...8: .random(in: 1...150_000_000, using: &random)
                case 9...25: night
                default: .random(in: 0...7_200_000, using: &random)
                }
            if usesClock, gap > 0 {
                for _ in 0..<Int.random(in: 0...2, using: &random) {
                    steps.append(.clock(now + .random(in: 0..<gap, using: &random)))
                }
                // The clock is ahead of locations that come late.
                if Int.random(in: 0..<30, using: &random) == 0 {
                    steps.append(.clock(now + gap + .random(in: 0...90_000_000, using: &random)))
                }
            }
            now += gap
            steps.append(.fix(now))
        }
        return steps
    }

    /// The silence that is unusual after the locations at `times`, of which `late` came after the alert had begun.
    private static func unusual(_ times: [Int64], late: [(end: Int64, silence: Int64)]) -> Int64? {
        guard let now = times.last else { return nil }
        func counts(_ moment: Int64, on other: Int64) -> Bool { moment / day > other / day - 14 }
        var longest: [Int64: Int64] = [:]
        for (index, time) in times.enumerated() where counts(time, on: now) {
            let silence = index == 0 ? 0 : time - times[index - 1]
            longest[time / day] = max(longest[time / day] ?? 0, silence)
        }
        guard longest.count >= 7 else { return nil }
        var usual = longest.values.sorted(by: >)[1]
        if let last = late.last, counts(last.end, on: now) {
            // A late silence keeps the ones before it while they are less than two weeks apart.
            var known: Int64 = 0
            for (index, entry) in late.enumerated() {
                let isNear = index > 0 && counts(late[index - 1].end, on: entry.end)
                known = max(entry.silence, isNear ? known : 0)
            }
            usual = max(usual, known)
        }
        return max((usual * 3 + 1) / 2, minimum)
    }

    private static func tenths(_ seconds: Double) -> Int { Int((seconds * 10).rounded()) }

    /// What a rule reports, by the definition; `fixed` is its limit, `nil` for the learned one.
    private static func expected(_ steps: [Step], fixed: Int64?, rule: String) -> [String] {
        var lines: [String] = []
        var (times, late): ([Int64], [(end: Int64, silence: Int64)]) = ([], [])
        var active: Int64?
        for step in steps {
            let now =
                switch step {
                case .fix(let moment), .clock(let moment): moment
                }
            if let last = times.last, active == nil, let limit = fixed ?? unusual(times, late: late),
                last + limit <= now
            {
                active = last + limit
                lines.append("\(last + limit) \(rule) started, limit \(tenths(Double(limit) / 1000))")
            }
            guard case .fix = step else { continue }
            if let since = active, let last = times.last {
                lines.append("\(now) \(rule) ended after \(tenths(Double(now - last) / 1000))")
                if since > now { late.append((now, since - last)) }
                active = nil
            }
            times.append(now)
        }
        return lines
    }

    @Test(
        "are the same, with the clock or without it, in whatever pieces the state is stored",
        arguments: SeedShare.of(0..<200))
    func randomTracks(seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        let steps = Self.steps(&random, usesClock: seed % 4 != 0)
        let fixed = Int64.random(in: 60_000...100_000_000, using: &random)
        var settings = MonitorSettings()
        (settings.visits, settings.staleAfter, settings.crossing) = (nil, nil, .raw)
        settings.alerts = [
            AlertRule(id: "fixed", .silent(longerThan: .milliseconds(fixed))),
            AlertRule(id: "learned", .silent(longerThan: nil)),
            AlertRule(id: "other", .silent(longerThan: .seconds(60)), devices: [GlobPattern("other")]),
        ]
        let catalog = RegionCatalog([])
        let rules = WatchRules(catalog, settings)
        var monitor = DeviceMonitor(deviceID: DeviceID("jane"), settings: settings)
        var lines: [String: [String]] = [:]
        func note(_ events: [Event]) {
            for event in events {
                guard case .alert(let alert) = event.occurrence else { continue }
                let moment = event.timestamp.milliseconds - Self.start
                let figure = Self.tenths(alert.value ?? alert.limit ?? -1)
                let isStart = alert.state == .started
                lines[alert.rule, default: []].append(
                    "\(moment) \(alert.rule) " + (isStart ? "started, limit \(figure)" : "ended after \(figure)"))
            }
        }
        for step in steps {
            switch step {
            case .clock(let moment):
                note(monitor.handle(.clock(Timestamp(milliseconds: Self.start + moment)), rules))
            case .fix(let moment):
                let fix = Location(
                    deviceID: DeviceID("jane"), timestamp: Timestamp(milliseconds: Self.start + moment),
                    coordinate: Coordinate(latitude: 38.7, longitude: -9.1), horizontalAccuracy: 5)
                note(monitor.handle(.located(fix, []), rules))
            }
            if Int.random(in: 0..<5, using: &random) == 0 {
                let data = try JSONEncoder().encode(monitor.snapshot(in: catalog))
                let stored = try JSONDecoder().decode(DeviceMonitor.Snapshot.self, from: data)
                monitor = DeviceMonitor(stored, in: catalog, settings: settings)
            }
        }
        #expect(lines["fixed"] ?? [] == Self.expected(steps, fixed: fixed, rule: "fixed"))
        #expect(lines["learned"] ?? [] == Self.expected(steps, fixed: nil, rule: "learned"))
        #expect(lines["other"] == nil)
    }
}
