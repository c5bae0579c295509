/// Turns UTF-16 into UTF-8 as bytes arrive. Half of a surrogate pair becomes U+FFFD.
struct UTF16Text {
    private let isBigEndian: Bool
    /// The first byte of a unit whose second one has not arrived.
    private var half: UInt8?
    /// The first unit of a pair whose second one has not arrived.
    private var lead: UInt16?

    /// A text that begins with these bytes, or `nil` if it is not UTF-16: by its byte order mark, or because every other one of its
    /// first bytes is 0.
    init?(start: some Collection<UInt8>) {
        let first = Array(start.prefix(4))
        if first.starts(with: [0xFF, 0xFE]) || (first.count == 4 && first[1] == 0 && first[3] == 0 && first[0] != 0) {
            isBigEndian = false
        } else if first.starts(with: [0xFE, 0xFF])
            || (first.count == 4 && first[0] == 0 && first[2] == 0 && first[1] != 0)
        {
            isBigEndian = true
        } else {
            return nil
        }
    }

    /// The next bytes as UTF-8, without byte order marks.
    mutating func utf8(of chunk: some Collection<UInt8>) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(chunk.count)
        for byte in chunk {
            guard let first = half else {
                half = byte
                continue
            }
            half = nil
            let unit = isBigEndian ? UInt16(first) << 8 | UInt16(byte) : UInt16(byte) << 8 | UInt16(first)
            take(unit, into: &bytes)
        }
        return bytes
    }

    private mutating func take(_ unit: UInt16, into bytes: inout [UInt8]) {
        if let lead {
            self.lead = nil
            if UTF16.isTrailSurrogate(unit) {
                let value = 0x10000 + (UInt32(lead) & 0x3FF) << 10 + UInt32(unit) & 0x3FF
                append(Unicode.Scalar(value), to: &bytes)
                return
            }
            append(nil, to: &bytes)
        }
        if UTF16.isLeadSurrogate(unit) {
            lead = unit
        } else if unit != 0xFEFF {
            append(Unicode.Scalar(unit), to: &bytes)
        }
    }

    private func append(_ scalar: Unicode.Scalar?, to bytes: inout [UInt8]) {
        bytes.append(contentsOf: String(Character(scalar ?? "\u{FFFD}")).utf8)
    }
}
