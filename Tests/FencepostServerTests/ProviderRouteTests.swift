import FencepostGeometry
import FencepostJSON
import FencepostModel
import FencepostServer
import FencepostService
import NIOHTTP1
import Synchronization
import Testing

/// The whole way through real providers is in Tests/Counterparts/provider.py.
@Suite("Signing in at a provider, over HTTP") struct ProviderRouteTests {
    /// A provider that says what the test wants.
    final class FakeProvider: SignInProvider {
        let settings: ProviderSettings
        let failure = Mutex<SignInFailure?>(nil)
        let ended = Mutex(EndedSignIn(subject: nil, sessionID: nil, time: TestServer.now))
        let asked = Mutex<[String]>([])
        let groups = Mutex<[String]>([])

        init(_ change: (inout ProviderSettings) -> Void = { _ in }) {
            var settings = ProviderSettings(issuer: "https://auth.example.org")
            (settings.name, settings.firstSignIn) = ("Gate", .viewer)
            change(&settings)
            self.settings = settings
        }

        private func check() throws(SignInFailure) { if let failure = failure.withLock({ $0 }) { throw failure } }

        func signInURL(_ attempt: SignInAttempt, redirect: String) async throws(SignInFailure) -> String {
            try check()
            return "https://auth.example.org/auth?state=\(attempt.state)&redirect_uri=\(redirect)"
        }

        func identity(
            code: String, _ attempt: SignInAttempt, redirect: String
        ) async throws(SignInFailure) -> ProvidedIdentity {
            asked.withLock { $0.append("\(code) \(redirect)") }
            try check()
            return ProvidedIdentity(
                subject: "id-\(code)", name: code == "nameless" ? nil : String(code.prefix { $0 != "-" }),
                groups: groups.withLock { $0 },
                sessionID: "s-\(code)", token: "t")
        }

        func signOutURL(_ token: String?, returningTo address: String) async -> String? {
            "https://auth.example.org/end?hint=\(token ?? "")&to=\(address)"
        }

        func ended(by token: String) async throws(SignInFailure) -> EndedSignIn {
            try check()
            return ended.withLock { $0 }
        }
    }

    /// A browser that has begun to sign in, and the state.
    private static func begin(
        _ server: TestServer, headers: [(String, String)] = []
    ) async throws -> (browser: SignedInBrowser, state: String) {
        var browser = SignedInBrowser(server: server)
        browser.headers = headers
        let reply = try await browser.get("/v1/oidc/login")
        #expect(reply.status == 303)
        let cookie = try #require(reply["Set-Cookie"])
        #expect(cookie.contains("; HttpOnly; SameSite=Lax") && cookie.contains("; Max-Age=600"))
        browser.cookie = String(cookie.prefix { $0 != ";" })
        let address = try #require(reply["Location"])
        return (browser, String(address.split(separator: "state=")[1].prefix { $0 != "&" }))
    }

    /// A signed-in browser.
    private static func signIn(_ server: TestServer, _ name: String) async throws -> SignedInBrowser {
        var (browser, state) = try await begin(server)
        let reply = try await browser.get("/v1/oidc/callback?code=\(name)&state=\(state)")
        #expect(reply.status == 200 && reply.text.contains("url=../../"), "\(reply.text)")
        let cookie = try #require(reply["Set-Cookie"])
        #expect(cookie.hasPrefix("fencepost_session=fps_") && cookie.contains("; SameSite=Strict"))
        browser.cookie = String(cookie.prefix { $0 != ";" })
        return browser
    }

    /// Whether the answer of the provider signs a browser in.
    private static func end(_ browser: SignedInBrowser, _ state: String, _ code: String) async throws -> Bool {
        try await browser.get("/v1/oidc/callback?code=\(code)&state=\(state)").status == 200
    }

