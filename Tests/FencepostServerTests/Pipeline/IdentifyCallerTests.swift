import FencepostHTTP
import FencepostModel
import FencepostService
import HTTPTypes
import Testing

@testable import FencepostServer

@Suite("The stage that identifies the caller") struct IdentifyCallerTests {
    private static func refusal(
        _ api: API, _ access: Access, token: String? = nil, query: String = "", headers: HTTPFields = [:],
        isLocal: Bool = false
    ) async -> (code: String?, caller: Caller) {
        var headers = headers
        if let token { headers[.authorization] = "Bearer \(token)" }
        var exchange = StageFixture.exchange(.post, "/things", headers: headers)
        exchange.call.query = Query(query) ?? Query()
        exchange.route = StageFixture.route(.post, access: access)
        let code = await StageFixture.refusal(IdentifyCaller(api: api, isLocal: isLocal), &exchange)
        return (code, exchange.call.caller)
    }

    @Test("knows tokens and what they allow") func tokens() async throws {
        try await StageFixture.withAPI { api, server in
            let (reader, bound) = (try await server.issue(["read"]), try await server.issue(["read"], device: "jane"))
            let open = await Self.refusal(api, .open)
            #expect(open.code == nil && open.caller.token == nil)
            #expect(await Self.refusal(api, .scope(.read)).code == "unauthorized")
            #expect(await Self.refusal(api, .caller).code == "unauthorized")
            let found = await Self.refusal(api, .scope(.read), token: reader)
            #expect(found.code == nil && found.caller.has(.read) && !found.caller.has(.write))
            #expect(await Self.refusal(api, .scope(.write), token: reader).code == "missing_scope")
            #expect(await Self.refusal(api, .unbound(.read), token: reader).code == nil)
            #expect(await Self.refusal(api, .unbound(.read), token: bound).code == "bound_token")
            #expect(await Self.refusal(api, .scope(.read), token: bound).caller.deviceID == DeviceID("jane"))
        }
    }

    @Test("takes a ticket once, on the routes that take one") func tickets() async throws {
        try await StageFixture.withAPI { api, server in
            let caller = await Self.refusal(api, .scope(.read), token: try await server.issue(["read"])).caller
            var generator: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()
            let (ticket, _) = api.tickets.issue(caller, now: api.clock.now(), using: &generator)
            #expect(await Self.refusal(api, .scope(.read), query: "ticket=\(ticket)").code == "unauthorized")
            #expect(await Self.refusal(api, .ticket(.read), query: "ticket=\(ticket)").code == nil)
            #expect(await Self.refusal(api, .ticket(.read), query: "ticket=\(ticket)").code == "unauthorized")
        }
    }

    @Test("asks commands of this machine for no token") func local() async throws {
        try await StageFixture.withAPI { api, _ in
            let local = await Self.refusal(api, .unbound(.admin), isLocal: true)
            #expect(local.code == nil && local.caller.isLocal)
        }
    }

    @Test("refuses changes that another site makes a browser ask for") func foreign() async throws {
        try await StageFixture.withAPI { api, _ in
            let foreign: HTTPFields = [.origin: "https://evil.example"]
            #expect(await Self.refusal(api, .open, headers: foreign).code == "cross_origin")
            #expect(await Self.refusal(api, .open, headers: [.origin: "http://here"]).code == nil)
            // Without a cookie a token is needed, which no site has.
            #expect(await Self.refusal(api, .scope(.read), headers: foreign).code == "unauthorized")
        }
    }
}
