import FencepostFormats
import FencepostGeometry
import FencepostJSON
import FencepostModel
import FencepostService
import FencepostSimulator
import Testing

@testable import FencepostWebhooks

@Suite("Endpoint roster") struct EndpointRosterTests {
    static let start = Timestamp(seconds: 1_772_353_800)

    static func endpoint(_ change: (inout Endpoint) -> Void = { _ in }) -> Endpoint {
        var endpoint = Endpoint.test()
        change(&endpoint)
        return endpoint
    }

    static func region(metadata: String? = nil, tags: [String] = ["work"]) -> RegionSummary {
        var region = Region(
            id: RegionID("office"),
            shape: .circle(Circle(center: Coordinate(latitude: 0, longitude: 0), radius: 10)))
        region.name = "Office"
        region.tags = tags
        region.metadata = metadata.map { JSONText($0) }
        return RegionSummary(region)
    }

    static func event(_ occurrence: Occurrence = .regionEntered(region())) -> Event {
        var location = Location(
            deviceID: DeviceID("jane/phone"), timestamp: start,
            coordinate: Coordinate(latitude: 48.858331234, longitude: 2.295131234), horizontalAccuracy: 12)
        location.speed = 1.5
        return Event(
            id: "evt_1", sequence: 7, deviceID: DeviceID("jane/phone"), occurrence: occurrence, timestamp: start,
            detectedAt: start + .seconds(12), location: location, confidence: 0.98)
    }

    static func visit() -> Visit {
        Visit(
            id: "vis_1", arrival: start, coordinate: Coordinate(latitude: 48.123456, longitude: 2.123456),
            horizontalAccuracy: 20, regions: [RegionID("office"), RegionID("city")])
    }

    static func decision(_ outcome: Delivery.Outcome, relaunch: Bool = false, app: String = "courier") throws
        -> Delivery
    {
        let given = DeviceState()
        let event = ServiceEvent(.regionCircular, .enter)
        var delivery = RelaunchGate().decide(event, for: given)
        delivery.outcome = outcome
        delivery.relaunch = relaunch
        delivery.app = app
        return delivery
    }

    static func isCalled(_ endpoint: Endpoint, for event: Event, _ decisions: [Delivery] = []) -> Bool {
        let messages = EndpointRoster([endpoint]).messages(for: event, decisions: decisions)
        // A recovery later sends the same messages, also of a row of an earlier version.
        let values = NewEvent(EndpointRoster.message(event, decisions))
        let text = NewEvent(
            id: event.id, type: event.occurrence.type.rawValue, deviceID: event.deviceID,
            timestamp: event.timestamp, body: values.body, why: values.why)
        for stored in [values, text] {
            let stored = StoredEvent(number: 1, event: stored, receivedAt: start)
            #expect(EndpointRoster().messages(for: [stored], to: endpoint) == messages)
        }
        return !messages.isEmpty
    }

    static func body(_ endpoint: Endpoint, _ event: Event, _ decisions: [Delivery] = []) throws -> JSONElement {
        let message = try #require(EndpointRoster([endpoint]).messages(for: event, decisions: decisions).first)
        return try JSONDocument(parsing: message.body).root
    }

