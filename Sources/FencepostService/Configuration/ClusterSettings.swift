import FencepostJSON
public import FencepostModel

/// The nodes of a cluster and the NATS servers that hold its log.
public struct ClusterSettings: Hashable, Sendable {
    /// Addresses of NATS servers, such as `nats://127.0.0.1:4222`.
    public var servers: [String] = []
    /// The cluster's name in NATS, the same on all nodes.
    public var name = "fencepost"
    /// This node's name, another one on each node.
    public var node = ""
    /// Where the other nodes send requests to this one, such as `http://10.0.0.1:8080`; `nil` for the address of the server,
    /// or where that is every address, the one from which the node connects to NATS.
    public var address: String?
    /// Into how many partitions the devices are divided, each with a leader of its own; fixed when the cluster is created.
    public var partitions = 1
    /// How many nodes have a copy of a partition; `nil` for all nodes.
    public var copies: Int?
    /// How many NATS servers hold the log: 1, 3 or 5.
    public var replicas = 3
    /// Whether this node may lead.
    public var role = Role.member
    /// Whether the monitor of a member evaluates what it follows too, so that it can lead at once.
    public var hasStandby = true
    /// For how long a request is held while no node leads; 1 to 60 s.
    public var holdTime = Duration.seconds(15)
    /// The largest size of all logs together, in bytes.
    public var logLimit = 10 << 30
    /// A file with the secret that the nodes share, the same on all of them; `nil` for a key in NATS, which all have who can read
    /// from NATS.
    public var secretFile: String?
    /// A file with the user's credentials for NATS; `nil` for none.
    public var credentialsFile: String?
    /// A PEM file of certificate authorities; requires TLS.
    public var caFile: String?
    /// The port of this node for the other ones, with mutual TLS; `nil` for that of the API, without TLS.
    public var peerPort: Int?
    /// PEM files of the node's certificate and its private key, and of the authority that has signed those of all nodes.
    public var certificateFile, keyFile, peerCAFile: String?
    /// Addresses of the servers' monitoring, such as `http://127.0.0.1:8222`, where it is checked that they sync each write.
    public var monitors: [String] = []
    /// Whether servers may acknowledge what a power cut of all of them loses.
    public var acceptsLazySync = false

    /// What a node does in its cluster.
    public enum Role: String, Hashable, Sendable, CaseIterable {
        /// It follows, and leads when it has to.
        case member
        /// It takes requests and follows, and never leads.
        case gateway
    }

    /// The defaults, without a server.
    public init() {}

    /// How devices are divided.
    public var partitioning: Partitioning { Partitioning(count: partitions) }

    /// What is missing or cannot be, in a sentence; `nil` for usable settings.
    public var problem: String? {
        if servers.isEmpty { return "cluster.url is missing: the addresses of the NATS servers." }
        for (key, text) in [("cluster.name", name), ("cluster.node", node)] where !Self.isName(text) {
            return "\(key) has to be 1 to 32 letters, digits, - or _, such as \"node-1\"."
        }
        if let address, !address.hasPrefix("http://") && !address.hasPrefix("https://") || address.hasSuffix("/") {
            return "cluster.address has to be a URL without a path, such as \"http://10.0.0.1:8080\"."
        }
        let peerFiles = [certificateFile, keyFile, peerCAFile].filter { $0 != nil }.count
        if peerFiles != (peerPort == nil ? 0 : 3) {
            return "cluster.peerPort, cluster.certificateFile, cluster.keyFile and cluster.peerCaFile belong together."
        }
        if ![1, 3, 5].contains(replicas) { return "cluster.replicas is 1, 3 or 5." }
        return copiesProblem
    }

    private var copiesProblem: String? {
        guard let copies else { return nil }
        if copies < 2 {
            return "cluster.copies is 2 or more: with 1 the history of a partition would be lost with one disk."
        }
        if partitions == 1 {
            return
                "cluster.copies needs cluster.partitions above 1: a cluster of one partition has a copy on every node. "
                + "Remove cluster.copies, or begin a cluster with several partitions."
        }
        return nil
    }

