import FencepostModel
import FencepostService
import FencepostWebhooks
import Synchronization
import Testing

@testable import FencepostBrokers

@Suite("Messages to brokers") struct BrokerSenderTests {
    /// Knows some names, and counts the look-ups.
    final class Names: HostResolver {
        private let addresses: [String: [IPAddress]]
        private let count = Mutex(0)

        init(_ addresses: [String: [IPAddress]]) { self.addresses = addresses }

        var lookUps: Int { count.withLock { $0 } }

        struct Unknown: Error {}

        func addresses(of name: String) async throws -> [IPAddress] {
            count.withLock { $0 += 1 }
            guard let found = addresses[name] else { throw Unknown() }
            return found
        }
    }

    private static func endpoint(_ kind: Endpoint.Kind, _ url: String, address: String? = "f.{device}") -> Endpoint {
        var endpoint = Endpoint(id: "end_a", url: url, secrets: [], createdAt: .distantPast)
        endpoint.kind = kind
        endpoint.destination.address = kind == .kafka ? nil : address
        return endpoint
    }

    private static func request(
        _ endpoint: Endpoint, body: String = "{}", headers: [String: String] = [:]
    ) -> WebhookRequest {
        var request = WebhookRequest(
            endpointID: endpoint.id, url: endpoint.url, secrets: [], id: "evt_1", timestamp: Timestamp(seconds: 1),
            body: body, headers: headers)
        request.publication = Publication(endpoint, device: DeviceID("jane/phone"), type: "region.entered")
        return request
    }

    @Test(
        "no message goes to a forbidden address or without TLS",
        arguments: [
            (Endpoint.Kind.nats, "tls://10.0.0.1", DeliveryAttempt.Failure.blocked, 0),
            (.nats, "tls://[fe80::1]:4222", .blocked, 0), (.nats, "nats://broker.example", .blocked, 0),
            (.redis, "rediss://inside.example", .blocked, 1), (.amqp, "amqps://mixed.example", .blocked, 1),
            (.amqp, "amqps://unknown.example", .dns, 1), (.nats, "tls://unknown.example,inside.example", .blocked, 2),
            (.kafka, "kafkas://inside.example/t", .blocked, 1), (.redis, "rediss://2130706433", .blocked, 0),
        ])
    func forbidden(kind: Endpoint.Kind, url: String, failure: DeliveryAttempt.Failure, lookUps: Int) async throws {
        let inside = try #require(IPAddress("192.168.1.1"))
        let outside = try #require(IPAddress("9.9.9.9"))
        let names = Names(["inside.example": [inside], "mixed.example": [outside, inside]])
        let sender = BrokerSender(resolver: names, limit: .seconds(2))
        let result = await sender.send(Self.request(Self.endpoint(kind, url)))
        #expect(result.failure == failure)
        #expect(result.excerpt?.isEmpty == false)
        #expect(names.lookUps == lookUps)
        sender.shutdown()
    }

    @Test("a broker that is away fails the attempt", arguments: Endpoint.Kind.allCases.filter(\.isBroker))
    func away(kind: Endpoint.Kind) async throws {
        let loopback = try #require(IPNetwork("127.0.0.0/8"))
        let sender = BrokerSender(
            guard: AddressGuard(allowedNetworks: [loopback], allowsHTTP: true), limit: .seconds(3))
        let scheme = ["nats": "nats", "redis": "redis", "amqp": "amqp", "kafka": "kafka"][kind.rawValue] ?? ""
        // Nothing listens at the port of tcpmux.
        let url = "\(scheme)://127.0.0.1:1" + (kind == .kafka ? "/t" : "")
        let result = await sender.send(Self.request(Self.endpoint(kind, url)))
        #expect(result.failure == .connect || result.failure == .library, "\(result)")
        #expect(result.duration < .seconds(8))
        sender.shutdown()
    }

    @Test("an address that is too long fails the attempt, and no connection is made")
    func tooLong() async throws {
        let template = "f." + String(repeating: "x", count: 230) + ".{device}.{device}"
        let sender = BrokerSender()
        let result = await sender.send(
            Self.request(Self.endpoint(.amqp, "amqps://broker.example", address: template)))
        #expect(result.failure == .unroutable)
        #expect(result.excerpt?.contains("longer than 255 bytes") == true)
    }

    @Test(
        "the region is that of the event, or the first one of a visit, in each format",
        arguments: [
            (#"{"type":"region.entered","data":{"region":{"id":"home"}}}"#, "home"),
            (#"{"region":{"id":"home"},"deviceId":"a"}"#, "home"),
            (#"{"specversion":"1.0","data":{"visit":{"regions":["one","two"]}}}"#, "one"),
            (#"{"data":{"visit":{"regions":[]}}}"#, "-"), ("{}", "-"),
        ])
    func region(body: String, region: String) throws {
        let request = Self.request(Self.endpoint(.nats, "tls://a", address: "{region}"), body: body)
        let message = try BrokerMessage(request, try #require(request.publication))
        #expect(message.address == region)
    }

    @Test("attributes of CloudEvents are decoded, and encoded again where the binding says so")
    func attributes() throws {
        let headers = ["content-type": "application/json", "ce-subject": "Zo%C3%AB%20%22%25", "ce-id": "evt_1"]
        let request = Self.request(Self.endpoint(.nats, "tls://a"), headers: headers)
        let message = try BrokerMessage(request, try #require(request.publication))
        #expect(message.attributes.map(\.name) == ["id", "subject"])
        #expect(message.attributes.map(\.value) == ["evt_1", "Zoë \"%"])
        #expect(BrokerHeaders.encoded("Zoë \"%") == "Zo%C3%AB%20%22%25")
        #expect(message.contentType == "application/json")
        #expect((message.id, message.device, message.address) == ("evt_1", "jane/phone", "f.jane%2Fphone"))
    }
}
