import Foundation

/// A range of network addresses, such as `10.0.0.0/8`, `fd00::/8` or one address.
public struct NetworkRange: Hashable, Sendable {
    /// The range as it was written.
    public let text: String
    private let bytes: [UInt8]
    private let prefix: Int

    /// Parses an address with or without a prefix length; `nil` for another text.
    public init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count <= 2, let bytes = Self.bytes(of: String(parts[0])) else { return nil }
        let isV4 = !parts[0].contains(":")
        var prefix = 128
        if parts.count == 2 {
            guard let length = Int(parts[1]), (0...(isV4 ? 32 : 128)).contains(length) else { return nil }
            prefix = isV4 ? length + 96 : length
        }
        self.text = text
        self.bytes = bytes
        self.prefix = prefix
    }

    /// Whether an address is in the range; `false` for a text that is no address.
    public func contains(_ address: String) -> Bool {
        guard let other = Self.bytes(of: address) else { return false }
        let whole = prefix / 8
        guard other.prefix(whole) == bytes.prefix(whole) else { return false }
        let rest = prefix % 8
        return rest == 0 || (other[whole] ^ bytes[whole]) >> UInt8(8 - rest) == 0
    }

    /// The 16 bytes of an address, IPv4 mapped into IPv6 (RFC 4291, 2.5.5.2); `nil` for a text that is no address.
    public static func bytes(of address: String) -> [UInt8]? {
        let address = String(address.prefix { $0 != "%" })
        var v4 = in_addr()
        if inet_pton(AF_INET, address, &v4) == 1 {
            return [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF] + withUnsafeBytes(of: v4) { Array($0) }
        }
        var v6 = in6_addr()
        guard inet_pton(AF_INET6, address, &v6) == 1 else { return nil }
        return withUnsafeBytes(of: v6) { Array($0) }
    }
}
