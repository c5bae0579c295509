import FencepostJSON
import FencepostModel
import FencepostServer
import FencepostService
import FencepostServiceTesting
import FencepostStore
import FencepostTesting
import Foundation
import NIOHTTP1
import Testing

/// Every route of the server with every kind of caller, about the caller's own things and those of others.
@Suite("Access to every route") struct AccessMatrixTests {
    /// Whose things a request is about.
    private enum Whose: CaseIterable { case own, others }

    private struct Sender: Sendable {
        var name: String
        /// The text of a token, a link or a session; `nil` for none.
        var secret: String?
        var isSession = false
        var isLink = false
        /// `nil` for a caller who is nobody: without a token, or with one that has ended.
        var scopes: Set<String>?
        /// Whether it sees the devices `jane/…` only.
        var isLimited = false
        /// The user of a session.
        var userID: String?

        func has(_ scope: String) -> Bool {
            scope == "any" || scopes?.contains(scope) == true || scopes?.contains("admin") == true
        }
        var isAdministrator: Bool { has("admin") && !isLimited }
    }

    /// What the server has to say.
    private enum Verdict { case allowed, nobody, forbidden, hidden }

    private static func verdict(_ row: AccessRow, _ sender: Sender, _ whose: Whose) -> Verdict {
        guard let scope = row.scope else {
            // It says what the caller may do, so it reads the token.
            let isWrong = sender.scopes == nil && sender.secret != nil && !sender.isSession
            return row.path == "/v1/access" && isWrong ? .nobody : .allowed
        }
        if scope == "share" { return sender.isLink ? .allowed : .nobody }
        guard sender.scopes != nil, !sender.isSession || row.takesCookies else { return .nobody }
        guard sender.has(scope) else { return .forbidden }
        guard !sender.isLimited || row.isForBound else { return .forbidden }
        // An import has one owner: a device, or somebody who sees all devices.
        if row.path.hasPrefix("/v1/imports"), sender.isLimited, sender.isSession { return .forbidden }
        switch (row.things, whose) {
        case (.session, .others), (.sessions, .others): return sender.isAdministrator ? .allowed : .hidden
        case (.session, .own), (.sessions, .own): return .allowed
        case (.sent, .others): return sender.isLimited ? .forbidden : .allowed
        case (.none, _), (.list, _), (.regionDevices, _), (_, .own): return .allowed
        case (.device, .others), (.filtered, .others), (.stream, .others), (.event, .others), (.importJob, .others),
            (.share, .others), (.newShare, .others):
            return sender.isLimited ? .hidden : .allowed
        }
    }

    /// The things of the callers, `jane/phone` and what belongs to it, and those of others.
    private struct World: Sendable {
        let server: TestServer
        let events: [Whose: String]
        let plan: String
        static let devices: [Whose: String] = [.own: "jane/phone", .others: "bob"]
        static let stranger = "usr_stranger"
    }

    private static func makeWorld(_ server: TestServer) async throws -> World {
        var events: [Whose: String] = [:]
        for (whose, device) in World.devices {
            try await server.walkIn(device)
            let name = device.replacing("/", with: "%2F")
            let found = try await server.get("/v1/events?deviceId=\(name)").json
            events[whose] = try #require(found["data"]?[0]?["id"]?.string)
        }
        let stranger = User(
            id: World.stranger, name: "stranger", passwordHash: "$", role: .editor, createdAt: TestServer.now)
        #expect(try await server.store.add(stranger))
        let plan = #"{"timeZone":"UTC","devices":["*"],"places":[{"region":"office","from":"09:00","to":"09:30"}]}"#
        let planID = try #require(try await server.post("/v1/plans", plan).json["id"]?.string)
        return World(server: server, events: events, plan: planID)
    }

    // MARK: Callers

    private static func makeSenders(_ server: TestServer) async throws -> [Sender] {
        var senders = [Sender(name: "nobody")]
        for scope in ["ingest", "read", "write", "admin"] {
            senders.append(
                Sender(name: "a token for \(scope)", secret: try await server.issue([scope]), scopes: [scope]))
            let bound = try await server.issue([scope], device: "jane/phone")
            senders.append(
                Sender(name: "a bound token for \(scope)", secret: bound, scopes: [scope], isLimited: true))
        }
        for (role, scopes) in [
            (User.Role.admin, ["admin"]), (.editor, ["ingest", "read", "write"]), (.viewer, ["read"]),
        ] {
            for isLimited in role == .admin ? [false] : [false, true] {
                senders.append(try await session(server, role, Set(scopes), isLimited: isLimited))
            }
        }
        let share = #"{"devices":["jane/phone"],"expires":"2026-03-01T12:00:00Z"}"#
        let link = try #require(try await server.post("/v1/shares", share).json["secret"]?.string)
        senders.append(Sender(name: "a share link", secret: link, isLink: true))
        senders += try await endedSenders(server)
        return senders
    }

