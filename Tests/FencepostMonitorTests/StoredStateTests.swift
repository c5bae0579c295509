import FencepostGeometry
import FencepostModel
import Foundation
import Testing

@testable import FencepostMonitor

/// States that an earlier version has written, and what it reported after them. Later versions must read them and
/// continue in the same way, so the files are never renewed. The only reports that were changed are those of two cases
/// whose visits were shorter than the minimum stay.
///
/// The case `unreported stay closed` is `departure pending` with an edited state.
@Suite("Stored states") struct StoredStateTests {
    /// A state of a visit detector, the fixes after it, and the number of deadlines after those.
    struct DetectorCase: Decodable, CustomTestStringConvertible {
        let name: String
        let state: VisitDetector
        /// Time in milliseconds, latitude, longitude, speed or -1.
        let fixes: [[Double]]
        let deadlines: Int
        let reports: [String]

        var testDescription: String { name }

        var locations: [Location] {
            fixes.map { numbers in
                var fix = Location(
                    deviceID: DeviceID("d"), timestamp: Timestamp(milliseconds: Int64(numbers[0])),
                    coordinate: Coordinate(latitude: numbers[1], longitude: numbers[2]), horizontalAccuracy: 15)
                fix.speed = numbers[3] < 0 ? nil : numbers[3]
                return fix
            }
        }
    }

    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "States")

    private static func lines(_ name: String) throws -> [String] {
        try String(contentsOf: folder.appending(path: name), encoding: .utf8).split(separator: "\n").map(String.init)
    }

    private static func detectorCases() throws -> [DetectorCase] {
        try lines("visit-detector.ndjson").map { try JSONDecoder().decode(DetectorCase.self, from: Data($0.utf8)) }
    }

    private func text(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    private func describe(_ report: VisitReport) -> String {
        let estimate = report.estimate
        func text(_ moment: Timestamp?) -> String { moment.map { String($0.milliseconds) } ?? "-" }
        let kind =
            switch report {
            case .arrived: "arrived"
            case .departed: "departed"
            case .refuted: "refuted"
            }
        return [
            kind, estimate.why.rule.rawValue, text(estimate.identity), text(estimate.arrival),
            text(estimate.departure), text(estimate.arrivalEarliest), text(estimate.arrivalLatest),
            text(estimate.departureEarliest), text(estimate.departureLatest), text(estimate.detectedAt),
            "\(estimate.coordinate.latitude)", "\(estimate.coordinate.longitude)", "\(estimate.horizontalAccuracy)",
            "\(estimate.confidence ?? -1)",
        ].joined(separator: " ")
    }

    @Test("of visit detectors go on as in the version that wrote them", arguments: try detectorCases())
    func detectorGoesOn(_ stored: DetectorCase) {
        var detector = stored.state
        var reports = stored.locations.flatMap { detector.handle($0) }
        for _ in 0..<stored.deadlines {
            guard let deadline = detector.deadline else { break }
            reports += detector.deadlineReached(deadline)
        }
        #expect(reports.map(describe) == stored.reports)
    }

    @Test("of visit detectors are written back as the same bytes")
    func detectorIsWrittenBack() throws {
        for line in try Self.lines("visit-detector.ndjson") {
            let stored = try JSONDecoder().decode(DetectorCase.self, from: Data(line.utf8))
            let state = try text(stored.state)
            #expect(line.hasSuffix("\"state\":\(state)}"), "\(stored.name)")
        }
    }

    @Test("with settings that no detector has are refused")
    func settings() throws {
        func read(_ change: (inout VisitSettings) -> Void) throws -> VisitSettings {
            var settings = VisitSettings()
            change(&settings)
            return try JSONDecoder().decode(VisitSettings.self, from: JSONEncoder().encode(settings))
        }
        #expect(try read { $0.radius = 50 }.radius == 50)
        #expect(throws: DecodingError.self) { try read { $0.radius = 0 } }
        #expect(throws: DecodingError.self) { try read { $0.maximumGap = .zero } }
        #expect(throws: DecodingError.self) { try read { $0.minimumStay = .seconds(-480) } }
        #expect(throws: DecodingError.self) { try read { $0.departureHold = .seconds(Int64.max) } }
    }

    @Test("of device monitors of version 0.2 are read, and are the same after they are written and read again")
    func earlierMonitorIsRead() throws {
        let lines = try Self.lines("device-monitor.ndjson")
        #expect(lines.count == 7)
        for line in lines {
            let snapshot = try JSONDecoder().decode(DeviceMonitor.Snapshot.self, from: Data(line.utf8))
            let again = try JSONDecoder().decode(DeviceMonitor.Snapshot.self, from: Data(try text(snapshot).utf8))
            #expect(again == snapshot)
            // What is stored under the same key is kept as it was.
            let stored = try object(line)
            let written = try object(try text(snapshot))
            for key in ["deviceID", "isStale", "seenRevision", "sequence"] {
                #expect(written[key] as? NSObject == stored[key] as? NSObject, "\(key)")
            }
        }
    }

    @Test("of device monitors are written back as the same bytes, also after the monitor is restored")
    func monitorIsWrittenBack() throws {
        let catalog = RegionCatalog(
            CrossingMode.allCases.map { mode in
                Region(
                    id: RegionID("r-\(mode)"),
                    shape: .circle(Circle(center: Coordinate(latitude: 37.55, longitude: 126.99), radius: 100)))
            })
        let lines = try Self.lines("device-monitor-0.3.ndjson")
        #expect(lines.count == 7)
        for line in lines {
            let snapshot = try JSONDecoder().decode(DeviceMonitor.Snapshot.self, from: Data(line.utf8))
            #expect(try text(snapshot) == line)
            let monitor = DeviceMonitor(snapshot, in: catalog, settings: MonitorSettings())
            #expect(try text(monitor.snapshot(in: catalog)) == line)
        }
    }

    @Test("of alerts that knew nothing of silence are read, and are written back as the same bytes")
    func alertsWithoutSilence() throws {
        let text =
            #"{"decided":1772000000000,"entries":[{"phase":{"active":{"since":1772000000000}},"region":"depot","#
            + #""rule":"speedLimit"},{"phase":{"notMet":{}},"rule":"power"}],"last":{"accuracy":5,"#
            + #""coordinate":{"latitude":38.7,"longitude":-9.1},"isTrusted":true,"timestamp":1772000010000}}"#
        let state = try JSONDecoder().decode(AlertState.self, from: Data(text.utf8))
        #expect(try self.text(state) == text)
        #expect(state.rhythm == nil && state.last != nil)
    }

    private func object(_ line: String) throws -> NSDictionary {
        try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? NSDictionary)
    }
}
