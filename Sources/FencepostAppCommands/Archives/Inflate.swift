/// Decodes deflated data (RFC 1951).
struct Inflate {
    private let input: ArraySlice<UInt8>
    private var position: Int
    private var buffer: UInt32 = 0
    private var bits = 0
    private var output: [UInt8] = []
    private let size: Int

    private init(_ input: ArraySlice<UInt8>, size: Int) {
        self.input = input
        self.size = size
        position = input.startIndex
    }

    /// The decoded bytes; `nil` for corrupt data, and for more than `size` bytes.
    static func contents(of input: ArraySlice<UInt8>, size: Int) -> [UInt8]? {
        var inflate = Inflate(input, size: size)
        return inflate.run() ? inflate.output : nil
    }

    /// The codes of a block by their lengths: canonical, so that counts and symbols in order define them.
    private struct Codes {
        var counts = [Int](repeating: 0, count: 16)
        var symbols: [Int] = []

        init?(_ lengths: ArraySlice<Int>) {
            for length in lengths where length > 0 { counts[length] += 1 }
            // More codes than there is room for are corrupt.
            var left = 1
            for length in 1...15 {
                left = 2 * left - counts[length]
                if left < 0 { return nil }
            }
            for length in 1...15 {
                symbols += zip(0..., lengths).filter { $0.1 == length }.map(\.0)
            }
        }
    }

    private static let order = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]

    private static let fixedLiterals = Codes(
        ([Int](repeating: 8, count: 144) + [Int](repeating: 9, count: 112) + [Int](repeating: 7, count: 24)
            + [Int](repeating: 8, count: 8))[...])
    private static let fixedDistances = Codes([Int](repeating: 5, count: 30)[...])

    private mutating func run() -> Bool {
        while true {
            guard let isLast = number(1), let kind = number(2) else { return false }
            switch kind {
            case 0: guard copyStored() else { return false }
            case 1:
                guard let literals = Self.fixedLiterals, let distances = Self.fixedDistances,
                    decode(literals, distances)
                else { return false }
            case 2: guard let (literals, distances) = readCodes(), decode(literals, distances) else { return false }
            default: return false
            }
            if isLast == 1 { return true }
        }
    }

    /// The next bits, the lowest first; `nil` at the end.
    private mutating func number(_ count: Int) -> Int? {
        while bits < count {
            guard position < input.endIndex else { return nil }
            buffer |= UInt32(input[position]) << UInt32(bits)
            position += 1
            bits += 8
        }
        let value = buffer & (1 << UInt32(count) - 1)
        buffer >>= UInt32(count)
        bits -= count
        return Int(value)
    }

    private mutating func symbol(_ codes: Codes) -> Int? {
        var (code, first, index) = (0, 0, 0)
        for length in 1...15 {
            guard let bit = number(1) else { return nil }
            code |= bit
            let count = codes.counts[length]
            if code - count < first { return codes.symbols[index + code - first] }
            index += count
            first = (first + count) << 1
            code <<= 1
        }
        return nil
    }

    private mutating func copyStored() -> Bool {
        (buffer, bits) = (0, 0)
        guard let length = number(16), let complement = number(16), length == ~complement & 0xFFFF,
            position + length <= input.endIndex, output.count + length <= size
        else { return false }
        output += input[position..<(position + length)]
        position += length
        return true
    }

    private mutating func readCodes() -> (Codes, Codes)? {
        guard let literals = number(5).map({ $0 + 257 }), let distances = number(5).map({ $0 + 1 }),
            let count = number(4).map({ $0 + 4 }), literals <= 286, distances <= 30
        else { return nil }
        var lengths = [Int](repeating: 0, count: 19)
        for index in 0..<count {
            guard let length = number(3) else { return nil }
            lengths[Self.order[index]] = length
        }
        guard let codes = Codes(lengths[...]) else { return nil }
        lengths = []
        while lengths.count < literals + distances {
            guard let symbol = symbol(codes) else { return nil }
            let repeated: (value: Int, count: Int?)
            switch symbol {
            case 16:
                guard let last = lengths.last else { return nil }
                repeated = (last, number(2).map { $0 + 3 })
            case 17: repeated = (0, number(3).map { $0 + 3 })
            case 18: repeated = (0, number(7).map { $0 + 11 })
            default: repeated = (symbol, 1)
            }
            guard let count = repeated.count, lengths.count + count <= literals + distances else { return nil }
            lengths += [Int](repeating: repeated.value, count: count)
        }
        guard let first = Codes(lengths[..<literals]), let second = Codes(lengths[literals...]) else { return nil }
        return (first, second)
    }

    private mutating func decode(_ literals: Codes, _ distances: Codes) -> Bool {
        while let symbol = symbol(literals) {
            if symbol == 256 { return true }
            if symbol < 256 {
                guard output.count < size else { return false }
                output.append(UInt8(truncatingIfNeeded: symbol))
                continue
            }
            guard let length = length(symbol - 257), let code = self.symbol(distances),
                let distance = distance(code), distance <= output.count, output.count + length <= size
            else { return false }
            let start = output.count - distance
            for offset in 0..<length { output.append(output[start + offset]) }
        }
        return false
    }

    private mutating func length(_ code: Int) -> Int? {
        if code < 8 { return code + 3 }
        if code == 28 { return 258 }
        guard code < 28 else { return nil }
        let extra = (code - 4) / 4
        return number(extra).map { (4 + code % 4) << extra + 3 + $0 }
    }

    private mutating func distance(_ code: Int) -> Int? {
        if code < 4 { return code + 1 }
        guard code < 30 else { return nil }
        let extra = (code - 2) / 2
        return number(extra).map { (2 + code % 2) << extra + 1 + $0 }
    }
}
