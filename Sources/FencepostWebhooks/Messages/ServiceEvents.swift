import FencepostJSON
import FencepostModel
import FencepostService
import Foundation

/// Events of the service itself, in the form of rule E1.
enum ServiceEvents {
    static func disabled(_ endpoint: Endpoint, reason: String, at now: Timestamp) -> NewEvent {
        make(.endpointDisabled, cause: [endpoint.id, String(now.milliseconds)], at: now) { writer in
            write(endpoint: endpoint, to: &writer)
            writer.name("reason")
            writer.value(reason)
        }
    }

    static func exhausted(
        _ delivery: PendingDelivery, of endpoint: Endpoint, attempts: Int, at now: Timestamp
    ) -> NewEvent {
        // With the number of attempts, a delivery that was retried by hand and failed again has another event id.
        make(.deliveryExhausted, cause: [delivery.id, String(attempts)], at: now) { writer in
            write(endpoint: endpoint, to: &writer)
            writer.name("delivery")
            writer.beginObject()
            let texts = [("id", delivery.id), ("eventId", delivery.eventID), ("eventType", delivery.eventType)]
            for (name, text) in texts {
                writer.name(name)
                writer.value(text)
            }
            writer.name("attempts")
            writer.value(attempts)
            writer.endObject()
        }
    }

    static func test(_ endpoint: Endpoint, at now: Timestamp) -> NewEvent {
        make(.webhookTest, cause: [endpoint.id, String(now.milliseconds)], at: now) { writer in
            write(endpoint: endpoint, to: &writer)
        }
    }

    /// `asked`: when somebody asked for the report; `nil` for one that was due.
    static func report(
        _ schedule: ReportSchedule, _ run: ReportTiming.Run, asked: Timestamp?, at now: Timestamp
    ) -> NewEvent {
        var cause = [schedule.id, String(run.start.milliseconds), String(run.end.milliseconds)]
        if let asked { cause.append(String(asked.milliseconds)) }
        return make(.reportReady, cause: cause, at: now) { writer in
            writer.name("schedule")
            write(["id": schedule.id, "name": schedule.name], to: &writer)
            let dates = schedule.timing.dates(of: run)
            writer.name("report")
            write(
                [
                    "kind": schedule.report.rawValue, "format": schedule.format.rawValue,
                    "from": run.start.rfc3339, "to": run.end.rfc3339, "timeZone": schedule.timing.timeZone.identifier,
                    "firstDate": dates.first, "lastDate": dates.last, "path": schedule.target(of: run),
                ], to: &writer)
            writer.name("recipients")
            writer.beginArray()
            for endpoint in schedule.endpoints { writer.value(endpoint) }
            writer.endArray()
        }
    }

    private static func write(_ texts: KeyValuePairs<String, String>, to writer: inout JSONWriter) {
        writer.beginObject()
        for (name, text) in texts {
            writer.name(name)
            writer.value(text)
        }
        writer.endObject()
    }

    private static func write(endpoint: Endpoint, to writer: inout JSONWriter) {
        writer.name("endpoint")
        writer.beginObject()
        writer.name("id")
        writer.value(endpoint.id)
        if let description = endpoint.description {
            writer.name("description")
            writer.value(description)
        }
        writer.endObject()
    }

    private static func make(
        _ type: ServiceEventType, cause: [String], at now: Timestamp, _ write: (inout JSONWriter) -> Void
    ) -> NewEvent {
        var identity = Identity()
        identity.add(type.rawValue)
        for part in cause { identity.add(part) }
        let id = identity.text(prefix: "evt_")
        var writer = JSONWriter()
        writer.beginObject()
        let texts = [
            ("id", id), ("type", type.rawValue), ("timestamp", now.rfc3339), ("detectedAt", now.rfc3339),
            ("receivedAt", now.rfc3339),
        ]
        for (name, text) in texts {
            writer.name(name)
            writer.value(text)
        }
        write(&writer)
        writer.name("apps")
        writer.beginArray()
        writer.endArray()
        writer.endObject()
        return NewEvent(
            id: id, type: type.rawValue, deviceID: nil, timestamp: now,
            body: String(decoding: writer.bytes, as: UTF8.self))
    }
}
