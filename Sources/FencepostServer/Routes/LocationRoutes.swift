import FencepostFormats
import FencepostGeometry
import FencepostJSON
import FencepostModel
import FencepostService
import HTTPTypes

/// Routes of stored locations, reports and rejected records.
extension API {
    var locationRoutes: [Route] { [getLocations, getQuarantine, postQuarantineRelease, getReports] }

    private var getLocations: Route {
        var device = Route.Parameter.deviceID
        device.text = "The device. Required, unless the token is bound to a device."
        return Route(
            method: .get, path: "/v1/locations", name: "listLocations",
            summary: "Lists the stored locations of a device, oldest first", tag: "Locations", access: .scope(.read),
            parameters: [device, .from, .to] + Route.Parameter.paging,
            successes: [.json(Schema.list(of: Schema.named("Location")), "A page of locations.")],
            failures: [.notFound],
            partition: .boundDevice,
            handle: { call in
                guard let device = try call.device() else { throw Problem.missingParameter("deviceId") }
                let limit = try call.limit()
                let cursor = try call.cursor(Cursor.location)
                let found = try await store.locations(
                    of: device, from: try call.time("from"), to: try call.time("to"), after: cursor, limit: limit + 1)
                let page = found.prefix(limit)
                let next = found.count > limit ? Cursor.encode(LocationCursor(behind: page, after: cursor)) : nil
                return call.page(page, next: next) { $0.value($1) }
            })
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
                    name: "kind", schema: Schema.words(ReportKind.allCases.map(\.rawValue)),
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

extension Cursor {
    /// The cursor after a page, for which one row more than the limit was read; `nil` at the end.
    static func next<Row>(_ found: [Row], _ limit: Int, _ number: (Row) -> Int64) -> String? {
        found.count > limit ? encode(number: number(found[limit - 1])) : nil
    }
}

extension LocationCursor {
    /// The cursor after the last location of a page.
    ///
    /// - Precondition: the page is not empty.
    init(behind page: some BidirectionalCollection<StoredLocation>, after earlier: LocationCursor?) {
        let time = page.last?.location.timestamp ?? .distantPast
        let same = page.reversed().prefix { $0.location.timestamp == time }.count
        let isOneTime = same == page.count && earlier?.timestamp == time
        self.init(timestamp: time, skip: same + (isOneTime ? earlier?.skip ?? 0 : 0))
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
