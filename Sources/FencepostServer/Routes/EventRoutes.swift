import FencepostGeometry
import FencepostHTTP
import FencepostJSON
import FencepostModel
import FencepostService
import HTTPTypes

/// Routes of events and visits; that of visits is in a file of its own.
extension API {
    var eventRoutes: [Route] {
        [
            Route(
                method: .get, path: "/v1/events", name: "listEvents",
                summary: "Lists the events that hold, by their timestamps",
                tag: "Events", access: .scope(.read),
                parameters: Route.Parameter.filters + [.group, .name, .tag, .explain, .history, .order]
                    + Route.Parameter.paging,
                successes: [.json(Schema.list(of: Schema.named("Event")), "A page of events.")],
                failures: [.notFound],
                partition: .pages(.cursorTime, withConfiguration: true),
                handle: { call in
                    let limit = try call.limit()
                    let explains = try call.flag("explain")
                    var filter = try await filter(of: call)
                    if try call.word("history", HistoryScope.self) != .all {
                        filter.holdsOnly = true
                        filter.origins = [.live, .history, .correction]
                    }
                    let order = try call.order()
                    let found = try await store.events(
                        filter, after: try call.cursor { Cursor.time($0, order) }, limit: limit + 1, order: order)
                    func position(_ row: StoredEvent) -> TimeCursor {
                        TimeCursor(timestamp: row.event.timestamp, number: row.number)
                    }
                    let page = found.prefix(limit)
                    return call.page(
                        page, next: Cursor.next(found, limit, order, position),
                        cursors: page.map { Cursor.encode(position($0), order) }
                    ) { $0.raw($1.json(explained: explains)) }
                }),
            Route(
                method: .get, path: "/v1/events/{id}", name: "getEvent", summary: "Shows an event", tag: "Events",
                access: .scope(.read), parameters: [.id("event"), .explain],
                successes: [.json(Schema.named("Event"), "The event.")],
                partition: .oneHasIt,
                handle: { call in
                    let explains = try call.flag("explain")
                    guard let found = try await store.event(id: call.parameter("id")), call.maySee(found.event) else {
                        throw Problem.notFound("event")
                    }
                    return RouteResponse(text: found.json(explained: explains))
                }),
            listVisits,
        ]
    }
}

extension Call {
    /// A caller who does not see every device sees no events about the service.
    func maySee(_ event: NewEvent) -> Bool {
        guard caller.isLimited else { return true }
        // Who may not see both devices of a pair does not see that they met.
        if case .proximity(let report)? = event.message?.event?.occurrence, !caller.maySee(report.other) {
            return false
        }
        return event.deviceID.map(caller.maySee) ?? false
    }
}

extension StoredEvent {
    /// The event as receivers get it, with `why` when `explained` is true.
    func json(explained: Bool) -> String {
        var members = ""
        if explained, let why = event.why { members += ",\"why\":\(why)" }
        // Ids contain no characters that JSON escapes.
        if let id = event.supersededBy { members += ",\"superseded\":\"\(id)\"" }
        return members.isEmpty ? event.body : event.body.appendingMembers(members)
    }
}

/// Which events a list has.
enum HistoryScope: String, CaseIterable {
    /// Those that hold now.
    case current
    /// Also superseded and withdrawn ones, and retractions.
    case all
}

extension Route.Parameter {
    fileprivate static let history = Self(
        name: "history", words: HistoryScope.self,
        text: "all: also events that late data has replaced or withdrawn, and event.retracted. The default is current.")
}
