import FencepostJSON
import FencepostModel
import FencepostService
import Foundation
import NIOHTTP1
import Testing

/// A browser with its cookies, which sends what browsers send.
struct SignedInBrowser: Sendable {
    let server: TestServer
    /// The value of `Cookie`.
    var cookie: String?
    var headers = [("Sec-Fetch-Site", "same-origin")]

    static let password = "a password in no example"

    /// Adds a user and signs it in.
    static func signIn(_ server: TestServer, _ name: String, role: String, limits: String = "") async throws -> Self {
        let added = try await server.post(
            "/v1/users", "{\"name\":\"\(name)\",\"password\":\"\(password)\",\"role\":\"\(role)\"\(limits)}")
        #expect(added.status == 201, "\(added.text)")
        var browser = Self(server: server)
        let reply = try await browser.signIn(name)
        #expect(reply.status == 201, "\(reply.text)")
        return browser
    }

    mutating func signIn(
        _ name: String, password: String = Self.password, headers: [(String, String)] = []
    ) async throws -> TestServer.Reply {
        let body = "{\"user\":\"\(name)\",\"password\":\"\(password)\"}"
        let reply = try await send(.POST, "/v1/sessions", body, headers: headers)
        if let set = reply["Set-Cookie"] { cookie = String(set.prefix { $0 != ";" }) }
        return reply
    }

    func send(
        _ method: HTTPMethod, _ path: String, _ body: String? = nil, type: String = "application/json",
        headers: [(String, String)] = []
    ) async throws -> TestServer.Reply {
        let cookies = cookie.map { [("Cookie", $0)] } ?? []
        return try await server.send(
            method, path, body: body.map { Array($0.utf8) }, type: body.map { _ in type },
            headers: self.headers + headers + cookies, token: .some(nil))
    }

    func get(_ path: String) async throws -> TestServer.Reply { try await send(.GET, path) }

    /// The values of a member of a list's elements.
    func list(_ path: String, _ member: String) async throws -> [String?] {
        let reply = try await get(path)
        #expect(reply.status == 200, "\(path): \(reply.text)")
        return try reply.json["data"]?.array?.map { $0[member]?.string } ?? []
    }
}
