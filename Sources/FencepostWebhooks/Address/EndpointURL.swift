/// The URL of an endpoint, parsed so strictly that no other parser can read a different host from it.
public struct EndpointURL: Hashable, Sendable {
    /// The permitted schemes.
    public enum Scheme: String, Hashable, Sendable {
        /// `http` only where the guard allows it.
        case http, https
    }

    /// The host of a URL.
    public enum Host: Hashable, Sendable {
        /// A DNS name in lower case.
        case name(String)
        /// A literal address; IPv4 in any notation that resolvers accept.
        case address(IPAddress)
    }

    /// Why a text is not the URL of an endpoint.
    public enum Failure: Error, Hashable, Sendable {
        /// Longer than 2048 bytes.
        case tooLong
        /// Not an absolute URL in ASCII.
        case notAURL
        /// The URL contains a user name or password.
        case userInfo
        /// The host is neither a name nor an address, the port is not from 1 to 65535, or a character is not
        /// percent-encoded.
        case badHost, badPort, badPath
        /// The scheme is neither `https` nor `http`.
        case scheme(String)
        /// The scheme is `http`, which the guard does not allow.
        case httpNotAllowed
        /// The address is neither public nor allowed. It does not say which address a name has.
        case blocked
        /// The URL of a mail server is neither `smtp://` nor `smtps://`.
        case notMail
        /// The URL names no topic of ntfy.
        case noTopic
    }

    /// `https`, or `http` where the guard allows it.
    public let scheme: Scheme
    /// The host as a name or a literal address.
    public let host: Host
    /// `nil` for the scheme's default port.
    public let port: Int?
    /// Path and query; starts with a slash.
    public let path: String

    /// Parses an absolute URL; a fragment is dropped. Percent-encoded characters stay encoded, and no name is looked
    /// up.
    ///
    /// - Throws: also when the guard does not permit the scheme or a literal address.
    public init(_ text: String, guard addressGuard: AddressGuard) throws(Failure) {
        guard text.utf8.count <= 2048 else { throw .tooLong }
        guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }), let colon = text.firstRange(of: "://") else {
            throw .notAURL
        }
        let name = text[..<colon.lowerBound].lowercased()
        guard let scheme = Scheme(rawValue: name) else { throw .scheme(name) }
        // A name may turn out to be in an open network; each attempt checks its addresses.
        if scheme == .http, !addressGuard.allowsHTTP, addressGuard.openNetworks.isEmpty { throw .httpNotAllowed }
        self.scheme = scheme
        let rest = text[colon.upperBound...]
        let end = rest.firstIndex { "/?#\\".contains($0) } ?? rest.endIndex
        let authority = rest[..<end]
        guard !authority.contains("@") else { throw .userInfo }
        (host, port) = try EndpointURL.read(authority: authority)
        path = try EndpointURL.read(path: rest[end...])
        if scheme == .http, case .address(let address) = host, !addressGuard.permitsHTTP(to: address) {
            throw .httpNotAllowed
        }
        guard host.isPermitted(by: addressGuard) else { throw .blocked }
    }

    /// The URL as it is used in the request.
    public var text: String {
        "\(scheme.rawValue)://\(host.text)\(port.map { ":\($0)" } ?? "")\(path)"
    }

    private static func read(authority: Substring) throws(Failure) -> (Host, Int?) {
        if authority.first == "[" {
            guard let end = authority.firstIndex(of: "]"),
                case .v6(let value)? = IPAddress(String(authority[authority.index(after: authority.startIndex)..<end]))
            else { throw .badHost }
            return (.address(.v6(value)), try read(port: authority[authority.index(after: end)...]))
        }
        let colon = authority.firstIndex(of: ":") ?? authority.endIndex
        let name = authority[..<colon].lowercased()
        let port = try read(port: authority[colon...])
        switch IPAddress.numericHost(name) {
        case .success(let address): return (.address(address), port)
        case .failure: throw .badHost
        case nil: break
        }
        var labels = name.split(separator: ".", omittingEmptySubsequences: false)
        if labels.last == "", labels.count > 1 { labels.removeLast() }
        let isName =
            name.utf8.count <= 254
            && labels.allSatisfy { label in
                (1...63).contains(label.utf8.count) && label.first != "-" && label.last != "-"
                    && label.utf8.allSatisfy {
                        (97...122).contains($0) || (48...57).contains($0) || $0 == UInt8(ascii: "-")
                            || $0 == UInt8(ascii: "_")
                    }
            }
        guard isName else { throw .badHost }
        return (.name(name), port)
    }

    private static func read(port text: Substring) throws(Failure) -> Int? {
        guard !text.isEmpty else { return nil }
        let digits = text.dropFirst()
        guard text.first == ":", (1...5).contains(digits.utf8.count),
            digits.utf8.allSatisfy({ (48...57).contains($0) }), let port = Int(digits), (1...65535).contains(port)
        else { throw .badPort }
        return port
    }

    private static func read(path text: Substring) throws(Failure) -> String {
        let path = text.prefix { $0 != "#" }
        var escape = 0
        for byte in path.utf8 {
            let isHex = (48...57).contains(byte) || (65...70).contains(byte) || (97...102).contains(byte)
            if escape > 0 {
                guard isHex else { throw .badPath }
                escape -= 1
            } else if byte == UInt8(ascii: "%") {
                escape = 2
            } else if !EndpointURL.plain.contains(byte) {
                throw .badPath
            }
        }
        guard escape == 0 else { throw .badPath }
        return path.first == "/" ? String(path) : "/" + path
    }

    /// Characters of a path or query that need no percent-encoding (RFC 3986).
    private static let plain = Set(
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~!$&'()*+,;=:@/?".utf8)
}

