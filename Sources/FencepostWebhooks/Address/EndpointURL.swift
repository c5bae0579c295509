/// The address of an endpoint, read so strictly that everybody else reads it alike.
public struct EndpointURL: Hashable, Sendable {
    public enum Scheme: String, Hashable, Sendable { case http, https }

    public enum Host: Hashable, Sendable {
        /// In lower case.
        case name(String)
        case address(IPAddress)
    }

    /// Why a text is not taken as an endpoint's address.
    public enum Failure: Error, Hashable, Sendable {
        case tooLong, notAURL, userInfo, badHost, badPort, badPath
        case scheme(String)
        case httpNotAllowed
        /// An address that is not public and not allowed; which one is behind a name is not said.
        case blocked
    }

    public let scheme: Scheme
    public let host: Host
    /// `nil` for the scheme's own.
    public let port: Int?
    /// Path and query, with the slash that they begin with.
    public let path: String

    /// Reads an absolute URL without fragment; nothing is decoded, and no address is looked up.
    ///
    /// - Throws: what is wrong with it, the guard's objections included, as far as they show without a look-up.
    public init(_ text: String, guard addressGuard: AddressGuard) throws(Failure) {
        guard text.utf8.count <= 2048 else { throw .tooLong }
        guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }), let colon = text.firstRange(of: "://") else {
            throw .notAURL
        }
        let name = text[..<colon.lowerBound].lowercased()
        guard let scheme = Scheme(rawValue: name) else { throw .scheme(name) }
        if scheme == .http, !addressGuard.allowsHTTP { throw .httpNotAllowed }
        self.scheme = scheme
        let rest = text[colon.upperBound...]
        let end = rest.firstIndex { "/?#\\".contains($0) } ?? rest.endIndex
        let authority = rest[..<end]
        guard !authority.contains("@") else { throw .userInfo }
        (host, port) = try EndpointURL.read(authority: authority)
        path = try EndpointURL.read(path: rest[end...])
        guard host.isPermitted(by: addressGuard) else { throw .blocked }
    }

    /// The URL in the one form that goes into the request.
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

    /// What RFC 3986 lets stand as it is in a path or a query.
    private static let plain = Set(
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~!$&'()*+,;=:@/?".utf8)
}

extension EndpointURL.Host {
    /// As it stands in a URL.
    public var text: String {
        switch self {
        case .name(let name): name
        case .address(.v4(let value)): IPAddress.v4(value).description
        case .address(.v6(let value)): "[\(IPAddress.v6(value))]"
        }
    }

    /// What can be said without a look-up; a name is looked up when a message is sent.
    fileprivate func isPermitted(by addressGuard: AddressGuard) -> Bool {
        switch self {
        case .address(let address): return addressGuard.permits(address)
        case .name(let name):
            let bare = name.last == "." ? name.dropLast() : name[...]
            guard bare == "localhost" || bare.hasSuffix(".localhost") else { return true }
            return addressGuard.permits(.v4(0x7f00_0001)) || addressGuard.permits(.v6(1))
        }
    }
}

extension EndpointURL.Failure: CustomStringConvertible {
    public var description: String {
        switch self {
        case .tooLong: "the URL is longer than 2048 characters"
        case .notAURL: "this is no absolute URL in ASCII, such as https://example.com/hook"
        case .userInfo: "user name and password have no place in the URL of an endpoint; messages are signed instead"
        case .badHost: "the host is no name and no address; names beyond ASCII are written in their xn-- form"
        case .badPort: "the port is no number from 1 to 65535"
        case .badPath: "path and query hold a character that has to be percent-encoded"
        case .scheme(let name): "the scheme \(name.debugDescription) is not https"
        case .httpNotAllowed: "http is not allowed here: use https, or set webhooks.allowHTTP"
        case .blocked: "the address is not allowed: it is not public, and webhooks.allowedNetworks does not list it"
        }
    }
}
