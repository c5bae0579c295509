public import FencepostModel

/// Signs users in at a provider of identities (OpenID Connect).
public protocol SignInProvider: Sendable {
    /// Which provider, and what its users may do.
    var settings: ProviderSettings { get }

    /// Where a browser begins a sign-in.
    ///
    /// - Parameters:
    ///   - attempt: the secrets of this sign-in.
    ///   - redirect: the address to which the provider sends the browser back.
    /// - Returns: a URL of the provider.
    /// - Throws: why the provider cannot be used now.
    func signInURL(_ attempt: SignInAttempt, redirect: String) async throws(SignInFailure) -> String

    /// Who has signed in.
    ///
    /// - Parameters:
    ///   - code: what the provider has sent with the browser.
    ///   - attempt: the secrets with which the sign-in began.
    ///   - redirect: the address that the sign-in began with.
    /// - Returns: the identity, whose token was verified.
    /// - Throws: why it is not known.
    func identity(
        code: String, _ attempt: SignInAttempt, redirect: String
    ) async throws(SignInFailure) -> ProvidedIdentity

    /// Where a browser ends the session of the provider.
    ///
    /// - Parameters:
    ///   - token: the token of the sign-in; `nil` when it is not known.
    ///   - address: where the browser goes then.
    /// - Returns: a URL of the provider; `nil` when it has none.
    func signOutURL(_ token: String?, returningTo address: String) async -> String?

    /// Which sign-ins the provider has ended (OpenID Connect Back-Channel Logout 1.0).
    ///
    /// - Parameter token: what the provider has sent.
    /// - Returns: of whom, and until when they began.
    /// - Throws: why the token does not count.
    func ended(by token: String) async throws(SignInFailure) -> EndedSignIn
}

/// The secrets of a sign-in, which stay in the browser that began it.
public struct SignInAttempt: Hashable, Sendable {
    /// Ties the provider's answer to the browser.
    public var state: String
    /// Ties the token to the sign-in.
    public var nonce: String
    /// Ties the code to who asked for it (RFC 7636), 43 to 128 characters.
    public var verifier: String

    /// The secrets of one sign-in.
    public init(state: String, nonce: String, verifier: String) {
        (self.state, self.nonce, self.verifier) = (state, nonce, verifier)
    }
}

/// What a provider says of somebody who has signed in.
public struct ProvidedIdentity: Hashable, Sendable {
    /// The provider's own id of the person, which never changes.
    public var subject: String
    /// The name by the claim of the settings; `nil` when the provider states none.
    public var name: String?
    /// The groups by the claim of the settings.
    public var groups: [String]
    /// The id of the provider's session; `nil` when it states none.
    public var sessionID: String?
    /// The token, which ends the session at the provider.
    public var token: String

    /// An identity.
    public init(subject: String, name: String?, groups: [String], sessionID: String?, token: String) {
        (self.subject, self.name, self.groups) = (subject, name, groups)
        (self.sessionID, self.token) = (sessionID, token)
    }
}

/// Which sign-ins have ended: all of a person, or of one session of the provider.
public struct EndedSignIn: Hashable, Sendable {
    /// The person; `nil` for the one of the session.
    public var subject: String?
    /// The provider's session; `nil` for all of the person.
    public var sessionID: String?
    /// When it ended: sign-ins that began later go on.
    public var time: Timestamp

    /// Ended sign-ins.
    public init(subject: String?, sessionID: String?, time: Timestamp) {
        (self.subject, self.sessionID, self.time) = (subject, sessionID, time)
    }
}

/// Why a sign-in at a provider did not succeed.
public enum SignInFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The provider does not answer, or not as OpenID Connect says.
    case away(String)
    /// The provider has refused the request.
    case denied(String)
    /// A token that does not count.
    case token(TokenFault)

    /// What happened, for people.
    public var description: String {
        switch self {
        case .away(let what), .denied(let what): what
        case .token(let fault): "The provider's token does not count: \(fault)."
        }
    }
}

/// Why a token does not count (OpenID Connect Core 1.0, 3.1.3.7; Back-Channel Logout 1.0, 2.6).
public enum TokenFault: String, Error, Hashable, Sendable, CaseIterable, CustomStringConvertible {
    case malformed, algorithm, unknownKey, weakKey, signature, criticalHeader, issuer, audience, authorizedParty,
        expired
    case notYetValid, issuedInFuture, nonce, subject, notForSigningOut, answerIssuer

    /// What is wrong, for people.
    public var description: String {
        switch self {
        case .malformed: "it is no signed token with the claims that it has to have"
        case .algorithm: "its algorithm is not one of RS, PS or ES with 256, 384 or 512, or not that of the key"
        case .unknownKey: "the provider has no key with its id"
        case .weakKey: "its RSA key has less than 2,048 bits"
        case .signature: "its signature is wrong"
        case .criticalHeader: "its header has critical members, which this service does not know"
        case .issuer: "it is of another issuer"
        case .audience: "it is for another service"
        case .authorizedParty: "it was made for another service"
        case .expired: "it has expired"
        case .notYetValid: "it is not valid yet"
        case .issuedInFuture: "it was issued in the future: do the clocks of the provider and of this machine agree?"
        case .nonce: "it belongs to another sign-in"
        case .subject: "it and the provider's information are about different users"
        case .notForSigningOut: "it is no token for signing out"
        case .answerIssuer: "the answer came from another issuer"
        }
    }
}
