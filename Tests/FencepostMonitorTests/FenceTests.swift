import FencepostGeometry
import FencepostModel
import Foundation
import Testing

@testable import FencepostMonitor

/// A device on a street, with a fence.
private struct FencedDevice {
    static let start = Timestamp(rfc3339: "2026-03-06T20:00:00Z") ?? .distantPast
    static let plane = LocalPlane(origin: Coordinate(latitude: 38.71, longitude: -9.14))
    static let rules = WatchRules(RegionCatalog(), MonitorSettings())

    var monitor: DeviceMonitor
    var events: [Event] = []
    /// Restores the monitor from its snapshot after each input.
    var restarts = false

    init(visits: Bool = true) {
        var settings = MonitorSettings()
        if !visits { settings.visits = nil }
        monitor = DeviceMonitor(deviceID: DeviceID("van"), settings: settings)
    }

    static func time(_ minutes: Double) -> Timestamp { start + .seconds(minutes * 60) }

    mutating func take(_ input: DeviceMonitor.Input) {
        events += monitor.handle(input, Self.rules)
        guard restarts else { return }
        let catalog = Self.rules.catalog
        monitor = DeviceMonitor(monitor.snapshot(in: catalog), in: catalog, settings: Self.rules.settings)
    }

    /// A fix so many metres along the street.
    mutating func fix(
        _ minutes: Double, at metres: Double, north: Double = 0, accuracy: Double? = 10, speed: Double? = nil
    ) {
        var location = Location(
            deviceID: DeviceID("van"), timestamp: Self.time(minutes),
            coordinate: Self.plane.unproject(east: metres, north: north), horizontalAccuracy: accuracy)
        location.speed = speed
        take(.located(location, []))
    }

    /// Fixes each minute at one place.
    mutating func stand(_ minutes: Range<Int>, at metres: Double = 0, accuracy: Double? = 10) {
        for minute in minutes {
            fix(Double(minute), at: metres + Double(minute % 3) * 2 - 2, accuracy: accuracy)
        }
    }

    /// Arms a fence where the device stands.
    mutating func arm(
        _ minutes: Double, _ settings: FenceSettings = FenceSettings(), until: Double? = nil
    ) throws {
        let moment = Self.time(minutes)
        let standing = try monitor.standingPosition(at: moment).get()
        let fence = Fence(
            armedAt: moment, center: standing.coordinate, horizontalAccuracy: standing.horizontalAccuracy, settings,
            until: until.map { Self.time($0) }, origin: .caller)
        take(.fence(.arm(fence, settings, spread: standing.spread), at: moment))
    }

    /// Minute and type of the events of the fence; of the end the reason.
    var story: [String] {
        events.compactMap { event in
            guard case .fence(let report) = event.occurrence else { return nil }
            let minute = (event.timestamp - Self.start).seconds / 60
            return "\((minute * 10).rounded() / 10) \(event.occurrence.type.rawValue)"
                + (report.reason.map { " \($0)" } ?? "")
        }
    }
}

@Suite("Fences of devices") struct FenceTests {
    @Test("are broken by the second fix away, once")
    func broken() throws {
        var van = FencedDevice()
        van.stand(0..<60)
        try van.arm(60.5)
        van.stand(61..<70)
        van.fix(70, at: 400)
        #expect(van.story == ["60.5 fence.armed"])
        van.fix(71, at: 700)
        van.stand(72..<90, at: 2000)
        #expect(van.story == ["60.5 fence.armed", "71.0 fence.broken"])
        let alarm = try #require(van.events.last { $0.occurrence.type == .fenceBroken })
        guard case .fence(let report) = alarm.occurrence, case .broken(let distance) = report.kind else {
            Issue.record("another event")
            return
        }
        #expect(abs(distance - 700) < 5 && alarm.confidence ?? 0 > 0.99)
        #expect(alarm.location?.timestamp == FencedDevice.time(71))
        #expect(alarm.why?.pendingFixes == [FencedDevice.time(70)])
        van.take(.fence(.disarm(.caller, keepsSchedule: false), at: FencedDevice.time(95)))
        #expect(van.story.last == "95.0 fence.disarmed caller")
        #expect(van.monitor.fence == nil)
    }

    @Test("are not broken by an outlier, by two in opposite directions, or by a repeated position")
    func outliers() throws {
        var van = FencedDevice()
        van.stand(0..<60)
        try van.arm(60.5)
        van.fix(61, at: 900)
        van.stand(62..<70)
        van.fix(70, at: 900)
        van.fix(71, at: -1200)
        van.stand(72..<220)
        van.fix(220, at: 1500)
        van.fix(221, at: 1500)
        van.fix(222, at: 1500)
        van.stand(223..<230)
        #expect(van.story == ["60.5 fence.armed"])
    }

    @Test("of devices with outliers are broken by the third fix, or by two that state a drive")
    func third() throws {
        var van = FencedDevice()
        van.stand(0..<60)
        try van.arm(60.5)
        van.fix(61, at: 900)
        van.stand(62..<70)
        var driven = van
        van.fix(70, at: 400)
        van.fix(71, at: 700)
        #expect(van.story == ["60.5 fence.armed"])
        van.fix(72, at: 1100)
        #expect(van.story.last == "72.0 fence.broken")
        driven.fix(70, at: 400, speed: 8)
        driven.fix(71, at: 700, speed: 8)
        #expect(driven.story.last == "71.0 fence.broken")
    }

