import FencepostModel
import FencepostService
import Testing

@testable import FencepostWebhooks

@Suite("The network of an endpoint") struct NetworkCheckTests {
    private struct Names: HostResolver {
        var known: [String: [String]]
        func addresses(of name: String) async throws -> [IPAddress] {
            guard let found = known[name] else { throw SystemResolver.Failure(code: -2) }
            return found.compactMap { IPAddress($0) }
        }
    }

    private static let names = Names(known: [
        "homeassistant.local": ["192.168.1.20"], "example.org": ["93.184.215.14"],
        "both.example": ["93.184.215.14", "10.1.2.3"], "metadata.example": ["169.254.169.254"],
    ])

    private func refusal(
        _ url: String, _ kind: Endpoint.Kind = .webhook, open: [String] = [], allowed: [String] = []
    ) async -> NetworkRefusal? {
        let addressGuard = AddressGuard(
            allowedNetworks: allowed.compactMap { IPNetwork($0) }, openNetworks: open.compactMap { IPNetwork($0) })
        return await NetworkCheck(addressGuard: addressGuard, resolver: Self.names).refusal(ofURL: url, of: kind)
    }

    @Test(
        "is named when an administrator can allow it, and then messages may be sent there",
        arguments: [
            ("http://192.168.1.20/hook", .webhook, "192.168.1.0/24"),
            ("https://192.168.1.20/hook", .webhook, "192.168.1.0/24"),
            ("http://homeassistant.local:8123/hook", .webhook, "192.168.1.0/24"),
            ("https://both.example/topic", .ntfy, "10.1.2.0/24"), ("smtp://10.9.8.7", .email, "10.9.8.0/24"),
            ("http://[fd00:1:2:3::4]/hook", .gotify, "fd00:1:2:3::/64"),
            ("http://[::ffff:192.168.1.20]/hook", .webhook, nil), ("nats://192.168.1.20", .nats, "192.168.1.0/24"),
            ("kafkas://example.org,both.example:9092/topic", .kafka, "10.1.2.0/24"),
            ("redis://homeassistant.local/2", .redis, "192.168.1.0/24"),
            ("amqps://[fd00:1:2:3::4]", .amqp, "fd00:1:2:3::/64"),
        ] as [(String, Endpoint.Kind, String?)])
    func openable(url: String, kind: Endpoint.Kind, network: String?) async throws {
        let refused = try #require(await refusal(url, kind))
        #expect(refused.network == network)
        guard let network else { return }
        #expect(refused.administratorDetail.contains(network))
        #expect(await refusal(url, kind, open: [network]) == nil)
    }

    @Test("is for administrators where a name was looked up") func privacy() async throws {
        let refused = try #require(await refusal("http://homeassistant.local"))
        #expect(!refused.detail.contains("192.168") && refused.administratorDetail.contains("192.168.1.20"))
    }

    @Test(
        "cannot be allowed when it is link-local, this machine, or public without TLS",
        arguments: [
            "http://169.254.169.254", "http://metadata.example", "http://127.0.0.1", "http://[::1]", "http://0.0.0.0",
            "http://[fe80::1]", "http://224.0.0.1", "http://[fd00:ec2::254]", "http://example.org",
            "http://100.100.100.200", "http://nowhere.local", "https://192.0.2.1",
        ])
    func refused(url: String) async throws {
        #expect(try #require(await refusal(url)).network == nil)
        let everything = ["0.0.0.0/0", "::/0", "169.254.0.0/16", "127.0.0.0/8", "::1/128", "fe80::/10", "fc00::/7"]
        #expect(await refusal(url, open: everything) != nil)
    }

    @Test("may be public with TLS, unknown until later, or allowed in the configuration") func permitted() async {
        #expect(await refusal("https://example.org") == nil)
        #expect(await refusal("https://later.example") == nil)
        #expect(await refusal("https://127.0.0.1", allowed: ["127.0.0.0/8"]) == nil)
        #expect(await refusal("http://127.0.0.1", open: ["127.0.0.1/32"]) != nil)
        #expect(await refusal("http://127.0.0.1", open: ["127.0.0.1/32"], allowed: ["127.0.0.0/8"]) == nil)
        // An open network does not allow plain HTTP elsewhere.
        #expect(await refusal("http://example.org", open: ["192.168.1.0/24"]) != nil)
        #expect(await refusal("http://192.168.2.1", open: ["192.168.1.0/24"]) != nil)
    }

    @Test(
        "has one notation",
        arguments: [
            ("192.168.1.20/24", "192.168.1.0/24"), ("10.0.0.0/8", "10.0.0.0/8"),
            ("fd12:3:4:5:6::7/64", "fd12:3:4:5::/64"),
            ("192.168.1.20", "192.168.1.20/32"),
        ])
    func canonical(text: String, form: String) throws {
        let network = try #require(IPNetwork(text)).canonical
        #expect(network.description == form && AddressGuard().mayOpen(network))
    }

    @Test(
        "is not larger than private networks",
        arguments: [
            "0.0.0.0/0", "192.0.0.0/8", "8.8.8.0/24", "169.254.0.0/16", "169.254.169.254", "127.0.0.1", "::/0", "::1",
            "fe80::/64", "fc00::/6", "fc00::/7", "fd00:ec2::254", "100.100.100.0/24", "224.0.0.0/8",
        ])
    func tooLarge(text: String) throws {
        #expect(!AddressGuard().mayOpen(try #require(IPNetwork(text))))
    }

    @Test("is checked for plain HTTP at every attempt") func attempts() async throws {
        let sender = try HTTPMessageSender(
            guard: AddressGuard(openNetworks: ["192.168.1.0/24"].compactMap { IPNetwork($0) }), resolver: Self.names,
            wall: { .distantPast })
        defer { sender.shutdown() }
        for url in ["http://example.org/", "http://both.example/", "http://metadata.example/", "http://10.1.2.3/"] {
            let request = WebhookRequest(
                endpointID: "end_1", url: url, secrets: ["whsec_ZmVuY2Vwb3N0LXRlc3Qtc2VjcmV0LTI0Yg=="], id: "msg_1",
                timestamp: .distantPast, body: "{}", headers: [:])
            #expect(await sender.send(request).failure == .blocked, "\(url)")
        }
    }
}
