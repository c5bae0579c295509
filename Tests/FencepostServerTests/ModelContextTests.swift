import FencepostJSON
import FencepostModel
import FencepostService
import HTTPTypes
import NIOHTTP1
import Testing

@testable import FencepostServer

/// The SDK of the protocol asks the same in Tests/Counterparts/model_context.py.
@Suite("The Model Context Protocol") struct ModelContextTests {
    private static func send(
        _ server: TestServer, _ message: String, headers: [(String, String)] = [], token: String?? = .none
    ) async throws -> TestServer.Reply {
        try await server.post("/mcp", message, headers: headers, token: token)
    }

    private static func call(
        _ server: TestServer, _ tool: String, _ arguments: String, token: String?? = .none
    ) async throws -> JSONElement {
        let message =
            #"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"\#(tool)","arguments":\#(arguments)}}"#
        return try #require(try await send(server, message, token: token).json["result"])
    }

    @Test("has tools whose names, routes and schemas are right") func tools() async throws {
        let names = ModelTool.all.map(\.name)
        #expect(Set(names).count == names.count && names.count == 14)
        for tool in ModelTool.all {
            var writer = JSONWriter()
            tool.write(to: &writer)
            let written = try JSONDocument(parsing: writer.bytes).root
            let schema = try #require(written["inputSchema"])
            let known = schema["properties"]?.object.map { $0.map(\.name) } ?? []
            for name in schema["required"]?.array?.compactMap(\.string) ?? [] { #expect(known.contains(name)) }
            #expect(tool.route.method == .get || tool.name == "check_regions", "\(tool.name) only reads")
            #expect(!known.contains("dryRun") && !known.contains("Idempotency-Key"))
        }
    }

    @Test("answers each kind of message, and nothing to those that want no answer") func messages() async throws {
        try await TestServer.run { server in
            let begun = try await Self.send(
                server, #"{"jsonrpc":"2.0","id":"a","method":"initialize","params":{"protocolVersion":"2025-03-26"}}"#)
            let first = try begun.json
            #expect(first["id"]?.string == "a" && first["result"]?["protocolVersion"]?.string == "2025-03-26")
            let newest = try await Self.send(
                server, #"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"1"}}"#)
            #expect(try newest.json["result"]?["protocolVersion"]?.string == "2025-11-25")
            #expect(
                try await Self.send(server, #"{"jsonrpc":"2.0","id":1,"method":"ping"}"#).json["result"]?.count == 0)
            for silent in [
                #"{"jsonrpc":"2.0","method":"notifications/initialized"}"#, #"{"jsonrpc":"2.0","id":1,"result":{}}"#,
            ] {
                let reply = try await Self.send(server, silent)
                #expect(reply.status == 202 && reply.text.isEmpty)
            }
            for (message, status, code) in [
                ("{", 400, -32_700), ("[]", 400, -32_600), (#"{"id":1,"method":"ping"}"#, 400, -32_600),
                (#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#, 400, -32_600),
                (#"{"jsonrpc":"2.0","id":1,"method":5}"#, 400, -32_600),
                (#"{"jsonrpc":"2.0","id":1,"method":"tools/erase"}"#, 200, -32_601),
                (#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"erase"}}"#, 200, -32_602),
            ] {
                let reply = try await Self.send(server, message)
                #expect(
                    try reply.status == status && reply.json["error"]?["code"]?.int == code, "\(message): \(reply.text)"
                )
            }
            #expect(try await server.get("/mcp").status == 405)
            #expect(try await Self.send(server, "{}", token: .some(nil)).status == 401)
        }
    }

    @Test("speaks the revisions that it names, and no others") func revisions() async throws {
        try await TestServer.run { server in
            func message(_ revision: String) -> String {
                #"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":"#
                    + #"{"io.modelcontextprotocol/protocolVersion":"\#(revision)"}}}"#
            }
            let modern = try await Self.send(server, message("2026-07-28"))
            #expect(try modern.json["result"]?["resultType"]?.string == "complete")
            #expect(try modern.json["result"]?["cacheScope"]?.string == "public")
            let plain = try await Self.send(server, #"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#)
            #expect(try plain.json["result"]?["resultType"] == nil)
            let other = try await Self.send(server, message("2030-01-01"))
            #expect(try other.status == 400 && other.json["error"]?["code"]?.int == -32_022)
            let supported = try other.json["error"]?["data"]?["supported"]?.array?.compactMap(\.string) ?? []
            #expect(supported == ModelContext.revisions)
            for revision in supported {
                let header = [("MCP-Protocol-Version", revision)]
                #expect(try await Self.send(server, message(revision), headers: header).status == 200)
            }
            let header = [("MCP-Protocol-Version", "1999-01-01")]
            #expect(try await Self.send(server, message("2026-07-28"), headers: header).status == 400)
        }
    }

    @Test("reads what the caller reads, in the caller's name") func rights() async throws {
        try await TestServer.run { server in
            for device in ["van-1", "van-2"] {
                let sent = try await server.post(
                    "/v1/locations",
                    #"{"locations":[{"deviceId":"\#(device)","timestamp":"2026-03-01T08:30:00Z","#
                        + #""latitude":1,"longitude":1}]}"#)
                #expect(sent.status == 200)
            }
            let all = try await Self.call(server, "list_devices", "{}")
            #expect(try await all["structuredContent"] == server.get("/v1/devices").json)
            #expect(all["structuredContent"]?["data"]?.count == 2)
            let bound = try await server.post("/v1/tokens", #"{"name":"b","scopes":["read"],"deviceId":"van-1"}"#)
            let token = try #require(bound.json["token"]?.string)
            let one = try await Self.call(server, "list_devices", "{}", token: token)
            #expect(one["structuredContent"]?["data"]?.array?.compactMap { $0["id"]?.string } == ["van-1"])
            let other = try await Self.call(server, "get_device", #"{"id":"van-2"}"#, token: token)
            #expect(other["isError"]?.bool == true && other["structuredContent"] == nil)
            #expect(other["content"]?.array?.map { $0 }.first?["text"]?.string?.contains("not_found") == true)
            // A session is a caller too, from the page of the service alone.
            let jane = try await SignedInBrowser.signIn(server, "jane", role: "viewer")
            let list = #"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_devices"}}"#
            let seen = try await jane.send(.POST, "/mcp", list)
            #expect(try seen.json["result"]?["structuredContent"]?["data"]?.count == 2)
            let check = list.replacing(#""list_devices""#, with: #""check_regions","arguments":{"regions":{}}"#)
            #expect(try await jane.send(.POST, "/mcp", check).json["result"]?["isError"]?.bool == true)
            var foreign = jane
            foreign.headers = [("Sec-Fetch-Site", "cross-site")]
            #expect(try await foreign.send(.POST, "/mcp", list).code == "cross_origin")
        }
    }

    @Test(
        "says what is wrong with a call, for the model that made it",
        arguments: [
            ("get_device", "{}", "needs the argument id"), ("get_device", "[]", "have to be an object"),
            ("get_device", #"{"id":{}}"#, "cannot be an object"),
            ("list_events", #"{"color":1}"#, "has no argument color"),
            ("list_devices", #"{"deviceId":["a","b"]}"#, "takes one text"),
            ("list_devices", #"{"limit":501}"#, "from 1 to 500"), ("check_regions", "{}", "needs the argument regions"),
        ])
    func mistakes(tool: String, arguments: String, part: String) async throws {
        try await TestServer.run { server in
            let result = try await Self.call(server, tool, arguments)
            #expect(result["isError"]?.bool == true)
            #expect(
                result["content"]?.array?.map { $0 }.first?["text"]?.string?.contains(part) == true, "\(result.text)")
        }
    }

    @Test("checks regions without storing them") func regions() async throws {
        try await TestServer.run { server in
            let feature = """
                {"regions":{"type":"Feature","id":"a/b","properties":{"radius":100},\
                "geometry":{"type":"Point","coordinates":[1,2]}}}
                """
            let result = try await Self.call(server, "check_regions", feature)
            #expect(result["isError"]?.bool == false, "\(result.text)")
            #expect(try await server.get("/v1/regions").json["data"]?.count == 0)
            let missing = try await Self.call(server, "get_region", #"{"id":"a/b"}"#)
            #expect(missing["content"]?.array?.map { $0 }.first?["text"]?.string?.contains("\"not_found\"") == true)
        }
    }
}
