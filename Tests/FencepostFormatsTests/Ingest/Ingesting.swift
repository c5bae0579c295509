import FencepostFormats
import FencepostJSON
import FencepostModel

/// What the tests of the ingest routes share.
enum Ingesting {
    static let now = Timestamp(seconds: 1_772_353_800)  // 2026-03-01T08:30:00Z

    static func rules(_ device: String? = nil) -> FixRules {
        FixRules(defaultDevice: device.map { DeviceID($0) }, now: now)
    }

    /// Numbers that `Double(_:)` takes or that overflow it, and that must not get through on any route (rule I33).
    static let hostileNumbers = [
        "nan", "NaN", "inf", "-inf", "Infinity", "0x10", "1e999", "-1e999", "1_0", "1,5", "٣", "1.", ".5", "--1", "1e",
    ]

    static func text(_ location: Location) -> String {
        var writer = JSONWriter()
        writer.value(location)
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}

extension IngestRequest {
    var text: [String] { locations.map(Ingesting.text) }

    var codes: [String] { rejected.map { "\($0.index) \($0.rejection.code.rawValue)" } }

    /// Locations, live positions, reports, rejected, ignored.
    var counts: [Int] { [locations.count, livePositions.count, reports.count, rejected.count, ignored] }
}

/// What a decoder throws; `nil` when it throws nothing.
func code(_ body: () throws(Rejection) -> IngestRequest) -> String? {
    do throws(Rejection) {
        _ = try body()
        return nil
    } catch {
        return error.code.rawValue
    }
}
