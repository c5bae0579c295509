import FencepostTesting
import Foundation
import Testing

@testable import FencepostJSON

/// Without simdjson a text is read by Swift alone. Both readers accept the same texts, with the same values.
@Suite("The reader in Swift") struct SwiftReaderTests {
    /// Where the readers differ about a text; `nil` when they agree.
    private func difference(_ text: [UInt8], maximumDepth: Int = 64) -> String? {
        let native = Result { () throws(JSONSyntaxError) in
            try JSONDocument(parsing: text, maximumDepth: maximumDepth)
        }
        let swift = Result { () throws(JSONSyntaxError) in
            try JSONDocument(parsingInSwift: text, maximumDepth: maximumDepth)
        }
        switch (native, swift) {
        case (.failure(let a), .failure(let b)):
            return a == b ? nil : "\(a) and \(b)"
        case (.success(let a), .success(let b)):
            if a.storage.tape != b.storage.tape { return "another tape" }
            let count = b.storage.strings.count
            return a.storage.strings.prefix(count).elementsEqual(b.storage.strings) ? nil : "other strings"
        case (.success, .failure(let error)): return "only Swift refuses: \(error)"
        case (.failure(let error), .success): return "only simdjson refuses: \(error)"
        }
    }

    private static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..")

    @Test("reads every JSON file of the repository as simdjson does") func files() throws {
        var count = 0
        for folder in ["Tests", "Regions", "docs"] {
            let files = FileManager.default.enumerator(
                at: Self.root.appending(path: folder), includingPropertiesForKeys: [.fileSizeKey])
            for case let file as URL in files ?? .init() {
                guard
                    ["json", "geojson", "ndjson", "dict"].contains(file.pathExtension) || file.path.contains("Corpus"),
                    let bytes = try? Data(contentsOf: file), bytes.count < 300_000
                else { continue }
                count += 1
                #expect(difference(Array(bytes)) == nil, "\(file.path)")
                for line in bytes.split(separator: UInt8(ascii: "\n")).prefix(50) {
                    #expect(difference(Array(line)) == nil, "\(file.path)")
                }
            }
        }
        #expect(count > 100)
    }

    private static let pieces = [
        "{", "}", "[", "]", ",", ":", "\"", "\\", "\\u", "d83d", "\\ude00", "\\n", "\\/", "a", "é", "😀", "\u{0}",
        "\u{7F}",
        "true", "false", "null", "-", "0", "-0", "1", "9", ".", "e", "E+", "18446744073709551615",
        "18446744073709551616",
        "9223372036854775807", "-9223372036854775808", "-9223372036854775809", "1e308", "1e309", "1e-400", "4.9e-324",
        "2.4703282292062327e-324", "0.1", "123456789012345678901234567890", " ", "\n", "\t", "\r", "\u{FEFF}",
        "\u{2028}",
    ]

    @Test("accepts and refuses what simdjson does", arguments: 1...8 as ClosedRange<UInt64>)
    func mutations(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let samples = [
            #"{"a":[1,2.5,-3,true,false,null,"x\u00e9\n"],"b":{},"a":18446744073709551615}"#,
            #"[[],{},[[{"lat":52.520008,"lon":13.404954,"tst":1700000000,"n":-0.0,"m":-0}]],"\ud83d\ude00"]"#,
            #" {"é":"\"\\\/\b\f\n\r\t","":[1e5,1E-7,12345678901234567890123]} "#, "7", "\"\"", "[]",
        ].map { Array($0.utf8) }
        var accepted = 0
        for _ in 0..<3_000 {
            var text = samples.randomElement(using: &generator) ?? []
            for _ in 0..<Int.random(in: 0...3, using: &generator) {
                let index = Int.random(in: 0...text.count, using: &generator)
                switch Int.random(in: 0..<4, using: &generator) {
                case 0 where index < text.count: text[index] = UInt8.random(in: .min ... .max, using: &generator)
                case 1 where index < text.count: text.removeSubrange(index..<min(text.count, index + 2))
                case 2: text = Array(text[..<index])
                default: text.insert(contentsOf: (Self.pieces.randomElement(using: &generator) ?? "").utf8, at: index)
                }
            }
            if (try? JSONDocument(parsingInSwift: text)) != nil { accepted += 1 }
            if let difference = difference(text) {
                Issue.record("\(difference): \(String(decoding: text, as: UTF8.self))")
            }
            if let difference = difference(text, maximumDepth: 3) {
                Issue.record("\(difference) at depth 3: \(String(decoding: text, as: UTF8.self))")
            }
        }
        #expect(accepted > 500)
    }

    @Test("reads random sequences of tokens alike", arguments: 1...4 as ClosedRange<UInt64>)
    func tokens(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<5_000 {
            let count = Int.random(in: 1...6, using: &generator)
            let text = (0..<count).map { _ in Self.pieces.randomElement(using: &generator) ?? "" }.joined()
            if let difference = difference(Array(text.utf8)) { Issue.record("\(difference): \(text)") }
            if let difference = difference(Array("[\(text)]".utf8)) { Issue.record("\(difference): [\(text)]") }
        }
    }

    @Test("counts the elements of a long array as simdjson does") func long() {
        let text = "[" + String(repeating: "0,", count: 70_000) + "{}]"
        #expect(difference(Array(text.utf8)) == nil)
    }

    private static func text(_ write: (UnsafeMutablePointer<UInt8>) -> Int) -> String {
        var bytes = [UInt8](repeating: 0, count: 32)
        let count = bytes.withUnsafeMutableBufferPointer { $0.baseAddress.map(write) ?? 0 }
        return String(decoding: bytes[..<count], as: UTF8.self)
    }

    private static let numbers: [Double] = [
        0, -0.0, 1e-7, 9.999999999999999e-8, 1e21, 9.999999999999999e20, 1e22, .greatestFiniteMagnitude,
        .leastNonzeroMagnitude, .leastNormalMagnitude, 0x1p53, 0x1p53 + 2, 0x1p63, 0x1p64, 123_456_789_012_345_683_968,
        0.1,
        0.5, 1.5, 100, 1e15, 1e16, 1e20, 0.0001, 0.00001, 123e-9, 1 / 3, 2.5e-10,
    ]

    @Test("writes doubles as the C++ library does", arguments: 1...4 as ClosedRange<UInt64>)
    func decimals(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var numbers = Self.numbers + Self.numbers.map { -$0 }
        for _ in 0..<10_000 {
            numbers.append(Double(bitPattern: generator.next()))
            numbers.append(Double.random(in: -180...180, using: &generator))
            numbers.append(Double(generator.next()) * 40)
            let exponent = Double.random(in: -30...30, using: &generator)
            numbers.append(
                Double(Int.random(in: 1...99_999, using: &generator)) * Foundation.pow(10, exponent.rounded()))
        }
        for number in numbers where number.isFinite {
            let text = Self.text { SwiftDecimal.write(number, at: $0) }
            #expect(text == Self.text { Decimal.write(number, at: $0) })
            let read = Array(text.utf8).withUnsafeBufferPointer { SwiftDecimal.value(of: $0) }
            #expect(read == number, "\(text)")
        }
    }
}
