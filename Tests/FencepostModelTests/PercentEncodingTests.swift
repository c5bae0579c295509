import Foundation
import Testing

@testable import FencepostModel

/// Percent-encoding of RFC 3986, compared with Foundation's.
struct PercentEncodingTests {
    @Test(arguments: [
        "", "van-0001", "a b+c%&=/?#", "Zürich · 東京 🏠", "e\u{301}", "\u{0}\u{7F}\"\\", "-._~",
    ])
    func isAsFoundationsAndComesBack(_ text: String) {
        let unreserved = CharacterSet(charactersIn: "-._~").union(.alphanumerics)
        #expect(text.percentEncoded == text.addingPercentEncoding(withAllowedCharacters: unreserved))
        #expect(String(percentEncoded: text.percentEncoded)?.unicodeScalars.elementsEqual(text.unicodeScalars) == true)
    }

    @Test(arguments: ["%", "%4", "%4g", "%FF", "%C3", "a%20%"])
    func whatIsNoTextIsRefused(_ text: String) {
        #expect(String(percentEncoded: text) == nil)
    }

    @Test func aPlusIsASpaceInQueriesOnly() {
        #expect(String(percentEncoded: "a+b") == "a+b")
        #expect(String(percentEncoded: "a+b%2B"[...], plusIsSpace: true) == "a b+")
    }
}
