import FencepostAnalysis
import FencepostEngine
import FencepostFormats
import FencepostGeometry
import FencepostHTTP
import FencepostHistory
import FencepostJSON
import FencepostModel
import FencepostRegionFiles
import FencepostService
import Foundation
import HTTPTypes

/// The route that finds who was in an area (rule A38).
extension API {
    private static let members = ["geometry", "radius", "center", "from", "to"]
    /// Evaluated fixes after which a page ends, so that a request takes about a second.
    private static let fixesOfPage = 1_000_000
    private static let pageOfFile = 5000

    var postPresenceQuery: Route {
        Route(
            method: .post, path: "/v1/query/presences", name: "queryPresences",
            summary: "Finds which devices were in an area in a span of time, by device and arrival", tag: "History",
            access: .scope(.read),
            parameters: Route.Parameter.choice + [
                Route.Parameter(
                    name: "format", words: PresenceTexts.Format.self,
                    text:
                        "json by default, in pages, which may have fewer rows than limit, even none. csv and xlsx, an "
                        + "Excel workbook, are files with all presences."),
                Self.workbookZone,
            ] + Route.Parameter.paging,
            onlyReads: true,
            body: Route.Body(
                types: [RouteResponse.json], schema: Schema.named("PresenceQuery"),
                example: #"{"geometry":{"type":"Polygon","coordinates":[[[2.34,48.85],[2.36,48.85],[2.36,48.86],"#
                    + #"[2.34,48.86],[2.34,48.85]]]},"from":"2026-03-01T08:00:00Z","to":"2026-03-01T10:00:00Z"}"#),
            successes: [
                .json(
                    Schema.list(of: Schema.named("Presence")), "A page of presences.",
                    example: #"{"data":[{"deviceId":"jane/phone","arrival":"2026-03-01T08:30:00Z","#
                        + #""departure":"2026-03-01T09:12:40Z","arrivalConfidence":0.98,"#
                        + #""departureConfidence":0.97}],"nextCursor":null}"#),
                Route.Success(status: .ok, type: "text/csv", schema: Schema.string, text: "A row for each presence."),
                Route.Success(
                    status: .ok, type: RouteResponse.workbook, schema: Schema.string, text: "A row for each presence."),
            ],
            failures: [.notFound],
            partition: .presences,
            handle: { call in
                let format = try call.word("format", PresenceTexts.Format.self) ?? .json
                let zone = try workbookZone(of: call, isWorkbook: format == .xlsx)
                let query = try presenceQuery(of: call)
                let (choice, caller) = (try await choice(of: call), call.caller)
                let includes: @Sendable (DeviceID) -> Bool = { choice.includes($0) && caller.maySee($0) }
                guard let file = PresenceTexts.FileFormat(rawValue: format.rawValue) else {
                    return try await page(of: query, call, includes)
                }
                return try await self.file(of: query, call, includes, file, zone)
            })
    }

    private func page(
        of query: PresenceQuery, _ call: Call, _ includes: @escaping @Sendable (DeviceID) -> Bool
    ) async throws -> RouteResponse {
        let (limit, start) = (try call.limit(), try call.cursor(Cursor.presence))
        // A partition whose page is empty has no more of them for the node that merges the pages.
        var page = PresenceQuery.Page()
        var cursor = start
        repeat {
            page = try await query.page(
                of: store, after: cursor, limit: limit, fixLimit: Self.fixesOfPage, includes: includes)
            cursor = page.next
        } while call.isOfFanOut && page.presences.isEmpty && cursor != nil
        let cursors = zip(page.presences, page.numbers).map { presence, number in
            Cursor.encode(PresenceQuery.Cursor(deviceID: presence.deviceID, count: number))
        }
        return call.page(page.presences, next: page.next.map { Cursor.encode($0) }, cursors: cursors) { $0.value($1) }
    }

    /// Five parameters: those of a page, and what a file has besides.
    private func file(
        of query: PresenceQuery, _ call: Call, _ includes: @escaping @Sendable (DeviceID) -> Bool,
        _ format: PresenceTexts.FileFormat, _ zone: TimeZone
    ) async throws -> RouteResponse {
        for name in ["limit", "cursor"] where call.query[name] != nil {
            throw Problem.parameter(name, "it needs format=json, since a file has all presences.")
        }
        var wording = Table.Wording(zone: zone, units: .metric)
        if format == .xlsx { wording.devices = try await deviceNames() }
        var (texts, presences, cursor): ([String], [Presence], PresenceQuery.Cursor?) = ([], [], nil)
        repeat {
            let page = try await query.page(
                of: store, after: cursor, limit: Self.pageOfFile, fixLimit: Self.fixesOfPage, includes: includes)
            texts += PresenceTexts.texts(of: page.presences, format, wording)
            if call.isOfFanOut { presences += page.presences }
            try PresenceTexts.check(texts.count)
            cursor = page.next
        } while cursor != nil
        guard !call.isOfFanOut else { return PresenceTexts.response(texts, of: presences) }
        return try PresenceTexts.file(texts, format)
    }

    // MARK: The body

    private func presenceQuery(of call: Call) throws -> PresenceQuery {
        let root = try call.json().root
        try root.checkMembers(Self.members)
        let (start, end) = (try time("from", root), try time("to", root))
        guard start < end else {
            throw Self.fault("/to", "invalid_value", "\"to\" has to be after \"from\".")
        }
        let region = try area(root)
        guard region.shape.area <= PresenceQuery.largestArea else {
            let known = Int(clamped: (region.shape.area / 1e6).rounded())
            throw Self.fault(
                root["geometry"] == nil ? "/radius" : "/geometry", "area_too_large",
                "The area has \(known) km², and the largest one has \(Int(clamped: PresenceQuery.largestArea / 1e6)) km². "
                    + "Ask about parts of it.")
        }
        return PresenceQuery(region, settings: monitoring.monitorSettings(), from: start, to: end)
    }

    private static func fault(_ pointer: String, _ code: String, _ detail: String) -> Problem {
        .invalid(code, "The query is invalid.", [Problem.Fault(pointer: pointer, code: code, detail: detail)])
    }

    private func time(_ name: String, _ root: JSONElement) throws(Problem) -> Timestamp {
        guard let element = root[name] else {
            throw Self.fault("/\(name)", "missing_member", "\"\(name)\" is required: an RFC 3339 time.")
        }
        guard let time = element.string.flatMap({ Timestamp(rfc3339: $0) }) else {
            throw Self.fault(
                "/\(name)", "invalid_value", "The value has to be an RFC 3339 time such as 2026-03-01T08:30:00Z.")
        }
        return time
    }

    private func area(_ root: JSONElement) throws -> Region {
        let radius = root["radius"].flatMap { $0.isNull ? nil : $0 }
        guard let geometry = root["geometry"].flatMap({ $0.isNull ? nil : $0 }) else {
            return try circle(root, radius)
        }
        if let center = root["center"], !center.isNull {
            throw Self.fault("/center", "invalid_value", "The area is \"geometry\", or \"center\" and \"radius\".")
        }
        let type = geometry["type"]?.string
        guard type != "LineString", type != "MultiLineString" else {
            throw Self.fault(
                "/geometry/type", "wrong_type", "The area is a Polygon, a MultiPolygon, or a Point with \"radius\".")
        }
        if let radius, type != "Point" {
            throw Self.fault(
                "/radius", "invalid_value", "Only a Point has a radius: omit \(radius.text), or name a centre.")
        }
        // The checks of regions, with the pointers of the body.
        let properties = radius.map { "{\"radius\":\($0.text)}" } ?? "{}"
        let feature =
            #"{"type":"Feature","id":"query","properties":\#(properties),"geometry":\#(geometry.text)}"#
        let reading = RegionFile.read(Array(feature.utf8), options: RegionOptions(limits: .service))
        let diagnostics = reading.diagnostics.map { diagnostic in
            var diagnostic = diagnostic
            if let pointer = diagnostic.position.pointer, pointer.hasPrefix("/properties") {
                diagnostic.position = .pointer(String(pointer.dropFirst("/properties".count)))
            }
            return diagnostic
        }
        if let problem = Problem.diagnostics(diagnostics, "The area is invalid.") { throw problem }
        guard let region = reading.regions.first else { throw Self.fault("/geometry", "wrong_type", "It is no area.") }
        return region
    }

    private func circle(_ root: JSONElement, _ radius: JSONElement?) throws -> Region {
        guard let center = root["center"], center.object != nil else {
            throw Self.fault(
                root["center"] == nil ? "/geometry" : "/center", "missing_member",
                "The area is \"geometry\", or \"center\" with \"latitude\" and \"longitude\" and \"radius\" in metres.")
        }
        func number(_ name: String, _ limit: Int) throws -> Double {
            guard let number = center[name]?.double, number.magnitude <= Double(limit) else {
                throw Self.fault(
                    "/center/\(name)", "invalid_value",
                    "The value has to be a number from \(-limit) to \(limit).")
            }
            return number
        }
        if let other = center.object?.first(where: { !["latitude", "longitude"].contains($0.name) }) {
            throw Self.fault(
                "/center" + JSONPointer().appending(other.name).description, "unknown_key",
                "A centre has \"latitude\" and \"longitude\".")
        }
        let coordinate = Coordinate(latitude: try number("latitude", 90), longitude: try number("longitude", 180))
        guard let radius = radius?.double, radius > 0, radius <= RegionOptions.radiusLimit else {
            throw Self.fault("/radius", "invalid_value", "The radius has to be a number of metres above 0.")
        }
        return Region(id: RegionID("query"), shape: .circle(Circle(center: coordinate, radius: radius)))
    }
}

extension Cursor {
    /// Position after a presence: after so many of a device, or after the device.
    ///
    /// It has the form of a position in the locations of several devices, which names a device as well.
    static func encode(_ cursor: PresenceQuery.Cursor) -> String {
        let isWhole = cursor.count == nil
        return encode(
            cursor.deviceID,
            LocationCursor(timestamp: Timestamp(milliseconds: isWhole ? 1 : 0), skip: cursor.count ?? 0), .ascending)
    }

    static func presence(_ cursor: String) -> PresenceQuery.Cursor? {
        guard let (device, position) = deviceLocation(cursor, .ascending) else { return nil }
        switch position.timestamp.milliseconds {
        case 0: return PresenceQuery.Cursor(deviceID: device, count: position.skip)
        case 1: return PresenceQuery.Cursor(deviceID: device, count: nil)
        default: return nil
        }
    }
}
