import FencepostModel
import Testing

@Suite("The limit of a text") struct TextLimitTests {
    /// One character to a reader, of any number of code points.
    private static func marks(_ count: Int) -> String {
        "e" + String(repeating: "\u{301}\u{316}", count: count / 2)
    }

    @Test("counts code points and bytes, not what a reader sees as one character") func codePoints() {
        let limit = TextLimit(1...64)
        #expect(Self.marks(1000).count == 1)
        #expect(!limit.admits(Self.marks(1000)))
        #expect(limit.admits(Self.marks(62)))
        #expect(!limit.admits(""))
        #expect(limit.admits(String(repeating: "😀", count: 64)))
        #expect(!limit.admits(String(repeating: "😀", count: 65)))
        #expect(!TextLimit(1...64, bytes: 63).admits(String(repeating: "x", count: 64)))
    }

    @Test("is checked before a text is composed") func composition() {
        // Composing this takes hours.
        #expect(TextLimit.deviceID.composed(Self.marks(4_000_000)) == nil)
        #expect(TextLimit.deviceID.composed("Ame\u{301}lie") == "Am\u{e9}lie")
        // 128 letters that are composed of three code points each.
        let letters = String(repeating: "e\u{323}\u{302}", count: 128)
        #expect(TextLimit.deviceID.composed(letters)?.unicodeScalars.count == 128)
        #expect(TextLimit.deviceID.composed(letters + "x") == nil)
    }

    @Test("truncates by code points") func truncation() {
        #expect(TextLimit.truncated("abc", to: 3) == "abc")
        #expect(TextLimit.truncated("abcd", to: 3) == "ab…")
        #expect(TextLimit.truncated("", to: 1) == "")
        #expect(TextLimit.truncated(Self.marks(1_000_000), to: 40).unicodeScalars.count == 40)
    }
}
