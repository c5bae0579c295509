import FencepostGeometry
import FencepostModel
import FencepostMonitor
import FencepostRegions
import Foundation
import Testing

@testable import FencepostEngine

/// What fixes show of a visit that the crossings of the region do not show, or not in time.
@Suite("Evidence of visits in rounds") struct RoundEvidenceTests {
    /// 2026-03-02, a Monday.
    private static let midnight = Timestamp(rfc3339: "2026-03-02T00:00:00Z") ?? .distantPast

    /// A position so many metres east of the centre of the place.
    private static func position(_ east: Double) -> Coordinate {
        Coordinate(latitude: 48.85, longitude: 2.35 + east / 73_374)
    }

    /// A fix so many seconds after midnight, and so many metres east of the centre of the place, whose radius is 100 m.
    private static func fix(
        _ seconds: Int, at east: Double, _ accuracy: Double = 10, speed: Double? = nil
    ) -> Location {
        var fix = Location(
            deviceID: DeviceID("guard"), timestamp: midnight + .seconds(seconds),
            coordinate: position(east), horizontalAccuracy: accuracy)
        fix.speed = speed
        return fix
    }

    /// The verdict on a place with a window from minute 10 to 40, a stay of two minutes and a grace of 30, and how sure it is.
    private static func verdict(_ fixes: [Location]) throws -> String {
        var plan = Plan(
            id: "night", [Plan.Stop(region: RegionID("gate"), start: 10, end: 40, stay: .seconds(120))],
            PlanCalendar(weekdays: [], dates: [20_514]), timeZone: .gmt, since: midnight - .seconds(1))
        plan.devices = [GlobPattern("guard")]
        var settings = MonitorSettings()
        (settings.crossing, settings.visits, settings.plans) = (.confirmed, nil, [plan])
        let region = Region(
            id: RegionID("gate"),
            shape: .circle(Circle(center: position(0), radius: 100)))
        var engine = MonitorEngine(RegionIndex(RegionCatalog([region])), settings: settings)
        var verdicts: [String] = []
        func take(_ event: Event) {
            guard case .plan(let report) = event.occurrence, report.stop != nil else { return }
            verdicts.append("\(report.kind.type.rawValue) \(event.confidence ?? 0)")
        }
        // The device is known, and far away.
        for fix in stride(from: 0, to: 600, by: 60).map({ Self.fix($0, at: 3000) }) + fixes {
            _ = try engine.accept(fix, now: fix.timestamp, emit: take)
        }
        try engine.advanceClock(to: midnight + .seconds(7200), emit: take)
        return verdicts.joined(separator: ", ")
    }

    /// From far away to 150 m away, at 10 m/s, and back again.
    private static func arrive(at seconds: Int, _ speed: Double? = nil) -> [Location] {
        (0..<28).map { fix(seconds - 280 + $0 * 10, at: 3000 - Double($0) * 100, 10, speed: speed) }
            + [fix(seconds, at: 150, 10, speed: speed)]
    }

    private static func leave(at seconds: Int) -> [Location] {
        (0..<28).map { fix(seconds + $0 * 10, at: 200 + Double($0) * 100) }
            + stride(from: 280, to: 1200, by: 60).map { fix(seconds + $0, at: 3000) }
    }

    @Test("is a stay of fixes in the region, also where they are as inaccurate as it is large")
    func inaccurate() throws {
        let inside = stride(from: 1010, through: 1310, by: 60).map { Self.fix($0, at: 88, 52) }
        #expect(try Self.verdict(Self.arrive(at: 1000) + inside + Self.leave(at: 1330)) == "plan.visited 0.8")
        // Next to the region, as long and as inaccurate: more fixes are outside.
        let outside = inside.enumerated().map { index, fix in
            index == 2 ? fix : Self.fix(Int((fix.timestamp - Self.midnight).seconds), at: 125, 52)
        }
        #expect(try Self.verdict(Self.arrive(at: 1000) + outside + Self.leave(at: 1330)) == "plan.missed 0.99")
    }

    @Test("is one stay where one fix within it is elsewhere, and two where the device was away")
    func outlier() throws {
        func visit(_ places: [Double]) -> [Location] {
            places.enumerated().map { Self.fix(1010 + $0 * 60, at: $1, 5) }
        }
        let outlier = visit([10, 420, 15])
        #expect(try Self.verdict(Self.arrive(at: 1000) + outlier + Self.leave(at: 1150)).hasPrefix("plan.visited"))
        let away = visit([10, 420, 800, 810, 790, 420, 15])
        let verdict = try Self.verdict(Self.arrive(at: 1000) + away + Self.leave(at: 1390))
        #expect(verdict.hasPrefix("plan.missed"), "\(verdict)")
    }

    @Test("goes on through positions of a cell tower, for a device that stands")
    func towers() throws {
        let tower = stride(from: 1040, to: 1400, by: 10).map { Self.fix($0, at: -2000, 2500) }
        let stands = (0..<3).map { Self.fix(1010 + $0 * 10, at: 20) }
        let stayed = try Self.verdict(Self.arrive(at: 1000) + stands + tower + Self.leave(at: 1400))
        #expect(stayed == "plan.visited 0.6")
        // One that drives through is not taken to have stayed, and where nothing is known this is less sure.
        let drives = (0..<3).map { Self.fix(1010 + $0 * 10, at: 50 - Double($0) * 50, 10, speed: 5) }
        let verdict = try Self.verdict(Self.arrive(at: 1000, 10) + drives + tower + Self.leave(at: 1400))
        #expect(verdict.hasPrefix("plan.missed") && verdict != "plan.missed 0.99")
    }

    @Test("is no silence that ends in the region: the device may have come at its end")
    func silence() throws {
        // It comes after the window, 30 minutes after its last fix.
        let late = stride(from: 2460, through: 2700, by: 10).map { Self.fix($0, at: 5) }
        let verdict = try Self.verdict([Self.fix(660, at: 900)] + late)
        #expect(verdict.hasPrefix("plan.missed 0.5") && verdict.contains("plan.late"), "\(verdict)")
    }

    @Test("is no silence after a device drove through")
    func drivesOn() throws {
        let through = [Self.fix(1010, at: 50, 10, speed: 5), Self.fix(1020, at: 0, 10, speed: 5)]
        #expect(try Self.verdict(Self.arrive(at: 1000, 10) + through).hasPrefix("plan.missed"))
        let stands = [Self.fix(1010, at: 50, 10, speed: 5), Self.fix(1020, at: 0, 10, speed: 0)]
        #expect(try Self.verdict(Self.arrive(at: 1000, 10) + stands) == "plan.visited 0.6")
    }
}
