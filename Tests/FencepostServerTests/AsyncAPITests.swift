import FencepostJSON
import FencepostService
import Testing

@testable import FencepostServer

@Suite("The AsyncAPI document") struct AsyncAPITests {
    private static func document(of server: TestServer) async throws -> JSONElement {
        try await server.get("/asyncapi.json", token: .some(nil)).json
    }

    private static func names(_ element: JSONElement?) -> [String] { element?.object.map { $0.map(\.name) } ?? [] }

    private static func types(_ channel: JSONElement?) -> [String] {
        channel?["messages"]?.object.map { $0.compactMap { $0.value["name"]?.string } } ?? []
    }

    @Test("is served without a token") func served() async throws {
        try await TestServer.run { server in
            let reply = try await server.get("/asyncapi.json", token: .some(nil))
            #expect(reply.status == 200)
            #expect(try reply.json["asyncapi"]?.string == "3.0.0")
        }
    }

    @Test("has a message of every type of event, in each format of webhooks and in the stream") func types()
        async throws
    {
        try await TestServer.run { server in
            let channels = try await Self.document(of: server)["channels"]
            let known = Set(EventTypeFilter.known)
            #expect(SentEvent.all.count == known.count)
            for format in Endpoint.Format.allCases {
                let name = format == .standard ? "webhook" : "webhook" + AsyncAPIChannel.capital(format.rawValue)
                #expect(Set(Self.types(channels?[name])) == known, "\(name)")
            }
            let test = ServiceEventType.webhookTest.rawValue
            #expect(Set(Self.types(channels?["stream"])) == known.subtracting([test]).union(["gap"]))
            let published = ["deviceEvents", "serviceEvents"].flatMap { Self.types(channels?[$0]) }
            let withheld = [Retraction.type, ServiceEventType.reportReady.rawValue]
            #expect(published.count == Set(published).count)
            #expect(Set(published) == known.subtracting(withheld))
        }
    }

    @Test("has a channel of every kind of endpoint for people") func kinds() async throws {
        try await TestServer.run { server in
            let channels = Set(Self.names(try await Self.document(of: server)["channels"]))
            for kind in Endpoint.Kind.allCases where kind.isForPeople {
                #expect(channels.contains(kind.rawValue), "\(kind.rawValue)")
            }
        }
    }

    @Test("has the schemas of the OpenAPI document, and no dangling reference") func references() async throws {
        try await TestServer.run { server in
            let document = try await Self.document(of: server)
            let shared = try await server.get("/openapi.json").json["components"]?["schemas"]
            for name in ["Event", "Visit", "Location", "Delivery", "Alert"] {
                let own = try #require(document["components"]?["schemas"]?[name])
                #expect(own.text == shared?[name]?.text, "\(name)")
            }
            var references: Set<String> = []
            func search(_ element: JSONElement) {
                for member in element.object.map({ Array($0) }) ?? [] {
                    if member.name == "$ref", let text = member.value.string { references.insert(text) }
                    search(member.value)
                }
                for element in element.array.map({ Array($0) }) ?? [] { search(element) }
            }
            search(document)
            #expect(references.count > 100)
            for reference in references {
                let steps = reference.dropFirst(2).split(separator: "/").map(String.init)
                #expect(steps.reduce(document) { $0?[$1] } != nil, "\(reference)")
            }
        }
    }
}
