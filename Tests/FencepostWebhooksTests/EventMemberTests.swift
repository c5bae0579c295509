import FencepostFormats
import FencepostGeometry
import FencepostJSON
import FencepostModel
import FencepostService
import Foundation
import Testing

@testable import FencepostWebhooks

/// A member of an event is in each of the places that list them. A new one fails here until a decision about it is
/// made: a webhook receives only what is listed, so it would never arrive.
@Suite("The members of an event") struct EventMemberTests {
    /// The members of JSON that each property of `Event` is written as.
    private static let names: [String: Set<String>] = [
        "identifier": ["id"], "sequence": ["sequence"], "deviceID": ["deviceId"],
        "occurrence": ["type", "region", "reason", "dwell", "visit", "app", "alert"], "timestamp": ["timestamp"],
        "detectedAt": ["detectedAt"], "earliest": ["earliest"], "latest": ["latest"], "location": ["location"],
        "confidence": ["confidence"], "explanation": ["why"],
        // Only texts for people need it.
        "isCrossing": [],
    ]
    /// What the service adds.
    private static let added: Set = ["receivedAt", "revision", "supersedes", "apps"]
    /// What no message has: the type and the time stand outside of `data`, and the rest is for the operator of the
    /// service.
    private static let withheld: Set = ["type", "timestamp", "earliest", "latest", "why"]

    private static let occurrences: [Occurrence] = [
        .regionEntered(EndpointRosterTests.region()), .regionExited(EndpointRosterTests.region(), reason: .deleted),
        .regionDwelled(EndpointRosterTests.region(), dwell: .seconds(60)), .visitArrived(EndpointRosterTests.visit()),
        .visitDeparted(EndpointRosterTests.visit()), .deviceStale, .deviceRecovered,
        .appRelaunched(AppSummary(id: "courier", name: "Courier")),
        .alert(Alert(kind: .speed, rule: "r", state: .started, region: EndpointRosterTests.region())),
    ]

    private static let events = occurrences.map { occurrence in
        var event = EndpointRosterTests.event(occurrence)
        (event.earliest, event.latest) = (event.timestamp, event.detectedAt)
        event.why = Why(rule: .containment)
        return event
    }

    private static func message(_ event: Event) -> EventMessage {
        let decision = AppDecision(
            app: "courier", outcome: "delivered", isRelaunched: false, text: JSONText(#"{"app":"courier"}"#))
        return EventMessage(
            .occurrence(event, decisions: [decision]), receivedAt: event.detectedAt,
            correction: EventCorrection(revision: 2, supersedes: "evt_0"))
    }

    private static func json(_ event: Event) throws -> JSONElement {
        let message = Self.message(event)
        var writer = JSONWriter()
        writer.value(
            event, apps: message.decisions.map(\.text), receivedAt: message.receivedAt, correction: message.correction)
        return try JSONDocument(parsing: writer.bytes).root
    }

    private static func names(of element: JSONElement) -> Set<String> {
        Set(element.object.map { $0.map(\.name) } ?? [])
    }

    private static var written: Set<String> {
        get throws { try events.reduce(into: []) { $0.formUnion(names(of: try json($1))) } }
    }

    @Test("are those of its properties, as the API and the streams write them") func written() throws {
        let properties = Mirror(reflecting: Self.events[0]).children.compactMap(\.label)
        #expect(
            Set(properties) == Set(Self.names.keys),
            "decide as which members the new property is written and stored: JSONWriter+Event.swift, EventCodec.swift")
        #expect(try Self.written == Self.names.values.reduce(into: Self.added) { $0.formUnion($1) })
    }

    @Test("reach webhooks, apart from those that are withheld") func messages() throws {
        let view = MessageView(EndpointRosterTests.endpoint { $0.includesLocation = true })
        var received: Set<String> = []
        for event in Self.events {
            var writer = JSONWriter()
            MessageData(parts: EventParts(Self.message(event)), view: view).write(to: &writer)
            received.formUnion(Self.names(of: try JSONDocument(parsing: writer.bytes).root))
        }
        let sent = Set(try Self.written.map { $0 == "id" ? "eventId" : $0 }).subtracting(Self.withheld)
        #expect(received == sent.union(["test"]), "list the new member in MessageData, or withhold it here")
    }

    @Test("are the same ones, in the same order, one by one and together") func order() throws {
        for event in Self.events {
            var (plain, one, all) = (event, JSONWriter(), JSONWriter())
            plain.why = nil
            let message = Self.message(plain)
            one.beginObject()
            for member in EventMember.allCases { one.field(member, of: EventParts(message)) }
            one.endObject()
            all.value(message)
            #expect(one.bytes == all.bytes)
            #expect(Set(EventMember.allCases.map(\.rawValue)).isSuperset(of: Self.names(of: try Self.json(plain))))
        }
    }

    @Test("are in the schema and in the reference") func described() throws {
        let package = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..").standardizedFileURL
        func text(_ file: String) throws -> String {
            try String(contentsOf: package.appending(path: file), encoding: .utf8)
        }
        let schema = try text("Sources/FencepostServer/OpenAPI/EventSchema.swift")
        let reference = try text("docs/reference/events.md")
        for name in try Self.written {
            // The schema has all cases of the enumeration, by a switch.
            #expect(EventMember(rawValue: name) != nil || schema.contains("(\"\(name)\", "), "\(name)")
            #expect(reference.contains("`\(name)`") || reference.contains("\"\(name)\""), "\(name)")
        }
    }
}
