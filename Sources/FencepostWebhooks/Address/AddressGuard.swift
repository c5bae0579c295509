public import FencepostService

/// Decides which addresses messages may be sent to (rule W13): public addresses, and others only when they are allowed.
public struct AddressGuard: Hashable, Sendable {
    /// Networks without public addresses that are allowed.
    public var allowedNetworks: [IPNetwork]
    /// Whether endpoints may use `http`, without TLS.
    public var allowsHTTP: Bool
    /// Private networks that an administrator allows, with and without TLS.
    public let openNetworks: [IPNetwork]

    /// Allows public addresses over TLS only, unless the parameters say otherwise.
    ///
    /// Open networks that `mayOpen` does not permit are left out.
    public init(allowedNetworks: [IPNetwork] = [], allowsHTTP: Bool = false, openNetworks: [IPNetwork] = []) {
        self.allowedNetworks = allowedNetworks
        self.allowsHTTP = allowsHTTP
        self.openNetworks = openNetworks.filter { AddressGuard.mayOpen($0, allowed: allowedNetworks) }
    }

    /// Whether a message may be sent to this address.
    public func permits(_ address: IPAddress) -> Bool {
        let embedded = AddressGuard.embeddedIPv4(in: address)
        if AddressGuard.isMember(address, of: allowedNetworks + openNetworks) { return true }
        if AddressGuard.blocked.contains(where: { $0.contains(address) }) { return false }
        guard let embedded else { return true }
        return !AddressGuard.blocked.contains { $0.contains(embedded) }
    }

    /// Whether a message may be sent to this address without TLS, if it may be sent there at all.
    public func permitsHTTP(to address: IPAddress) -> Bool {
        allowsHTTP || AddressGuard.isMember(address, of: openNetworks)
    }

    /// Why no message may be sent to a host.
    public struct Refusal: Error, Hashable, Sendable {
        /// `blocked`, `dns`, or `timeout` where the task was cancelled.
        public let failure: DeliveryAttempt.Failure
    }

    /// The addresses of a host, if messages may be sent to all of them.
    ///
    /// - Parameters:
    ///   - host: a name, which is looked up, or an address.
    ///   - isPlain: whether messages are sent without TLS.
    ///   - resolver: looks names up.
    /// - Returns: at least one address.
    /// - Throws: `Refusal`.
    public func addresses(
        of host: EndpointURL.Host, isPlain: Bool, by resolver: any HostResolver
    ) async throws(Refusal) -> [IPAddress] {
        let addresses: [IPAddress]
        switch host {
        case .address(let address): addresses = [address]
        case .name(let name):
            do { addresses = try await resolver.addresses(of: name) } catch {
                throw Refusal(failure: error is CancellationError ? .timeout : .dns)
            }
        }
        // One forbidden address blocks the host: a name with public and private addresses is a sign of DNS rebinding.
        let isPermitted = addresses.allSatisfy { permits($0) && (!isPlain || permitsHTTP(to: $0)) }
        guard !addresses.isEmpty, isPermitted else { throw Refusal(failure: .blocked) }
        return addresses
    }

    /// Whether an administrator may open a network: a part of a private network, never link-local addresses, and those
    /// of this machine only where `allowedNetworks` contains them.
    public func mayOpen(_ network: IPNetwork) -> Bool { AddressGuard.mayOpen(network, allowed: allowedNetworks) }

    /// The network around an address that an administrator may open; `nil` when there is none.
    public func openable(around address: IPAddress) -> IPNetwork? {
        // Home and office networks have prefixes of these lengths. Of this machine only the address itself counts.
        let prefix =
            switch address {
            case .v4(let value): value >> 24 == 127 ? 32 : 24
            case .v6(let value): value == 1 ? 128 : 64
            }
        let network = IPNetwork(address, prefix: prefix)
        return mayOpen(network) ? network : nil
    }

    private static func mayOpen(_ network: IPNetwork, allowed: [IPNetwork]) -> Bool {
        if cloudMetadata.contains(where: { $0.contains(network) || network.contains($0) }) { return false }
        if privateNetworks.contains(where: { $0.contains(network) }) { return true }
        return loopback.contains { $0.contains(network) } && allowed.contains { $0.contains(network) }
    }

    private static func isMember(_ address: IPAddress, of networks: [IPNetwork]) -> Bool {
        let embedded = embeddedIPv4(in: address)
        return networks.contains { $0.contains(address) || embedded.map($0.contains) == true }
    }

    /// Private addresses (RFC 1918, RFC 4193), and those of carriers that private overlays use (RFC 6598).
    private static let privateNetworks = [
        "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "fc00::/7",
    ].compactMap(IPNetwork.init)

    private static let loopback = ["127.0.0.0/8", "::1/128"].compactMap(IPNetwork.init)

    /// Where clouds give machines their credentials, within private addresses: AWS over IPv6, and Alibaba Cloud.
    private static let cloudMetadata = ["fd00:ec2::/32", "100.100.100.200/32"].compactMap(IPNetwork.init)

    /// The IPv4 address that an IPv6 address contains: mapped, compatible, translated, NAT64 or 6to4.
    private static func embeddedIPv4(in address: IPAddress) -> IPAddress? {
        guard case .v6(let value) = address else { return nil }
        switch value >> 32 {
        // ::/96, ::ffff:0:0/96, ::ffff:0:0:0/96 and 64:ff9b::/96
        case 0, 0xffff, 0xffff_0000, 0x0064_ff9b << 64: return .v4(UInt32(truncatingIfNeeded: value))
        default: break
        }
        // 2002::/16
        return value >> 112 == 0x2002 ? .v4(UInt32(truncatingIfNeeded: value >> 80)) : nil
    }

    /// All networks of IANA's special-purpose address registries for IPv4 and IPv6 (as of 2026), multicast, and the
    /// site-local addresses of RFC 3879. Addresses that embed an IPv4 address (`::ffff:0:0/96`, `64:ff9b::/96`,
    /// `2002::/16`) are not listed: the embedded address decides.
    ///
    /// https://www.iana.org/assignments/iana-ipv4-special-registry,
    /// https://www.iana.org/assignments/iana-ipv6-special-registry
    private static let blocked: [IPNetwork] = [
        "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24",
        "192.0.2.0/24", "192.31.196.0/24", "192.52.193.0/24", "192.88.99.0/24", "192.168.0.0/16", "192.175.48.0/24",
        "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4",
        "::/128", "::1/128", "64:ff9b:1::/48", "100::/64", "100:0:0:1::/64", "2001::/23", "2001:db8::/32",
        "2620:4f:8000::/48", "3fff::/20", "5f00::/16", "fc00::/7", "fe80::/10", "fec0::/10", "ff00::/8",
    ].compactMap(IPNetwork.init)
}
