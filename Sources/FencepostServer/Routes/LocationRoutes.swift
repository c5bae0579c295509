import FencepostFormats
import FencepostGeometry
import FencepostHTTP
import FencepostHistory
import FencepostJSON
import FencepostModel
import FencepostService
import HTTPTypes

/// Routes of stored locations, reports and rejected records.
extension API {
    var locationRoutes: [Route] { [getLocations, getQuarantine, postQuarantineRelease, getReports] }

    private var getLocations: Route {
        var device = Route.Parameter.deviceID
        device.text =
            "The device, or a pattern of devices such as vans/*. Required, unless the token is bound to a device."
        return Route(
            method: .get, path: "/v1/locations", name: "listLocations",
            summary: "Lists the stored locations of a device by time, of several by device and time", tag: "Locations",
            access: .scope(.read),
            parameters: [device, .from, .to, .order] + Route.Parameter.paging,
            successes: [.json(Schema.list(of: Schema.named("Location")), "A page of locations.")],
            failures: [.notFound],
            partition: .boundDevice,
            handle: { call in
                let choice = try call.namedDevices()
                let (limit, order) = (try call.limit(), try call.order())
                if let device = choice.device, choice.includes(device) {
                    let cursor = try call.cursor { Cursor.location($0, order) }
                    let found = try await store.locations(
                        of: device, from: try call.time("from"), to: try call.time("to"), after: cursor,
                        limit: limit + 1, includesAhead: true, order: order)
                    let page = found.prefix(limit)
                    let next = try await locationCursor(behind: page, of: found, after: cursor, order)
                    return call.page(page, next: next) { $0.value($1) }
                }
                guard !choice.patterns.isEmpty else { throw Problem.missingParameter("deviceId") }
                return try await locations(call, of: devices(of: choice, for: call.caller), limit, order)
            })
    }

    /// A page of the locations of several devices, by device and time or in the reverse order.
    private func locations(
        _ call: Call, of devices: [DeviceID], _ limit: Int, _ order: HistoryOrder
    ) async throws -> RouteResponse {
        let start = try call.cursor { Cursor.deviceLocation($0, order) }
        let (from, to) = (try call.time("from"), try call.time("to"))
        var found: [StoredLocation] = []
        for device in order == .ascending ? devices : devices.reversed() {
            if let start, device != start.device, device.precedes(start.device) == (order == .ascending) { continue }
            guard found.count <= limit else { break }
            found += try await store.locations(
                of: device, from: from, to: to, after: device == start?.device ? start?.cursor : nil,
                limit: limit + 1 - found.count, includesAhead: true, order: order)
        }
        let page = found.prefix(limit)
        let isMore = found.count > limit
        let cursors =
            call.isOfFanOut || isMore ? try await locationCursors(behind: page, of: found, after: start, order) : []
        return call.page(page, next: isMore ? cursors.last : nil, cursors: cursors) { $0.value($1) }
    }

    /// The cursors after each location of a page of several devices.
    private func locationCursors(
        behind page: ArraySlice<StoredLocation>, of found: [StoredLocation],
        after start: (device: DeviceID, cursor: LocationCursor)?, _ order: HistoryOrder
    ) async throws -> [String] {
        var cursors: [String] = []
        var last = start
        var same: [StoredLocation] = []
        for (index, row) in page.enumerated() {
            let (device, time) = (row.location.deviceID, row.location.timestamp)
            let continues = last.map { $0.device == device && $0.cursor.timestamp == time } ?? false
            var skip = 0
            switch order {
            case .ascending: skip = 1 + (continues ? last?.cursor.skip ?? 0 : 0)
            case .descending:
                let next = found.indices.contains(index + 1) ? found[index + 1].location : nil
                if let next, next.deviceID == device, next.timestamp == time {
                    if same.first.map({ $0.location.deviceID != device || $0.location.timestamp != time }) ?? true {
                        same = try await store.locations(
                            of: device, from: time, to: time + .milliseconds(1), after: nil, limit: .max)
                    }
                    skip = same.firstIndex(of: row) ?? 0
                }
            }
            let cursor = LocationCursor(timestamp: time, skip: skip)
            cursors.append(Cursor.encode(device, cursor, order))
            last = (device, cursor)
        }
        return cursors
    }

    /// The cursor of the page after one; `nil` at the end.
    ///
    /// `found`: what was read, one location more than the page has if there is one.
    private func locationCursor(
        behind page: ArraySlice<StoredLocation>, of found: [StoredLocation], after earlier: LocationCursor?,
        _ order: HistoryOrder
    ) async throws -> String? {
        guard let last = page.last, found.count > page.count else { return nil }
        guard order == .descending else { return Cursor.encode(LocationCursor(behind: page, after: earlier)) }
        let time = last.location.timestamp
        var cursor = LocationCursor(timestamp: time, skip: 0)
        if found[page.count].location.timestamp == time {
            // What is left of this time is what arrived before: whatever comes later is behind it.
            let same = try await store.locations(
                of: last.location.deviceID, from: time, to: time + .milliseconds(1), after: nil, limit: .max)
            cursor.skip = same.firstIndex(of: last) ?? 0
        }
        return Cursor.encode(cursor, order)
    }

