import FencepostGeometry
import FencepostJSON
import FencepostModel
import FencepostService
import Testing

@testable import FencepostOIDC

/// joserfc makes wrong signatures, in Tests/Counterparts/provider.py; here is what the claims have to say.
@Suite("The claims of tokens") struct TokenRulesTests {
    private static let now = Timestamp(seconds: 1_772_355_600)
    private static let rules = TokenRules(issuer: "https://auth.example.org", clientID: "fencepost", now: now)

    private static let right: [String: String] = [
        "iss": "\"https://auth.example.org\"", "aud": "\"fencepost\"", "sub": "\"4711\"", "nonce": "\"n\"",
        "exp": "1772355900", "iat": "1772355600",
    ]

    /// The claims with some others; an empty text leaves one out.
    private static func claims(_ changes: [String: String]) throws -> JSONElement {
        let members = right.merging(changes) { $1 }.filter { !$0.value.isEmpty }
        return try JSONDocument(parsing: "{" + members.map { "\"\($0)\":\($1)" }.joined(separator: ",") + "}").root
    }

    private static func fault(_ changes: [String: String]) throws -> TokenFault? {
        let claims = try claims(changes)
        do throws(TokenFault) {
            _ = try rules.checkIdentity(claims, nonce: "n")
            return nil
        } catch {
            return error
        }
    }

    @Test(
        "have clocks that differ by less than a minute",
        arguments: [
            ("exp", 1_772_355_541, nil), ("exp", 1_772_355_540, .expired), ("iat", 1_772_355_660, nil),
            ("iat", 1_772_355_661, .issuedInFuture), ("nbf", 1_772_355_660, nil), ("nbf", 1_772_355_661, .notYetValid),
            ("exp", -1, .malformed), ("iat", 1 << 53, .malformed),
        ] as [(String, Int, TokenFault?)])
    func clocks(claim: String, seconds: Int, fault: TokenFault?) throws {
        #expect(try Self.fault([claim: "\(seconds)"]) == fault)
    }

    @Test(
        "are for this service alone",
        arguments: [
            ("\"fencepost\"", "", nil), ("[\"fencepost\"]", "", nil),
            ("[\"fencepost\",\"shop\"]", "\"fencepost\"", nil),
            ("[\"fencepost\",\"shop\"]", "", .authorizedParty), ("\"fencepost\"", "\"shop\"", .authorizedParty),
            ("[\"shop\"]", "\"fencepost\"", .audience), ("[]", "", .audience), ("7", "", .malformed),
        ] as [(String, String, TokenFault?)])
    func audience(audience: String, party: String, fault: TokenFault?) throws {
        #expect(try Self.fault(["aud": audience, "azp": party]) == fault)
    }

    @Test("need each member", arguments: right.keys.sorted()) func members(name: String) throws {
        #expect(try Self.fault([name: ""]) == (name == "nonce" ? .nonce : .malformed))
        #expect(try Self.fault([name: "null"]) == (name == "nonce" ? .nonce : .malformed))
    }

    @Test("for signing out name who, since when, and are nothing else") func signingOut() throws {
        let events = "{\"\(TokenRules.signedOut)\":{}}"
        let ended = try Self.rules.checkSignedOut(
            try Self.claims(["nonce": "", "events": events, "sid": "\"s\"", "jti": "\"1\""]))
        #expect(ended == EndedSignIn(subject: "4711", sessionID: "s", time: Self.now))
        for (changes, fault) in [
            (["events": events], TokenFault.notForSigningOut), (["nonce": "", "events": "{}"], .notForSigningOut),
            (["nonce": ""], .notForSigningOut),
            (["nonce": "", "events": events, "sub": "", "sid": "\"\"", "jti": "\"1\""], .malformed),
            (["nonce": "", "events": events], .malformed),
            (["nonce": "", "events": "[\"\(TokenRules.signedOut)\"]"], .notForSigningOut),
        ] {
            #expect(throws: fault) { try Self.rules.checkSignedOut(try Self.claims(changes)) }
        }
    }
}
