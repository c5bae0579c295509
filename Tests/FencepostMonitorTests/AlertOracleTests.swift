import FencepostGeometry
import FencepostModel
import FencepostTesting
import Testing

@testable import FencepostMonitor

/// Alerts of random tracks against a slow definition that looks at the whole past of every location.
@Suite("Alerts against a slow definition") struct AlertOracleTests {
    /// What one location says about a rule, written independently of `AlertStep`.
    private enum Says { case nothing, over, near, under }

    private static let accuracy = AlertRule(id: "accuracy", .accuracy(above: 100), hold: .seconds(120))
    private static let battery = AlertRule(id: "battery", .battery(below: 0.2))

    private static func says(_ fix: Location, of rule: AlertRule) -> Says {
        switch rule.id {
        case "accuracy":
            guard let accuracy = fix.horizontalAccuracy else { return .nothing }
            return accuracy > 100 ? .over : .under
        case "battery":
            if fix.batteryState == .charging { return .under }
            guard let level = fix.batteryLevel else { return .nothing }
            return level <= 0.2 ? .over : level > 0.25 ? .under : .near
        default:
            guard let speed = fix.speed else { return .nothing }
            return speed > 20.5 ? .over : speed > 20 ? .near : .under
        }
    }

    /// The events of one rule: index of the location, whether it starts, and the time that it states.
    private static func events(_ fixes: [Location], _ rule: AlertRule) -> [String] {
        var lines: [String] = []
        var isActive = false
        for index in fixes.indices {
            let verdict = says(fixes[index], of: rule)
            if isActive {
                guard verdict == .under else { continue }
                isActive = false
                lines.append("\(index) \(rule.id) ended \(fixes[index].timestamp.milliseconds)")
            } else if verdict == .over {
                // The first location of the unbroken run of those that are over, or say nothing, up to here.
                var first = index
                var earlier = index
                while earlier > 0, [.over, .nothing].contains(says(fixes[earlier - 1], of: rule)) {
                    earlier -= 1
                    if says(fixes[earlier], of: rule) == .over { first = earlier }
                }
                guard (fixes[index].timestamp - fixes[first].timestamp) >= rule.hold else { continue }
                isActive = true
                lines.append("\(index) \(rule.id) started \(fixes[first].timestamp.milliseconds)")
            }
        }
        return lines
    }

    private static func track(seed: UInt64) -> [Location] {
        var random = SeededGenerator(seed: seed)
        var now = Timestamp(seconds: 1_772_000_000)
        return (0..<200).map { _ in
            now = now + .seconds(Int.random(in: 0...60, using: &random))
            var fix = Location(
                deviceID: DeviceID("van"), timestamp: now, coordinate: Coordinate(latitude: 48.85, longitude: 2.35))
            if Int.random(in: 0..<4, using: &random) > 0 {
                fix.horizontalAccuracy = .random(in: 5...160, using: &random)
            }
            fix.speed = .random(in: 19.8...22, using: &random)
            if Int.random(in: 0..<4, using: &random) > 0 { fix.batteryLevel = .random(in: 0.1...0.4, using: &random) }
            if Int.random(in: 0..<6, using: &random) == 0 { fix.batteryState = .charging }
            return fix
        }
    }

    @Test("of random tracks are the same, in whatever pieces the state is stored", arguments: 0..<100)
    func randomTracks(seed: Int) throws {
        let fixes = Self.track(seed: UInt64(seed))
        let limit = try #require(SpeedLimit(20, .metresPerSecond))
        let speed = AlertRule(id: "speed", .speed(above: limit, tolerance: 0.5), hold: .seconds(45))
        var settings = MonitorSettings()
        settings.visits = nil
        settings.alerts = [Self.accuracy, Self.battery, speed]
        let rules = WatchRules(RegionCatalog(), settings)
        var monitor = DeviceMonitor(deviceID: DeviceID("van"), settings: settings)
        var lines: [String: [String]] = [:]
        for (index, fix) in fixes.enumerated() {
            for event in monitor.handle(.located(fix, []), rules) {
                guard case .alert(let alert) = event.occurrence else { continue }
                lines[alert.rule, default: []].append(
                    "\(index) \(alert.rule) \(alert.state.rawValue) \(event.timestamp.milliseconds)")
                #expect(event.detectedAt == fix.timestamp)
            }
            if index % 7 == seed % 7 {
                monitor = DeviceMonitor(
                    monitor.snapshot(in: rules.catalog), in: rules.catalog, settings: settings)
            }
        }
        for rule in settings.alerts {
            #expect((lines[rule.id] ?? []).elementsEqual(Self.events(fixes, rule)), "\(rule.id)")
        }
    }
}
