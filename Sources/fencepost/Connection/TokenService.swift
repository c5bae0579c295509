import FencepostAppCommands
import FencepostJSON
import FencepostModel
import FencepostServer
import FencepostService
import Foundation

/// The tokens of a running service.
struct TokenService {
    private let connection: ServiceConnection

    init(_ connection: ServiceConnection) {
        self.connection = connection
    }

    /// Lets the service issue a token with these properties.
    ///
    /// - Returns: its text, and the token without its hash.
    func issue(_ draft: AccessToken) async throws -> (text: String, token: AccessToken) {
        var writer = JSONWriter()
        writer.beginObject()
        writer.name("name")
        writer.value(draft.name)
        writer.name("scopes")
        writer.beginArray()
        for scope in AccessToken.Scope.allCases where draft.scopes.contains(scope) { writer.value(scope.rawValue) }
        writer.endArray()
        if let key = draft.encryptionKey {
            guard let text = String(validating: key, as: UTF8.self) else {
                Console.say("fencepost: the key is no UTF-8 text, so it cannot be sent to the service. Stop it first.")
                throw ExitStatus.badData.exit
            }
            writer.name("encryptionKey")
            writer.value(text)
        }
        if let friends = draft.friends {
            writer.name("friends")
            writer.beginArray()
            for friend in friends { writer.value(friend.rawValue) }
            writer.endArray()
        }
        if let regions = draft.regions {
            writer.name("regions")
            writer.value(regions)
        }
        for (name, value) in [("deviceId", draft.deviceID?.rawValue), ("expires", draft.expires?.rfc3339)] {
            guard let value else { continue }
            writer.name(name)
            writer.value(value)
        }
        writer.endObject()
        let response = try await connection.request("POST", "/v1/tokens", body: writer.bytes).json()
        return (response["token"]?.string ?? "", Self.token(response))
    }

    /// All tokens by id, without hashes.
    func tokens() async throws -> [AccessToken] {
        var tokens: [AccessToken] = []
        var cursor: String?
        repeat {
            let page = try await connection.request(
                "GET", "/v1/tokens", query: [("limit", "500"), ("cursor", cursor)]
            ).json()
            tokens += page["data"]?.array?.map(Self.token) ?? []
            cursor = page["nextCursor"]?.string
        } while cursor != nil
        return tokens
    }

    /// Revokes tokens.
    ///
    /// - Returns: the ids that do not exist.
    func revoke(_ ids: [String]) async throws -> [String] {
        var missing: [String] = []
        for id in ids
        where try await connection.requestIfFound("DELETE", "/v1/tokens/\(id.percentEncoded)") == nil {
            missing.append(id)
        }
        return missing
    }

    private static func token(_ element: JSONElement) -> AccessToken {
        func time(_ name: String) -> Timestamp? { element[name]?.string.flatMap { Timestamp(rfc3339: $0) } }
        let scopes = (element["scopes"]?.array.map(Array.init) ?? []).compactMap {
            $0.string.flatMap(AccessToken.Scope.init(rawValue:))
        }
        var token = AccessToken(
            id: element["id"]?.string ?? "", name: element["name"]?.string ?? "", hash: [], scopes: Set(scopes),
            createdAt: time("createdAt") ?? .distantPast)
        token.deviceID = element["deviceId"]?.string.map { DeviceID($0) }
        (token.expires, token.lastUsed) = (time("expires"), time("lastUsed"))
        token.friends = element["friends"]?.array?.compactMap { $0.string.map { DeviceID($0) } }
        token.regions = element["regions"]?.int
        // Only whether there is a key is shown.
        if element["hasEncryptionKey"]?.bool == true { token.encryptionKey = [0] }
        return token
    }
}
