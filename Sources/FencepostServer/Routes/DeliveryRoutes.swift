import FencepostHTTP
import FencepostJSON
import FencepostModel
import FencepostService
import HTTPTypes

/// Routes of webhook messages and their delivery attempts (rule W12).
extension API {
    var deliveryRoutes: [Route] {
        [
            Route(
                method: .get, path: "/v1/deliveries", name: "listDeliveries",
                summary: "Lists messages to endpoints, oldest first", tag: "Webhooks", access: .unbound(.read),
                parameters: [
                    Route.Parameter(
                        name: "status", words: DeliveryRecord.Status.self,
                        text: "Only messages with this status. exhausted is the list of dead letters."),
                    Route.Parameter(name: "endpointId", schema: Schema.string, text: "Only messages to this endpoint."),
                    Route.Parameter(name: "eventId", schema: Schema.string, text: "Only messages of this event."),
                ] + Route.Parameter.paging,
                successes: [.json(Schema.list(of: Schema.named("WebhookDelivery")), "A page of messages.")],
                partition: .pages(.time("createdAt"), withConfiguration: true),
                handle: { call in
                    let limit = try call.limit()
                    let found = try await store.deliveries(
                        endpoint: call.query["endpointId"],
                        status: try call.word("status", DeliveryRecord.Status.self), event: call.query["eventId"],
                        after: try call.cursor(Cursor.number) ?? 0, limit: limit + 1)
                    return call.page(
                        found.prefix(limit), next: Cursor.next(found, limit, \.number),
                        cursors: found.prefix(limit).map { Cursor.encode(number: $0.number) }
                    ) {
                        $0.value($1.record)
                    }
                }),
            Route(
                method: .get, path: "/v1/deliveries/{id}", name: "getDelivery", summary: "Shows a message",
                tag: "Webhooks", access: .unbound(.read), parameters: [.id("delivery")],
                successes: [.json(Schema.named("WebhookDelivery"), "The message.")],
                partition: .oneHasIt,
                handle: { call in
                    guard let record = try await store.delivery(id: call.parameter("id")) else {
                        throw Problem.notFound("delivery")
                    }
                    return RouteResponse { $0.value(record) }
                }),
            Route(
                method: .post, path: "/v1/deliveries/{id}/retry", name: "retryDelivery",
                summary: "Sends a message again at once", tag: "Webhooks", access: .unbound(.write),
                parameters: [.id("delivery")],
                successes: [
                    Route.Success(
                        status: .accepted, type: RouteResponse.json, schema: Schema.named("WebhookDelivery"),
                        text: "The message is due now.")
                ],
                partition: .oneHasIt,
                handle: { call in
                    let id = call.parameter("id")
                    guard try await store.retry(delivery: id, at: clock.now()),
                        let record = try await store.delivery(id: id)
                    else { throw Problem.notFound("delivery") }
                    endpoints.deliveriesDidChange(of: record.pending.endpointID)
                    return RouteResponse(.accepted) { $0.value(record) }
                }),
        ]
    }
}

extension JSONWriter {
    mutating func value(_ record: DeliveryRecord) {
        let pending = record.pending
        beginObject()
        member("id", pending.id)
        member("endpointId", pending.endpointID)
        member("eventId", pending.eventID)
        member("eventType", pending.eventType)
        member("deviceId", pending.deviceID?.rawValue)
        member("status", record.status.rawValue)
        member("createdAt", pending.createdAt)
        if record.status == .pending { member("nextAttempt", pending.due) }
        array("attempts", record.attempts) { $0.value($1) }
        endObject()
    }

    mutating func value(_ attempt: DeliveryAttempt) {
        beginObject()
        member("number", attempt.number)
        member("startedAt", attempt.startedAt)
        member("duration", attempt.duration.seconds)
        if let status = attempt.status { member("status", status) }
        member("failure", attempt.failure?.rawValue)
        member("excerpt", attempt.excerpt)
        member("nextAttempt", attempt.nextAttempt)
        endObject()
    }
}