    @Test("use how inaccurate the device is, and what it states")
    func accuracy() throws {
        var van = FencedDevice()
        // It states 5 m and is off by up to 40 m.
        for minute in 0..<90 {
            let angle = Double(minute)
            van.fix(angle, at: 40 * sin(angle * 2.4), north: 40 * cos(angle * 1.1), accuracy: 5)
        }
        try van.arm(90.5)
        van.fix(91, at: 140, accuracy: 5)
        van.fix(92, at: 150, accuracy: 5)
        van.fix(93, at: 600, accuracy: 300)
        van.fix(94, at: 650, accuracy: 300)
        #expect(van.story == ["90.5 fence.armed"])
        van.fix(95, at: 600, accuracy: 5)
        van.fix(96, at: 650, accuracy: 5)
        #expect(van.story.last == "96.0 fence.broken")
    }

    @Test("are armed and disarmed by a schedule, and wait for a device on its way", arguments: [false, true])
    func schedule(restarts: Bool) throws {
        var van = FencedDevice()
        van.restarts = restarts
        let zone = try #require(TimeZone(identifier: "Europe/Lisbon"))
        let night = Schedule.Opening(weekdays: Set(0..<7), start: 22 * 60, end: 6 * 60)
        let settings = FenceSettings(schedule: Schedule(timeZone: zone, weekly: [night]))
        van.stand(0..<60)
        van.take(.fence(.schedule(settings), at: FencedDevice.time(60)))
        #expect(van.monitor.fence?.state == .scheduled)
        van.stand(61..<115)
        // 22:00 is minute 120.
        for minute in 115..<125 { van.fix(Double(minute), at: Double(minute - 114) * 600, speed: 10) }
        #expect(van.monitor.fence?.state == .waiting && van.monitor.fence?.obstacle == .moving)
        van.stand(125..<150, at: 6000)
        #expect(van.monitor.fence?.state == .armed)
        #expect(van.story.count == 1)
        van.stand(150..<630, at: 6000)
        #expect(van.story.last == "600.0 fence.disarmed schedule")
        van.take(.clock(FencedDevice.time(1441 + 120)))
        #expect(van.story.suffix(1) == ["1560.0 fence.armed"])
        // The owner, then the next night.
        van.take(.fence(.disarm(.owner, keepsSchedule: true), at: FencedDevice.time(1600)))
        van.stand(1601..<1700, at: 6000)
        #expect(van.story.last == "1600.0 fence.disarmed owner")
        #expect(van.monitor.fence?.state == .scheduled)
        van.stand(3000..<3001, at: 6000)
        #expect(van.story.last == "3000.0 fence.armed")
    }

    @Test("end at their time")
    func until() throws {
        var van = FencedDevice()
        van.stand(0..<60)
        try van.arm(60.5, until: 100)
        van.take(.clock(FencedDevice.time(99)))
        #expect(van.story.count == 1)
        van.fix(101, at: 3000)
        van.fix(102, at: 3300)
        #expect(van.story == ["60.5 fence.armed", "100.0 fence.disarmed expired"])
    }

    @Test("are about where the device stands, and not about its last fix")
    func position() throws {
        var van = FencedDevice()
        #expect(throws: FenceObstacle.noPosition) { try van.monitor.standingPosition(at: FencedDevice.start).get() }
        van.stand(0..<60)
        van.fix(60, at: 800)
        let standing = try van.monitor.standingPosition(at: FencedDevice.time(60)).get()
        #expect(abs(FencedDevice.plane.project(standing.coordinate).east) < 5)
        #expect(throws: FenceObstacle.stale) {
            try van.monitor.standingPosition(at: FencedDevice.time(60 + 1441)).get()
        }
        for minute in 61..<70 { van.fix(Double(minute), at: Double(minute) * 300) }
        #expect(throws: FenceObstacle.moving) { try van.monitor.standingPosition(at: FencedDevice.time(70)).get() }
        van.fix(71, at: 18_000, speed: 12)
        #expect(throws: FenceObstacle.moving) { try van.monitor.standingPosition(at: FencedDevice.time(71)).get() }
        var coarse = FencedDevice()
        coarse.stand(0..<20, accuracy: 400)
        #expect(throws: FenceObstacle.inaccurate) {
            try coarse.monitor.standingPosition(at: FencedDevice.time(20)).get()
        }
        // Without visits the last fix counts.
        var plain = FencedDevice(visits: false)
        plain.fix(0, at: 50)
        let last = try plain.monitor.standingPosition(at: FencedDevice.time(1)).get()
        #expect(abs(FencedDevice.plane.project(last.coordinate).east - 50) < 1)
    }

    @Test("give the same events when the monitor is restored after each input")
    func restarts() throws {
        func story(restarts: Bool) throws -> [Event] {
            var van = FencedDevice()
            van.restarts = restarts
            van.stand(0..<60)
            try van.arm(60.5)
            van.fix(61, at: 900)
            van.stand(62..<70)
            for minute in 70..<80 { van.fix(Double(minute), at: Double(minute - 69) * 300) }
            van.take(.fence(.disarm(.caller, keepsSchedule: false), at: FencedDevice.time(90)))
            return van.events
        }
        let events = try story(restarts: false)
        #expect(try story(restarts: true) == events)
        #expect(events.count { $0.occurrence.type == .fenceBroken } == 1)
    }
}
