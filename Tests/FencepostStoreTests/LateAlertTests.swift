import FencepostGeometry
import FencepostModel
import FencepostMonitor
import FencepostServiceTesting
import Foundation
import Testing

@testable import FencepostService
@testable import FencepostStore

/// Alerts that the clock decides, and locations that come after the decision.
@Suite("Alerts of the clock and late locations") struct LateAlertTests {
    private static let device = DeviceID("tom")
    private static let home = Coordinate(latitude: 48.85, longitude: 2.35)
    private static let school = Coordinate(latitude: 48.86, longitude: 2.37)
    /// Midnight in UTC.
    private static let midnight = Timestamp(seconds: 1_771_977_600)

    private static func fixes(_ minutes: some Sequence<Int>, at position: Coordinate) -> [Location] {
        minutes.map {
            Location(
                deviceID: device, timestamp: midnight + .seconds($0 * 60), coordinate: position, horizontalAccuracy: 10)
        }
    }

    private static func settings(_ rules: AlertRule...) -> MonitorSettings {
        var settings = MonitorSettings()
        (settings.crossing, settings.visits, settings.staleAfter, settings.alerts) = (.raw, nil, nil, rules)
        return settings
    }

    /// A service of which the clock says a minute of the day.
    private struct Scene: Sendable {
        let store: SQLiteStore
        let worker: MonitorWorker
        let history: HistoryService
        let time: ManualTime

        func advance(to minute: Int) {
            let now = LateAlertTests.midnight + .seconds(minute * 60)
            if now > time.clock.wall() { time.advance(by: now - time.clock.wall()) }
        }

        func submit(_ fixes: [Location]) async throws {
            try await LateDataTests.submit(Parcel(fixes: fixes), to: worker)
        }

        /// Type, state and minute of the alerts that hold, or of all.
        func alerts(holdingOnly: Bool = true) async throws -> [String] {
            try await store.events(HistoryFilter(), after: Int64(0), limit: 999).map(\.event)
                .filter { $0.type.hasPrefix("alert.") && (!holdingOnly || $0.supersededBy == nil) }
                .map { event in
                    let state = event.body.contains(#""state":"started""#) ? "started" : "ended"
                    let minute = (event.timestamp - LateAlertTests.midnight).milliseconds / 60_000
                    return "\(event.type) \(state) \(minute)"
                }
        }

        /// Waits for the worker's clock, which goes on automatically.
        func expect(_ wanted: [String], sourceLocation: SourceLocation = #_sourceLocation) async throws {
            for _ in 0..<1000 where try await alerts() != wanted { try await Task.sleep(for: .milliseconds(2)) }
            #expect(try await alerts() == wanted, sourceLocation: sourceLocation)
        }

        func evaluate() async throws {
            #expect(try await history.waitUntilEvaluated([LateAlertTests.device], atMost: .seconds(20)))
        }
    }

    private func withScene(
        _ settings: MonitorSettings, _ body: @escaping @Sendable (Scene) async throws -> Void
    ) async throws {
        let time = ManualTime(Self.midnight + .seconds(6 * 3600))
        try await withStore { store in
            try await LateDataTests.withService(store, settings, time) { worker, history in
                let region = Region(id: RegionID("school"), shape: .circle(Circle(center: Self.school, radius: 100)))
                _ = try await worker.editRegions { _ in RegionEdit(changed: [region]) }
                try await body(Scene(store: store, worker: worker, history: history, time: time))
            }
        }
    }

    @Test("an absence is withdrawn when the device was there, and its end with it")
    func absence() async throws {
        let time = DailyTime(minute: 8 * 60 + 15, timeZone: .gmt)
        let rule = AlertRule(id: "school", .absent(from: RegionID("school"), by: time))
        try await withScene(Self.settings(rule)) { scene in
            scene.advance(to: 450)
            try await scene.submit(Self.fixes([450], at: Self.home))
            scene.advance(to: 501)
            try await scene.expect(["alert.absent started 495"])
            // The phone had no network at school.
            scene.advance(to: 520)
            try await scene.submit(Self.fixes([480, 490, 500, 510, 520], at: Self.school))
            try await scene.evaluate()
            try await scene.expect([])
            let all = try await scene.store.events(HistoryFilter(), after: Int64(0), limit: 99).map(\.event)
            #expect(all.filter { $0.type == "event.retracted" }.count == 2)
            #expect(all.filter { $0.type == "region.entered" && $0.supersededBy == nil }.count == 1)
        }
    }

    @Test("a stay is reported when late locations show it")
    func presence() async throws {
        let time = DailyTime(minute: 8 * 60, timeZone: .gmt)
        let rule = AlertRule(id: "late", .present(in: RegionID("school"), at: time), hold: .zero)
        try await withScene(Self.settings(rule)) { scene in
            scene.advance(to: 470)
            try await scene.submit(Self.fixes([470], at: Self.home))
            scene.advance(to: 490)
            try await scene.submit(Self.fixes([490], at: Self.home))
            #expect(try await scene.alerts() == [])
            try await scene.submit(Self.fixes([475, 479, 481, 485], at: Self.school))
            try await scene.evaluate()
            try await scene.expect(["alert.present started 480", "alert.present ended 490"])
        }
    }

    @Test("a silence is withdrawn when the device had locations, and shortened when it had some")
    func silence() async throws {
        let rule = AlertRule(id: "silent", .silent(longerThan: .seconds(1800)))
        try await withScene(Self.settings(rule)) { scene in
            scene.advance(to: 400)
            try await scene.submit(Self.fixes([400], at: Self.home))
            scene.advance(to: 431)
            try await scene.expect(["alert.silent started 430"])
            scene.advance(to: 460)
            try await scene.submit(Self.fixes([460], at: Self.home))
            try await scene.expect(["alert.silent started 430", "alert.silent ended 460"])
            try await scene.submit(Self.fixes([405, 406], at: Self.home))
            try await scene.evaluate()
            try await scene.expect(["alert.silent started 436", "alert.silent ended 460"])
            try await scene.submit(Self.fixes([425, 445], at: Self.home))
            try await scene.evaluate()
            try await scene.expect([])
            // A silence of the present goes on from the last location of all.
            scene.advance(to: 491)
            try await scene.expect(["alert.silent started 490"])
        }
    }

    @Test("a device that uploads the locations of each hour at its end is soon known as such")
    func hourlyUploads() async throws {
        try await withScene(Self.settings(AlertRule(id: "silent", .silent(longerThan: nil)))) { scene in
            let week = 7 * 1440
            scene.advance(to: week)
            try await scene.submit(Self.fixes(stride(from: 5, through: week, by: 5), at: Self.home))
            for hour in 1...8 {
                let now = week + hour * 60
                scene.advance(to: now)
                // An alert of the hour, if there is one.
                for _ in 0..<20 { try await Task.sleep(for: .milliseconds(2)) }
                try await scene.submit(Self.fixes(stride(from: now - 55, through: now, by: 5), at: Self.home))
                try await scene.evaluate()
            }
            try await scene.expect([])
            let starts = try await scene.alerts(holdingOnly: false).filter { $0.contains("started") }
            #expect(starts == [15, 82, 153, 230].map { "alert.silent started \(week + $0)" })
        }
    }
}
