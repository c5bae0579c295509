import FencepostGeometry
import FencepostJSON
import FencepostModel
import FencepostService

/// The rules by which the claims of a token count.
struct TokenRules {
    let issuer: String
    let clientID: String
    let now: Timestamp

    /// The most by which clocks may differ.
    static let skew = Duration.seconds(60)
    /// The member of `events` in a token for signing out.
    static let signedOut = "http://schemas.openid.net/event/backchannel-logout"

    /// Checks an identity token (OpenID Connect Core 1.0, 3.1.3.7).
    ///
    /// - Returns: the subject.
    func checkIdentity(_ claims: JSONElement, nonce: String) throws(TokenFault) -> String {
        try checkOrigin(claims)
        guard claims["nonce"]?.string == nonce else { throw .nonce }
        guard claims["events"] == nil, let subject = claims["sub"]?.string, !subject.isEmpty else { throw .malformed }
        return subject
    }

    /// Checks a token for signing out (Back-Channel Logout 1.0, 2.6).
    func checkSignedOut(_ claims: JSONElement) throws(TokenFault) -> EndedSignIn {
        let issued = try checkOrigin(claims)
        guard claims["nonce"] == nil, claims["events"]?[Self.signedOut]?.object != nil else { throw .notForSigningOut }
        let (subject, session) = (Self.id(claims["sub"]), Self.id(claims["sid"]))
        guard subject != nil || session != nil, Self.id(claims["jti"]) != nil else { throw .malformed }
        return EndedSignIn(subject: subject, sessionID: session, time: issued)
    }

    /// The id of a claim; `nil` without one, or for an empty text.
    static func id(_ claim: JSONElement?) -> String? { claim?.string.flatMap { $0.isEmpty ? nil : $0 } }

    /// Who made it for whom, and when.
    ///
    /// - Returns: when it was issued.
    @discardableResult
    private func checkOrigin(_ claims: JSONElement) throws(TokenFault) -> Timestamp {
        guard let named = claims["iss"]?.string else { throw .malformed }
        guard named == issuer else { throw .issuer }
        let audience: [String]
        if let one = claims["aud"]?.string {
            audience = [one]
        } else if let array = claims["aud"]?.array {
            audience = array.compactMap(\.string)
        } else {
            throw .malformed
        }
        guard audience.contains(clientID) else { throw .audience }
        let party = claims["azp"]?.string
        guard party.map({ $0 == clientID }) ?? (audience.count == 1) else { throw .authorizedParty }
        guard let expires = time(claims["exp"]), let issued = time(claims["iat"]) else { throw .malformed }
        guard expires + Self.skew > now else { throw .expired }
        guard issued <= now + Self.skew else { throw .issuedInFuture }
        if let start = claims["nbf"] {
            guard let start = time(start) else { throw .malformed }
            guard start <= now + Self.skew else { throw .notYetValid }
        }
        return issued
    }

    /// Seconds since 1970, in the years that a timestamp has.
    private func time(_ element: JSONElement?) -> Timestamp? {
        guard let seconds = element?.double, (0...253_402_300_799).contains(seconds) else { return nil }
        return Timestamp(milliseconds: Int64(clamped: seconds * 1000))
    }
}
