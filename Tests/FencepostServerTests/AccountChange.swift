import FencepostModel
import FencepostServer
import FencepostService
import FencepostStore
import Foundation
import NIOHTTP1

/// A user, an endpoint, tokens and links of one round, which no other round touches.
struct Accounts: Sendable {
    let server: TestServer
    let number: Int
    /// The text of a token that may write, and that of the user's session.
    let tokenText, sessionText: String

    var userName: String { "user\(number)" }
    var userID: String { "usr_\(number)" }
    var sessionID: String { "ses_\(number)" }
    var endpointID: String { "end_\(number)" }
    var tokenID: String { "tok_\(number)" }
    var tag: String { "tag\(number)" }
    var shareID: String { "shr_\(number)" }
    var secret: String { "whsec_first\(number)" }

    /// Adds them to the store.
    static func make(_ server: TestServer, _ number: Int) async throws -> Accounts {
        var generator = SystemRandomNumberGenerator()
        let text = TokenText.make(using: &generator)
        let session = "fps_" + TokenText.make(using: &generator).dropFirst(3)
        let made = Accounts(server: server, number: number, tokenText: text, sessionText: session)
        let (store, now) = (server.store, TestServer.now)
        let user = User(
            id: made.userID, name: made.userName, passwordHash: "plain:old password", role: .admin, createdAt: now)
        _ = try await store.add(user)
        _ = try await store.add(
            UserSession(id: made.sessionID, hash: TokenText.hash(session), userID: user.id, createdAt: now),
            checkedBy: user.passwordHash)
        let token = AccessToken(
            id: made.tokenID, name: "token\(number)", hash: TokenText.hash(text), scopes: [.read, .write],
            createdAt: now)
        try await store.save(token)
        _ = try await store.add(
            Share(
                id: made.shareID, name: "link\(number)", hash: [UInt8(number & 255), UInt8(number >> 8)],
                devices: [DeviceID("jane/phone")], expires: now + .seconds(3600), createdAt: now, ownerID: token.id))
        _ = try await store.add(
            Endpoint(
                id: made.endpointID, url: "https://example.org/first", secrets: [Endpoint.Secret(made.secret)],
                createdAt: now))
        try await store.save(DeviceGroup(tag: made.tag, devices: [GlobPattern("a")]))
        return made
    }

    /// What is stored of them, without random values.
    func state() async throws -> String {
        let store = server.store
        var lines: [String] = []
        for user in try await store.users() where user.name.hasSuffix(userName) {
            let sessions = try await store.sessions(of: user.id).map { $0.id == sessionID ? "first" : "new" }.sorted()
            lines.append(
                "\(user.name.dropLast(userName.count))user \(user.role) \(user.passwordHash) "
                    + "\(user.tags?.count ?? -1) \(user.devices?.count ?? -1) \(user.timeZone ?? "-") \(sessions)")
        }
        if let endpoint = try await store.endpoint(id: endpointID)?.endpoint {
            let secrets = endpoint.secrets.map { $0.value == secret ? "first" : "new" }
            lines.append("endpoint \(endpoint.url) \(endpoint.events.map(\.rawValue)) \(endpoint.isActive) \(secrets)")
        }
        for token in try await store.tokens() where token.name.hasSuffix("token\(number)") {
            lines.append("token \(token.name.dropLast("\(number)".count))")
        }
        for share in try await store.shares() where share.name.hasSuffix("link\(number)") {
            lines.append("share \(share.name.dropLast("\(number)".count))")
        }
        for group in try await store.groups() where group.tag == tag { lines.append("group \(group.devices)") }
        return lines.sorted().joined(separator: "\n")
    }

    // MARK: Requests

    func asAdministrator(_ method: HTTPMethod, _ path: String, _ body: String? = nil) async throws -> Int {
        try await server.send(
            method, path, body: body.map { Array($0.utf8) }, type: body == nil ? nil : "application/json"
        ).status
    }

