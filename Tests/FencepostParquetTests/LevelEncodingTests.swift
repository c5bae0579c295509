import FencepostTesting
import Testing

@testable import FencepostParquet

/// Reads the encodings of Parquet, as its specification describes them.
private struct BitReader {
    let bytes: [UInt8]
    var position = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    mutating func variableLength() -> UInt64 {
        var (value, shift) = (UInt64(0), UInt64(0))
        while true {
            let byte = bytes[position]
            position += 1
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return value }
            shift += 7
        }
    }

    mutating func signed() -> Int64 {
        let value = variableLength()
        return Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1)
    }

    /// `count` numbers of `width` bits, the lowest bit first.
    mutating func packed(_ count: Int, width: Int) -> [UInt64] {
        let start = position * 8
        let values = (0..<count).map { number in
            (0..<width).reduce(UInt64(0)) { value, bit in
                let index = start + number * width + bit
                return value | UInt64(bytes[index / 8] >> UInt8(index % 8) & 1) << UInt64(bit)
            }
        }
        position += (count * width + 7) / 8
        return values
    }

    mutating func levels(_ count: Int, width: Int) -> [UInt32] {
        var values: [UInt32] = []
        while values.count < count {
            let head = variableLength()
            if head & 1 == 1 {
                values += packed(Int(head >> 1) * 8, width: width).map { UInt32($0) }
            } else {
                let value = packed(1, width: (width + 7) / 8 * 8)[0]
                values += Array(repeating: UInt32(value), count: Int(head >> 1))
            }
        }
        return Array(values.prefix(count))
    }

    mutating func differences() -> [Int64] {
        let (block, parts) = (Int(variableLength()), Int(variableLength()))
        let count = Int(variableLength())
        var values = [signed()]
        while values.count < count {
            let least = signed()
            let widths = (0..<parts).map { Int(bytes[position + $0]) }
            position += parts
            for width in widths {
                for offset in packed(block / parts, width: width) {
                    guard values.count < count else { continue }
                    values.append((values.last ?? 0) &+ least &+ Int64(bitPattern: offset))
                }
            }
        }
        return values
    }
}

@Suite("Encodings of Parquet") struct LevelEncodingTests {
    @Test("runs and bit-packed groups read back equal, and use every byte", arguments: 1...200 as ClosedRange<UInt64>)
    func levels(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let width = Int.random(in: 1...20, using: &random)
        var values: [UInt32] = []
        for _ in 0..<Int.random(in: 0...30, using: &random) {
            let value = UInt32.random(in: 0..<1 << UInt32(width), using: &random)
            values += Array(repeating: value, count: Int.random(in: 1...40, using: &random))
        }
        var reader = BitReader(LevelEncoding.encode(values, width: width))
        #expect(reader.levels(values.count, width: width) == values)
        #expect(reader.position == reader.bytes.count)
    }

    @Test("differences read back equal, and use every byte", arguments: 1...200 as ClosedRange<UInt64>)
    func differences(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let most = Int64(1) << Int64.random(in: 0...62, using: &random)
        let values = (0..<Int.random(in: 1...600, using: &random)).map { _ in
            Int64.random(in: -most...most, using: &random)
        }
        var reader = BitReader(DeltaEncoding.encode(values))
        #expect(reader.differences() == values)
        #expect(reader.position == reader.bytes.count)
    }

    @Test("the ends of all numbers read back equal") func ends() {
        let values: [Int64] = [.min, .max, 0, .min, -1, .max, .max, 1]
        var reader = BitReader(DeltaEncoding.encode(values))
        #expect(reader.differences() == values)
    }

    @Test("times at a fixed interval take less than a tenth of a byte each") func times() {
        let times = (0..<10_000).map { Int64(1_772_000_000_000 + $0 * 5000) }
        #expect(DeltaEncoding.encode(times).count < 1000)
    }
}