    private static func isName(_ text: String) -> Bool {
        (1...32).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                    true
                default: false
                }
            }
    }
}

extension ConfigurationKey {
    /// The keys of `cluster`.
    static let cluster: [ConfigurationKey] = [
        clusterKey(
            "url",
            {
                // One text may have several, as NATS's own tools take them.
                $1.servers = try $0.texts("a URL such as nats://127.0.0.1:4222").flatMap { text in
                    text.split(separator: ",").map { String($0.drop { $0 == " " }) }
                }
            },
            { $1.value($0.servers.map(masked)) }),
        clusterKey("name", { $1.name = try $0.text("a name") }, { $1.value($0.name) }),
        clusterKey("node", { $1.node = try $0.text("a name") }, { $1.value($0.node) }),
        clusterKey(
            "address", { $1.address = try $0.text("a URL such as http://10.0.0.1:8080") }, { $1.optional($0.address) }),
        clusterKey("role", { $1.role = try $0.choice() }, { $1.value($0.role.rawValue) }),
        clusterKey(
            "patience", { $1.holdTime = .seconds(try $0.number(in: 1...60, "seconds")) },
            { $1.value($0.holdTime.seconds) }),
        clusterKey("replicas", { $1.replicas = try $0.whole(in: 1...5) }, { $1.value($0.replicas) }),
        clusterKey("logLimit", { $1.logLimit = try $0.whole(in: 64 << 20...1 << 50) }, { $1.value($0.logLimit) }),
        clusterKey(
            "credentialsFile", { $1.credentialsFile = try $0.path() }, { $1.optional($0.credentialsFile) }),
        clusterKey("peerPort", { $1.peerPort = try $0.whole(in: 0...65535) }, { $1.optional($0.peerPort) }),
        clusterKey(
            "certificateFile", { $1.certificateFile = try $0.path() }, { $1.optional($0.certificateFile) }),
        clusterKey("keyFile", { $1.keyFile = try $0.path() }, { $1.optional($0.keyFile) }),
        clusterKey("peerCaFile", { $1.peerCAFile = try $0.path() }, { $1.optional($0.peerCAFile) }),
        clusterKey("secretFile", { $1.secretFile = try $0.path() }, { $1.optional($0.secretFile) }),
        clusterKey("caFile", { $1.caFile = try $0.path() }, { $1.optional($0.caFile) }),
        clusterKey(
            "monitors", { $1.monitors = try $0.texts("a URL such as http://127.0.0.1:8222") },
            { $1.value($0.monitors) }),
        clusterKey("acceptLazySync", { $1.acceptsLazySync = try $0.bool() }, { $1.value($0.acceptsLazySync) }),
        clusterKey(
            "partitions", { $1.partitions = try $0.whole(in: 1...Partitioning.maximum) }, { $1.value($0.partitions) }),
        clusterKey("standby", { $1.hasStandby = try $0.bool() }, { $1.value($0.hasStandby) }),
        clusterKey("copies", { $1.copies = try $0.whole(in: 1...1000) }, { $1.optional($0.copies) }),
    ]

    /// The address of a server, with its password masked.
    private static func masked(_ server: String) -> String {
        guard let at = server.lastIndex(of: "@"), let start = server.firstRange(of: "://")?.upperBound, start < at,
            let colon = server[start..<at].firstIndex(of: ":")
        else { return server }
        return String(server[...colon] + "********" + server[at...])
    }

    /// A key of `cluster`; the first one makes the section.
    private static func clusterKey(
        _ name: String, _ read: @escaping @Sendable (Value, inout ClusterSettings) throws -> Void,
        _ write: @escaping @Sendable (ClusterSettings, inout JSONWriter) -> Void
    ) -> ConfigurationKey {
        key(
            "/cluster/\(name)", restart: true,
            { value, configuration in
                var settings = configuration.cluster ?? ClusterSettings()
                try read(value, &settings)
                configuration.cluster = settings
            }, { write($0.cluster ?? ClusterSettings(), &$1) })
    }
}
