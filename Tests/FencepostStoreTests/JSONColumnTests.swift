import FencepostTesting
import Foundation
import Testing

@testable import FencepostStore

@Suite("Columns of JSON") struct JSONColumnTests {
    @Test("of texts have what Foundation's encoder and decoder have", arguments: 1...10 as ClosedRange<UInt64>)
    func texts(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let characters = Array("abcz-_AZ09 ./:%\"\\\n\t\u{1}\u{7F}ßé😀")
        func text(of characters: some RandomAccessCollection<Character>) -> String {
            String(
                (0..<Int.random(in: 0...8, using: &generator)).compactMap { _ in
                    characters.randomElement(using: &generator)
                })
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        for _ in 0..<500 {
            let list = (0..<Int.random(in: 0...4, using: &generator)).map { _ in text(of: characters) }
            let dictionary = Dictionary(list.map { ($0, text(of: characters)) }) { first, _ in first }
            #expect(try JSONColumn.decode([String].self, JSONColumn.encode(list)) == list)
            #expect(try JSONColumn.decode([String: String].self, JSONColumn.encode(dictionary)) == dictionary)
            // As earlier versions wrote the names of headers and the ids of regions.
            let names = list.map { _ in text(of: characters.prefix(5)) }
            let headers = Dictionary(names.map { ($0, text(of: characters.prefix(15))) }) { first, _ in first }
            #expect(try JSONColumn.encode(names) == String(decoding: encoder.encode(names), as: UTF8.self))
            #expect(try JSONColumn.encode(headers) == String(decoding: encoder.encode(headers), as: UTF8.self))
        }
    }
}
