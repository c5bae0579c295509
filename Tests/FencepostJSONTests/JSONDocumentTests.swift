import FencepostJSON
import FencepostTesting
import Foundation
import Testing

@Suite("A JSON document") struct JSONDocumentTests {
    @Test("has its values in order") func values() throws {
        let root = try JSONDocument(
            parsing: #"{"a":[1,2.5,-3,true,false,null,"x\u00e9\n"],"b":{},"a":18446744073709551615}"#
        ).root
        #expect(root.kind == .object)
        #expect(root.count == 3)
        #expect(root.object?.map(\.name) == ["a", "b", "a"])
        let array = try #require(root["a"]?.array)
        #expect(array.map(\.kind) == [.number, .number, .number, .bool, .bool, .null, .string])
        #expect(array.compactMap(\.double) == [1, 2.5, -3])
        #expect(array.map(\.int) == [1, nil, -3, nil, nil, nil, nil])
        #expect(root["a"]?[6]?.string == "xé\n")
        #expect(root["a"]?[7] == nil)
        #expect(root["b"]?.object?.isEmpty == true)
        #expect(root["c"] == nil)
        #expect(root.text == #"{"a":[1,2.5,-3,true,false,null,"xé\n"],"b":{},"a":18446744073709551615}"#)
    }

    @Test("compares names by bytes, not by canonical equivalence") func names() throws {
        let root = try JSONDocument(parsing: "{\"e\u{301}\":1,\"\u{e9}\":2}").root
        #expect(root["\u{e9}"]?.int == 2)
        #expect(root["e\u{301}"]?.int == 1)
    }

    @Test("reads numbers of any length within the range of Double")
    func longIntegers() throws {
        let array = try JSONDocument(
            parsing: "[100000000000000000000, -9223372036854775809,9223372036854775807,1e-400,3.0,1e3]"
        ).root
        #expect(array.array?.map(\.double) == [1e20, -0x1p63, 0x1p63, 0, 3, 1000])
        #expect(array.array?.map(\.int) == [nil, Int.min, Int.max, 0, 3, 1000])
    }

    static let wrong: [(text: String, offset: Int, line: Int, column: Int, message: String)] = [
        ("", 0, 1, 1, "empty"), (" \n ", 3, 2, 2, "empty"), ("[1]x", 3, 1, 4, "'x' follows the JSON value"),
        ("[1,\n  2,,3]", 8, 2, 5, "a value is missing: found ','"), ("[1 2]", 3, 1, 4, "a comma or ]"),
        ("[1,]", 3, 1, 4, "a value is missing: found ']'"), ("{\"a\":1,}", 7, 1, 8, "name of a member"),
        ("{\"a\" 1}", 5, 1, 6, "colon"), ("{a:1}", 1, 1, 2, "name of a member"), ("[1", 2, 1, 3, "end of the text"),
        ("[\"abc]", 1, 1, 2, "not terminated"), ("\"a\tb\"", 2, 1, 3, "0x09"), ("\"\\x\"", 1, 1, 2, "escape"),
        ("\"\\ud800\"", 1, 1, 2, "first half"), ("\"a\\udc00\"", 2, 1, 3, "second half"),
        ("\"\\ud800\\u0041\"", 1, 1, 2, "first half"), ("\"\\u12g4\"", 1, 1, 2, "four hexadecimal"),
        ("[01]", 1, 1, 2, "redundant zero"), ("[+1]", 1, 1, 2, "value is missing"), ("[1.]", 1, 1, 2, "decimal point"),
        ("[-]", 1, 1, 2, "minus"), ("[1e]", 1, 1, 2, "exponent"), ("[1e400]", 1, 1, 2, "too large"),
        ("[-1e400]", 1, 1, 2, "too large"), ("[0x10]", 1, 1, 2, "'x'"), ("[NaN]", 1, 1, 2, "value is missing"),
        ("[Infinity]", 1, 1, 2, "value is missing"), ("nul", 0, 1, 1, "not true, false or null"),
        ("truex", 0, 1, 1, "not true"), ("\u{FEFF}[1,]", 6, 1, 4, "value is missing"), ("}", 0, 1, 1, "value is"),
    ]

    @Test("reports the position and reason of an error", arguments: wrong)
    func errors(_ row: (text: String, offset: Int, line: Int, column: Int, message: String)) {
        let error = #expect(throws: JSONSyntaxError.self) { try JSONDocument(parsing: row.text) }
        #expect(error?.offset == row.offset)
        #expect(error?.line == row.line)
        #expect(error?.column == row.column)
        #expect(error?.message.contains(row.message) == true, "\(error?.message ?? "")")
    }

