import FencepostService

/// The channel of server-sent events (rule A9), with the query of its route.
enum StreamChannel {
    /// The channel of the stream's route.
    static func channel(of route: Route) -> AsyncAPIChannel {
        let query = Schema.object(
            route.parameters.filter { $0.source == .query }.map { ($0.name, $0.schema) })
        // A test goes to the endpoint that is tested, and nowhere else.
        let events = SentEvent.all.filter { $0.type != ServiceEventType.webhookTest.rawValue }
        return AsyncAPIChannel(
            name: "stream", address: route.path, server: .service,
            text:
                "Server-sent events. The headers of a message are the fields id and event, its payload is the field data.",
            messages: events.map(message) + [gap],
            operations: [
                AsyncAPIChannel.Operation(
                    name: "sendStream", text: route.summary + ".",
                    binding: .get(query: query), security: ["bearer", "session", "ticket"])
            ])
    }

    private static func message(of event: SentEvent) -> AsyncAPIChannel.Message {
        AsyncAPIChannel.Message(
            name: event.type, text: event.text, contentType: "application/json",
            headers: Schema.object(
                required: ["id", "event"],
                [("id", Schema.text(like: "^[0-9a-z]+([.][0-9a-z]+)*$")), ("event", Schema.only(event.type))]),
            payload: SentEvent.schema("Event", type: event.type, names: event.members.map(\.rawValue)),
            correlation: "eventId")
    }

    private static let gap = AsyncAPIChannel.Message(
        name: "gap", text: "Events after the one that the client has are no longer stored.",
        contentType: "application/json",
        headers: Schema.object(required: ["event"], [("event", Schema.only("gap"))]),
        payload: Schema.object(required: ["oldest"], [("oldest", Schema.integer)]))
}
