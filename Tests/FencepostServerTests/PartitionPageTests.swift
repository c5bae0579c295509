import FencepostJSON
import FencepostTesting
import Testing

@testable import FencepostServer

/// Answers of partitions, taken apart and put together.
@Suite("A partition's page") struct PartitionPageTests {
    private static func texts(_ page: PartitionPage) -> [String] {
        page.rows.map { String(decoding: $0.bytes, as: UTF8.self) }
    }

    @Test("has its rows as values and as they were written") func rows() throws {
        let text = #"{"a":"\"data\":[","data":[{"x":"],}\\"},[1,[2]],"s\"",1.50],"nextCursor":null,"b":[1]}"#
        let page = try #require(PartitionPage(Array(text.utf8)))
        #expect(Self.texts(page) == [#"{"x":"],}\\"}"#, "[1,[2]]", #""s\"""#, "1.50"])
        #expect(page.rows[0].value["x"]?.string == "],}\\" && page.rows[3].value.double == 1.5)
        #expect(String(decoding: page.with(page.rows.map(\.bytes)), as: UTF8.self) == text)
        #expect(page.root["nextCursor"]?.isNull == true && page.root["b"]?.count == 1)
        #expect(PartitionPage(Array(#"{"data":[]}"#.utf8))?.rows.isEmpty == true)
    }

    @Test(
        "is found wherever its array stands, and however it is spaced",
        arguments: [
            #"{"data":[1,{"y":2}]}"#, #"{ "data" : [ 1 , { "y" : 2 } ] }"#,
            "\n{\n\t\"data\":\r\n[\n1,\n{\"y\":2}]\n}\n",
            // An earlier member has an array of the name.
            #"{"first":{"data":[3,4]},"list":[{"data":[5]}],"data":[1,{"y":2}]}"#,
            // The name is written with an escape, and stands in a text.
            #"{"text":"\"data\":[7]","d\u0061ta":[1,{"y":2}]}"#, #"{"data":[1,{"y":2}],"data":[9]}"#,
        ]) func spaced(text: String) throws
    {
        let page = try #require(PartitionPage(Array(text.utf8)))
        #expect(page.rows.count == 2 && page.rows[0].value.int == 1 && page.rows[1].value["y"]?.int == 2)
        let other = try JSONDocument(parsing: page.with([[UInt8(ascii: "8")]])).root
        #expect(other["data"]?.array.map { $0.map(\.int) } == [8])
        #expect(other["first"]?["data"]?.count == page.root["first"]?["data"]?.count)
    }

    @Test(
        "needs such an array",
        arguments: [
            "", "[]", #"{"data":[1"#, #"{"data":{"data":[1]}}"#, #"{"other":[1]}"#, #"{"data":[1]} x"#,
            #"["data",[1]]"#,
        ]) func others(text: String)
    {
        #expect(PartitionPage(Array(text.utf8)) == nil)
    }

    @Test("has the elements that a parser finds", arguments: 0..<200 as Range<UInt64>) func random(seed: UInt64) throws
    {
        var random = SeededGenerator(seed: seed)
        func space() -> String { String(repeating: " \n", count: Int.random(in: 0...1, using: &random)) }
        func value(_ depth: Int) -> String {
            let kinds = depth > 3 ? 3 : 5
            switch Int.random(in: 0..<kinds, using: &random) {
            case 0: return ["null", "-1.50e3", "true", "0"].randomElement(using: &random) ?? "0"
            case 1: return [#""a\\""#, #""]},:\"""#, #""\u0022[""#, #""""#].randomElement(using: &random) ?? "0"
            case 2: return "12"
            case 3: return "[" + list(depth + 1) { value(depth + 1) } + "]"
            default: return "{" + list(depth + 1) { #""data""# + space() + ":" + value(depth + 1) } + "}"
            }
        }
        func list(_ depth: Int, _ item: () -> String) -> String {
            (0..<Int.random(in: 0...3, using: &random)).map { _ in space() + item() + space() }.joined(separator: ",")
        }
        let text = #"{"before":"# + value(0) + #","data": ["# + list(0) { value(0) } + #"],"after":"# + value(0) + "}"
        let page = try #require(PartitionPage(Array(text.utf8)), "\(text)")
        for row in page.rows { #expect(try JSONDocument(parsing: row.bytes).root == row.value, "\(text)") }
        #expect(page.rows.count == page.root["data"]?.count, "\(text)")
        #expect(try JSONDocument(parsing: page.with(page.rows.map(\.bytes))).root == page.root, "\(text)")
    }
}
