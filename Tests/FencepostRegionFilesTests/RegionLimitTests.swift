import FencepostModel
import FencepostRegionFiles
import Testing

@Suite("The limits of a region") struct RegionLimitTests {
    private static func list(_ count: Int, _ element: (Int) -> String) -> String {
        "[" + (0..<count).map(element).joined(separator: ",") + "]"
    }

    private static func text(_ length: Int) -> String { "\"" + String(repeating: "x", count: length) + "\"" }

    private static func read(_ properties: String, id: String = "\"a\"") -> RegionFile.Reading {
        RegionFile.read(
            Array(
                """
                {"type":"Feature","id":\(id),"properties":{"radius":5,\(properties)},\
                "geometry":{"type":"Point","coordinates":[1,2]}}
                """.utf8))
    }

    /// A property at its limit, one beyond it, the code and where it is.
    struct Limit: Sendable, CustomTestStringConvertible {
        var name: String
        var most: String
        var beyond: String
        var code: String
        var pointer: String

        var testDescription: String { name }

        init(_ name: String, _ most: String, _ beyond: String, _ code: String, _ pointer: String) {
            (self.name, self.most, self.beyond, self.code, self.pointer) = (name, most, beyond, code, pointer)
        }
    }

    static let limits = [
        Limit(
            "tags", "\"tags\":" + list(64) { "\"t\($0)\"" }, "\"tags\":" + list(65) { "\"t\($0)\"" },
            "too_many_values", "/properties/tags"),
        Limit("a tag", "\"tags\":[\(text(64))]", "\"tags\":[\(text(65))]", "text_too_long", "/properties/tags/0"),
        Limit(
            "dwells", "\"dwell\":" + list(32) { "\($0 + 1)" }, "\"dwell\":" + list(33) { "\($0 + 1)" },
            "too_many_values", "/properties/dwell"),
        Limit("a name", "\"name\":\(text(256))", "\"name\":\(text(257))", "text_too_long", "/properties/name"),
        Limit(
            "devices", "\"devices\":" + list(256) { "\"d\($0)\"" }, "\"devices\":" + list(257) { "\"d\($0)\"" },
            "too_many_values", "/properties/devices"),
        Limit(
            "a pattern", "\"devices\":\(text(256))", "\"devices\":\(text(257))", "text_too_long",
            "/properties/devices"),
        Limit(
            "openings", schedule(list(128) { _ in "\"Mon 09:00-18:00\"" }, "[]"),
            schedule(list(129) { _ in "\"Mon 09:00-18:00\"" }, "[]"), "too_many_values",
            "/properties/schedule/weekly"),
        Limit(
            "exceptions", schedule("[\"Mon\"]", list(1024) { _ in "\"2026-12-25\"" }),
            schedule("[\"Mon\"]", list(1025) { _ in "\"2026-12-25\"" }), "too_many_values",
            "/properties/schedule/except"),
        Limit(
            "metadata", "\"metadata\":\(text(4094))", "\"metadata\":\(text(4095))", "metadata_too_large",
            "/properties/metadata"),
    ]

    private static func schedule(_ weekly: String, _ except: String) -> String {
        "\"schedule\":{\"timeZone\":\"UTC\",\"weekly\":\(weekly),\"except\":\(except)}"
    }

    @Test("apply to region files, with the place and the limit", arguments: limits)
    func file(limit: Limit) {
        #expect(Self.read(limit.most).diagnostics.isEmpty)
        let refused = Self.read(limit.beyond)
        #expect(refused.regions.isEmpty)
        #expect(refused.diagnostics.map(\.code) == [limit.code])
        #expect(refused.diagnostics.map(\.position) == [.pointer(limit.pointer)])
        #expect(refused.diagnostics.first?.message.contains { $0.isNumber } == true)
    }

    @Test("count code points, of which one visible character can have any number")
    func combining() {
        let stacked = "a" + String(repeating: "\u{301}", count: 64)
        #expect(stacked.count == 1)
        #expect(Self.read("\"tags\":[\"\(stacked)\"]").diagnostics.map(\.code) == ["text_too_long"])
    }

    @Test("do not apply to regions that an earlier version has stored", arguments: limits)
    func stored(limit: Limit) {
        for id in ["a", "..", "\u{202E}a"] {
            let text = """
                {"type":"Feature","id":"\(id)","properties":{"radius":5,\(limit.beyond)},\
                "geometry":{"type":"Point","coordinates":[1,2]}}
                """
            let reading = RegionFile.read(Array(text.utf8), options: .stored)
            #expect(reading.diagnostics.isEmpty && reading.regions.map(\.id.rawValue) == [id])
        }
    }

    @Test(
        "refuse an id that nobody can see, or that names a folder in a path",
        arguments: [
            ".", "..", " ", "\u{3000}", "\u{202E}a", "a\u{2066}", "\u{200F}x", "\u{61C}x", "\u{FEFF}a", "a\u{85}b",
        ])
    func invisible(id: String) {
        let reading = Self.read("\"name\":\"x\"", id: "\"\(id)\"")
        #expect(reading.diagnostics.map(\.code) == ["invalid_id"])
    }

    @Test("accept every visible id", arguments: ["...", ".a", "a b", "Büro", "بيت", "می‌خواهم", "👨‍👩‍👧", "0"])
    func visible(id: String) {
        #expect(Self.read("\"name\":\"x\"", id: "\"\(id)\"").regions.map(\.id.rawValue) == [id])
    }
}
