public import FencepostModel

/// A private network to which messages may be sent, also without TLS.
public struct AllowedNetwork: Hashable, Sendable {
    /// The maximum number of networks.
    public static let limit = 64

    /// `net_…`
    public var id: String
    /// In CIDR notation, with cleared bits after the prefix.
    public var network: String
    /// When an administrator allowed it.
    public var createdAt: Timestamp

    /// A network that is allowed from now on.
    public init(id: String, network: String, createdAt: Timestamp) {
        (self.id, self.network, self.createdAt) = (id, network, createdAt)
    }
}

/// Stores the private networks that administrators allow for endpoints.
public protocol NetworkStore: Sendable {
    /// All networks, sorted by id.
    func allowedNetworks() async throws -> [AllowedNetwork]
    /// Adds a network; `false` when it is there.
    func add(_ network: AllowedNetwork) async throws -> Bool
    /// Removes a network.
    ///
    /// - Returns: the network; `nil` when none has the id.
    func removeNetwork(id: String) async throws -> AllowedNetwork?
}

/// Why messages to a URL would not be sent.
public struct NetworkRefusal: Hashable, Sendable {
    /// One sentence that reveals nothing about the network of the service.
    public var detail: String
    /// The same for administrators, with the address that was found.
    public var administratorDetail: String
    /// The network that an administrator may allow, in CIDR notation; `nil` for none. Only administrators may see it.
    public var network: String?

    /// A refusal; without a detail for administrators they get the same one.
    public init(detail: String, administratorDetail: String? = nil, network: String? = nil) {
        self.detail = detail
        self.administratorDetail = administratorDetail ?? detail
        self.network = network
    }
}

/// A network that may not be allowed.
public struct InvalidNetwork: Error, Hashable, Sendable {
    /// The reason in one sentence.
    public var detail: String

    /// The reason why a network may not be allowed.
    public init(detail: String) { self.detail = detail }
}
