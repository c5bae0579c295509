import FencepostModel
import FencepostTesting
import Foundation
import Testing

@Suite("Timestamp") struct TimestampTests {
    @Test(
        "reads what phones write",
        arguments: [
            ("2026-03-01T08:30:00Z", 1_772_353_800_000), ("2026-03-01T09:30:00+01:00", 1_772_353_800_000),
            ("2026-03-01T09:30:00+0100", 1_772_353_800_000), ("2026-03-01T07:30:00-01", 1_772_353_800_000),
            ("2026-03-01t08:30:00.25z", 1_772_353_800_250), ("2026-03-01 08:30:00.123999Z", 1_772_353_800_123),
            ("2024-02-29T00:00:00Z", 1_709_164_800_000), ("1969-12-31T23:59:59.5Z", -500),
            ("2016-12-31T23:59:60Z", 1_483_228_800_000), ("2026-03-01T08:30Z", 1_772_353_800_000),
        ])
    func reads(text: String, milliseconds: Int64) {
        #expect(Timestamp(rfc3339: text)?.milliseconds == milliseconds)
    }

    @Test(
        "refuses what is no time",
        arguments: [
            "", "2026-03-01", "2026-02-29T00:00:00Z", "2026-13-01T00:00:00Z", "2026-03-01T24:00:00Z",
            "2026-03-01T08:60:00Z", "2026-03-01T08:30:61Z", "2026-03-01T08:30:00", "2026-03-01T08:30:00.Z",
            "2026-03-01T08:30:00Zx", "2026-03-01T08:30:00+1", "2026-00-10T08:30:00Z", "２026-03-01T08:30:00Z",
        ])
    func refuses(text: String) {
        #expect(Timestamp(rfc3339: text) == nil)
    }

    @Test("takes a time without an offset as UTC only on request")
    func withoutZone() {
        #expect(Timestamp(rfc3339: "2026-03-01T08:30:00", assumingUTC: true)?.milliseconds == 1_772_353_800_000)
    }

    @Test("writes what it reads, as Foundation does", arguments: 1...200 as ClosedRange<UInt64>)
    func roundTrip(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let moment = Timestamp(milliseconds: .random(in: -11_600_000_000_000...253_000_000_000_000, using: &random))
        #expect(Timestamp(rfc3339: moment.rfc3339) == moment)
        let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        let date = Date(timeIntervalSince1970: Double(moment.milliseconds) / 1000)
        #expect(moment.rfc3339.prefix(19) == date.formatted(style).prefix(19))
    }

    @Test("shows milliseconds only when they are not zero")
    func milliseconds() {
        #expect(Timestamp(milliseconds: 0).rfc3339 == "1970-01-01T00:00:00Z")
        #expect(Timestamp(milliseconds: 50).rfc3339 == "1970-01-01T00:00:00.050Z")
    }
}

@Suite("Glob pattern") struct GlobPatternTests {
    @Test(
        "matches the whole text",
        arguments: [
            ("*", "", true), ("jane/*", "jane/phone", true), ("jane/*", "jane", false), ("*/phone", "a/b/phone", true),
            ("van-?", "van-7", true), ("van-?", "van-77", false), ("a*b*c", "aXbYbc", true), ("a*b*c", "aXbYb", false),
            ("", "", true), ("", "x", false), ("*a", "aaab", false), ("é*", "éa", true),
        ])
    func fits(pattern: String, text: String, expected: Bool) {
        #expect(GlobPattern(pattern).matches(text) == expected)
    }
}

@Suite("Identity") struct IdentityTests {
    @Test("is FNV-1a of 128 bits, as computed by a few lines of Python")
    func vector() {
        var identity = Identity()
        #expect(identity.text(prefix: "") == "3cc8kjw1xv05165e11enh9bhcd")
        identity.add("foobar")
        #expect(identity.text(prefix: "evt_") == "evt_1n2wg8v9b5zapmnqett9gzj8ty")
    }

    @Test("depends on where its parts end")
    func parts() {
        var (a, b) = (Identity(), Identity())
        a.add("ab")
        a.add("c")
        b.add("a")
        b.add("bc")
        #expect(a.text(prefix: "evt_") != b.text(prefix: "evt_"))
    }
}