    private var getQuarantine: Route {
        Route(
            method: .get, path: "/v1/quarantine", name: "listQuarantine",
            summary: "Lists the rejected records, oldest first", tag: "Locations", access: .scope(.read),
            parameters: [.deviceID, .from, .to] + Route.Parameter.paging,
            successes: [.json(Schema.list(of: Schema.named("QuarantineEntry")), "A page of records.")],
            failures: [.notFound],
            partition: .pages(.time("receivedAt")),
            handle: { call in
                let limit = try call.limit()
                let found = try await store.quarantine(
                    try call.filter(), after: try call.cursor(Cursor.number) ?? 0, limit: limit + 1)
                return call.page(
                    found.prefix(limit), next: Cursor.next(found, limit, \.number),
                    cursors: found.prefix(limit).map { Cursor.encode(number: $0.number) }
                ) {
                    $0.value($1.entry)
                }
            })
    }

    private var postQuarantineRelease: Route {
        Route(
            method: .post, path: "/v1/quarantine/release", name: "releaseQuarantine",
            summary: "Stores and evaluates the rejected locations whose time is in range now", tag: "Locations",
            access: .unbound(.admin),
            successes: [
                .json(
                    Schema.object, "How many locations were released, and how many stay rejected for their time.",
                    example: #"{"released":12,"kept":0}"#)
            ],
            partition: .sum,
            handle: { _ in
                let result = try await QuarantineRelease.run(from: store, to: monitoring, now: clock.latest())
                return RouteResponse { writer in
                    writer.beginObject()
                    writer.member("released", result.released)
                    writer.member("kept", result.kept)
                    writer.endObject()
                }
            })
    }

    private enum ReportKind: String, CaseIterable { case transition, waypoint, visit }

    private var getReports: Route {
        Route(
            method: .get, path: "/v1/reports", name: "listReports",
            summary: "Lists the transitions, waypoints and visits that phones and files reported, oldest first",
            tag: "Locations",
            access: .scope(.read),
            parameters: [
                .deviceID,
                Route.Parameter(
                    name: "kind", words: ReportKind.self,
                    text: "Only reports of this kind."), .from, .to,
            ] + Route.Parameter.paging,
            successes: [.json(Schema.list(of: Schema.named("PhoneReport")), "A page of reports.")],
            failures: [.notFound],
            partition: .pages(.time("timestamp")),
            handle: { call in
                let limit = try call.limit()
                let kind = try call.word("kind", ReportKind.self)
                let found = try await store.reports(
                    try call.filter(), kind: kind?.rawValue, after: try call.cursor(Cursor.number) ?? 0,
                    limit: limit + 1)
                return call.page(
                    found.prefix(limit), next: Cursor.next(found, limit, \.number),
                    cursors: found.prefix(limit).map { Cursor.encode(number: $0.number) }
                ) {
                    $0.value($1.report)
                }
            })
    }
}

extension DeviceID {
    /// Whether it comes first in the order of the bytes.
    fileprivate func precedes(_ other: DeviceID) -> Bool {
        rawValue.utf8.lexicographicallyPrecedes(other.rawValue.utf8)
    }
}

extension Cursor {
    /// The cursor after a page, for which one row more than the limit was read; `nil` at the end.
    static func next<Row>(_ found: [Row], _ limit: Int, _ number: (Row) -> Int64) -> String? {
        found.count > limit ? encode(number: number(found[limit - 1])) : nil
    }
}

extension JSONWriter {
    /// A stored location, with `late` when it arrived late (rule I52), and with the reason why it is not evaluated.
    mutating func value(_ stored: StoredLocation) {
        guard stored.isLate || stored.isAhead else { return value(stored.location) }
        var writer = JSONWriter()
        writer.value(stored.location)
        let member = stored.isAhead ? ",\"untrusted\":\"clock_ahead\"}" : ",\"late\":true}"
        raw(writer.bytes.dropLast() + Array(member.utf8))
    }

    mutating func value(_ report: PhoneReport) {
        beginObject()
        member("deviceId", report.deviceID.rawValue)
        member("timestamp", report.timestamp)
        switch report.kind {
        case .transition(let transition, let region, let regionID, let trigger):
            member("kind", "transition")
            member("event", transition.rawValue)
            member("region", region)
            member("regionId", regionID)
            member("trigger", trigger)
        case .waypoint(let name, let regionID, let radius, let createdAt):
            member("kind", "waypoint")
            member("name", name)
            member("regionId", regionID)
            member("radius", radius)
            member("createdAt", createdAt)
        case .visit(let arrival, let departure, let name):
            member("kind", "visit")
            member("arrival", arrival)
            member("departure", departure)
            member("name", name)
        }
        member("latitude", report.coordinate?.latitude)
        member("longitude", report.coordinate?.longitude)
        member("horizontalAccuracy", report.horizontalAccuracy)
        endObject()
    }
}