    @Test("makes a session that also ends at the provider") func signInAndOut() async throws {
        let provider = FakeProvider()
        try await TestServer.run({ $0.provider = provider }) { server in
            let jane = try await Self.signIn(server, "jane")
            let access = try await jane.get("/v1/access").json
            #expect(access["user"]?["name"]?.string == "jane" && access["signOut"]?.string == "v1/oidc/logout")
            #expect(access["signIn"]?["provider"]?.string == "Gate" && access["signIn"]?["passwords"]?.string == "all")
            let session = try await jane.get("/v1/sessions/current").json
            #expect(
                session["provider"]?.bool == true && !session.text.contains("\"t\""), "the token is nobody's business")
            let again = try await Self.signIn(server, "jane")
            #expect(try await again.get("/v1/sessions/current").json["user"]?["id"] == session["user"]?["id"])
            let password = #"{"password":"a","newPassword":"a password in no example"}"#
            #expect(try await jane.send(.POST, "/v1/sessions/current/password", password).code == "no_password")
            let out = try await jane.get("/v1/oidc/logout")
            #expect(
                out.status == 303
                    && out["Location"] == "https://auth.example.org/end?hint=t&to=http://127.0.0.1:\(server.port)/")
            #expect(try await jane.get("/v1/devices").status == 401)
            #expect(try await again.get("/v1/devices").status == 200)
            #expect(try await jane.get("/v1/oidc/logout")["Location"] == "../../", "nobody is signed in")
        }
    }

    @Test("returns to the address of the browser, or to that of the settings") func addresses() async throws {
        for (address, expected) in [
            (nil, "https://map.example/v1/oidc/callback"),
            ("https://own.example/map", "https://own.example/map/v1/oidc/callback"),
        ] {
            let provider = FakeProvider { $0.publicURL = address }
            try await TestServer.run({ $0.provider = provider }) { server in
                let (browser, state) = try await Self.begin(
                    server, headers: [("X-Forwarded-Proto", "https"), ("X-Forwarded-Host", "map.example")])
                let reply = try await browser.get("/v1/oidc/callback?code=jane&state=\(state)")
                #expect(reply.status == 200 && reply["Set-Cookie"]?.hasSuffix("; Secure") == true)
                #expect(provider.asked.withLock { $0 } == ["jane \(expected)"])
            }
        }
    }

    @Test("leads back to the page with what went wrong") func failures() async throws {
        let provider = FakeProvider { $0.firstSignIn = .refuse }
        try await TestServer.run({ $0.provider = provider }) { server in
            var (browser, state) = try await Self.begin(server)
            func end(_ query: String) async throws -> String? {
                let reply = try await browser.get("/v1/oidc/callback?\(query)")
                #expect(reply.status == 303)
                return reply["Location"]
            }
            #expect(try await end("code=jane&state=\(state)") == "../../?signIn=refused")
            #expect(try await end("code=jane&state=\(state)x") == "../../?signIn=expired")
            #expect(try await end("code=jane") == "../../?signIn=expired")
            #expect(try await end("error=access_denied") == "../../?signIn=denied")
            #expect(
                try await end("code=jane&state=\(state)&iss=https://x")
                    == "../../?signIn=invalid_token&reason=answerIssuer")
            for (failure, expected) in [
                (SignInFailure.away("gone"), "provider_away"), (.denied("no"), "denied"),
                (.token(.nonce), "invalid_token&reason=nonce"),
            ] {
                provider.failure.withLock { $0 = failure }
                #expect(try await end("code=jane&state=\(state)") == "../../?signIn=\(expected)")
            }
            #expect(
                provider.asked.withLock { $0.count } == 4, "the provider is asked for nothing that no browser began")
            browser.cookie = nil
            #expect(try await end("code=jane&state=\(state)") == "../../?signIn=expired")
            provider.failure.withLock { $0 = .away("gone") }
            #expect(try await browser.get("/v1/oidc/login")["Location"] == "../../?signIn=provider_away")
        }
    }

    @Test("goes on in the newest tab, whatever comes to the others") func tabs() async throws {
        let provider = FakeProvider()
        try await TestServer.run({ $0.provider = provider }) { server in
            let (_, first) = try await Self.begin(server)
            let (browser, second) = try await Self.begin(server)
            for query in ["code=jane&state=\(first)", "code=jane", "error=access_denied", "error=a&state=\(first)", ""]
            {
                let reply = try await browser.get("/v1/oidc/callback?\(query)")
                #expect(reply.status == 303 && reply["Set-Cookie"] == nil, "\(query)")
            }
            for path in ["callback?code=jane&state=\(second)", "logout"] {
                #expect(try await browser.send(.HEAD, "/v1/oidc/\(path)").status == 405)
            }
            #expect(try await browser.get("/v1/oidc/callback?code=jane&state=\(second)").status == 200)
        }
    }

    @Test("takes everything away from who has left the groups, in each browser") func leaving() async throws {
        let provider = FakeProvider {
            $0.firstSignIn = .invited
            $0.groups = [.init(group: "admins", role: .admin)]
        }
        provider.groups.withLock { $0 = ["admins"] }
        try await TestServer.run({ $0.provider = provider }) { server in
            let jane = try await Self.signIn(server, "jane")
            let id = try #require(try await jane.get("/v1/access").json["user"]?["id"]?.string)
            #expect(try await jane.get("/v1/users").status == 200)
            provider.groups.withLock { $0 = [] }
            let (browser, state) = try await Self.begin(server)
            let refused = try await browser.get("/v1/oidc/callback?code=jane&state=\(state)")
            #expect(refused["Location"] == "../../?signIn=refused")
            #expect(try await jane.get("/v1/devices").status == 401)
            let user = try await server.get("/v1/users/\(id)").json
            #expect(user["role"]?.string == "viewer" && user["tags"]?.count == 0 && user["devices"]?.count == 0)
            // An administrator may let her in again.
            let change = #"{"role":"editor","tags":null,"devices":null}"#
            #expect(
                try await server.send(
                    .PATCH, "/v1/users/\(id)", body: Array(change.utf8), type: "application/json"
                ).status == 200)
            let again = try await Self.signIn(server, "jane")
            #expect(try await again.get("/v1/access").json["user"]?["role"]?.string == "editor")
        }
    }

    @Test("never takes the provider's id of a person for the name of an invited user") func namelessIdentity()
        async throws
    {
        let provider = FakeProvider { $0.firstSignIn = .invited }
        try await TestServer.run({ $0.provider = provider }) { server in
            let body = #"{"name":"id-nameless","password":null,"role":"admin"}"#
            #expect(try await server.post("/v1/users", body).status == 201)
            let (browser, state) = try await Self.begin(server)
            let reply = try await browser.get("/v1/oidc/callback?code=nameless&state=\(state)")
            #expect(reply["Location"] == "../../?signIn=refused")
        }
    }

    @Test("gives an invitation to one of two, wherever the other one is interrupted") func invitation() async throws {
        let provider = FakeProvider { $0.firstSignIn = .invited }
        let gate = StoreGate()
        try await TestServer.run(gate: gate) {
            $0.provider = provider
        } _: { server in
            var point = 0
            while true {
                let invited = try await server.post(
                    "/v1/users", "{\"name\":\"ida\(point)\",\"password\":null,\"role\":\"admin\"}")
                let id = try #require(try invited.json["id"]?.string)
                let (one, first) = try await Self.begin(server)
                let (other, second) = try await Self.begin(server)
                gate.arm(after: point)
                let held = Task { [point] in
                    defer { gate.requestDidEnd() }
                    return try await Self.end(one, first, "ida\(point)-1")
                }
                let wasHeld = await gate.untilHeld()
                let isSecond = wasHeld ? try await Self.end(other, second, "ida\(point)-2") : false
                gate.release()
                let isFirst = try await held.value
                #expect(isFirst != isSecond, "held at access \(point)")
                let subject = try await server.get("/v1/users/\(id)").json["provider"]?["subject"]?.string
                #expect(subject == "id-ida\(point)-\(isFirst ? 1 : 2)")
                guard wasHeld else { break }
                point += 1
            }
            #expect(point > 3, "the sign-in uses the store")
        }
    }

    @Test("makes an address wait that fails too often") func limit() async throws {
        let provider = FakeProvider()
        provider.failure.withLock { $0 = .token(.signature) }
        try await TestServer.run({ $0.provider = provider }) { server in
            provider.failure.withLock { $0 = nil }
            let (browser, state) = try await Self.begin(server)
            provider.failure.withLock { $0 = .token(.signature) }
            var statuses: [Int] = []
            for _ in 0..<21 {
                statuses.append(try await browser.get("/v1/oidc/callback?code=a&state=\(state)").status)
            }
            #expect(statuses == [Int](repeating: 303, count: 20) + [429])
        }
    }

    @Test("ends the sessions that the provider names, and no later ones") func backChannel() async throws {
        let provider = FakeProvider()
        try await TestServer.run({ $0.provider = provider }) { server in
            let (jane, joe) = try await (Self.signIn(server, "jane"), Self.signIn(server, "joe"))
            func notify(_ subject: String?, _ session: String?, _ offset: Duration = .zero) async throws -> Int {
                provider.ended.withLock {
                    $0 = EndedSignIn(subject: subject, sessionID: session, time: server.clock.now() + offset)
                }
                return try await server.post(
                    "/v1/oidc/backchannel-logout", "logout_token=a.b.c", type: "application/x-www-form-urlencoded",
                    token: .some(nil)
                ).status
            }
            func present() async throws -> [Bool] {
                try await [jane.get("/v1/devices").status == 200, joe.get("/v1/devices").status == 200]
            }
            #expect(try await notify("id-jane", "other") == 200)
            #expect(try await notify("id-nobody", nil) == 200)
            #expect(try await notify("id-jane", nil, .seconds(-61)) == 200)
            #expect(try await present() == [true, true])
            #expect(try await notify(nil, "s-joe") == 200)
            #expect(try await present() == [true, false])
            #expect(try await notify("id-jane", nil) == 200)
            #expect(try await present() == [false, false])
            provider.failure.withLock { $0 = .token(.expired) }
            #expect(try await notify("id-jane", nil) == 400)
            provider.failure.withLock { $0 = .away("gone") }
            #expect(try await notify("id-jane", nil) == 503, "the provider tries again")
        }
    }

    @Test(
        "leaves passwords to whom the settings leave them",
        arguments: [("all", 201, 201), ("administrators", 201, 403), ("none", 403, 403)])
    func passwords(setting: String, admin: Int, viewer: Int) async throws {
        let provider = FakeProvider { $0.passwords = .init(rawValue: setting) ?? .all }
        try await TestServer.run({ $0.provider = provider }) { server in
            for (name, role, status) in [("root", "admin", admin), ("vera", "viewer", viewer)] {
                let password = SignedInBrowser.password
                let added = try await server.post(
                    "/v1/users", "{\"name\":\"\(name)\",\"password\":\"\(password)\",\"role\":\"\(role)\"}")
                #expect(added.status == 201)
                var browser = SignedInBrowser(server: server)
                let reply = try await browser.signIn(name)
                #expect(reply.status == status && (status == 201 || reply.code == "passwords_off"))
            }
        }
    }

    @Test("needs a provider in the configuration") func nothing() async throws {
        try await TestServer.run { server in
            for path in ["/v1/oidc/login", "/v1/oidc/callback?code=a&state=b", "/v1/oidc/logout"] {
                #expect(try await server.get(path, token: .some(nil)).code == "no_provider")
            }
            let access = try await server.get("/v1/access").json
            #expect(access["signIn"] == nil && access["signOut"] == nil)
            let invited = try await server.post("/v1/users", #"{"name":"ida","password":null,"role":"viewer"}"#)
            #expect(invited.status == 422, "such a user could never sign in")
        }
    }
}
