/// An IPv4 or IPv6 address.
public enum IPAddress: Hashable, Sendable {
    /// In host byte order.
    case v4(UInt32)
    /// In host byte order; the first group is in the highest bits.
    case v6(UInt128)

    /// Parses the canonical notations: four decimal numbers for IPv4, RFC 4291 without zone or brackets for IPv6.
    public init?(_ text: String) {
        if text.utf8.contains(UInt8(ascii: ":")) {
            guard let value = IPAddress.parseV6(text) else { return nil }
            self = .v6(value)
        } else {
            guard let value = IPAddress.parseDotted(text[...]) else { return nil }
            self = .v4(value)
        }
    }

    /// Parses IPv4 in every notation that resolvers accept: one to four parts, each decimal, octal (`0177`) or
    /// hexadecimal (`0x7f`), of which the last fills the rest (`0x7f.1`, `2130706433`). A final dot is allowed.
    ///
    /// - Returns: `nil` when the text is a name; `.failure` when its last part is a number and the text is not an
    ///   address. Some resolver could read an address from it, so it must be rejected.
    static func numericHost(_ host: String) -> Result<IPAddress, NotAnAddress>? {
        var parts = host.split(separator: ".", omittingEmptySubsequences: false)
        if parts.last == "", parts.count > 1 { parts.removeLast() }
        guard let last = parts.last, looksNumeric(last) else { return nil }
        guard parts.count <= 4 else { return .failure(NotAnAddress()) }
        var value: UInt64 = 0
        for (index, part) in parts.enumerated() {
            guard let number = number(part) else { return .failure(NotAnAddress()) }
            if index < parts.count - 1 {
                guard number < 256 else { return .failure(NotAnAddress()) }
                value |= number << UInt64(24 - 8 * index)
            } else {
                guard number < 1 << UInt64(8 * (5 - parts.count)) else { return .failure(NotAnAddress()) }
                value |= number
            }
        }
        return .success(.v4(UInt32(value)))
    }

    /// The host's last part is a number, and the host is not an address.
    struct NotAnAddress: Error {}

    private static func looksNumeric(_ part: Substring) -> Bool {
        let lowered = part.lowercased()
        if lowered.hasPrefix("0x") { return lowered.dropFirst(2).allSatisfy(\.isHexDigit) }
        return !part.isEmpty && part.utf8.allSatisfy { (48...57).contains($0) }
    }

    private static func number(_ part: Substring) -> UInt64? {
        let lowered = part.lowercased()
        // `UInt64` would accept a sign.
        guard let first = lowered.utf8.first, (48...57).contains(first) else { return nil }
        if lowered.hasPrefix("0x") {
            let digits = lowered.dropFirst(2)
            if digits.isEmpty { return 0 }
            return digits.first?.isHexDigit == true ? UInt64(digits, radix: 16) : nil
        }
        return lowered.count > 1 && first == 48 ? UInt64(lowered.dropFirst(), radix: 8) : UInt64(lowered, radix: 10)
    }

    private static func parseDotted(_ text: Substring) -> UInt32? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 4 else { return nil }
        var value: UInt32 = 0
        for part in parts {
            guard (1...3).contains(part.utf8.count), part.utf8.allSatisfy({ (48...57).contains($0) }),
                part.utf8.count == 1 || part.first != "0", let number = UInt32(part), number < 256
            else { return nil }
            value = value << 8 | number
        }
        return value
    }

    private static func parseV6(_ text: String) -> UInt128? {
        let halves = text.split(separator: "::", maxSplits: 1, omittingEmptySubsequences: false)
        guard let head = groups(halves[0], mayEndInV4: halves.count == 1) else { return nil }
        var groups = head
        if halves.count == 2 {
            guard let tail = self.groups(halves[1], mayEndInV4: true), head.count + tail.count < 8 else { return nil }
            groups += Array(repeating: 0, count: 8 - head.count - tail.count) + tail
        }
        guard groups.count == 8 else { return nil }
        return groups.reduce(0) { $0 << 16 | UInt128($1) }
    }

    private static func groups(_ text: Substring, mayEndInV4: Bool) -> [UInt16]? {
        if text.isEmpty { return [] }
        var groups: [UInt16] = []
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        for (index, part) in parts.enumerated() {
            if mayEndInV4, index == parts.count - 1, part.contains(".") {
                guard let value = parseDotted(part) else { return nil }
                groups += [UInt16(value >> 16), UInt16(truncatingIfNeeded: value)]
            } else {
                guard (1...4).contains(part.utf8.count), part.first?.isHexDigit == true,
                    let group = UInt16(part, radix: 16)
                else { return nil }
                groups.append(group)
            }
        }
        return groups
    }
}

extension IPAddress: CustomStringConvertible {
    /// The notation that `init(_:)` parses; IPv6 in the form of RFC 5952, mapped addresses included.
    public var description: String {
        switch self {
        case .v4(let value):
            return (0..<4).map { String(value >> UInt32(24 - 8 * $0) & 255) }.joined(separator: ".")
        case .v6(let value):
            let groups = (0..<8).map { UInt16(truncatingIfNeeded: value >> UInt128(112 - 16 * $0)) }
            guard let gap = IPAddress.longestRunOfZeros(groups) else { return IPAddress.hex(groups[...]) }
            return IPAddress.hex(groups[..<gap.lowerBound]) + "::" + IPAddress.hex(groups[gap.upperBound...])
        }
    }

    private static func hex(_ groups: ArraySlice<UInt16>) -> String {
        groups.map { String($0, radix: 16) }.joined(separator: ":")
    }

    /// The first of the longest runs of two or more zeros.
    private static func longestRunOfZeros(_ groups: [UInt16]) -> Range<Int>? {
        var best: Range<Int>?
        var start = 0
        while start < groups.count {
            var end = start
            while end < groups.count, groups[end] == 0 { end += 1 }
            if end - start >= 2, end - start > best?.count ?? 0 { best = start..<end }
            start = max(end, start + 1)
        }
        return best
    }
}

extension IPAddress {
    /// 32 or 128.
    var bitWidth: Int {
        switch self {
        case .v4: 32
        case .v6: 128
        }
    }
}
