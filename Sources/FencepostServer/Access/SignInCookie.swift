import FencepostService
import HTTPTypes

/// The cookie with the secrets of a sign-in at a provider, which ties the provider's answer to the browser that began.
///
/// It comes back with the navigation from the provider's page (`SameSite=Lax`), for ten minutes.
enum SignInCookie {
    static let name = "fencepost_sign_in"
    static let lifetime = 600

    /// New secrets.
    static func makeAttempt(using generator: inout some RandomNumberGenerator) -> SignInAttempt {
        SignInAttempt(
            state: TokenText.make("", using: &generator), nonce: TokenText.make("", using: &generator),
            verifier: TokenText.make("", using: &generator))
    }

    /// The secrets in a request; `nil` without them, or with two different ones.
    static func attempt(in headers: HTTPFields) -> SignInAttempt? {
        guard let text = SessionCookie.value(of: name, in: headers) else { return nil }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 3, parts.allSatisfy({ TokenText.isWellFormed($0, prefix: "") }) else { return nil }
        return SignInAttempt(state: parts[0], nonce: parts[1], verifier: parts[2])
    }

    /// The value of `Set-Cookie`; without secrets one that deletes the cookie.
    static func setting(_ attempt: SignInAttempt?, isSecure: Bool) -> String {
        let text = attempt.map { "\($0.state).\($0.nonce).\($0.verifier)" } ?? ""
        return "\(name)=\(text); Path=/; Max-Age=\(attempt == nil ? 0 : lifetime); HttpOnly; SameSite=Lax"
            + (isSecure ? "; Secure" : "")
    }
}
