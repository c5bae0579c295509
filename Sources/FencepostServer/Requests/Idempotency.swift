import Crypto
import FencepostPipeline
import Foundation
import HTTPTypes

/// Does a request once, however often it is sent with the same key (rule A7).
///
/// What was answered is kept sealed with the caller's token, which is not stored: an answer may hold a secret, and
/// people's whereabouts.
struct Idempotency: Sendable {
    let api: API

    func answer(to call: Call, key field: String, by route: Route) async throws -> Answer {
        guard let tokenID = call.caller.token?.id else { return try await route.handle(call) }
        let key = IdempotencyKey(
            tokenID: tokenID, route: "\(call.method.rawValue) \(call.path)", key: try Self.key(in: field))
        let query = call.query.items.map { "\($0.name.percentEncoded)=\($0.value.percentEncoded)" }
        var hash = SHA256()
        hash.update(data: Array(query.joined(separator: "&").utf8) + [0])
        hash.update(data: call.body)
        let claim = try await api.store.claim(key, requestHash: Array(hash.finalize()), now: api.clock.now())
        switch claim {
        case .first: break
        case .running:
            throw Problem.conflict("request_in_progress", "A request with this Idempotency-Key is being done.")
        case .mismatch:
            throw Problem.invalid("idempotency_key_reused", "This Idempotency-Key was used for another request.")
        case .done(let status, let headers, let sealed):
            return try replay(status, headers, sealed, key, call)
        }
        do {
            let answer = try await route.handle(call)
            try await complete(key, answer, call)
            return answer
        } catch {
            let problem = Problem(unexpected: error)
            if problem.status.code < 500 {
                let json = problem.json(instance: call.path)
                let answer = Answer(problem.status, type: "application/problem+json", bytes: json)
                try await complete(key, answer, call)
            } else {
                try await api.store.release(key)
            }
            throw error
        }
    }

    /// A quoted string of structured fields, or the bare value that many send.
    static func key(in field: String) throws(Problem) -> String {
        var key = field[...]
        if key.count >= 2, key.first == "\"", key.last == "\"" { key = key.dropFirst().dropLast() }
        guard (1...255).contains(key.utf8.count), key.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
            throw .unreadable("invalid_idempotency_key", "An Idempotency-Key has 1 to 255 characters of ASCII.")
        }
        return String(key)
    }

    private func complete(_ key: IdempotencyKey, _ answer: Answer, _ call: Call) async throws {
        guard case .bytes(let bytes) = answer.body else { return try await api.store.release(key) }
        var headers: [String: String] = [:]
        for field in answer.headers { headers[field.name.rawName] = field.value }
        let sealed = try AES.GCM.seal(bytes, using: Self.seal(key, call)).combined ?? Data()
        try await api.store.complete(key, status: answer.status.code, headers: headers, body: Array(sealed))
    }

    private func replay(
        _ status: Int, _ headers: [String: String], _ sealed: [UInt8], _ key: IdempotencyKey, _ call: Call
    ) throws -> Answer {
        let bytes = try AES.GCM.open(AES.GCM.SealedBox(combined: sealed), using: Self.seal(key, call))
        var fields = HTTPFields()
        for (name, value) in headers.sorted(by: { $0.key < $1.key }) {
            if let name = HTTPField.Name(name) { fields[name] = value }
        }
        fields[.idempotentReplayed] = "true"
        return Answer(HTTPResponse.Status(code: status), headers: fields, body: .bytes(Array(bytes)))
    }

    private static func seal(_ key: IdempotencyKey, _ call: Call) -> SymmetricKey {
        let code = HMAC<SHA256>.authenticationCode(
            for: Array("idempotency \(key.route) \(key.key)".utf8),
            using: SymmetricKey(data: Array(call.caller.secret.utf8)))
        return SymmetricKey(data: code)
    }
}
