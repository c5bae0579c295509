import FencepostEngine
import FencepostGeometry
import FencepostModel
import FencepostMonitor
import FencepostRegions
import FencepostServiceTesting
import FencepostTesting
import Foundation
import Testing

@testable import FencepostService
@testable import FencepostStore

/// Rules and groups of the store, which the running worker takes over.
@Suite("Alert rules of the store") struct AlertRuleTests {
    private static let start = Timestamp(seconds: 1_771_977_600)

    private static func fix(_ device: String, _ second: Int, speed: Double, battery: Double? = nil) -> Location {
        var fix = Location(
            deviceID: DeviceID(device), timestamp: start + .seconds(second),
            coordinate: Coordinate(latitude: 48.85, longitude: 2.35), horizontalAccuracy: 10)
        (fix.speed, fix.batteryLevel) = (speed, battery)
        return fix
    }

    private static let settings: MonitorSettings = {
        var settings = MonitorSettings()
        (settings.crossing, settings.visits) = (.raw, nil)
        return settings
    }()

    private static func speedRule(
        _ id: String, _ limit: Double, devices: [String]? = nil, groups: [String]? = nil
    ) throws -> AlertRule {
        var rule = AlertRule(
            id: id, .speed(above: try #require(SpeedLimit(limit)), tolerance: 0), hold: .zero,
            devices: devices?.map { GlobPattern($0) })
        rule.groups = groups
        return rule
    }

    /// Stores a rule in place of the former one, or removes it, and notifies the worker.
    private static func set(
        _ id: String, _ rule: AlertRule?, _ store: SQLiteStore, _ worker: MonitorWorker
    ) async throws {
        try await write(id, rule, store)
        try await worker.alertRulesDidChange()
    }

    private static func write(_ id: String, _ rule: AlertRule?, _ store: SQLiteStore) async throws {
        let former = try await store.rules(AlertRule.self).first { $0.id == id }?.text
        let change = try await store.changeRule(
            id, of: .alert, from: former, to: rule.map { RuleFile.text(of: $0) }, limit: 100)
        #expect(change == .done)
    }

    private static func submit(_ worker: MonitorWorker, _ fixes: Location...) async throws {
        try await LateDataTests.submit(Parcel(fixes: fixes), to: worker)
    }

    private static func alerts(_ store: SQLiteStore) async throws -> [String] {
        try await store.events(HistoryFilter(), after: Int64(0), limit: 999).map(\.event)
            .filter { $0.type.hasPrefix("alert.") }
            .map { event in
                let state = event.body.contains(#""state":"started""#) ? "started" : "ended"
                let second = (event.timestamp - start).milliseconds / 1000
                return "\(event.deviceID?.rawValue ?? "") \(event.type) \(state) \(second)"
            }
    }

    private func withService(
        _ store: SQLiteStore, _ settings: MonitorSettings = Self.settings,
        _ body: @escaping @Sendable (MonitorWorker) async throws -> Void
    ) async throws {
        let time = ManualTime(Self.start + .seconds(1000))
        try await LateDataTests.withService(store, settings, time) { worker, _ in try await body(worker) }
    }

    @Test("apply at once, end without an event when they are removed, and begin again when they are made again")
    func lifecycle() async throws {
        let rule = try Self.speedRule("fast", 50)
        try await withStore { store in
            try await withService(store) { worker in
                try await Self.submit(worker, Self.fix("van", 0, speed: 20))
                #expect(try await Self.alerts(store) == [])
                try await Self.set("fast", rule, store, worker)
                try await Self.submit(worker, Self.fix("van", 10, speed: 20))
                #expect(try await Self.alerts(store) == ["van alert.speed started 10"])
                #expect(worker.device(DeviceID("van"))?.alerts.map(\.rule) == ["fast"])

                try await Self.set("fast", nil, store, worker)
                #expect(worker.device(DeviceID("van"))?.alerts == [])
                try await Self.submit(worker, Self.fix("van", 20, speed: 1))
                #expect(try await Self.alerts(store).count == 1)

                try await Self.set("fast", rule, store, worker)
                try await Self.submit(worker, Self.fix("van", 30, speed: 20))
                try await Self.submit(worker, Self.fix("van", 40, speed: 1))
                #expect(
                    try await Self.alerts(store).dropFirst() == [
                        "van alert.speed started 30", "van alert.speed ended 40",
                    ])
            }
        }
    }

    @Test("with another limit go on with what lasts, and with another type begin again") func changes() async throws {
        let (slow, fast) = (try Self.speedRule("rule", 50), try Self.speedRule("rule", 100))
        let battery = AlertRule(id: "rule", .battery(below: 0.2))
        try await withStore { store in
            try await withService(store) { worker in
                try await Self.set("rule", slow, store, worker)
                try await Self.submit(worker, Self.fix("van", 0, speed: 20, battery: 0.1))
                try await Self.set("rule", fast, store, worker)
                #expect(worker.device(DeviceID("van"))?.alerts.count == 1)
                try await Self.submit(worker, Self.fix("van", 10, speed: 20, battery: 0.1))
                try await Self.set("rule", battery, store, worker)
                #expect(worker.device(DeviceID("van"))?.alerts == [])
                try await Self.submit(worker, Self.fix("van", 20, speed: 20, battery: 0.1))
                #expect(
                    try await Self.alerts(store) == [
                        "van alert.speed started 0", "van alert.speed ended 10", "van alert.battery started 20",
                    ])
            }
        }
    }