extension EndpointURL.Host {
    /// The host as part of a URL: IPv6 addresses in brackets.
    public var text: String {
        switch self {
        case .name(let name): name
        case .address(.v4(let value)): IPAddress.v4(value).description
        case .address(.v6(let value)): "[\(IPAddress.v6(value))]"
        }
    }

    /// Domains that only exist in local networks: RFC 6762, RFC 8375, and the one that ICANN reserved.
    private static let localSuffixes = [".local", ".home.arpa", ".internal"]

    /// Checks without a look-up. A name is looked up and checked again when a message is sent.
    fileprivate func isPermitted(by addressGuard: AddressGuard) -> Bool {
        switch self {
        case .address(let address): return addressGuard.permits(address)
        case .name(let name):
            let bare = name.last == "." ? name.dropLast() : name[...]
            if bare == "localhost" || bare.hasSuffix(".localhost") {
                return addressGuard.permits(.v4(0x7f00_0001)) || addressGuard.permits(.v6(1))
            }
            // Without an allowed network every look-up of such a name would be refused later.
            let isLocal = Self.localSuffixes.contains { bare.hasSuffix($0) }
            return !isLocal || !addressGuard.allowedNetworks.isEmpty || !addressGuard.openNetworks.isEmpty
        }
    }
}

extension EndpointURL.Failure: CustomStringConvertible {
    /// The reason in one sentence for people.
    public var description: String {
        switch self {
        case .tooLong: "the URL is longer than 2048 characters"
        case .notAURL: "the text is not an absolute URL in ASCII, such as https://example.com/hook"
        case .userInfo:
            "the URL of an endpoint must not contain a user name or password; receivers verify the signature instead"
        case .badHost:
            "the host is neither a name nor an address; write names with other than ASCII characters in their xn-- form"
        case .badPort: "the port is not a number from 1 to 65535"
        case .badPath: "the path or the query contains a character that has to be percent-encoded"
        case .scheme(let name): "the scheme \(name.debugDescription) is not https"
        case .httpNotAllowed: "http is not allowed here: use https, or set webhooks.allowHTTP"
        case .blocked:
            "the address is not allowed: it is not public, and webhooks.allowedNetworks does not list it; an "
                + "administrator can add its network there, such as \"192.168.1.0/24\""
        case .notMail: "the text is not the URL of a mail server, such as smtp://mail.example.org:587"
        case .noTopic: "the URL names no topic; write it as https://ntfy.sh/my-topic"
        }
    }
}
