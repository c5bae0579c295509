import FencepostJSON
import FencepostModel
import FencepostService
import Testing

@testable import FencepostOIDC

@Suite("A provider of identities") struct ProviderTests {
    private static let document = """
        {"issuer":"https://a.example","authorization_endpoint":"https://a.example/auth",\
        "token_endpoint":"https://a.example/token","jwks_uri":"https://a.example/keys"
        """

    @Test("publishes its addresses under its exact name") func document() throws {
        let read = { (more: String, issuer: String) in
            ProviderDocument.read(try JSONDocument(parsing: Self.document + more + "}"), issuer: issuer)
        }
        let plain = try read("", "https://a.example").get()
        #expect(plain.token == "https://a.example/token" && plain.userInfo == nil && !plain.takesSecretInBody)
        let methods = #","token_endpoint_auth_methods_supported":"#
        #expect(try read(methods + #"["client_secret_post"]"#, "https://a.example").get().takesSecretInBody)
        let both = methods + #"["client_secret_post","client_secret_basic"]"#
        #expect(try !read(both, "https://a.example").get().takesSecretInBody)
        guard case .failure(let fault) = try read("", "https://a.example/") else {
            Issue.record("an issuer that differs by a slash is another one")
            return
        }
        #expect(fault.text.contains("https://a.example,"))
    }

    @Test("needs an id of this service, and TLS unless that is switched off") func settings() throws {
        func message(_ change: (inout ProviderSettings) -> Void) -> String? {
            var settings = ProviderSettings(issuer: "https://a.example")
            settings.clientID = "fencepost"
            change(&settings)
            do throws(OIDCProvider.InvalidSettings) {
                _ = try OIDCProvider(settings, now: { .distantPast })
                return nil
            } catch {
                return error.description
            }
        }
        #expect(message { _ in } == nil)
        #expect(message { $0.clientID = "" }?.hasPrefix("oidc.clientId") == true)
        #expect(message { $0.issuer = "http://a.example" }?.contains("oidc.allowHTTP") == true)
        #expect(message { ($0.issuer, $0.allowHTTP) = ("http://a.example", true) } == nil)
        #expect(message { $0.caFile = "/nowhere.pem" }?.hasPrefix("oidc.caFile: /nowhere.pem") == true)
    }
}
