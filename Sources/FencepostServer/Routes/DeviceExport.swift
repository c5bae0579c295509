import FencepostEngine
import FencepostFormats
import FencepostGeometry
import FencepostHTTP
import FencepostHistory
import FencepostJSON
import FencepostModel
import FencepostService
import Foundation
import Hummingbird

/// Export of all stored data of a device, read page by page (rule P2, GDPR articles 15 and 20).
struct DeviceExport: Sendable {
    enum Format: String, CaseIterable, Sendable {
        case json, gpx, geojson

        var type: String {
            switch self {
            case .json: RouteResponse.json
            case .gpx: "application/gpx+xml"
            case .geojson: RouteResponse.geoJSON
            }
        }
    }

    let device: DeviceID
    let status: DeviceStatus?
    let store: any HistoryStore & StayCorrectionStore
    /// Whether the caller may still read. It is asked for each page; the response breaks off when not.
    let isAllowed: @Sendable () async -> Bool
    private struct Ended: Error {}
    private static let pageSize = 1000

    func write(_ format: Format, to writer: inout any ResponseBodyWriter) async throws {
        switch format {
        case .json: try await writeJSON(to: &writer)
        case .gpx: try await writeGPX(to: &writer)
        case .geojson: try await writeGeoJSON(to: &writer)
        }
        try await writer.finish(nil)
    }

    private func writeJSON(to writer: inout any ResponseBodyWriter) async throws {
        var head = JSONWriter()
        head.beginObject()
        head.member("deviceId", device.rawValue)
        if let status {
            head.name("device")
            head.value(status)
        }
        try await writer.write(ByteBuffer(bytes: head.bytes))
        try await locations(",\"locations\":[", "]", to: &writer) { $0.value($1) }
        var filter = HistoryFilter()
        filter.deviceID = device
        let wanted = filter
        try await rows("events", to: &writer, { $0.raw($1.json(explained: true)) }, \.number) {
            try await store.events(wanted, after: $0, limit: Self.pageSize)
        }
        try await rows("visits", to: &writer, { $0.raw($1.visit.body) }, \.number) {
            try await store.visits(wanted, after: $0, limit: Self.pageSize)
        }
        try await rows("reports", to: &writer, { $0.value($1.report) }, \.number) {
            try await store.reports(wanted, kind: nil, after: $0, limit: Self.pageSize)
        }
        try await rows("quarantine", to: &writer, { $0.value($1.entry) }, \.number) {
            try await store.quarantine(wanted, after: $0, limit: Self.pageSize)
        }
        var end = JSONWriter()
        end.beginArray()
        for correction in try await store.stayCorrections(of: device) { end.value(correction) }
        end.endArray()
        try await writer.write(ByteBuffer(bytes: Array(",\"stayCorrections\":".utf8) + end.bytes + Array("}\n".utf8)))
    }

    private func writeGeoJSON(to writer: inout any ResponseBodyWriter) async throws {
        try await locations("{\"type\":\"FeatureCollection\",\"features\":[", "]}\n", to: &writer) { writer, stored in
            let coordinate = stored.location.coordinate
            writer.beginObject()
            writer.member("type", "Feature")
            writer.name("geometry")
            writer.beginObject()
            writer.member("type", "Point")
            writer.name("coordinates")
            writer.beginArray()
            writer.value(coordinate.longitude)
            writer.value(coordinate.latitude)
            if let altitude = stored.location.altitude { writer.value(altitude) }
            writer.endArray()
            writer.endObject()
            writer.name("properties")
            writer.value(stored)
            writer.endObject()
        }
    }

