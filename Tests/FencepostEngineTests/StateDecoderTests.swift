import FencepostModel
import FencepostTesting
import Testing

@testable import FencepostEngine

@Suite("The decoder of states") struct StateDecoderTests {
    private struct Plain: Hashable, Codable {
        var count = -3
        var text = "é"
        var missing: Double?
        var flags = [true, false]
        var short: Float = 1.5
        var exact = 1.0
        var byte: UInt8 = 200
    }

    // MARK: Format

    /// The bytes of `Plain()` as version 1 has always written them.
    private static let stored: [UInt8] = {
        var bytes: [UInt8] = [1, 6]
        for (number, name) in ["count", "text", "flags", "short", "exact", "byte"].enumerated() {
            bytes += [UInt8(number), UInt8(name.utf8.count)] + Array(name.utf8)
        }
        bytes += [8, 36, 0, 0, 0]
        bytes += [0, 3, 5]
        bytes += [1, 7, 2, 0xC3, 0xA9]
        bytes += [2, 9, 2, 0, 0, 0, 2, 1]
        bytes += [3, 6, 0, 0, 0xC0, 0x3F]
        bytes += [4, 5, 0, 0, 0, 0, 0, 0, 0xF0, 0x3F]
        bytes += [5, 4, 0xC8, 1]
        return bytes + [0xCF, 0x45, 0xE1, 0xDD, 0x35, 0xD1, 0x4F, 0x44]
    }()

    @Test("writes and reads the bytes of stored states")
    func format() throws {
        #expect(try StateEncoder().encode(Plain()) == Self.stored)
        #expect(try StateDecoder().decode(Plain.self, from: Self.stored) == Plain())
    }

    // MARK: Order of members

    private enum Key: String, CodingKey, CaseIterable { case a, b, c, none, list, inner, absent }

