import FencepostGeometry
import FencepostModel
import Foundation
import Testing

@testable import FencepostMonitor

@Suite("Region presence") struct RegionPresenceTests {
    /// Midnight UTC on a Friday.
    private static let start = Timestamp(seconds: 1_772_755_200)

    private var region: Region = {
        var region = Region(
            id: RegionID("a"), shape: .circle(Circle(center: Coordinate(latitude: 0, longitude: 0), radius: 100)))
        region.dwells = [.seconds(60), .seconds(300)]
        return region
    }()

    /// A device in mode `raw` that was outside at second 0.
    private func outside() -> RegionPresence { RegionPresence(.raw, knownOutsideSince: Self.start) }

    private func at(_ seconds: Int64) -> Timestamp { Self.start + .seconds(seconds) }

    /// Takes a fix inside or outside, and describes what is reported.
    private func fix(
        _ presence: inout RegionPresence, at seconds: Int64, isInside: Bool, _ region: Region? = nil,
        mode: CrossingMode = .raw
    ) -> [String] {
        let region = region ?? self.region
        let location = Location(
            deviceID: DeviceID("d"), timestamp: at(seconds), coordinate: Coordinate(latitude: 0, longitude: 0))
        let proximity = Proximity(
            region: RegionHandle(0), covers: isInside, signedDistance: isInside ? -50 : 50, width: 200)
        var decided: PresenceChange?
        presence.located(proximity, location, nil, mode, MonitorSettings(), into: &decided)
        guard let change = decided else { return [] }
        return describe(presence.apply(change, in: region))
    }

    /// Fires the deadline of the presence.
    private func deadline(_ presence: inout RegionPresence, _ region: Region? = nil) -> [String] {
        guard presence.deadline != .distantFuture else { return ["no deadline"] }
        return describe(presence.deadlineReached(presence.deadline, in: region ?? self.region))
    }

    private func describe(_ reports: [RegionReport]) -> [String] {
        reports.map { report in
            let seconds = (report.timestamp - Self.start).milliseconds / 1000
            let kind =
                switch report.kind {
                case .entered: "entered"
                case .exited(let reason): "exited" + (reason.map { " \($0)" } ?? "")
                case .dwelled(let dwell): "dwelled \(dwell.milliseconds / 1000)"
                }
            return "\(seconds) \(kind) by \(report.why.rule.rawValue)"
        }
    }

    @Test("reports an entry, each dwell once at its deadline, and an exit")
    func stay() {
        var presence = outside()
        #expect(presence.isUntracked && presence.isKnownOutside && !presence.isStaying)
        #expect(fix(&presence, at: 10, isInside: true) == ["10 entered by containment"])
        #expect(presence.isStaying && !presence.isUntracked && !presence.isKnownOutside)
        #expect(fix(&presence, at: 20, isInside: true) == [])
        #expect(presence.deadline == at(70))
        #expect(deadline(&presence) == ["70 dwelled 60 by dwell_deadline"])
        #expect(presence.deadline == at(310))
        #expect(deadline(&presence) == ["310 dwelled 300 by dwell_deadline"])
        #expect(deadline(&presence) == ["no deadline"])
        #expect(fix(&presence, at: 400, isInside: false) == ["400 exited by containment"])
        #expect(presence.isUntracked && presence.deadline == .distantFuture)
    }

    @Test("reports no dwell after an exit, and counts the next stay from its own entry")
    func shortStay() {
        var presence = outside()
        _ = fix(&presence, at: 10, isInside: true)
        #expect(fix(&presence, at: 50, isInside: false) == ["50 exited by containment"])
        #expect(deadline(&presence) == ["no deadline"])
        _ = fix(&presence, at: 100, isInside: true)
        #expect(deadline(&presence) == ["160 dwelled 60 by dwell_deadline"])
    }

    @Test("suppresses entries and exits that are not wanted, and still dwells")
    func notifications() {
        var (region, presence) = (self.region, outside())
        (region.notifyOnEntry, region.notifyOnExit) = (false, false)
        #expect(fix(&presence, at: 10, isInside: true, region) == [])
        #expect(presence.isStaying)
        #expect(deadline(&presence, region) == ["70 dwelled 60 by dwell_deadline"])
        #expect(fix(&presence, at: 400, isInside: false, region) == [])
        #expect(!presence.isStaying)
    }