    func asToken(_ method: HTTPMethod, _ path: String, _ body: String? = nil) async throws -> Int {
        try await server.send(
            method, path, body: body.map { Array($0.utf8) }, type: body == nil ? nil : "application/json",
            token: tokenText
        ).status
    }

    func asUser(_ method: HTTPMethod, _ path: String, _ body: String? = nil) async throws -> Int {
        try await SignedInBrowser(server: server, cookie: "fencepost_session=\(sessionText)")
            .send(method, path, body, headers: client).status
    }

    /// An address of its own, since wrong passwords of one address are limited.
    fileprivate var client: [(String, String)] { [("X-Forwarded-For", "10.1.\(number / 250).\(number % 250)")] }
}

/// Something that changes accounts or endpoints.
struct AccountChange: Sendable, CustomStringConvertible {
    let description: String
    /// The route; `nil` for a change that the service makes itself.
    let route: String?
    /// Makes the change, and returns the status of the response.
    let make: @Sendable (Accounts) async throws -> Int

    init(_ description: String, _ route: String?, _ make: @escaping @Sendable (Accounts) async throws -> Int) {
        (self.description, self.route, self.make) = (description, route, make)
    }

    /// Routes under the same paths that change no row of an account or an endpoint.
    static let others: Set<String> = [
        "POST /v1/endpoints/preview", "POST /v1/endpoints/{id}/test", "POST /v1/endpoints/{id}/recover",
    ]
    static let paths = ["/v1/users", "/v1/groups", "/v1/sessions", "/v1/tokens", "/v1/shares", "/v1/endpoints"]

    /// All of them. A new route under `paths` has to be added here or to `others`.
    static let all: [AccountChange] = users + accesses + endpoints

