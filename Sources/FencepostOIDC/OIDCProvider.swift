import FencepostCrypto
import FencepostGeometry
import FencepostJSON
public import FencepostModel
public import FencepostService
import FencepostTransport
import Foundation
import Synchronization

/// A provider of OpenID Connect, asked when somebody signs in and never before: a service starts without it.
public final class OIDCProvider: SignInProvider {
    /// Why the settings cannot be used.
    public struct InvalidSettings: Error, Hashable, Sendable, CustomStringConvertible {
        /// What is wrong, for people.
        public let description: String
    }

    private struct State {
        /// The provider's addresses, and when they were read.
        var document: (value: ProviderDocument, readAt: Timestamp)?
        /// Why they could not be read, and when.
        var absence: (failure: SignInFailure, at: Timestamp)?
        var keys: KeySet?
        var keysReadAt = Timestamp.distantPast
    }

    /// How long what the provider publishes is used.
    private static let lifetime = Duration.seconds(3600)
    /// Time between two readings of the keys because of a token with an unknown one, which anybody can send.
    private static let keyInterval = Duration.seconds(10)
    /// How long a provider that is away is not asked again: everybody may begin a sign-in.
    private static let absence = Duration.seconds(5)
    /// The most bytes of a token in an address.
    private static let longestHint = 2048
    /// The most bytes of a response.
    private static let largestResponse = 1 << 20

    /// Which provider, and what its users may do.
    public let settings: ProviderSettings
    private let client: HTTPClient
    private let now: @Sendable () -> Timestamp
    private let state = Mutex(State())

    /// A provider, which is not asked yet.
    ///
    /// - Parameters:
    ///   - settings: its address, and the id of this service there.
    ///   - now: wall time.
    /// - Throws: `InvalidSettings` without an id, for an address without TLS that is not allowed, and for a file without a
    ///   certificate.
    public init(_ settings: ProviderSettings, now: @escaping @Sendable () -> Timestamp) throws(InvalidSettings) {
        guard !settings.clientID.isEmpty else {
            throw InvalidSettings(description: "oidc.clientId has to be the id of this service at the provider")
        }
        guard settings.allowHTTP || settings.issuer.lowercased().hasPrefix("https://") else {
            throw InvalidSettings(
                description: "oidc.issuer has to begin with https://, or oidc.allowHTTP has to be true")
        }
        do throws(HTTPClient.InvalidAuthorities) {
            client = try HTTPClient(authorities: settings.caFile)
        } catch {
            throw InvalidSettings(description: "oidc.caFile: \(error)")
        }
        (self.settings, self.now) = (settings, now)
    }

    // MARK: SignInProvider

    /// Where a browser begins a sign-in: a request for a code, with PKCE (RFC 7636).
    public func signInURL(_ attempt: SignInAttempt, redirect: String) async throws(SignInFailure) -> String {
        let items = [
            ("response_type", "code"), ("client_id", settings.clientID), ("redirect_uri", redirect),
            ("scope", settings.scopes.joined(separator: " ")), ("state", attempt.state), ("nonce", attempt.nonce),
            ("code_challenge", Base64URL.encode(SHA256.hash(Array(attempt.verifier.utf8)))),
            ("code_challenge_method", "S256"),
        ]
        return Self.url(try await document().authorization, items)
    }

    /// Who has signed in, by the token for a code, and by the provider's information where the token has no name or groups.
    public func identity(
        code: String, _ attempt: SignInAttempt, redirect: String
    ) async throws(SignInFailure) -> ProvidedIdentity {
        let document = try await document()
        let response = try await tokens(
            [
                ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", redirect),
                ("code_verifier", attempt.verifier),
            ], document)
        guard let token = response.root["id_token"]?.string else {
            throw .away("The answer of \(document.token) has no id_token.")
        }
        let claims = try await claims(of: token, document)
        let subject = try Self.checked { () throws(TokenFault) in
            try rules.checkIdentity(claims.root, nonce: attempt.nonce)
        }
        var sources = [claims.root]
        let isComplete = name(in: sources) != nil && (settings.groups.isEmpty || groups(in: sources) != nil)
        let information: JSONDocument?
        if !isComplete, let address = document.userInfo, let access = response.root["access_token"]?.string {
            information = try await self.information(at: address, access)
            guard information?.root["sub"]?.string == subject else { throw .token(.subject) }
        } else {
            information = nil
        }
        if let information { sources.append(information.root) }
        return ProvidedIdentity(
            subject: subject, name: name(in: sources), groups: groups(in: sources) ?? [],
            sessionID: TokenRules.id(claims.root["sid"]), token: token)
    }