    @Test(
        "rejects invalid UTF-8",
        arguments: [
            [0x22, 0xFF, 0x22], [0x22, 0xC0, 0x80, 0x22], [0x22, 0xED, 0xA0, 0x80, 0x22], [0x22, 0xE2, 0x82, 0x22],
            [0x22, 0xF4, 0x90, 0x80, 0x80, 0x22], [0x22, 0x80, 0x22], [0x22, 0xC3],
        ] as [[UInt8]])
    func invalidUTF8(bytes: [UInt8]) {
        let error = #expect(throws: JSONSyntaxError.self) { try JSONDocument(parsing: bytes) }
        #expect(error?.offset == 1)
        #expect(error?.message.contains("UTF-8") == true)
    }

    @Test("limits its depth", arguments: [2, 5, 64, 200]) func depth(limit: Int) throws {
        for inner in ["", "1", "{}", "[]"] {
            let count = inner == "{}" || inner == "[]" ? limit - 1 : limit
            let fits = String(repeating: "[", count: count) + inner + String(repeating: "]", count: count)
            #expect(throws: Never.self) { try JSONDocument(parsing: fits, maximumDepth: limit) }
            let error = #expect(throws: JSONSyntaxError.self) {
                try JSONDocument(parsing: "[\(fits)]", maximumDepth: limit)
            }
            #expect(error?.message.contains("deeper than \(limit)") == true)
        }
    }

    @Test("keeps a byte order mark out of the value") func byteOrderMark() throws {
        #expect(try JSONDocument(parsing: "\u{FEFF}[1]").root.text == "[1]")
    }

    @Test("finds duplicate members by pointer") func duplicates() throws {
        let many = (0..<40).map { "\"k\($0)\":0" }.joined(separator: ",")
        let text = #"{"a":1,"b/~":[{"x":1,"y":2,"x":3,"x":4}],"a":{"c":1,"c":2},"m":{"# + many + #","k7":1}}"#
        let found = try JSONDocument(parsing: text).duplicateNames().map(\.description)
        #expect(found == ["/a", "/b~1~0/0/x", "/b~1~0/0/x", "/a/c", "/m/k7"])
    }

    @Test("is equal by value") func equality() throws {
        func root(_ text: String) throws -> JSONElement { try JSONDocument(parsing: text).root }
        #expect(try root(#"{"a":[1,"x"]}"#) == root(#" { "a" : [ 1.0 , "x" ] } "#))
        #expect(try root("9007199254740993") != root("9007199254740992"))
        #expect(try root(#"{"a":1}"#) != root(#"{"b":1}"#))
        #expect(try root("[1]") != root("[1,2]"))
    }

    /// Random bytes of JSON's alphabet, many of them almost JSON.
    static func mutated(_ generator: inout SeededGenerator) -> [UInt8] {
        let seeds = [
            #"{"a":[1,2.5e3,-0.1],"b":"x\u00e9y","c":{"d":null,"e":true}}"#, #"[[],{},"",0,-1,1E-2,false]"#,
            "\"\\ud83d\\ude00 \u{1F600}\"", "[123456789012345678901234567890,1]",
        ]
        var bytes = Array(seeds.randomElement(using: &generator)?.utf8 ?? "".utf8)
        let alphabet = Array("{}[]:,\"\\u0123456789eE+-. tfn\u{e9}\n".utf8) + [0x00, 0xFF, 0xED, 0xA0, 0xC0]
        for _ in 0..<Int.random(in: 0...3, using: &generator) where !bytes.isEmpty {
            let index = Int.random(in: 0..<bytes.count, using: &generator)
            let byte = alphabet.randomElement(using: &generator) ?? 0
            switch Int.random(in: 0..<4, using: &generator) {
            case 0: bytes.remove(at: index)
            case 1: bytes.insert(byte, at: index)
            case 2: bytes[index] = byte
            default: bytes.removeLast(min(bytes.count, 2))
            }
        }
        return bytes
    }

    @Test("is rejected or read as by Foundation", arguments: 1...20 as ClosedRange<UInt64>)
    func agreesWithFoundation(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<500 {
            let bytes = Self.mutated(&generator)
            let reference = try? JSONSerialization.jsonObject(with: Data(bytes), options: .fragmentsAllowed)
            do {
                let document = try JSONDocument(parsing: bytes)
                let again = try JSONDocument(parsing: document.root.text)
                #expect(again.root == document.root, "\(String(decoding: bytes, as: UTF8.self))")
                #expect(reference != nil, "only JSONDocument reads \(String(decoding: bytes, as: UTF8.self))")
            } catch  where error.message.contains("found ']'") {
                // Foundation accepts a comma before the end of an array; RFC 8259 does not.
            } catch {
                #expect(reference == nil, "only Foundation reads \(String(decoding: bytes, as: UTF8.self))")
            }
        }
    }
}
