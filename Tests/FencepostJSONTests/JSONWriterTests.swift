import FencepostJSON
import FencepostTesting
import Testing

@Suite("A JSON writer") struct JSONWriterTests {
    private func text(_ write: (inout JSONWriter) -> Void) -> String {
        var writer = JSONWriter()
        write(&writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    @Test("writes null for a number that JSON cannot hold, and counts it") func unwritable() {
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("a", Double.nan)
        writer.field("b", -Double.infinity)
        writer.name("c")
        writer.value(Double.infinity)
        writer.field("d", 1.5)
        writer.endObject()
        #expect(String(decoding: writer.bytes, as: UTF8.self) == #"{"a":null,"b":null,"c":null,"d":1.5}"#)
        #expect(writer.unwritableNumbers == 3)
        writer.removeAll()
        #expect(writer.unwritableNumbers == 0)
    }

    @Test(
        "writes the ends of the integers",
        arguments: [
            (-0x1p63, "-9223372036854775808"), (0x1p63, "9223372036854775808"), (-0x1p53, "-9007199254740992"),
            (-9_007_199_254_740_991, "-9007199254740991"), (0x1p64, "18446744073709551616"),
        ]) func integerEnds(number: Double, expected: String)
    {
        #expect(text { $0.value(number) } == expected)
    }

    @Test("inserts commas and colons") func structure() {
        let written = text { writer in
            writer.beginObject()
            writer.name("a")
            writer.beginArray()
            writer.value(1)
            writer.value(true)
            writer.null()
            writer.beginObject()
            writer.endObject()
            writer.raw("[2]")
            writer.endArray()
            writer.name("b")
            writer.value("x")
            writer.endObject()
            writer.newline()
            writer.beginArray()
            writer.endArray()
        }
        #expect(written == "{\"a\":[1,true,null,{},[2]],\"b\":\"x\"}\n[]")
    }

    static let shortest: [(Double, String)] = [
        (35, "35"), (0, "0"), (-0.0, "0"), (-1.5, "-1.5"), (0.1, "0.1"), (126.97796919999999, "126.97796919999999"),
        (100_000, "100000"), (0.0001, "0.0001"), (1e-7, "0.0000001"), (1e-8, "1e-08"),
        (1e20, "100000000000000000000"), (1e21, "1e+21"), (.leastNonzeroMagnitude, "5e-324"),
        (1.7976931348623157e308, "1.7976931348623157e+308"), (9_007_199_254_740_992, "9007199254740992"),
        (-1e-7, "-0.0000001"), (-123456789.12345679, "-123456789.12345679"),
        (-0.0000001234567890123456, "-0.0000001234567890123456"),
    ]

    @Test("writes numbers in their shortest form", arguments: shortest)
    func numbers(_ number: Double, _ expected: String) {
        #expect(text { $0.value(number) } == expected)
    }

    @Test("writes numbers that read back as the same", arguments: 1...10 as ClosedRange<UInt64>)
    func roundTrip(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<2000 {
            let number = Double(bitPattern: generator.next())
            guard number.isFinite else { continue }
            let written = text { $0.value(number) }
            #expect(Double(written) == number)
            #expect(try JSONDocument(parsing: written).root.double == number)
            let degrees = Double.random(in: -180...180, using: &generator)
            let shortest = text { $0.value(degrees) }
            #expect(Double(shortest) == degrees)
            #expect(shortest.utf8.count <= degrees.description.utf8.count)
        }
    }

    @Test("writes short decimals unchanged", arguments: 1...10 as ClosedRange<UInt64>)
    func decimals(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<3000 {
            let digits = Int.random(in: 1...15, using: &generator)
            let number = Int.random(in: 1..<Int(pow(10, digits)), using: &generator)
            let scale = Int.random(in: 0...7, using: &generator)
            var expected = String(number)
            while expected.count <= scale { expected = "0" + expected }
            if scale > 0 {
                expected.insert(".", at: expected.index(expected.endIndex, offsetBy: -scale))
                while expected.hasSuffix("0") { expected.removeLast() }
                if expected.hasSuffix(".") { expected.removeLast() }
            }
            let value = Double(number) / Double(pow(10, scale))
            #expect(text { $0.value(value) } == expected)
            #expect(text { $0.value(-value) } == "-" + expected)
        }
    }

    private func pow(_ base: Int, _ exponent: Int) -> Int { (0..<exponent).reduce(1) { result, _ in result * base } }

    @Test("writes text that reads back as the same", arguments: 1...10 as ClosedRange<UInt64>)
    func texts(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<100 {
            let length = Int.random(in: 0...1400, using: &generator)
            let isPlain = Bool.random(using: &generator)
            let string = String(
                String.UnicodeScalarView(
                    (0..<length).compactMap { _ in
                        Unicode.Scalar(UInt32.random(in: isPlain ? 0x23...0x5B : 0...0x900, using: &generator))
                    }))
            let written = text { writer in
                writer.beginObject()
                writer.name(string)
                writer.value(string)
                writer.endObject()
            }
            let member = try JSONDocument(parsing: written).root.object?.first { _ in true }
            #expect(member?.name == string && member?.value.string == string)
            // Nothing is escaped without need.
            #expect(!isPlain || written.utf8.count == 2 * string.utf8.count + 7)
        }
    }

    @Test("starts empty after its bytes were taken") func taken() {
        var writer = JSONWriter()
        writer.value("first")
        let first = writer.takeBytes()
        #expect(writer.count == 0 && writer.bytes.isEmpty)
        let copy = writer
        writer.value("second")
        #expect(String(decoding: first, as: UTF8.self) == "\"first\"")
        #expect(String(decoding: writer.bytes, as: UTF8.self) == "\"second\"" && copy.bytes.isEmpty)
    }

    @Test("escapes what must be escaped, and nothing else") func escapes() throws {
        let string = "\"\\/\u{08}\t\n\u{0C}\r\u{01}\u{1F}\u{7F}é\u{1F600}\u{2028}"
        let written = text { $0.value(string) }
        #expect(written == "\"\\\"\\\\/\\b\\t\\n\\f\\r\\u0001\\u001f\u{7F}é\u{1F600}\u{2028}\"")
        #expect(try JSONDocument(parsing: written).root.string == string)
    }

    @Test("writes integers to the ends of their range") func integers() {
        #expect(text { $0.value(Int.min) } == "-9223372036854775808")
        #expect(text { $0.value(Int.max) } == "9223372036854775807")
    }
}

@Suite("The nearest name") struct NearestTests {
    @Test(
        "is at an edit distance of one or two",
        arguments: [
            ("notifyOnEntyr", "notifyOnEntry"), ("raduis", "radius"), ("Name", "name"), ("dwel", "dwell"),
            ("dwellls", "dwell"), ("colour", nil), ("name", nil), ("id", nil), ("", nil), ("xame", "name"),
        ] as [(String, String?)])
    func near(_ name: String, _ expected: String?) {
        #expect(nearest(to: name, in: ["name", "tags", "notifyOnEntry", "dwell", "radius"]) == expected)
    }
}
