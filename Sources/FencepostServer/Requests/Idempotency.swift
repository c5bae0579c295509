import FencepostCrypto
import FencepostHTTP
import FencepostModel
import FencepostService
import Foundation
import HTTPTypes

/// Performs a request once, also when it is sent repeatedly with the same `Idempotency-Key` (rule A7).
///
/// The stored response is encrypted with the caller's token, which is not stored, because a response can contain
/// secrets and positions of people.
struct Idempotency: Sendable {
    let api: API

    func response(to call: Call, key field: String, by route: Route) async throws -> RouteResponse {
        guard let tokenID = call.caller.token?.id else { return try await route.handle(call) }
        let key = IdempotencyKey(
            tokenID: tokenID, route: "\(call.method.rawValue) \(call.path)", key: try Self.key(in: field))
        let query = call.query.items.map { "\($0.name.percentEncoded)=\($0.value.percentEncoded)" }
        var hash = SHA256()
        hash.update(Array(query.joined(separator: "&").utf8) + [0])
        hash.update(Array(call.body))
        let claim = try await api.store.claim(key, requestHash: hash.finalize(), now: api.clock.now())
        switch claim {
        case .first: break
        case .running:
            throw Problem.conflict("request_in_progress", "A request with this Idempotency-Key is in progress.")
        case .mismatch:
            throw Problem.invalid("idempotency_key_reused", "The Idempotency-Key was used for another request.")
        case .done(let status, let headers, let sealed):
            return try replay(status, headers, sealed, key, call)
        }
        do {
            let response = try await route.handle(call)
            try await complete(key, response, call)
            return response
        } catch {
            let problem = Problem(unexpected: error)
            if problem.status.code < 500 {
                let json = problem.json(instance: call.path)
                let response = RouteResponse(problem.status, type: "application/problem+json", bytes: json)
                try await complete(key, response, call)
            } else {
                try await api.store.release(key)
            }
            throw error
        }
    }

    /// Parses the header: a quoted string (structured field), or the bare value that many clients send.
    static func key(in field: String) throws(Problem) -> String {
        var key = field[...]
        if key.count >= 2, key.first == "\"", key.last == "\"" { key = key.dropFirst().dropLast() }
        guard (1...255).contains(key.utf8.count), key.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
            throw .unreadable("invalid_idempotency_key", "An Idempotency-Key has to have 1 to 255 ASCII characters.")
        }
        return String(key)
    }

    private func complete(_ key: IdempotencyKey, _ response: RouteResponse, _ call: Call) async throws {
        guard case .bytes(let bytes) = response.body else { return try await api.store.release(key) }
        var headers: [String: String] = [:]
        for field in response.headers { headers[field.name.rawName] = field.value }
        let sealed = SecretBox.seal(Array(bytes), key: Self.secret(of: key, call))
        try await api.store.complete(key, status: response.status.code, headers: headers, body: sealed)
    }

    private func replay(
        _ status: Int, _ headers: [String: String], _ sealed: [UInt8], _ key: IdempotencyKey, _ call: Call
    ) throws -> RouteResponse {
        let secret = Self.secret(of: key, call)
        // Versions up to 0.4 encrypted with AES-GCM; their responses are kept for a day.
        guard let bytes = SecretBox.open(sealed, key: secret) ?? AES256GCM.open(sealed, key: secret) else {
            throw Problem.conflict(
                "request_done", "A request with this Idempotency-Key was performed. Its response cannot be decrypted.")
        }
        var fields = HTTPFields()
        for (name, value) in headers.sorted(by: { $0.key < $1.key }) {
            if let name = HTTPField.Name(name) { fields[name] = value }
        }
        fields[.idempotentReplayed] = "true"
        return RouteResponse(HTTPResponse.Status(code: status), headers: fields, body: .bytes(bytes))
    }

    /// The encryption key of the response, derived from the caller's token.
    private static func secret(of key: IdempotencyKey, _ call: Call) -> [UInt8] {
        HMACSHA256.code(
            for: Array("idempotency \(key.route) \(key.key)".utf8), key: Array(call.caller.secret.utf8))
    }
}
