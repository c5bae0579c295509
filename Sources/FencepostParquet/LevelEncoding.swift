/// Numbers of few bits as runs and bit-packed groups of eight: the hybrid encoding of levels and of dictionary indices.
enum LevelEncoding {
    /// - Precondition: every value is below 2 to the power of `width`, which is 1 to 32.
    static func encode(_ values: [UInt32], width: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(values.count * width / 8 + 16)
        values.withUnsafeBufferPointer { values in
            // Begin of the values that are not written yet: a whole number of groups, until a run ends them.
            var (begin, position) = (0, 0)
            while position < values.count {
                var end = position + 1
                while end < values.count, values[end] == values[position] { end += 1 }
                // A group before the run is filled from it.
                let missing = (8 - (position - begin) % 8) % 8
                guard end - position - missing >= 8 else {
                    position = end
                    continue
                }
                pack(UnsafeBufferPointer(rebasing: values[begin..<position + missing]), width, to: &bytes)
                bytes.append(variableLength: UInt64(end - position - missing) << 1)
                for shift in stride(from: 0, to: width, by: 8) {
                    bytes.append(UInt8(truncatingIfNeeded: values[position] >> UInt32(shift)))
                }
                (begin, position) = (end, end)
            }
            pack(UnsafeBufferPointer(rebasing: values[begin...]), width, to: &bytes)
        }
        return bytes
    }

    /// Groups of eight, the last one filled with zeros.
    private static func pack(_ values: UnsafeBufferPointer<UInt32>, _ width: Int, to bytes: inout [UInt8]) {
        guard !values.isEmpty else { return }
        bytes.append(variableLength: UInt64((values.count + 7) / 8) << 1 | 1)
        var packer = BitPacker(width: width)
        for value in values { packer.append(UInt64(value), to: &bytes) }
        for _ in 0..<(8 - values.count % 8) % 8 { packer.append(0, to: &bytes) }
    }
}

/// Puts numbers of the same number of bits one after the other, the lowest bit first.
struct BitPacker {
    private let width: Int
    private var pending: UInt64 = 0
    private var pendingBits = 0

    /// `width`: 0 to 56, so that a number fits next to the bits of a byte that is not full.
    init(width: Int) {
        precondition(width <= 56)
        self.width = width
    }

    mutating func append(_ value: UInt64, to bytes: inout [UInt8]) {
        pending |= value << UInt64(pendingBits)
        pendingBits += width
        while pendingBits >= 8 {
            bytes.append(UInt8(truncatingIfNeeded: pending))
            pending >>= 8
            pendingBits -= 8
        }
    }
}

/// The encoding DELTA_BINARY_PACKED: differences to the number before, in blocks of 128.
///
/// Times that follow each other at similar intervals take one or two bytes instead of eight.
enum DeltaEncoding {
    private static let (block, parts) = (128, 4)

    static func encode(_ values: [Int64]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(variableLength: UInt64(block))
        bytes.append(variableLength: UInt64(parts))
        bytes.append(variableLength: UInt64(values.count))
        bytes.append(variableLength: zigZag(values.first ?? 0))
        var start = 1
        while start < values.count {
            let end = min(start + block, values.count)
            append((start..<end).map { values[$0] &- values[$0 - 1] }, to: &bytes)
            start = end
        }
        return bytes
    }

    private static func append(_ differences: [Int64], to bytes: inout [UInt8]) {
        let least = differences.min() ?? 0
        bytes.append(variableLength: zigZag(least))
        let size = block / parts
        var offsets = differences.map { UInt64(bitPattern: $0 &- least) }
        // The last block has as many numbers as the others; readers ignore those after the count.
        offsets += Array(repeating: 0, count: block - offsets.count)
        let widths = (0..<parts).map { part in
            64 - offsets[part * size..<(part + 1) * size].reduce(0, |).leadingZeroBitCount
        }
        for width in widths { bytes.append(UInt8(width)) }
        for (part, width) in widths.enumerated() where width > 0 {
            // Two halves: a number of 64 bits does not fit next to the bits of a byte that is not full.
            var packer = BitPacker(width: 1)
            if width <= 56 {
                packer = BitPacker(width: width)
                for offset in offsets[part * size..<(part + 1) * size] { packer.append(offset, to: &bytes) }
            } else {
                for offset in offsets[part * size..<(part + 1) * size] {
                    for bit in 0..<UInt64(width) { packer.append(offset >> bit & 1, to: &bytes) }
                }
            }
        }
    }
}