    @Test("watch the devices that their groups have now") func groups() async throws {
        let rule = try Self.speedRule("fast", 50, groups: ["vans"])
        try await withStore { store in
            try await withService(store) { worker in
                try await Self.set("fast", rule, store, worker)
                func submit(_ second: Int) async throws {
                    for device in ["a", "b"] { try await Self.submit(worker, Self.fix(device, second, speed: 20)) }
                }
                try await submit(0)
                #expect(try await Self.alerts(store) == [])
                try await store.save(DeviceGroup(tag: "vans", devices: [GlobPattern("a")]))
                try await worker.alertRulesDidChange()
                try await submit(10)
                #expect(try await Self.alerts(store) == ["a alert.speed started 10"])
                try await store.save(DeviceGroup(tag: "vans", devices: [GlobPattern("b")]))
                try await worker.alertRulesDidChange()
                #expect(worker.device(DeviceID("a"))?.alerts == [])
                try await submit(20)
                #expect(try await Self.alerts(store).dropFirst() == ["b alert.speed started 20"])
                _ = try await store.removeGroup(tag: "vans")
                try await worker.alertRulesDidChange()
                #expect(worker.device(DeviceID("b"))?.alerts == [])
            }
        }
    }

    @Test("apply after a restart, also where the process ended between the rule and the monitor") func restart()
        async throws
    {
        let rule = try Self.speedRule("fast", 50)
        let scratch = try Scratch()
        try await withStore(scratch) { store in
            try await withService(store) { worker in
                try await Self.set("fast", rule, store, worker)
                try await Self.submit(worker, Self.fix("van", 0, speed: 20))
                // The process ends before the monitor is notified of it.
                try await Self.write("fast", nil, store)
                try await Self.write("low", AlertRule(id: "low", .battery(below: 0.2)), store)
            }
        }
        try await withStore(scratch) { store in
            try await withService(store) { worker in
                #expect(worker.device(DeviceID("van"))?.alerts == [])
                try await Self.submit(worker, Self.fix("van", 10, speed: 1, battery: 0.1))
                #expect(
                    try await Self.alerts(store) == ["van alert.speed started 0", "van alert.battery started 10"])
            }
            #expect(try Doctor.examine(store.path).filter { !$0.isPassed }.map(\.name) == [])
        }
        try await withStore(scratch) { store in
            try await withService(store) { worker in
                #expect(worker.device(DeviceID("van"))?.alerts.map(\.rule) == ["low"])
                try await Self.submit(worker, Self.fix("van", 20, speed: 1, battery: 0.9))
                #expect(try await Self.alerts(store).last == "van alert.battery ended 20")
            }
        }
    }

    @Test("with groups watch nobody where no groups are known") func unresolved() throws {
        let rule = try Self.speedRule("fast", 50, groups: ["vans"])
        var settings = Self.settings
        settings.alerts = [rule, try Self.speedRule("own", 50, devices: ["a"], groups: ["vans"])]
        #expect(settings.adding(AlertSources()).alerts.map(\.devices) == [[], [GlobPattern("a")]])
        var sources = AlertSources()
        sources.groups = [DeviceGroup(tag: "vans", devices: [GlobPattern("b")])]
        #expect(
            settings.adding(sources).alerts.map(\.devices) == [
                [GlobPattern("b")], [GlobPattern("a"), GlobPattern("b")],
            ])
        var engine = MonitorEngine(RegionIndex(RegionCatalog()), settings: settings)
        var events: [Event] = []
        for device in ["a", "b"] { _ = try engine.accept(Self.fix(device, 0, speed: 20)) { events.append($0) } }
        #expect(events.map(\.deviceID) == [DeviceID("a")])
    }

    @Test("of the configuration go before stored ones with their id") func hiding() async throws {
        var settings = Self.settings
        settings.alerts = [try Self.speedRule("fast", 50)]
        let configured = settings
        try await withStore { store in
            try await Self.write("fast", try Self.speedRule("fast", 10), store)
            try await withService(store, configured) { worker in
                try await Self.submit(worker, Self.fix("van", 0, speed: 10))
                #expect(try await Self.alerts(store) == [])
                try await Self.submit(worker, Self.fix("van", 10, speed: 20))
                #expect(try await Self.alerts(store).count == 1)
            }
        }
    }

    @Test("are changed only from what was read, and not above the limit") func comparesAndChanges() async throws {
        try await withStore { store in
            func change(_ id: String, _ former: String?, _ text: String?) async throws -> RuleChange {
                try await store.changeRule(id, of: .alert, from: former, to: text, limit: 2)
            }
            #expect(try await change("a", nil, "1") == .done)
            #expect(try await change("a", nil, "2") == .outdated)
            #expect(try await change("a", "0", "2") == .outdated)
            #expect(try await change("a", "1", "2") == .done)
            #expect(try await change("b", nil, "1") == .done)
            #expect(try await change("c", nil, "1") == .tooMany)
            #expect(try await change("b", "1", "3") == .done)
            #expect(try await change("b", "1", nil) == .outdated)
            #expect(try await change("b", "3", nil) == .done)
            #expect(try await store.rules(AlertRule.self) == [StoredRule(id: "a", text: "2")])
            let found = try Doctor.examine(store.path).flatMap(\.problems)
            #expect(found == ["The alert rule a cannot be read."])
        }
    }
}
