/// Which addresses messages may be sent to (rule W13): none that only machines near this one can reach, unless it was
/// allowed.
public struct AddressGuard: Hashable, Sendable {
    /// Networks that are allowed although they are not public.
    public var allowedNetworks: [IPNetwork]
    /// Whether messages may go without TLS.
    public var allowsHTTP: Bool

    public init(allowedNetworks: [IPNetwork] = [], allowsHTTP: Bool = false) {
        self.allowedNetworks = allowedNetworks
        self.allowsHTTP = allowsHTTP
    }

    /// Whether a message may be sent to this address.
    public func permits(_ address: IPAddress) -> Bool {
        let hidden = AddressGuard.embedded(in: address)
        if allowedNetworks.contains(where: { network in
            network.contains(address) || hidden.map(network.contains) == true
        }) {
            return true
        }
        if AddressGuard.blocked.contains(where: { $0.contains(address) }) { return false }
        guard let hidden else { return true }
        return !AddressGuard.blocked.contains { $0.contains(hidden) }
    }

    /// The address of version 4 that one of version 6 stands for: mapped, compatible, NAT64 or 6to4.
    private static func embedded(in address: IPAddress) -> IPAddress? {
        guard case .v6(let value) = address else { return nil }
        switch value >> 32 {
        // ::/96, ::ffff:0:0/96, ::ffff:0:0:0/96 and 64:ff9b::/96
        case 0, 0xffff, 0xffff_0000, 0x0064_ff9b << 64: return .v4(UInt32(truncatingIfNeeded: value))
        default: break
        }
        // 2002::/16
        return value >> 112 == 0x2002 ? .v4(UInt32(truncatingIfNeeded: value >> 80)) : nil
    }

    /// IANA's registries of special-purpose addresses, as far as nothing public answers there.
    private static let blocked: [IPNetwork] = [
        "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24",
        "192.168.0.0/16", "198.18.0.0/15", "224.0.0.0/4", "240.0.0.0/4",
        "::/128", "::1/128", "64:ff9b:1::/48", "100::/64", "2001::/32", "fc00::/7", "fe80::/10", "fec0::/10",
        "ff00::/8",
    ].compactMap(IPNetwork.init)
}