    private static let users = [
        AccountChange("sets a password", "PATCH /v1/users/{id}") {
            try await $0.asAdministrator(.PATCH, "/v1/users/\($0.userID)", #"{"password":"set by another"}"#)
        },
        AccountChange("demotes", "PATCH /v1/users/{id}") {
            try await $0.asAdministrator(.PATCH, "/v1/users/\($0.userID)", #"{"role":"viewer"}"#)
        },
        AccountChange("limits", "PATCH /v1/users/{id}") {
            try await $0.asAdministrator(
                .PATCH, "/v1/users/\($0.userID)", #"{"role":"editor","tags":["x"],"devices":["a","b"]}"#)
        },
        AccountChange("renames", "PATCH /v1/users/{id}") {
            try await $0.asAdministrator(.PATCH, "/v1/users/\($0.userID)", "{\"name\":\"new\($0.userName)\"}")
        },
        AccountChange("removes", "DELETE /v1/users/{id}") {
            try await $0.asAdministrator(.DELETE, "/v1/users/\($0.userID)")
        },
        AccountChange("adds a user", "POST /v1/users") {
            try await $0.asAdministrator(
                .POST, "/v1/users", "{\"name\":\"new\($0.userName)\",\"password\":\"12345678\",\"role\":\"viewer\"}")
        },
        AccountChange("signs in", "POST /v1/sessions") {
            try await $0.asUserWithoutSession("old password")
        },
        AccountChange("changes the own password", "POST /v1/sessions/current/password") {
            try await $0.asUser(
                .POST, "/v1/sessions/current/password", #"{"password":"old password","newPassword":"my own choice"}"#)
        },
        AccountChange("chooses a time zone", "PATCH /v1/sessions/current/user") {
            try await $0.asUser(.PATCH, "/v1/sessions/current/user", #"{"timeZone":"Asia/Kolkata"}"#)
        },
        AccountChange("signs out", "DELETE /v1/sessions/current") {
            try await $0.asUser(.DELETE, "/v1/sessions/current")
        },
        AccountChange("ends a session", "DELETE /v1/sessions/{id}") {
            try await $0.asAdministrator(.DELETE, "/v1/sessions/\($0.sessionID)")
        },
    ]

    private static let accesses = [
        AccountChange("sets a group", "PUT /v1/groups/{id}") {
            try await $0.asAdministrator(.PUT, "/v1/groups/\($0.tag)", #"{"devices":["b"]}"#)
        },
        AccountChange("removes a group", "DELETE /v1/groups/{id}") {
            try await $0.asAdministrator(.DELETE, "/v1/groups/\($0.tag)")
        },
        AccountChange("issues a token", "POST /v1/tokens") {
            try await $0.asUser(.POST, "/v1/tokens", "{\"name\":\"new token\($0.number)\",\"scopes\":[\"read\"]}")
        },
        AccountChange("revokes a token", "DELETE /v1/tokens/{id}") {
            try await $0.asAdministrator(.DELETE, "/v1/tokens/\($0.tokenID)")
        },
        AccountChange("shares by a token", "POST /v1/shares") {
            try await $0.asToken(.POST, "/v1/shares", $0.share("token"))
        },
        AccountChange("shares by a user", "POST /v1/shares") {
            try await $0.asUser(.POST, "/v1/shares", $0.share("user"))
        },
        AccountChange("ends a share", "DELETE /v1/shares/{id}") {
            try await $0.asAdministrator(.DELETE, "/v1/shares/\($0.shareID)")
        },
    ]

    private static let endpoints = [
        AccountChange("replaces an endpoint", "PUT /v1/endpoints/{id}") {
            try await $0.asAdministrator(.PUT, "/v1/endpoints/\($0.endpointID)", #"{"url":"https://example.org/put"}"#)
        },
        AccountChange("moves an endpoint", "PATCH /v1/endpoints/{id}") {
            try await $0.asAdministrator(
                .PATCH, "/v1/endpoints/\($0.endpointID)", #"{"url":"https://example.org/moved"}"#)
        },
        AccountChange("filters an endpoint", "PATCH /v1/endpoints/{id}") {
            try await $0.asAdministrator(.PATCH, "/v1/endpoints/\($0.endpointID)", #"{"events":["visit.*"]}"#)
        },
        AccountChange("disables an endpoint", "PATCH /v1/endpoints/{id}") {
            try await $0.asAdministrator(.PATCH, "/v1/endpoints/\($0.endpointID)", #"{"state":"disabled"}"#)
        },
        AccountChange("adds an endpoint", "POST /v1/endpoints") {
            try await $0.asAdministrator(
                .POST, "/v1/endpoints", "{\"id\":\"\($0.endpointID)\",\"url\":\"https://example.org/added\"}")
        },
        AccountChange("removes an endpoint", "DELETE /v1/endpoints/{id}") {
            try await $0.asAdministrator(.DELETE, "/v1/endpoints/\($0.endpointID)")
        },
        AccountChange("rotates a secret", "POST /v1/endpoints/{id}/rotate-secret") {
            try await $0.asAdministrator(.POST, "/v1/endpoints/\($0.endpointID)/rotate-secret", "{}")
        },
        AccountChange("gives an endpoint up", nil) { accounts in
            guard let found = try await accounts.server.store.endpoint(id: accounts.endpointID) else { return 404 }
            var endpoint = found.endpoint
            endpoint.state = .disabled(since: TestServer.now, reason: "It does not answer.")
            try await accounts.server.store.update(endpoint, health: found.health)
            return 200
        },
    ]
}

extension Accounts {
    fileprivate func share(_ maker: String) -> String {
        "{\"name\":\"by \(maker) link\(number)\",\"devices\":[\"jane/phone\"],\"expires\":\"2026-03-01T12:00:00Z\"}"
    }

    fileprivate func asUserWithoutSession(_ password: String) async throws -> Int {
        var browser = SignedInBrowser(server: server)
        return try await browser.signIn(userName, password: password, headers: client).status
    }
}