    /// Numbers under the keys `a` to `c`, nothing under the others, and an object and a list of the same kind.
    private struct Written: Encodable {
        var numbers = [1, 2, 3]
        var depth = 2

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Key.self)
            try container.encode(numbers[0], forKey: .a)
            if depth > 0 { try container.encode(Written(numbers: [4, 5, 6], depth: depth - 1), forKey: .inner) }
            try container.encode(numbers[1], forKey: .b)
            try container.encodeNil(forKey: .none)
            try container.encode([Written](repeating: Written(depth: 0), count: depth), forKey: .list)
            try container.encode(numbers[2], forKey: .c)
        }
    }

    /// Asks for the members in an order of its own, some of them several times and in several ways.
    private struct Asked: Decodable {
        @TaskLocal static var seed: UInt64 = 0

        init(from decoder: any Decoder) throws {
            var random = SeededGenerator(seed: Self.seed)
            let container = try decoder.container(keyedBy: Key.self)
            let hasInner = container.contains(.inner)
            let first = try container.decode(Int.self, forKey: .a)
            #expect(container.allKeys == (hasInner ? [.a, .inner, .b, .none, .list, .c] : [.a, .b, .none, .list, .c]))
            for _ in 0..<20 {
                switch Key.allCases.randomElement(using: &random) ?? .a {
                case .a: #expect(try container.decode(Int.self, forKey: .a) == first)
                case .b: #expect(try container.decodeIfPresent(Int.self, forKey: .b) == first + 1)
                case .c:
                    #expect(container.contains(.c))
                    #expect(try !container.decodeNil(forKey: .c))
                    #expect(try container.decode(Int8.self, forKey: .c) == Int8(first) + 2)
                case .none:
                    #expect(container.contains(.none))
                    #expect(try container.decodeNil(forKey: .none))
                    #expect(try container.decodeIfPresent(String.self, forKey: .none) == nil)
                    #expect(throws: DecodingError.self) { try container.decode(Int.self, forKey: .none) }
                case .list:
                    var list = try container.nestedUnkeyedContainer(forKey: .list)
                    while !list.isAtEnd { _ = try list.decode(Asked.self) }
                case .inner:
                    #expect(try (container.decodeIfPresent(Asked.self, forKey: .inner) != nil) == hasInner)
                case .absent:
                    #expect(!container.contains(.absent))
                    #expect(try container.decodeIfPresent(Double.self, forKey: .absent) == nil)
                    #expect(try container.decodeIfPresent(Asked.self, forKey: .absent) == nil)
                    #expect(throws: DecodingError.self) { try container.decode(Bool.self, forKey: .absent) }
                }
            }
        }
    }

    @Test("finds members in any order, and knows which are missing", arguments: 1...30 as ClosedRange<UInt64>)
    func order(seed: UInt64) throws {
        let (bytes, decoder) = (try StateEncoder().encode(Written()), StateDecoder())
        for round in 0..<3 as Range<UInt64> {
            try Asked.$seed.withValue(seed &* 3 &+ round) { _ = try decoder.decode(Asked.self, from: bytes) }
        }
    }

    @Test("reads a time and a short number alone and in lists as their types do")
    func shortcuts() throws {
        let (times, numbers) = ([Timestamp(milliseconds: -5), .distantFuture], [Float(0.1), -1e15])
        #expect(try StateDecoder().decode([Timestamp].self, from: StateEncoder().encode(times)) == times)
        #expect(try StateDecoder().decode(Timestamp.self, from: StateEncoder().encode(times[1])) == times[1])
        #expect(try StateDecoder().decode([Float].self, from: StateEncoder().encode(numbers)) == numbers)
        #expect(
            try StateDecoder().decode([String: Float].self, from: StateEncoder().encode(["a": 2 as Float])) == ["a": 2])
        #expect(throws: (any Error).self) {
            try StateDecoder().decode([Timestamp].self, from: StateEncoder().encode([0.5]))
        }
    }

    // MARK: Lists of names

    @Test("keeps the lists of names of different values apart", arguments: 1...10 as ClosedRange<UInt64>)
    func lists(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        // More lists than are kept; the same names have other numbers in each, and other names the same numbers.
        let names = ["a", "b", "c", "", "a name that does not fit a small string", "another such name, not that one"]
        let values = (0..<40).map { number in
            Dictionary(uniqueKeysWithValues: names.filter { _ in Bool.random(using: &random) }.map { ($0, number) })
        }
        let states = try values.map { try StateEncoder().encode($0) }
        let one = StateEncoder()
        let others = try values.map { try one.encode($0) }
        let decoder = StateDecoder()
        for _ in 0..<300 {
            let index = Int.random(in: 0..<values.count, using: &random)
            let state = Bool.random(using: &random) ? states[index] : others[index]
            #expect(try decoder.decode([String: Int].self, from: state) == values[index])
        }
    }

    // MARK: Damage

    /// Bytes with a checksum that fits.
    private static func sealed(_ content: some Sequence<UInt8>) -> [UInt8] {
        let content = Array(content)
        let sum = content.withUnsafeBytes { StateBytes.sum($0) }
        return content + withUnsafeBytes(of: sum.littleEndian) { Array($0) }
    }

    @Test("refuses a name that is not in the list, even where it cannot throw at once")
    func unknownName() throws {
        let content = try StateEncoder().encode(["a": 1]).dropLast(StateBytes.sumLength)
        #expect(content == [1, 1, 0, 1, UInt8(ascii: "a"), 8, 3, 0, 0, 0, 0, 3, 2])
        var damaged = Array(content)
        damaged[10] = 9
        #expect(throws: StateError.self) { try StateDecoder().decode([String: Int].self, from: Self.sealed(damaged)) }
        // A list may leave numbers out.
        damaged = Array(content)
        damaged[2] = 1
        #expect(throws: StateError.self) { try StateDecoder().decode([String: Int].self, from: Self.sealed(damaged)) }
        /// Asks only for what is there.
        struct Asking: Decodable {
            init(from decoder: any Decoder) throws {
                _ = try decoder.container(keyedBy: Key.self).contains(.a)
            }
        }
        #expect(throws: StateError.self) { try StateDecoder().decode(Asking.self, from: Self.sealed(damaged)) }
        #expect(throws: StateError.self) {
            try StateDecoder().decode([String: Int].self, from: Self.sealed(content + [0]))
        }
    }

    @Test(
        "reads a value as before after damaged ones, which it refuses or reads",
        arguments: 1...10 as ClosedRange<UInt64>)
    func damage(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let content = Self.stored.dropLast(StateBytes.sumLength)
        let decoder = StateDecoder()
        for _ in 0..<500 {
            var damaged = Array(content)
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                damaged[Int.random(in: 1..<damaged.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            if Bool.random(using: &random) { damaged.removeLast(Int.random(in: 1..<damaged.count, using: &random)) }
            let state = Self.sealed(damaged)
            #expect(
                (try? decoder.decode(Plain.self, from: state)) == (try? StateDecoder().decode(Plain.self, from: state)))
            #expect(try decoder.decode(Plain.self, from: Self.stored) == Plain())
        }
    }
}
