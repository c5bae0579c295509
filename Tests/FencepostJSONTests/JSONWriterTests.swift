import FencepostJSON
import FencepostTesting
import Testing

@Suite("A JSON writer") struct JSONWriterTests {
    private func text(_ write: (inout JSONWriter) -> Void) -> String {
        var writer = JSONWriter()
        write(&writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    @Test("puts in commas and colons") func structure() {
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

    @Test("writes any number so that it reads back as the same", arguments: 1...10 as ClosedRange<UInt64>)
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

    @Test("escapes what has to be escaped, and nothing else") func escapes() throws {
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
        "is at one or two edits",
        arguments: [
            ("notifyOnEntyr", "notifyOnEntry"), ("raduis", "radius"), ("Name", "name"), ("dwel", "dwell"),
            ("dwellls", "dwell"), ("colour", nil), ("name", nil), ("id", nil), ("", nil), ("xame", "name"),
        ] as [(String, String?)])
    func near(_ name: String, _ expected: String?) {
        #expect(nearest(to: name, in: ["name", "tags", "notifyOnEntry", "dwell", "radius"]) == expected)
    }
}
