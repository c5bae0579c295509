import FencepostJSON
import FencepostService
import Testing

@testable import FencepostOIDC

@Suite("Signed tokens") struct SignedTokenTests {
    /// The example of RFC 7515, A.2 (RS256), and its key.
    private static let token =
        "eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ"
        + ".cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5YKt_O8W2Fp5jujGbds9uJdbF9CUA"
        + "r7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARNPvkSjtQBMHlb1L07Qe7K0GarZRmB_eSN9383LcOLn6_dO--xi"
        + "12jzDwusC-eOkHWEsqtFZESc6BfI7noOPqvhJ1phCnvWh6IeYI2w9QOYEUipUTI8np6LbgGY9Fs98rqVt5AXLIhWkWywlVmtVrBp0igcN_IoypGl"
        + "UPQGe77Rw"
    private static let modulus =
        "ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1Pt0Bm4d4QlL-yRT-SFd2lZS-pCg"
        + "NMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5z5rexMdbBYUsLA9e-KXBdQOS-UTo7WTBEMa2R2CapHg66"
        + "5xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_h9iaGNj8q2ethFkMLs91kzk2PAcDTW9gb54h4FRWy"
        + "uXpoQ"

    private static func keys(_ members: String) throws -> KeySet {
        try #require(KeySet(JSONDocument(parsing: "{\"keys\":[\(members)]}")))
    }

    private static func key(_ more: String = "", e: String = "AQAB") -> String {
        "{\"kty\":\"RSA\",\"n\":\"\(modulus)\",\"e\":\"\(e)\"\(more)}"
    }

    private static func fault(_ text: String, _ members: String) throws -> TokenFault? {
        let keys = try keys(members)
        do throws(TokenFault) {
            let token = try SignedToken(text)
            _ = try token.claims(signedByOneOf: keys.keys(for: token))
            return nil
        } catch {
            return error
        }
    }

    @Test("have the claims of the example in RFC 7515") func example() throws {
        let token = try SignedToken(Self.token)
        let claims = try token.claims(signedByOneOf: Self.keys(Self.key()).keys(for: token))
        #expect(claims.root["iss"]?.string == "joe" && claims.root["exp"]?.int == 1_300_819_380)
        // Keys of other kinds before it do not matter.
        let other = #"{"kty":"EC","crv":"P-256"},{"kty":"oct","k":"AA"},{"use":"enc"},"#
        #expect(try Self.fault(Self.token, other + Self.key(#","use":"sig","alg":"RS256""#)) == nil)
    }

    @Test("count only with their key, as it is meant") func keys() throws {
        #expect(try Self.fault(Self.token, Self.key(e: "Aw")) == .signature)
        #expect(try Self.fault(Self.token, Self.key(#","use":"enc""#)) == .unknownKey)
        #expect(try Self.fault(Self.token, Self.key(#","alg":"RS512""#)) == .unknownKey)
        #expect(try Self.fault(Self.token, "") == .unknownKey)
        #expect(try Self.fault(Self.token.replacing("cC4h", with: "cC4i"), Self.key()) == .signature)
    }

    @Test(
        "have a header that is understood",
        arguments: [
            (#"{"alg":"none"}"#, .algorithm), (#"{"alg":"HS256"}"#, .algorithm), (#"{"alg":"rs256"}"#, .algorithm),
            (#"{"alg":["RS256"]}"#, .algorithm), ("{}", .algorithm), ("[]", .malformed), ("", .malformed),
            (#"{"alg":"RS256","crit":[]}"#, .criticalHeader), (#"{"alg":"RS256","kid":"x"}"#, .unknownKey),
        ] as [(String, TokenFault)])
    func header(header: String, fault: TokenFault) throws {
        let rest = Self.token.drop { $0 != "." }
        #expect(try Self.fault(Base64URL.encode(Array(header.utf8)) + rest, Self.key()) == fault)
    }

    @Test("are three parts of base 64 for URLs") func parts() throws {
        for text in ["", ".", "..", "a.b", Self.token + ".", "=.e30.e30", "e3+0.e30.e30"] {
            #expect(try Self.fault(text, Self.key()) == .malformed, "\(text)")
        }
        for count in 0..<5 {
            let bytes = (0..<count).map { UInt8(250 + $0) }
            #expect(Base64URL.decode(Base64URL.encode(bytes)) == bytes)
        }
    }
}
