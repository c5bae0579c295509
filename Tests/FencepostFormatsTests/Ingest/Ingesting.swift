import FencepostFormats
import FencepostJSON
import FencepostModel

/// Common helpers for tests of the ingest routes.
enum Ingesting {
    static let now = Timestamp(seconds: 1_772_353_800)  // 2026-03-01T08:30:00Z

    static func rules(_ device: String? = nil) -> FixRules {
        FixRules(defaultDevice: device.map { DeviceID($0) }, now: now)
    }

    /// Numbers that `Double(_:)` accepts or that overflow it; every route must reject them (rule I33).
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

/// The error of a decoder; `nil` without one.
func code(_ body: () throws(Rejection) -> IngestRequest) -> String? {
    do throws(Rejection) {
        _ = try body()
        return nil
    } catch {
        return error.code.rawValue
    }
}
