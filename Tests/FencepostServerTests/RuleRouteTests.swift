import FencepostJSON
import FencepostSimulator
import Testing

@Suite("The route of the rules") struct RuleRouteTests {
    @Test("gives every rule once, page by page, with its text", arguments: [7, 500]) func pages(limit: Int) async throws
    {
        try await TestServer.run { server in
            var (ids, texts): ([String], [String]) = ([], [])
            var cursor: String?
            repeat {
                let page = try await server.get(
                    "/v1/rules?limit=\(limit)" + (cursor.map { "&cursor=\($0)" } ?? "")
                ).json
                let rules = try #require(page["data"]?.array)
                #expect(rules.count <= limit)
                ids += rules.compactMap { $0["id"]?.string }
                texts += rules.compactMap { $0["text"]?.string }
                cursor = page["nextCursor"]?.string
            } while cursor != nil
            #expect(ids == Rule.all.map(\.id.rawValue) && texts == Rule.all.map(\.text))
        }
    }

    @Test("says how surely a rule is known, and has nothing behind the last one") func members() async throws {
        try await TestServer.run { server in
            let rules = try #require(try await server.get("/v1/rules?limit=1").json["data"]?.array)
            #expect(rules.map { $0["confidence"]?.string } == [Rule.all[0].confidence.rawValue])
            let first = try #require(Array(rules).first)
            let references = try #require(first["references"]?.array)
            #expect(references.map { $0["key"]?.string } == Rule.all[0].references.map(\.key))
            #expect(references.map { $0["title"]?.string } == Rule.all[0].references.map(\.title))
            // "n100000", as the service writes a cursor after a row.
            let beyond = try await server.get("/v1/rules?cursor=bjEwMDAwMA")
            #expect(beyond.status == 200)
            #expect(try beyond.json["data"]?.count == 0)
            #expect(try await server.get("/v1/rules?cursor=x").status == 400)
        }
    }
}