    /// Where a browser ends the session of the provider (RP-Initiated Logout 1.0).
    public func signOutURL(_ token: String?, returningTo address: String) async -> String? {
        guard let end = (try? await document())?.endSession, isUsable(end) else { return nil }
        // Proxies refuse longer addresses; the provider then asks the user.
        let hint = token.flatMap { $0.utf8.count <= Self.longestHint ? [("id_token_hint", $0)] : nil } ?? []
        return Self.url(end, hint + [("client_id", settings.clientID), ("post_logout_redirect_uri", address)])
    }

    /// Which sign-ins the provider has ended.
    public func ended(by token: String) async throws(SignInFailure) -> EndedSignIn {
        let claims = try await claims(of: token, try await document())
        return try Self.checked { () throws(TokenFault) in try rules.checkSignedOut(claims.root) }
    }

    // MARK: Claims

    private var rules: TokenRules { TokenRules(issuer: settings.issuer, clientID: settings.clientID, now: now()) }

    /// An address counts as a name only where the provider has verified it: else anybody could claim that of another.
    private func name(in sources: [JSONElement]) -> String? {
        for source in sources {
            guard let name = source[settings.nameClaim]?.string, !name.isEmpty else { continue }
            if settings.nameClaim == "email", source["email_verified"]?.bool != true { continue }
            return name
        }
        return nil
    }

    private func groups(in sources: [JSONElement]) -> [String]? {
        for source in sources {
            if let array = source[settings.groupsClaim]?.array { return array.compactMap(\.string) }
            // Some providers write the only group without an array.
            if let one = source[settings.groupsClaim]?.string { return [one] }
        }
        return nil
    }

    /// The claims of a token that one of the provider's keys has signed.
    private func claims(of text: String, _ document: ProviderDocument) async throws(SignInFailure) -> JSONDocument {
        let token = try Self.checked { () throws(TokenFault) in try SignedToken(text) }
        var keys = try await keys(document, isRenewed: false).keys(for: token)
        // The provider may have a new key.
        if keys.isEmpty { keys = try await self.keys(document, isRenewed: true).keys(for: token) }
        return try Self.checked { () throws(TokenFault) in try token.claims(signedByOneOf: keys) }
    }

    private static func checked<Value>(
        _ check: () throws(TokenFault) -> Value
    ) throws(SignInFailure) -> Value {
        do throws(TokenFault) {
            return try check()
        } catch {
            throw .token(error)
        }
    }

    // MARK: Requests

    private func document() async throws(SignInFailure) -> ProviderDocument {
        let time = now()
        let known = state.withLock { $0.document }
        if let known, time - known.readAt < Self.lifetime, time >= known.readAt { return known.value }
        if let absence = state.withLock({ $0.absence }), time - absence.at < Self.absence, time >= absence.at {
            throw absence.failure
        }
        do throws(SignInFailure) {
            let address = settings.issuer.reversed().drop { $0 == "/" }.reversed() + ProviderDocument.path
            let answer = try await get(String(address))
            switch ProviderDocument.read(answer, issuer: settings.issuer) {
            case .success(let document):
                for address in [document.authorization, document.token, document.keys] {
                    try checkScheme(of: address)
                }
                state.withLock { ($0.document, $0.absence) = ((document, time), nil) }
                return document
            case .failure(let fault): throw .away("\(String(address)): \(fault.text).")
            }
        } catch {
            // What it said an hour ago is probably still true.
            if let known {
                state.withLock { $0.document = (known.value, time - Self.lifetime + Self.absence) }
                return known.value
            }
            state.withLock { $0.absence = (error, time) }
            throw error
        }
    }

    private func checkScheme(of address: String) throws(SignInFailure) {
        guard isUsable(address) else {
            throw .away("The provider's address \(address) is not one of https, or has a fragment.")
        }
    }

