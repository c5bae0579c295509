import FencepostGeometry
import FencepostModel
import FencepostMonitor
import FencepostRegions
import FencepostTesting
import Foundation
import Testing

@testable import FencepostEngine

/// Alert rules that change while an engine runs.
@Suite("Replacing alert rules") struct AlertReplacementTests {
    private static let regions = [
        Region(
            id: RegionID("depot"),
            shape: .circle(Circle(center: Coordinate(latitude: 48.85, longitude: 2.35), radius: 300)))
    ]

    private static func rule(_ random: inout SeededGenerator) -> AlertRule? {
        let id = ["a", "b", "c"].randomElement(using: &random) ?? "a"
        let devices = Bool.random(using: &random) ? nil : [GlobPattern("van/1")]
        let time = DailyTime(minute: Int.random(in: 0..<1440, using: &random), timeZone: .gmt)
        let limit = SpeedLimit(Double(Int.random(in: 30...90, using: &random)))
        var rule: AlertRule
        switch Int.random(in: 0..<7, using: &random) {
        case 0, 1: rule = AlertRule(id: id, .battery(below: .random(in: 0.1...0.6, using: &random)), devices: devices)
        case 2, 3:
            guard let limit else { return nil }
            rule = AlertRule(id: id, .speed(above: limit, tolerance: 0), hold: .seconds(60), devices: devices)
        case 4: rule = AlertRule(id: id, .present(in: RegionID("depot"), at: time), hold: .zero, devices: devices)
        case 5: rule = AlertRule(id: id, .absent(from: RegionID("depot"), by: time), devices: devices)
        default: rule = AlertRule(id: id, .silent(longerThan: .seconds(900)), devices: devices)
        }
        if rule.condition.kind.takesRegion, Bool.random(using: &random) { rule.region = RegionID("depot") }
        return rule
    }

    private static func rules(_ random: inout SeededGenerator) -> [AlertRule] {
        var rules: [AlertRule] = []
        for _ in 0..<Int.random(in: 0...3, using: &random) {
            if let rule = rule(&random), !rules.contains(where: { $0.id == rule.id }) { rules.append(rule) }
        }
        return rules
    }

    @Test("gives what a restart with the new rules gives, after any changes", arguments: 0..<60 as Range<UInt64>)
    func isARestart(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var settings = MonitorSettings()
        (settings.crossing, settings.visits) = (.raw, nil)
        let index = RegionIndex(RegionCatalog(Self.regions))
        var running = MonitorEngine(index, settings: settings)
        var restarted = MonitorEngine(index, settings: settings)
        var now = Timestamp(seconds: 1_772_000_000)
        var (events, others): ([Event], [Event]) = ([], [])
        for _ in 0..<300 {
            now = now + .seconds(Int.random(in: 1...900, using: &random))
            if Int.random(in: 0..<8, using: &random) == 0 {
                settings.alerts = Self.rules(&random)
                _ = running.replaceAlerts(settings.alerts)
                // What a service does that stops, and starts with another configuration.
                _ = restarted.replaceAlerts(settings.alerts)
                let states = restarted.deviceIDs.compactMap { restarted.state(of: $0) }
                restarted = MonitorEngine(index, settings: settings)
                for state in states { restarted.restore(state) }
            }
            var fix = Location(
                deviceID: DeviceID("van/\(Int.random(in: 1...2, using: &random))"), timestamp: now,
                coordinate: Coordinate(latitude: .random(in: 48.845...48.855, using: &random), longitude: 2.35))
            fix.horizontalAccuracy = 10
            fix.speed = .random(in: 0...30, using: &random)
            fix.batteryLevel = .random(in: 0...1, using: &random)
            _ = try running.accept(fix, now: now) { events.append($0) }
            _ = try restarted.accept(fix, now: now) { others.append($0) }
            if Bool.random(using: &random) {
                now = now + .seconds(Int.random(in: 1...2000, using: &random))
                _ = try running.advanceClock(to: now) { events.append($0) }
                _ = try restarted.advanceClock(to: now) { others.append($0) }
            }
        }
        #expect(events.map(\.id) == others.map(\.id))
        #expect(events == others)
        for device in running.deviceIDs { #expect(running.state(of: device) == restarted.state(of: device)) }
        let alerts = events.filter { $0.occurrence.type.rawValue.hasPrefix("alert.") }
        #expect(seed > 3 || !alerts.isEmpty)
    }

    @Test("drops what is known of rules that are gone, changed in kind, or for other devices, and nothing else")
    func drops() throws {
        var settings = MonitorSettings()
        (settings.crossing, settings.visits) = (.raw, nil)
        let low = AlertRule(id: "low", .battery(below: 0.5))
        let other = AlertRule(id: "other", .battery(below: 0.4))
        settings.alerts = [low, other]
        var engine = MonitorEngine(RegionIndex(RegionCatalog(Self.regions)), settings: settings)
        var fix = Location(
            deviceID: DeviceID("van"), timestamp: Timestamp(seconds: 1_772_000_000),
            coordinate: Coordinate(latitude: 48, longitude: 2))
        fix.batteryLevel = 0.1
        _ = try engine.accept(fix) { _ in }
        func active(_ engine: borrowing MonitorEngine) -> [String] { engine.status(at: 0).alerts.map(\.rule) }
        #expect(active(engine) == ["low", "other"])
        let higher = AlertRule(id: "low", .battery(below: 0.9))
        #expect(engine.replaceAlerts([higher, other]) == [])
        #expect(active(engine) == ["low", "other"])
        let elsewhere = AlertRule(id: "other", .battery(below: 0.4), devices: [GlobPattern("car")])
        #expect(engine.replaceAlerts([higher, elsewhere]) == [DeviceID("van")])
        #expect(active(engine) == ["low"])
        #expect(engine.replaceAlerts([AlertRule(id: "low", .accuracy(above: 10))]) == [DeviceID("van")])
        #expect(active(engine) == [])
    }
}
