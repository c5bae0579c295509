import FencepostService

/// Checks at the creation of an endpoint whether its network is allowed, and finds the one that would have to be.
struct NetworkCheck {
    /// Maximum time of the look-up.
    private static let maximumWait = Duration.seconds(5)

    var addressGuard: AddressGuard
    var resolver: any HostResolver

    /// Why messages to the URL would not be sent; `nil` when they would, or the URL is invalid in another way.
    func refusal(ofURL url: String, of kind: Endpoint.Kind) async -> NetworkRefusal? {
        if kind == .mqtt { return nil }
        for (host, isPlain) in Self.targets(url, kind) {
            if let refusal = await refusal(of: host, isPlain: isPlain, url, kind) { return refusal }
        }
        return nil
    }

    private func refusal(
        of host: EndpointURL.Host, isPlain: Bool, _ url: String, _ kind: Endpoint.Kind
    ) async -> NetworkRefusal? {
        let addresses: [IPAddress]
        switch host {
        case .address(let address): addresses = [address]
        case .name(let name):
            addresses = await lookUp(name)
            if addresses.isEmpty { return refusal(ofUnknown: name, url, kind) }
        }
        let forbidden = addresses.first {
            !addressGuard.permits($0) || (isPlain && !addressGuard.permitsHTTP(to: $0))
        }
        return forbidden.map { refusal(of: $0, host, Self.schemes(url, kind)) }
    }

    /// The hosts of a URL, each with whether messages go there without TLS; empty for an invalid URL.
    private static func targets(_ url: String, _ kind: Endpoint.Kind) -> [(host: EndpointURL.Host, isPlain: Bool)] {
        if kind.isBroker {
            guard let broker = try? BrokerServers(url, of: kind, guard: .unrestricted) else { return [] }
            return broker.servers.map { ($0.host, !broker.url.isSecure) }
        }
        if kind == .email { return (try? MailServer(url, guard: .unrestricted)).map { [($0.host, false)] } ?? [] }
        return (try? EndpointURL(url, guard: .unrestricted)).map { [($0.host, $0.scheme == .http)] } ?? []
    }

    /// The schemes without and with TLS.
    private static func schemes(_ url: String, _ kind: Endpoint.Kind) -> (plain: String, secure: String) {
        guard kind.isBroker, let broker = try? BrokerURL(url, of: kind) else { return ("http", "https") }
        return (broker.plainScheme, broker.secureScheme)
    }

    private func lookUp(_ name: String) async -> [IPAddress] {
        await withTaskGroup(of: [IPAddress].self) { group in
            group.addTask { (try? await resolver.addresses(of: name)) ?? [] }
            group.addTask {
                try? await Task.sleep(for: Self.maximumWait)
                return []
            }
            defer { group.cancelAll() }
            return await group.next() ?? []
        }
    }

    /// A name without an address is refused only where no address that it could get would be allowed.
    private func refusal(ofUnknown name: String, _ url: String, _ kind: Endpoint.Kind) -> NetworkRefusal? {
        do {
            if kind.isBroker {
                _ = try BrokerServers(url, of: kind, guard: addressGuard)
            } else if kind == .email {
                _ = try MailServer(url, guard: addressGuard)
            } else {
                _ = try EndpointURL(url, guard: addressGuard)
            }
            return nil
        } catch {
            let schemes = Self.schemes(url, kind)
            return NetworkRefusal(
                detail: "this machine finds no address of \(name), and without one only \(schemes.secure) to a public "
                    + "name is allowed: write the address of the receiver, such as \(schemes.plain)://192.168.1.20, or "
                    + "check the name")
        }
    }

    private func refusal(
        of address: IPAddress, _ host: EndpointURL.Host, _ schemes: (plain: String, secure: String)
    ) -> NetworkRefusal {
        if addressGuard.permits(address), addressGuard.openable(around: address) == nil {
            return NetworkRefusal(
                detail: "\(schemes.plain) is not allowed here: use \(schemes.secure), or set webhooks.allowHTTP")
        }
        let (subject, finding) =
            switch host {
            case .address: ("\(address)", "\(address)")
            case .name(let name): (name, "\(name) has the address \(address), which")
            }
        guard let network = addressGuard.openable(around: address) else {
            return NetworkRefusal(
                detail: "\(subject) is not in a public network, and only webhooks.allowedNetworks in the configuration "
                    + "can allow its network")
        }
        let instructions = "in the page under Access, or with POST /v1/networks"
        return NetworkRefusal(
            detail: "\(subject) is in a private network, which an administrator can allow, \(instructions)",
            administratorDetail: "\(finding) is in a private network: allow \(network) for endpoints, \(instructions)",
            network: network.description)
    }
}

extension AddressGuard {
    /// Permits everything: for the form of a URL alone.
    static let unrestricted = AddressGuard(
        allowedNetworks: ["0.0.0.0/0", "::/0"].compactMap(IPNetwork.init), allowsHTTP: true)
}
