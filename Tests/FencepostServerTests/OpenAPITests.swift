import FencepostJSON
import FencepostServer
import NIOHTTP1
import Testing

@Suite("The OpenAPI document") struct OpenAPITests {
    @Test("contains all routes and no others") func routes() async throws {
        try await TestServer.run { server in
            let reply = try await server.get("/openapi.json", token: .some(nil))
            #expect(reply.status == 200)
            let document = try reply.json
            #expect(document["openapi"]?.string == "3.1.0")
            var found: Set<String> = []
            for path in try #require(document["paths"]?.object) {
                for method in try #require(path.value.object) {
                    found.insert("\(method.name.uppercased()) \(path.name)")
                }
            }
            #expect(found == Set(server.server.routeNames))
        }
    }

    @Test("has no dangling reference and no duplicate operation id") func references() async throws {
        try await TestServer.run { server in
            let document = try await server.get("/openapi.json").json
            var (references, operations): (Set<String>, [String]) = ([], [])
            func search(_ element: JSONElement) {
                for member in element.object.map({ Array($0) }) ?? [] {
                    if member.name == "$ref", let text = member.value.string { references.insert(text) }
                    if member.name == "operationId", let text = member.value.string { operations.append(text) }
                    search(member.value)
                }
                for element in element.array.map({ Array($0) }) ?? [] { search(element) }
            }
            search(document)
            #expect(!references.isEmpty && Set(operations).count == operations.count)
            for reference in references {
                let steps = reference.dropFirst(2).split(separator: "/").map(String.init)
                #expect(steps.reduce(document) { $0?[$1] } != nil, "\(reference)")
            }
            for path in try #require(document["paths"]?.object) {
                for method in try #require(path.value.object) {
                    let name = "\(method.name) \(path.name)"
                    #expect(method.value["responses"]?.object?.isEmpty == false, "\(name)")
                    let wanted = path.name.split(separator: "/").filter { $0.hasPrefix("{") }.map {
                        $0.dropFirst().dropLast()
                    }
                    let documented =
                        method.value["parameters"]?.array?.filter { $0["in"]?.string == "path" }
                        .map { $0["name"]?.string ?? "" } ?? []
                    #expect(wanted.map(String.init) == documented, "\(name)")
                }
            }
        }
    }

    /// Without the type of a constant, or of the elements of an array, generated clients lack whole operations or do not
    /// compile.
    @Test("gives every constant a type, and every array what its elements are") func types() async throws {
        try await TestServer.run { server in
            let document = try await server.get("/openapi.json").json
            var (constants, arrays) = (0, 0)
            func search(_ element: JSONElement, isSchema: Bool, _ path: String) {
                if isSchema, element["const"] != nil {
                    constants += 1
                    #expect(element["type"]?.string != nil, "\(path)")
                }
                let types = element["type"]?.array?.compactMap(\.string) ?? [element["type"]?.string].compactMap(\.self)
                if isSchema, types.contains("array") {
                    arrays += 1
                    #expect(element["items"] != nil || element["prefixItems"] != nil, "\(path)")
                }
                for member in element.object.map({ Array($0) }) ?? [] where member.name != "example" {
                    // The members of `properties` are schemas by names that are not the schema's own.
                    search(
                        member.value, isSchema: member.name != "properties" && member.name != "parameters",
                        path + "/" + member.name)
                }
                for element in element.array.map({ Array($0) }) ?? [] {
                    search(element, isSchema: true, "\(path)/-")
                }
            }
            search(document, isSchema: false, "")
            #expect(constants > 10 && arrays > 50)
        }
    }

    @Test("has the header fields that the service reads") func headers() async throws {
        try await TestServer.run { server in
            let put = try #require(try await server.get("/openapi.json").json["paths"]?["/v1/regions/{id}"]?["put"])
            let names = put["parameters"]?.array?.filter { $0["in"]?.string == "header" }.compactMap {
                $0["name"]?.string
            }
            #expect(names == ["If-Match", "If-None-Match", "Content-Encoding"])
        }
    }
}
