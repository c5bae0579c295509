import FencepostGeometry
import FencepostModel
import HTTPTypes

/// The cookie with the secret of a session.
///
/// Scripts cannot read it (`HttpOnly`), other sites cannot make the browser send it (`SameSite=Strict`), and a browser
/// that got it over TLS sends it over TLS only (`Secure`).
enum SessionCookie {
    static let name = "fencepost_session"
    static let prefix = "fps_"

    /// The secret in a request; `nil` without one, or with two different ones, since another host of the domain may have
    /// set one of them.
    static func secret(in headers: HTTPFields) -> String? { value(of: name, in: headers) }

    /// The value of a cookie in a request; `nil` without one, or with two different ones.
    static func value(of name: String, in headers: HTTPFields) -> String? {
        var values: Set<String> = []
        for field in headers[values: .cookie] {
            for pair in field.split(separator: ";") {
                let text = pair.drop { $0 == " " }
                if text.hasPrefix(name + "=") { values.insert(String(text.dropFirst(name.count + 1))) }
            }
        }
        return values.count == 1 ? values.first : nil
    }

    /// Whether the session identifies the caller. A request with a token too uses the token, as programs do that keep cookies.
    static func identifies(_ call: Call, _ credentials: Route.Credentials) -> Bool {
        call.headers[.authorization] == nil && credentials == .bearer && secret(in: call.headers) != nil
    }

    /// The value of `Set-Cookie`; without a secret one that deletes the cookie.
    static func setting(_ secret: String?, lifetime: Duration, isSecure: Bool) -> String {
        let age = secret == nil ? 0 : Int(clamped: lifetime.seconds)
        return "\(name)=\(secret ?? ""); Path=/; Max-Age=\(age); HttpOnly; SameSite=Strict\(isSecure ? "; Secure" : "")"
    }
}