    private func writeGPX(to writer: inout any ResponseBodyWriter) async throws {
        let head = """
            <?xml version="1.0" encoding="UTF-8"?>
            <gpx version="1.1" creator="Fencepost" xmlns="http://www.topografix.com/GPX/1/1" \
            xmlns:gpxtpx="http://www.garmin.com/xmlschemas/TrackPointExtension/v2">
            <trk><name>\(device.rawValue.xmlEscaped)</name><trkseg>

            """
        try await writer.write(ByteBuffer(string: head))
        try await pages { page in
            var text = ""
            for stored in page {
                let location = stored.location
                let (latitude, longitude) = (location.coordinate.latitude, location.coordinate.longitude)
                text += "<trkpt lat=\"\(latitude.xmlDecimal)\" lon=\"\(longitude.xmlDecimal)\">"
                if let altitude = location.altitude { text += "<ele>\(altitude.xmlDecimal)</ele>" }
                text += "<time>\(location.timestamp.rfc3339)</time>\(Self.motion(of: location))</trkpt>\n"
            }
            try await writer.write(ByteBuffer(string: text))
        }
        try await writer.write(ByteBuffer(string: "</trkseg></trk></gpx>\n"))
    }

    /// Speed and course, which GPX 1.1 has only in extensions: those that Garmin's devices write.
    private static func motion(of location: Location) -> String {
        let speed = location.speed.map { "<gpxtpx:speed>\($0.xmlDecimal)</gpxtpx:speed>" } ?? ""
        let course = location.course.map { "<gpxtpx:course>\($0.xmlDecimal)</gpxtpx:course>" } ?? ""
        guard !(speed + course).isEmpty else { return "" }
        return "<extensions><gpxtpx:TrackPointExtension>\(speed)\(course)</gpxtpx:TrackPointExtension></extensions>"
    }

    // MARK: Pages

    private func locations(
        _ start: String, _ end: String, to writer: inout any ResponseBodyWriter,
        _ write: (inout JSONWriter, StoredLocation) -> Void
    ) async throws {
        try await writer.write(ByteBuffer(string: start))
        var isFirst = true
        try await pages { page in
            try await writer.write(Self.elements(page, isFirst: &isFirst, write))
        }
        try await writer.write(ByteBuffer(string: end))
    }

    private func pages(_ take: ([StoredLocation]) async throws -> Void) async throws {
        var cursor: LocationCursor?
        while true {
            let page = try await store.locations(of: device, from: nil, to: nil, after: cursor, limit: Self.pageSize)
            guard !page.isEmpty else { return }
            guard await isAllowed() else { throw Ended() }
            try await take(page)
            cursor = LocationCursor(behind: page, after: cursor)
        }
    }

    private func rows<Row>(
        _ name: String, to writer: inout any ResponseBodyWriter, _ write: (inout JSONWriter, Row) -> Void,
        _ number: (Row) -> Int64, _ page: (Int64) async throws -> [Row]
    ) async throws {
        try await writer.write(ByteBuffer(string: ",\"\(name)\":["))
        var (cursor, isFirst) = (Int64(0), true)
        while true {
            let rows = try await page(cursor)
            guard let last = rows.last else { break }
            guard await isAllowed() else { throw Ended() }
            try await writer.write(Self.elements(rows, isFirst: &isFirst, write))
            cursor = number(last)
        }
        try await writer.write(ByteBuffer(string: "]"))
    }

    private static func elements<Row>(
        _ rows: [Row], isFirst: inout Bool, _ write: (inout JSONWriter, Row) -> Void
    ) -> ByteBuffer {
        var writer = JSONWriter()
        writer.beginArray()
        for row in rows { write(&writer, row) }
        // Without the opening bracket: all pages form one array.
        var bytes = writer.bytes.dropFirst()
        if !isFirst { bytes = [UInt8(ascii: ",")] + bytes }
        isFirst = false
        return ByteBuffer(bytes: bytes)
    }
}

extension JSONWriter {
    mutating func value(_ entry: QuarantineEntry) {
        beginObject()
        member("receivedAt", entry.receivedAt)
        member("format", entry.format)
        member("deviceId", entry.deviceID?.rawValue)
        member("index", entry.index)
        member("code", entry.code)
        member("detail", entry.detail)
        if let fix = entry.fix {
            name("location")
            value(StoredLocation(fix))
        }
        endObject()
    }
}

extension String {
    fileprivate var xmlEscaped: String {
        replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
    }
}

extension Double {
    /// The number as `decimal` of XML Schema, which has no exponent.
    fileprivate var xmlDecimal: String { String(format: "%.9f", self) }
}
