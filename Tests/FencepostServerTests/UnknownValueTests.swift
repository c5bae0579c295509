import FencepostJSON
import FencepostServer
import NIOHTTP1
import Testing

@Suite("A parameter with a fixed set of values") struct UnknownValueTests {
    /// The parameters with an enumeration of all routes, by the document: a new one is among them.
    private static func parameters(
        _ server: TestServer
    ) async throws -> [(method: String, path: String, name: String, known: [String])] {
        let document = try await server.get("/openapi.json").json
        var found: [(method: String, path: String, name: String, known: [String])] = []
        for path in try #require(document["paths"]?.object) {
            for method in try #require(path.value.object) {
                for parameter in method.value["parameters"]?.array.map(Array.init) ?? [] {
                    guard parameter["in"]?.string == "query", let known = parameter["schema"]?["enum"]?.array,
                        let name = parameter["name"]?.string
                    else { continue }
                    let failures = method.value["responses"]?.object?.map(\.name) ?? []
                    #expect(failures.contains("422"), "\(method.name) \(path.name)")
                    found.append((method.name.uppercased(), path.name, name, known.compactMap(\.string)))
                }
            }
        }
        return found
    }

    @Test("refuses every other value, and lists those that it has") func misspelt() async throws {
        try await TestServer.run { server in
            let parameters = try await Self.parameters(server)
            let names = Set(parameters.map(\.name))
            #expect(names.isSuperset(of: ["order", "format", "by", "period", "kind", "status", "history", "policy"]))
            for (method, path, name, known) in parameters {
                #expect(!known.isEmpty, "\(path) \(name)")
                for value in [known[0] + "x", known[0].uppercased(), "\(known[0]),\(known[known.count - 1])"] {
                    let target = path.replacing("{id}", with: "some") + "?\(name)=\(value)"
                    let reply = try await server.send(
                        HTTPMethod(rawValue: method), target, body: method == "GET" ? nil : [])
                    #expect(reply.status == 422 && reply.code == "unknown_value", "\(method) \(target): \(reply.text)")
                    let fault = try reply.json["errors"]?[0]
                    #expect(fault?["parameter"]?.string == name && fault?["code"]?.string == "unknown_value")
                    for word in known { #expect(fault?["detail"]?.string?.contains(word) == true, "\(word)") }
                }
                // Also behind one that is known.
                let target = path.replacing("{id}", with: "some") + "?\(name)=\(known[0])&\(name)=other-one"
                let reply = try await server.send(
                    HTTPMethod(rawValue: method), target, body: method == "GET" ? nil : [])
                #expect(reply.code == "unknown_value", "\(method) \(target)")
            }
        }
    }

    @Test(
        "is one of all types of events",
        arguments: ["region.entred", "REGION.*", "region.entered,visit.arived", "%27", "nothing.*", "alert"])
    func types(text: String) async throws {
        try await TestServer.run { server in
            for path in ["/v1/events", "/v1/stream"] {
                let reply = try await server.get("\(path)?type=\(text)")
                #expect(reply.status == 422 && reply.code == "unknown_value", "\(path) \(reply.text)")
            }
            let hint = try await server.get("/v1/events?type=region.entred")
            #expect(hint.text.contains("did you mean region.entered?"))
        }
    }
}