    @Test(
        "reports a device that is first seen inside, unless the region or the mode is silent",
        arguments: [
            (Region.InitialState.report, CrossingMode.raw, ["10 entered by containment"]), (.silent, .raw, []),
            (.report, .coreLocation, []),
        ] as [(Region.InitialState, CrossingMode, [String])])
    func initialState(state: Region.InitialState, mode: CrossingMode, expected: [String]) {
        var (region, presence) = (self.region, RegionPresence(mode, knownOutsideSince: nil))
        region.initialState = state
        #expect(!presence.isUntracked)
        #expect(fix(&presence, at: 10, isInside: true, region, mode: mode) == expected)
        #expect(presence.isStaying)
        #expect(deadline(&presence, region) == ["70 dwelled 60 by dwell_deadline"])
    }

    @Test("enters and exits with the schedule while the device is inside")
    func schedule() {
        var (region, presence) = (self.region, outside())
        region.dwells = []
        region.schedule = Schedule(
            timeZone: TimeZone(secondsFromGMT: 0) ?? .current,
            weekly: [.init(weekdays: Set(0..<7), start: 10, end: 20)])
        #expect(fix(&presence, at: 60, isInside: true, region) == [])
        #expect(!presence.isStaying && !presence.isUntracked && presence.deadline == at(600))
        #expect(deadline(&presence, region) == ["600 entered by schedule_opened"])
        #expect(presence.isStaying && presence.deadline == at(1200))
        #expect(deadline(&presence, region) == ["1200 exited by schedule_closed"])
        #expect(!presence.isStaying && !presence.isUntracked)
        #expect(fix(&presence, at: 1300, isInside: false, region) == [])
        #expect(presence.isUntracked && presence.deadline == .distantFuture)
    }

    @Test("exits when the region expires, at the time of expiry")
    func expiry() {
        var (region, presence) = (self.region, outside())
        region.dwells = []
        region.expires = at(500)
        _ = fix(&presence, at: 10, isInside: true, region)
        #expect(presence.deadline == at(500))
        #expect(describe(presence.deadlineReached(at(700), in: region)) == ["500 exited expired by region_expired"])
        #expect(presence.deadline == .distantFuture && !presence.isStaying)
    }

    @Test("exits when the region is deleted, not before the entry, and only once")
    func deletion() {
        var presence = outside()
        _ = fix(&presence, at: 100, isInside: true)
        let first = presence.leave(because: .deleted, at: at(40), in: region)
        #expect(describe(first) == ["100 exited deleted by region_deleted"])
        #expect(presence.leave(because: .deleted, at: at(200), in: region).isEmpty)
    }

    @Test("does not repeat dwells that have passed when the region is replaced")
    func replacement() {
        var (region, presence) = (self.region, outside())
        _ = fix(&presence, at: 0, isInside: true)
        #expect(deadline(&presence) == ["60 dwelled 60 by dwell_deadline"])
        region.dwells = [.seconds(30), .seconds(90), .seconds(120)]
        presence.regionChanged(to: region, at: at(100))
        #expect(presence.deadline == at(120))
        #expect(deadline(&presence, region) == ["120 dwelled 120 by dwell_deadline"])
        #expect(deadline(&presence, region) == ["no deadline"])
    }

    @Test("keeps what it knows when the mode of the region changes", arguments: CrossingMode.allCases)
    func modeChange(mode: CrossingMode) {
        var presence = outside()
        _ = fix(&presence, at: 0, isInside: true)
        // Inside stays inside without another entry. `confirmed` decides nothing without evidence.
        #expect(fix(&presence, at: 10, isInside: true, mode: mode) == [])
        #expect(presence.crossing.mode == mode && presence.crossing.isInside == true && presence.isStaying)
    }

    @Test("is coded with its stay and without absent moments, and takes 48 bytes")
    func coding() throws {
        var presence = outside()
        func text() throws -> String {
            let encoder = JSONEncoder()
            encoder.outputFormatting = .sortedKeys
            let data = try encoder.encode(presence)
            #expect(try JSONDecoder().decode(RegionPresence.self, from: data) == presence)
            return String(decoding: data, as: UTF8.self)
        }
        #expect(try text() == #"{"crossing":{"raw":{"isInside":false}}}"#)
        _ = fix(&presence, at: 10, isInside: true)
        _ = deadline(&presence)
        #expect(
            try text() == #"{"crossing":{"raw":{"isInside":true}},"deadline":1772755510000,"#
                + #""stay":{"dwellsTold":1,"entry":1772755210000}}"#)
        #expect(MemoryLayout<RegionPresence>.size <= 72)
    }
}
