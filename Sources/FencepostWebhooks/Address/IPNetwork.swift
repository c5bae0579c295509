/// A network in CIDR notation: an address and the number of its leading bits that all members share.
public struct IPNetwork: Hashable, Sendable {
    private let address: IPAddress
    private let prefix: Int

    /// Parses `192.168.0.0/16`, `fd00::/8`, or a single address; bits after the prefix are ignored.
    ///
    /// - Returns: `nil` when the text is none of these.
    public init?(_ text: String) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let address = IPAddress(String(parts[0])) else { return nil }
        let width = address.bitWidth
        self.address = address
        if parts.count == 1 {
            prefix = width
        } else {
            guard parts[1].utf8.allSatisfy({ (48...57).contains($0) }), let prefix = Int(parts[1]), prefix <= width
            else { return nil }
            self.prefix = prefix
        }
    }

    /// The network of an address; bits after the prefix are cleared.
    ///
    /// - Precondition: the prefix is from 0 to 32, or to 128 for IPv6.
    init(_ address: IPAddress, prefix: Int) {
        precondition((0...address.bitWidth).contains(prefix), "a prefix is not longer than an address")
        self.prefix = prefix
        switch address {
        case .v4(let value): self.address = .v4(value & (prefix == 0 ? 0 : ~0 << UInt32(32 - prefix)))
        case .v6(let value): self.address = .v6(value & (prefix == 0 ? 0 : ~0 << UInt128(128 - prefix)))
        }
    }

    /// The same network with cleared bits after the prefix, so that equal networks have one notation.
    var canonical: IPNetwork { IPNetwork(address, prefix: prefix) }

    /// Whether all addresses of another network belong to this one.
    public func contains(_ other: IPNetwork) -> Bool { prefix <= other.prefix && contains(other.address) }

    /// Whether the address belongs to the network. An address of the other version does not.
    public func contains(_ other: IPAddress) -> Bool {
        switch (address, other) {
        case (.v4(let own), .v4(let other)): prefix == 0 || (own ^ other) >> UInt32(32 - prefix) == 0
        case (.v6(let own), .v6(let other)): prefix == 0 || (own ^ other) >> UInt128(128 - prefix) == 0
        case (.v4, .v6), (.v6, .v4): false
        }
    }
}

extension IPNetwork: CustomStringConvertible {
    /// CIDR notation, as `init(_:)` parses it.
    public var description: String { "\(address)/\(prefix)" }
}
