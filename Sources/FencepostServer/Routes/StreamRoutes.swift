import FencepostHTTP
import FencepostJSON
import FencepostModel
import FencepostRegions
import FencepostService
import HTTPTypes
import Hummingbird

/// Routes of the live event stream (rule A9).
extension API {
    var streamRoutes: [Route] {
        [
            Route(
                method: .get, path: "/v1/stream", name: "stream", summary: "Sends events as they happen", tag: "Events",
                access: .ticket(.read),
                parameters: Route.Parameter.filters + [
                    .group, .tag, .explain,
                    Route.Parameter(
                        name: "lastEventId", schema: #"{"type":"string","pattern":"^[0-9a-z]+([.][0-9a-z]+)*$"}"#,
                        text:
                            "Continues after this event, as Last-Event-ID does: the id of an event of the stream, or 0 for all."
                    ),
                    .flag("history", "Also events that imports and late locations bring about."),
                    .flag("corrections", "Also events that replace earlier ones, and event.retracted."),
                    Route.Parameter(
                        name: "ticket", schema: Schema.string,
                        text: "Ticket of POST /v1/stream/tickets, for browsers, which cannot send headers."),
                    Route.Parameter(
                        name: "Last-Event-ID", source: .header, schema: Schema.string,
                        text: "Continues after this event."),
                ],
                successes: [
                    Route.Success(
                        status: .ok, type: EventStream.mediaType, schema: Schema.string,
                        text: "Server-sent events: id is the event's place, event the type, data the event on one line."
                    )
                ],
                failures: [.notFound, .tooManyRequests],
                partition: .stream,
                handle: { call in try await stream(call) }),
            Route(
                method: .post, path: "/v1/stream/tickets", name: "postStreamTicket",
                summary: "Issues a ticket for one connection to the stream, valid for 60 seconds", tag: "Events",
                access: .scope(.read),
                successes: [
                    .created(
                        #"{"type":"object","required":["ticket","expires"],"#
                            + #""properties":{"ticket":{"type":"string"},"expires":{"type":"string","#
                            + #""format":"date-time"}}}"#,
                        "The ticket.")
                ],
                partition: .configuration,
                handle: { call in
                    var generator = makeGenerator()
                    let (ticket, expires) = tickets.issue(call.caller, now: clock.now(), using: &generator)
                    return RouteResponse(.created) { writer in
                        writer.beginObject()
                        writer.member("ticket", ticket)
                        writer.member("expires", expires)
                        writer.endObject()
                    }
                }),
        ]
    }

    private func stream(_ call: Call) async throws -> RouteResponse {
        let given = call.headers[.lastEventID] ?? call.query["lastEventId"]
        var start: Int64?
        if let given {
            guard let number = Int64(given), number >= 0 else {
                throw Problem.parameter("lastEventId", "it has to be the id of an event of the stream.")
            }
            start = number
        }
        var origins: Set<EventOrigin> = [.live]
        if try call.flag("history") { origins.insert(.history) }
        if try call.flag("corrections") { origins.formUnion([.correction, .retraction]) }
        // What is wrong in the request is answered, and does not end the stream.
        _ = try await filter(of: call)
        let chosen: @Sendable () async throws -> HistoryFilter = { [origins] in
            var filter = try await self.filter(of: call)
            filter.origins = origins
            return filter
        }
        let caller = call.caller
        var stream = EventStream(
            store: store, signal: signal, sleep: sleep, filter: chosen, start: start,
            explains: try call.flag("explain"), includesServiceEvents: !caller.isLimited,
            isAllowed: { await isStillValid(caller) }, now: { [clock] in clock.now() })
        if call.query["tag"] != nil { stream.revision = { [monitoring] in monitoring.regions().catalog.revision } }
        stream.serverClosing = closing
        stream.reportsStart = call.isOfFanOut
        guard let slot = slots.take(call.owner) else { throw Problem.tooManyStreams }
        let (connection, channel) = (call.connection, call.channel)
        return RouteResponse(
            .ok,
            headers: [.contentType: EventStream.mediaType, .cacheControl: "no-store", .xAccelBuffering: "no"],
            body: .stream { [stream] writer in
                try await stream.write(to: &writer, watching: connection, of: channel)
                withExtendedLifetime(slot) {}
            })
    }
}

extension HTTPField.Name {
    static let lastEventID = HTTPField.Name(literal: "Last-Event-ID")
    static let xAccelBuffering = HTTPField.Name(literal: "X-Accel-Buffering")
}
