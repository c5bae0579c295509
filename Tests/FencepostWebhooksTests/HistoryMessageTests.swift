import FencepostModel
import FencepostService
import Testing

@testable import FencepostWebhooks

@Suite("Messages about the past") struct HistoryMessageTests {
    private static func event(_ origin: EventOrigin, type: String = "region.entered") -> NewEvent {
        var event = NewEvent(
            id: "evt_\(origin)", type: type, deviceID: DeviceID("jane"), timestamp: EndpointRosterTests.start,
            body: """
                {"id":"evt_\(origin)","sequence":1,"type":"\(type)","timestamp":"2026-03-01T08:30:00Z",\
                "receivedAt":"2026-03-02T08:30:00Z","deviceId":"jane","retracts":"evt_0",\
                "retractedType":"region.entered","region":{"id":"office","tags":[]},"apps":[]}
                """)
        event.origin = origin
        return event
    }

    @Test("go only where they are asked for")
    func recipients() {
        let endpoints = [("plain", false, false), ("history", true, false), ("corrections", false, true)].map {
            id, history, corrections in
            var endpoint = EndpointRosterTests.endpoint()
            (endpoint.id, endpoint.history, endpoint.corrections) = (id, history, corrections)
            endpoint.events = [GlobPattern("region.*")]
            return endpoint
        }
        let roster = EndpointRoster(endpoints)
        func recipients(_ event: NewEvent) -> [String] { roster.messages(forHistory: event).map(\.endpointID) }
        #expect(recipients(Self.event(.history)) == ["history"])
        #expect(recipients(Self.event(.correction)) == ["corrections"])
        // A retraction matches by the type of the event that it withdraws.
        #expect(recipients(Self.event(.retraction, type: "event.retracted")) == ["corrections"])
        let message = roster.messages(forHistory: Self.event(.retraction, type: "event.retracted")).first
        #expect(message?.body.contains("\"retracts\":\"evt_0\"") == true)
        #expect(message?.body.contains("\"receivedAt\":\"2026-03-02T08:30:00Z\"") == true)
    }

    @Test("are dropped when the event is older than the endpoint accepts")
    func maximumAge() {
        var endpoint = Endpoint.test()
        endpoint.maximumAge = .seconds(60)
        var dialogue = EndpointRunnerTests.Dialogue.idle(endpoint)
        func delivery(_ id: String, age: Int, device: String? = "jane") -> PendingDelivery {
            var delivery = PendingDelivery(
                id: id, endpointID: endpoint.id, eventID: "evt_\(id)", eventType: "region.entered",
                deviceID: device.map { DeviceID($0) }, body: "{}", headers: [:], attempts: 0,
                createdAt: EndpointRunnerTests.Dialogue.start, due: EndpointRunnerTests.Dialogue.start)
            delivery.eventTimestamp = EndpointRunnerTests.Dialogue.start - .seconds(age)
            return delivery
        }
        let (old, new, service) = (
            delivery("old", age: 61), delivery("new", age: 60), delivery("s", age: 99, device: nil)
        )
        let actions = dialogue.read(old, new, service)
        #expect(actions.contains(.settle(old, Settlement("old", .expired))))
        #expect(actions.contains(.attempt(new)) && actions.contains(.attempt(service)))
        #expect(!actions.contains(.attempt(old)))
    }
}