    private func isUsable(_ address: String) -> Bool {
        let lower = address.lowercased()
        return (lower.hasPrefix("https://") || settings.allowHTTP && lower.hasPrefix("http://")) && !lower.contains("#")
    }

    /// The keys, as they were read last; read again when they are old, or when they have to be.
    private func keys(_ document: ProviderDocument, isRenewed: Bool) async throws(SignInFailure) -> KeySet {
        let time = now()
        let (known, age) = state.withLock { ($0.keys, time - $0.keysReadAt) }
        let isFresh = age >= .zero && age < (isRenewed ? Self.keyInterval : Self.lifetime)
        if let known, isFresh { return known }
        do throws(SignInFailure) {
            guard let keys = KeySet(try await get(document.keys)) else {
                throw .away("\(document.keys) has no keys.")
            }
            state.withLock { ($0.keys, $0.keysReadAt) = (keys, time) }
            return keys
        } catch {
            if let known { return known }
            throw error
        }
    }

    private func get(_ address: String) async throws(SignInFailure) -> JSONDocument {
        var request = HTTPClientRequest("GET", address)
        request.setHeader("Accept", "application/json")
        return try json(try await send(request), from: address)
    }

    private func information(at address: String, _ token: String) async throws(SignInFailure) -> JSONDocument {
        try checkScheme(of: address)
        var request = HTTPClientRequest("GET", address)
        request.setHeader("Accept", "application/json")
        request.setHeader("Authorization", "Bearer \(token)")
        return try json(try await send(request), from: address)
    }

    private func tokens(
        _ items: [(String, String)], _ document: ProviderDocument
    ) async throws(SignInFailure) -> JSONDocument {
        var items = items
        var authorization: String?
        switch settings.clientSecret {
        case nil: items.append(("client_id", settings.clientID))
        case let secret? where document.takesSecretInBody:
            items += [("client_id", settings.clientID), ("client_secret", secret)]
        case let secret?:
            // Both are encoded like a form first (RFC 6749, 2.3.1).
            let pair = "\(settings.clientID.percentEncoded):\(secret.percentEncoded)"
            authorization = "Basic " + Data(pair.utf8).base64EncodedString()
        }
        var request = HTTPClientRequest("POST", document.token, body: Array(Self.form(items).utf8))
        request.setHeader("Content-Type", "application/x-www-form-urlencoded")
        request.setHeader("Accept", "application/json")
        if let authorization { request.setHeader("Authorization", authorization) }
        let response = try await send(request)
        guard (400..<500).contains(response.status) else { return try json(response, from: document.token) }
        let answer = (try? JSONDocument(parsing: response.body))?.root
        let reason = [answer?["error"]?.string, answer?["error_description"]?.string].compactMap { $0 }
        throw .denied(
            "\(document.token) refused the code with \(response.status)"
                + (reason.isEmpty ? "." : ": " + reason.joined(separator: ", ") + "."))
    }

    private func send(_ request: HTTPClientRequest) async throws(SignInFailure) -> HTTPClientResponse {
        var request = request
        request.total = .seconds(10)
        request.isEnough = { $0.count > Self.largestResponse }
        request.setHeader("User-Agent", "Fencepost/\(FencepostVersion.current)")
        do throws(TransportFailure) {
            return try await client.response(to: request)
        } catch {
            throw .away("\(request.url): \(error).")
        }
    }

    private func json(_ response: HTTPClientResponse, from address: String) throws(SignInFailure) -> JSONDocument {
        guard response.status == 200 else { throw .away("\(address) answers with status \(response.status).") }
        guard response.body.count <= Self.largestResponse, let document = try? JSONDocument(parsing: response.body),
            document.root.object != nil
        else { throw .away("The answer of \(address) is no JSON object.") }
        return document
    }

    private static func form(_ items: [(String, String)]) -> String {
        items.map { "\($0.0)=\($0.1.percentEncoded)" }.joined(separator: "&")
    }

    private static func url(_ address: String, _ items: [(String, String)]) -> String {
        address + (address.contains("?") ? "&" : "?") + form(items)
    }
}
