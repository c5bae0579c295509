import FencepostJSON
import FencepostModel
import FencepostService
import HTTPTypes

/// Routes of events and visits.
extension API {
    var eventRoutes: [Route] {
        [
            Route(
                method: .get, path: "/v1/events", name: "listEvents", summary: "Lists events, oldest first",
                tag: "Events", access: .scope(.read),
                parameters: Route.Parameter.filters + [.explain] + Route.Parameter.paging,
                successes: [.json(Schema.list(of: Schema.named("Event")), "A page of events.")],
                failures: [.notFound],
                handle: { call in
                    let limit = try call.limit()
                    let explains = try call.flag("explain")
                    let found = try await store.events(
                        try call.filter(), after: try call.cursor(Cursor.number) ?? 0, limit: limit + 1)
                    return call.page(found.prefix(limit), next: Cursor.next(found, limit, \.number)) {
                        $0.raw($1.json(explained: explains))
                    }
                }),
            Route(
                method: .get, path: "/v1/events/{id}", name: "getEvent", summary: "Shows an event", tag: "Events",
                access: .scope(.read), parameters: [.id("event"), .explain],
                successes: [.json(Schema.named("Event"), "The event.")],
                handle: { call in
                    let explains = try call.flag("explain")
                    guard let found = try await store.event(id: call.parameter("id")), call.maySee(found.event) else {
                        throw Problem.notFound("event")
                    }
                    return RouteResponse(text: found.json(explained: explains))
                }),
            Route(
                method: .get, path: "/v1/visits", name: "listVisits", summary: "Lists visits, oldest first",
                tag: "Events", access: .scope(.read),
                parameters: [.deviceID, .regionID, .from, .to] + Route.Parameter.paging,
                successes: [.json(Schema.list(of: Schema.named("Visit")), "A page of visits.")],
                failures: [.notFound],
                handle: { call in
                    let limit = try call.limit()
                    let found = try await store.visits(
                        try call.filter(), after: try call.cursor(Cursor.number) ?? 0, limit: limit + 1)
                    return call.page(found.prefix(limit), next: Cursor.next(found, limit, \.number)) {
                        $0.raw($1.visit.body)
                    }
                }),
        ]
    }
}

extension Call {
    /// A token that is bound to a device sees that device's events, and no events about the service.
    func maySee(_ event: NewEvent) -> Bool {
        guard let own = caller.deviceID else { return true }
        return event.deviceID == own
    }
}

extension StoredEvent {
    /// The event as receivers get it, with `why` when `explained` is true.
    func json(explained: Bool) -> String {
        guard explained, let why = event.why else { return event.body }
        return event.body.appendingMembers(",\"why\":\(why)")
    }
}