    @Test("encodes exactly the body of Standard Webhooks")
    func golden() throws {
        let message = try #require(
            EndpointRoster([Self.endpoint()]).messages(for: Self.event(), decisions: []).first)
        #expect(
            message.body == """
                {"type":"region.entered","timestamp":"2026-03-01T08:30:00Z","data":{"eventId":"evt_1","sequence":7,\
                "detectedAt":"2026-03-01T08:30:12Z","receivedAt":"2026-03-01T08:30:12Z","deviceId":"jane/phone",\
                "region":{"id":"office","name":"Office","tags":["work"]},\
                "location":{"deviceId":"jane/phone","timestamp":"2026-03-01T08:30:00Z","latitude":48.858331234,\
                "longitude":2.295131234,"horizontalAccuracy":12,"speed":1.5},"confidence":0.98,"test":false}}
                """)
        #expect(message.headers == ["content-type": "application/json"])
        #expect(message.eventID == "evt_1" && message.deviceID == DeviceID("jane/phone") && !message.isOrdered)
    }

    @Test("selects endpoints by type, device and region")
    func filters() throws {
        let patterns = { (texts: [String]) in texts.map { GlobPattern($0) } }
        let visit = Self.event(.visitArrived(Self.visit()))
        #expect(Self.isCalled(Self.endpoint(), for: Self.event()))
        #expect(Self.isCalled(Self.endpoint { $0.events = patterns(["region.*"]) }, for: Self.event()))
        #expect(!Self.isCalled(Self.endpoint { $0.events = patterns(["region.*"]) }, for: visit))
        #expect(!Self.isCalled(Self.endpoint { $0.events = patterns(["region.exited"]) }, for: Self.event()))
        #expect(Self.isCalled(Self.endpoint { $0.devices = patterns(["jane/*"]) }, for: Self.event()))
        #expect(!Self.isCalled(Self.endpoint { $0.devices = patterns(["bob/*"]) }, for: Self.event()))
        #expect(Self.isCalled(Self.endpoint { $0.regions = patterns(["office"]) }, for: Self.event()))
        #expect(!Self.isCalled(Self.endpoint { $0.regions = patterns(["home"]) }, for: Self.event()))
        #expect(Self.isCalled(Self.endpoint { $0.regions = patterns(["city"]) }, for: visit))
        #expect(!Self.isCalled(Self.endpoint { $0.regions = patterns(["home"]) }, for: visit))
        #expect(!Self.isCalled(Self.endpoint { $0.regions = patterns(["*"]) }, for: Self.event(.deviceStale)))
        #expect(Self.isCalled(Self.endpoint(), for: Self.event(.deviceStale)))
    }

    @Test("selects endpoints by the decision about an app")
    func outcomes() throws {
        let relaunched = try Self.decision(.delivered, relaunch: true)
        let delivered = try Self.decision(.delivered)
        let queued = try Self.decision(.queued, app: "other")
        let when = { (outcomes: [Endpoint.Outcome], apps: [String]) in
            Self.endpoint {
                $0.when = outcomes
                $0.apps = apps
            }
        }
        #expect(Self.isCalled(when([.relaunched], []), for: Self.event(), [relaunched]))
        #expect(!Self.isCalled(when([.relaunched], []), for: Self.event(), [delivered, queued]))
        #expect(!Self.isCalled(when([.relaunched], []), for: Self.event(), []))
        #expect(Self.isCalled(when([.delivered], []), for: Self.event(), [queued, delivered]))
        #expect(Self.isCalled(when([.delivered], []), for: Self.event(), [relaunched]))
        #expect(!Self.isCalled(when([.queued], ["courier"]), for: Self.event(), [queued, delivered]))
        #expect(Self.isCalled(when([.queued], ["other"]), for: Self.event(), [queued, delivered]))
        #expect(Self.isCalled(when([], ["courier"]), for: Self.event(), []))
        let launched = Self.event(.appRelaunched(AppSummary(id: "courier")))
        #expect(Self.isCalled(when([], ["courier"]), for: launched, [relaunched]))
        #expect(!Self.isCalled(when([], ["other"]), for: launched, [relaunched]))
    }

    @Test("includes only decisions about the endpoint's apps")
    func visibleApps() throws {
        let decisions = [try Self.decision(.delivered), try Self.decision(.queued, app: "other")]
        let all = try Self.body(Self.endpoint(), Self.event(), decisions)["data"]?["apps"]
        #expect(all?.count == 2)
        let own = try Self.body(Self.endpoint { $0.apps = ["other"] }, Self.event(), decisions)["data"]?["apps"]
        #expect(own?.array?.compactMap { $0["app"]?.string } == ["other"])
        #expect(try Self.body(Self.endpoint(), Self.event())["data"]?["apps"] == nil)
    }

    @Test("leaves disabled endpoints out until they are active again")
    func disabled() {
        let roster = EndpointRoster([Self.endpoint { $0.state = .disabled(since: Self.start, reason: "x") }])
        #expect(roster.messages(for: Self.event(), decisions: []).isEmpty)
        roster.replace([Self.endpoint()])
        #expect(roster.messages(for: Self.event(), decisions: []).count == 1)
        roster.remove("end_a")
        #expect(roster.messages(for: Self.event(), decisions: []).isEmpty)
    }

    @Test("rounds or removes coordinates, and changes nothing else", arguments: 0...7)
    func precision(decimals: Int) throws {
        let data = try #require(try Self.body(Self.endpoint { $0.precision = decimals }, Self.event())["data"])
        let scale = (0..<decimals).reduce(1.0) { scale, _ in scale * 10 }
        let latitude = try #require(data["location"]?["latitude"]?.double)
        #expect(latitude == (48.858331234 * scale).rounded() / scale)
        #expect(data["location"]?["speed"]?.double == 1.5)
        for occurrence in [Occurrence.regionEntered(Self.region()), .visitArrived(Self.visit())] {
            let message = EndpointRoster([Self.endpoint { $0.includesLocation = false }])
                .messages(for: Self.event(occurrence), decisions: [])[0]
            for canary in ["48.", "2.29", "2.12", "latitude", "horizontalAccuracy", "\"location\""] {
                #expect(!message.body.contains(canary))
            }
        }
    }

    @Test("includes the external id of a region")
    func externalID() throws {
        let event = Self.event(.regionEntered(Self.region(metadata: #"{"externalId":"R-17","colour":"red"}"#)))
        let region = try Self.body(Self.endpoint(), event)["data"]?["region"]
        #expect(region?["externalId"]?.string == "R-17")
        #expect(region?["metadata"]?["colour"]?.string == "red")
    }

    @Test("keeps a body below 20 kB and lists the omitted parts")
    func size() throws {
        let large = #"{"externalId":"R-17","text":"\#(String(repeating: "x", count: 25_000))"}"#
        let event = Self.event(.regionEntered(Self.region(metadata: large)))
        let body = try Self.body(Self.endpoint(), event)
        #expect(body.text.utf8.count < 20_000)
        #expect(body["data"]?["omitted"]?.array?.compactMap(\.string) == ["region.metadata"])
        #expect(body["data"]?["region"]?["externalId"]?.string == "R-17")
        let tags = (0..<1000).map { "tag number \($0) of many that somebody thought of" }
        let decisions = try (0..<60).map { try Self.decision(.delivered, app: "app\($0)") }
        let worst = try Self.body(
            Self.endpoint(), Self.event(.regionEntered(Self.region(metadata: large, tags: tags))), decisions)
        #expect(worst.text.utf8.count < 20_000)
        #expect(
            worst["data"]?["omitted"]?.array?.compactMap(\.string) == ["region.metadata", "apps", "region.tags"])
        let some = try Self.body(Self.endpoint(), Self.event(), decisions)
        #expect(some["data"]?["omitted"]?.array?.compactMap(\.string) == ["apps.because"])
        #expect(some["data"]?["apps"]?.count == 60)
    }

    @Test("encodes CloudEvents in the three formats")
    func cloudEvents() throws {
        var event = Self.event()
        event.deviceID = DeviceID("jané \"50%\"")
        let roster = { (format: Endpoint.Format) in
            EndpointRoster([Self.endpoint { $0.format = format }], instance: "north")
                .messages(for: event, decisions: [])[0]
        }
        let binary = roster(.binary)
        #expect(
            binary.headers == [
                "content-type": "application/json", "ce-specversion": "1.0", "ce-id": "evt_1",
                "ce-source": "/fencepost/north", "ce-type": "fencepost.region.entered",
                "ce-time": "2026-03-01T08:30:00Z", "ce-subject": "jan%C3%A9%20%2250%25%22",
            ])
        let data = try JSONDocument(parsing: binary.body).root
        #expect(data["eventId"]?.string == "evt_1")
        let structured = roster(.structured)
        #expect(structured.headers == ["content-type": "application/cloudevents+json"])
        let object = try JSONDocument(parsing: structured.body).root
        #expect(object["subject"]?.string == "jané \"50%\"")
        #expect(object["type"]?.string == "fencepost.region.entered")
        #expect(object["data"] == data)
        let batch = roster(.batch)
        #expect(batch.headers == ["content-type": "application/cloudevents-batch+json"])
        #expect(batch.body == "[\(structured.body)]")
    }

    @Test("sends events about an endpoint not to itself, and test events to no other endpoint")
    func itself() {
        let endpoint = Self.endpoint()
        let other = Endpoint.test("end_b")
        let roster = EndpointRoster([endpoint, other])
        let disabled = ServiceEvents.disabled(endpoint, reason: "gone", at: Self.start)
        #expect(roster.messages(for: disabled).map(\.endpointID) == ["end_b"])
        #expect(roster.messages(for: ServiceEvents.test(endpoint, at: Self.start)).isEmpty)
    }
}

extension EndpointRoster {
    /// The messages for an event.
    fileprivate func messages(for event: Event, decisions: [Delivery]) -> [NewDelivery] {
        messages(for: NewEvent(Self.message(event, decisions)))
    }

    /// The event as the worker makes it.
    fileprivate static func message(_ event: Event, _ decisions: [Delivery]) -> EventMessage {
        let decided = decisions.map { decision in
            var writer = JSONWriter()
            writer.value(decision)
            return AppDecision(decision, text: JSONText(String(decoding: writer.bytes, as: UTF8.self)))
        }
        return EventMessage(.occurrence(event, decisions: decided), receivedAt: event.detectedAt)
    }
}
