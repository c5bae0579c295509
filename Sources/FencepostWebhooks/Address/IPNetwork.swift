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
