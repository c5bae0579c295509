import FencepostFormats
import FencepostHTTP
public import FencepostJSON
import FencepostModel
public import FencepostService
import Foundation
import HTTPTypes

/// Routes of API tokens (rule A4).
extension API {
    var tokenRoutes: [Route] {
        [
            Route(
                method: .get, path: "/v1/tokens", name: "listTokens", summary: "Lists tokens by id", tag: "Tokens",
                access: .unbound(.admin), parameters: Route.Parameter.paging,
                successes: [.json(Schema.list(of: Schema.named("Token")), "A page of tokens, without their text.")],
                partition: .tokens,
                handle: { call in
                    let limit = try call.limit()
                    let after = try call.cursor(Cursor.id)
                    let all = try await store.tokens().sorted { $0.id < $1.id }
                    let rest = all.filter { token in after.map { $0 < token.id } ?? true }
                    let page = rest.prefix(limit)
                    let next = rest.count > limit ? page.last.map { Cursor.encode(id: $0.id) } : nil
                    return call.page(page, next: next) { $0.value($1) }
                }),
            Route(
                method: .get, path: "/v1/tokens/{id}", name: "getToken", summary: "Shows a token", tag: "Tokens",
                access: .unbound(.admin), parameters: [.id("token")],
                successes: [.json(Schema.named("Token"), "The token, without its text.")],
                partition: .token,
                handle: { call in
                    guard let token = try await store.token(id: call.parameter("id")) else {
                        throw Problem.notFound("token")
                    }
                    return RouteResponse { $0.value(token) }
                }),
            Route(
                method: .post, path: "/v1/tokens", name: "postToken", summary: "Issues a token. It is not shown again",
                tag: "Tokens", access: .unbound(.admin),
                body: Route.Body(
                    types: ["application/json"], schema: Schema.named("NewToken"),
                    example: #"{"name":"jane's phone","scopes":["ingest"],"deviceId":"jane/phone"}"#,
                    limit: Route.Body.accountLimit),
                successes: [.created(Schema.named("TokenWithText"), "The token was issued.")],
                partition: .configuration,
                handle: { call in
                    let draft = try TokenDraft(try call.json().root, now: clock.now())
                    var generator = makeGenerator()
                    let (text, token) = draft.issue(at: clock.now(), using: &generator)
                    try await store.save(token)
                    return RouteResponse(.created) { $0.value(token, text: text) }.located(at: "/v1/tokens/\(token.id)")
                }),
            Route(
                method: .delete, path: "/v1/tokens/{id}", name: "deleteToken",
                summary: "Revokes a token at once", tag: "Tokens",
                access: .unbound(.admin), parameters: [.id("token")], successes: [.noContent("The token was revoked.")],
                partition: .configuration,
                handle: { call in
                    let wasThere = try await store.removeToken(id: call.parameter("id"))
                    authenticator.tokensDidChange()
                    guard wasThere else { throw Problem.notFound("token") }
                    return .noContent
                }),
        ]
    }
}

/// A request for a token.
struct TokenDraft: Sendable {
    private static let keys = ["name", "scopes", "deviceId", "expires", "encryptionKey", "friends", "regions"]
    private var name = ""
    private var scopes: Set<AccessToken.Scope> = []
    private var deviceID: DeviceID?
    private var expires: Timestamp?
    private var encryptionKey: [UInt8]?
    private var friends: [DeviceID]?
    private var regions: Int?

    init(_ root: JSONElement, now: Timestamp) throws(Problem) {
        try root.checkMembers(Self.keys)
        var faults: [Problem.Fault] = []
        func addFault(_ member: String, _ detail: String) {
            faults.append(Problem.Fault(pointer: "/" + member, code: "invalid_value", detail: detail))
        }
        if let name = root["name"]?.string, TokenText.nameLimit.admits(name) {
            self.name = name
        } else {
            addFault("name", "The value has to be a string of 1 to 256 characters.")
        }
        let known = AccessToken.Scope.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
        let words = root["scopes"]?.array?.map { $0.string.flatMap(AccessToken.Scope.init(rawValue:)) }
        if let words, !words.isEmpty, !words.contains(nil) {
            scopes = Set(words.compactMap { $0 })
        } else {
            addFault("scopes", "The value has to be an array with at least one of \(known).")
        }
        if let element = root["deviceId"], !element.isNull {
            if let device = element.string.flatMap({ try? DeviceID(validating: $0) }) {
                deviceID = device
            } else {
                addFault("deviceId", "The value has to be a device id.")
            }
        }
        if let element = root["expires"], !element.isNull {
            if let time = element.string.flatMap({ Timestamp(rfc3339: $0) }), time > now {
                expires = time
            } else {
                addFault("expires", "The value has to be an RFC 3339 time in the future.")
            }
        }
        if let element = root["encryptionKey"], !element.isNull {
            if let key = element.string.map({ Array($0.utf8) }), (1...32).contains(key.count) {
                encryptionKey = key
            } else {
                addFault("encryptionKey", "The value has to be a string of 1 to 32 bytes, the same as in the app.")
            }
        }
        if let element = root["friends"], !element.isNull {
            let devices = element.array?.map { $0.string.flatMap { try? DeviceID(validating: $0) } } ?? [nil]
            if !devices.contains(nil), devices.count <= AccessToken.mostFriends {
                friends = devices.isEmpty ? nil : devices.compactMap { $0 }
            } else {
                addFault("friends", "The value has to be an array of at most \(AccessToken.mostFriends) device ids.")
            }
        }
        if let element = root["regions"], !element.isNull {
            let range = AccessToken.regionRange
            if let count = element.int, range.contains(count) {
                regions = count
            } else {
                addFault(
                    "regions", "The value has to be an integer from \(range.lowerBound) to \(range.upperBound).")
            }
        }
        guard faults.isEmpty else { throw .invalid("invalid_value", "The token is invalid.", faults) }
    }

    func issue(
        at now: Timestamp, using generator: inout any RandomNumberGenerator & Sendable
    ) -> (text: String, token: AccessToken) {
        var (text, token) = TokenText.issue(name: name, scopes: scopes, at: now, using: &generator)
        token.deviceID = deviceID
        token.expires = expires
        token.encryptionKey = encryptionKey
        token.friends = friends
        token.regions = regions
        return (text, token)
    }
}

extension JSONWriter {
    /// A token without its hash, and with its text when one is given.
    public mutating func value(_ token: AccessToken, text: String? = nil) {
        beginObject()
        member("id", token.id)
        member("token", text)
        member("name", token.name)
        list("scopes", AccessToken.Scope.allCases.filter(token.scopes.contains).map(\.rawValue))
        member("deviceId", token.deviceID?.rawValue)
        member("expires", token.expires)
        member("createdAt", token.createdAt)
        member("lastUsed", token.lastUsed)
        member("hasEncryptionKey", token.encryptionKey != nil)
        if let friends = token.friends { list("friends", friends.map(\.rawValue)) }
        if let regions = token.regions {
            name("regions")
            value(regions)
        }
        endObject()
    }
}