    private static func session(
        _ server: TestServer, _ role: User.Role, _ scopes: Set<String>, isLimited: Bool
    ) async throws -> Sender {
        let name = "\(isLimited ? "limited " : "")\(role.rawValue)"
        var user = User(
            id: "usr_\(name)", name: name, passwordHash: "$", role: role, createdAt: TestServer.now)
        if isLimited { user.devices = [GlobPattern("jane/*")] }
        #expect(try await server.store.add(user))
        return Sender(
            name: "a session of a \(name)", secret: try await signIn(server, user.id), isSession: true,
            scopes: scopes, isLimited: isLimited, userID: user.id)
    }

    private static func signIn(_ server: TestServer, _ user: String, id: String? = nil) async throws -> String {
        var generator = SystemRandomNumberGenerator()
        let secret = "fps_" + TokenText.make(using: &generator).dropFirst(3)
        let session = UserSession(
            id: id ?? "ses_\(UUID().uuidString)", hash: TokenText.hash(secret), userID: user,
            createdAt: TestServer.now)
        #expect(try await server.store.add(session, checkedBy: "$"))
        return secret
    }

    private static func endedSenders(_ server: TestServer) async throws -> [Sender] {
        let expires = (TestServer.now + .seconds(60)).rfc3339
        let expired = try await server.post(
            "/v1/tokens", "{\"name\":\"expired\",\"scopes\":[\"admin\"],\"expires\":\"\(expires)\"}"
        ).json
        let revoked = try await server.post("/v1/tokens", #"{"name":"revoked","scopes":["admin"]}"#).json
        let revokedID = try #require(revoked["id"]?.string)
        let secrets = [try #require(expired["token"]?.string), try #require(revoked["token"]?.string)]
        for secret in secrets { #expect(try await server.get("/v1/devices", token: secret).status == 200) }
        #expect(try await server.send(.DELETE, "/v1/tokens/\(revokedID)").status == 204)
        let user = User(id: "usr_gone", name: "gone", passwordHash: "$", role: .admin, createdAt: TestServer.now)
        #expect(try await server.store.add(user))
        let ended = try await signIn(server, user.id)
        #expect(try await server.store.removeUser(id: user.id))
        server.time.advance(by: .seconds(61))
        return [
            Sender(name: "an expired token", secret: secrets[0]), Sender(name: "a revoked token", secret: secrets[1]),
            Sender(name: "a session that has ended", secret: ended, isSession: true),
        ]
    }

    // MARK: Requests

    private struct Target {
        var path: String
        var body: String?
        var type = "application/json"
    }

    /// What a request is about; `nil` when the caller has nothing of the kind.
    private static func target(
        _ row: AccessRow, _ sender: Sender, _ whose: Whose, in world: World
    ) async throws -> Target? {
        let (server, device) = (world.server, try #require(World.devices[whose]))
        let name = device.replacing("/", with: "%2F")
        var target = Target(path: row.path, body: row.method == "GET" || row.method == "DELETE" ? nil : "{}")
        func setID(_ id: String) { target.path = target.path.replacing("{id}", with: id) }
        switch row.things {
        case .none, .list: setID("nobody%2Fhere")
        case .regionDevices: setID("office")
        case .device:
            if row.path.hasSuffix("/face") { target.type = "image/png" }
            setID(name)
        case .filtered, .stream:
            setID(world.plan)
            target.path += "?deviceId=\(name)"
        case .sent(let query):
            target.path += query.replacing("DEVICE", with: name)
            if !query.isEmpty { target.body = nil }
            if query.isEmpty { target.body = "{\"locations\":[\(TestServer.location(device, 30, 50.5, 10.5))]}" }
        case .event: setID(try #require(world.events[whose]))
        case .importJob:
            var job = ImportJob(
                id: "imp_\(UUID().uuidString)", file: nil, format: "native", createdAt: TestServer.now, locations: 0,
                ignored: 0, rejected: "[]")
            job.deviceID = DeviceID(device)
            try await server.store.add(job)
            try await server.store.setState(.done, ofImport: job.id)
            setID(job.id)
        case .share:
            let share = Share(
                id: "shr_\(UUID().uuidString)", name: "", hash: Array(UUID().uuidString.utf8),
                devices: [DeviceID(device)], expires: TestServer.now + .seconds(3600), createdAt: TestServer.now)
            #expect(try await server.store.add(share))
            setID(share.id)
        case .newShare:
            target.body = "{\"devices\":[\"\(device)\"],\"expires\":\"2026-03-01T12:00:00Z\"}"
        case .session:
            guard let user = whose == .own ? sender.userID : World.stranger else { return nil }
            let id = "ses_\(UUID().uuidString)"
            _ = try await signIn(server, user, id: id)
            setID(id)
        case .sessions:
            guard let user = whose == .own ? sender.userID : World.stranger else { return nil }
            target.path += "?userId=\(user.replacing(" ", with: "%20"))"
        }
        return target
    }

    private static func send(_ target: Target, _ row: AccessRow, _ sender: Sender, _ server: TestServer) async throws
        -> TestServer.Reply
    {
        let method = HTTPMethod(rawValue: row.method)
        if sender.isSession, let secret = sender.secret {
            return try await SignedInBrowser(server: server, cookie: "fencepost_session=\(secret)")
                .send(method, target.path, target.body, type: target.type)
        }
        return try await server.send(
            method, target.path, body: target.body.map { Array($0.utf8) },
            type: target.body.map { _ in target.type }, token: .some(sender.secret))
    }

    private static func check(
        _ reply: TestServer.Reply, _ row: AccessRow, _ sender: Sender, _ whose: Whose
    ) {
        let what = "\(row) with \(sender.name), \(whose): \(reply.status) \(reply.text.prefix(200))"
        switch verdict(row, sender, whose) {
        case .nobody: #expect(reply.status == 401, "\(what)")
        case .forbidden: #expect(reply.status == 403, "\(what)")
        case .hidden: #expect(reply.status == 404, "\(what)")
        case .allowed:
            // A ready service is another test's matter.
            #expect(![401, 403].contains(reply.status) && reply.status < 500, "\(what)")
            // The first of the requests has removed what the others would remove.
            let isRemoved = row.things == .device && row.method == "DELETE"
            let isOptional = row.path.hasSuffix("/face") || row.path.hasSuffix("/fence")
            let isThere = row.things != .none && !isOptional && !isRemoved
            if isThere { #expect(reply.status != 404, "\(what)") }
        }
        if sender.isLimited || sender.scopes == nil {
            #expect(whose == .others || !reply.text.contains("\"bob\""), "\(what) shows a device of others")
        }
    }

    @Test("is as it was declared, for every kind of caller and whose things it is about") func matrix() async throws {
        try await TestServer.run({ dependencies in
            (dependencies.settings.apiRate, dependencies.settings.ingestRate) = (nil, nil)
        }) { server in
            let rows = AccessRow.all
            #expect(Set(server.server.routeNames) == Set(rows.map(\.route)), "the outline has other routes")
            #expect(rows.count == Set(rows.map(\.route)).count)
            #expect(Set(AccessRow.things.keys).isSubset(of: rows.map(\.route)), "things of a route that is not there")
            let world = try await Self.makeWorld(server)
            let senders = try await Self.makeSenders(server)
            for row in rows {
                for sender in senders {
                    for whose in Whose.allCases {
                        // A stream that is allowed stays open. Other tests read it.
                        if row.things == .stream, Self.verdict(row, sender, whose) == .allowed { continue }
                        guard let target = try await Self.target(row, sender, whose, in: world) else { continue }
                        var sender = sender
                        if row.route == "DELETE /v1/sessions/current", let user = sender.userID {
                            sender.secret = try await Self.signIn(server, user)
                        }
                        // A token that is no more is an unknown one, and these have to wait.
                        if sender.scopes == nil { server.time.advance(by: .seconds(1)) }
                        let reply = try await Self.send(target, row, sender, server)
                        Self.check(reply, row, sender, whose)
                    }
                }
            }
        }
    }
}
