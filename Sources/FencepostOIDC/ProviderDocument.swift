import FencepostJSON

/// The addresses of a provider, as it publishes them (OpenID Connect Discovery 1.0).
struct ProviderDocument: Sendable {
    let authorization: String
    let token: String
    let keys: String
    let userInfo: String?
    let endSession: String?
    /// Whether the service's secret belongs into the body of a request for tokens.
    let takesSecretInBody: Bool

    /// The path under the issuer.
    static let path = "/.well-known/openid-configuration"

    /// Reads a document.
    ///
    /// - Returns: what is wrong with it, for people, as a failure.
    static func read(_ document: JSONDocument, issuer: String) -> Result<ProviderDocument, Fault> {
        let root = document.root
        guard let named = root["issuer"]?.string else { return .failure(Fault("it has no member \"issuer\"")) }
        guard named == issuer else {
            return .failure(Fault("it is of the issuer \(named), which oidc.issuer has to be exactly"))
        }
        let names = ["authorization_endpoint", "token_endpoint", "jwks_uri"]
        let required = names.compactMap { root[$0]?.string }
        guard required.count == names.count else {
            return .failure(Fault("it needs the members \(names.joined(separator: ", "))"))
        }
        let methods = root["token_endpoint_auth_methods_supported"]?.array?.compactMap(\.string)
        return .success(
            ProviderDocument(
                authorization: required[0], token: required[1], keys: required[2],
                userInfo: root["userinfo_endpoint"]?.string, endSession: root["end_session_endpoint"]?.string,
                takesSecretInBody: methods.map {
                    !$0.contains("client_secret_basic") && $0.contains("client_secret_post")
                } ?? false))
    }

    /// What is wrong with a document.
    struct Fault: Error {
        let text: String

        init(_ text: String) { self.text = text }
    }
}
