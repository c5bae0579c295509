import FencepostCluster
import FencepostJSON
import FencepostModel
package import FencepostNATS
import FencepostService
import FencepostTransport
import Foundation

/// What a cluster has in NATS: its parts, its identity, and what its nodes report.
package struct ClusterLink: Sendable {
    /// A setting or a server that the cluster cannot work with: a sentence that says how to mend it.
    package struct Misuse: Error, CustomStringConvertible {
        package let description: String
    }

    private static let identityKey = "cluster"
    private static let format = 1
    /// The format of a cluster of several partitions, which older versions would take for one without devices.
    private static let partitionedFormat = 2

    let connection: NATSConnection
    /// The log and the lease of each part; the configuration's come first.
    let parts: [PartitionLink]
    /// The leases, requests to lead and the identity.
    let state: NATSKeyValue
    /// The nodes' reports, which expire.
    let nodes: NATSKeyValue
    /// The cluster's id and key, made once.
    let identity: Identity

    /// What makes a cluster this one.
    package struct Identity: Hashable, Sendable {
        /// Random; the copies have it too.
        var id: String
        /// A random text, which is the nodes' secret where the settings have none. Who can read from NATS knows it.
        var key: String
        /// What the nodes share: the file of the settings, or else the key.
        private let secretBytes: [UInt8]
        /// Whether it began with the database of a single node, so that every copy comes from another one.
        var isImported = false
        /// How its devices are divided.
        var partitioning = Partitioning.single

        /// An identity with the secret of the settings, or else the key.
        ///
        /// - Throws: `Misuse` when the file with the secret cannot be read.
        init(
            id: String, key: String, isImported: Bool = false, _ settings: ClusterSettings,
            _ partitioning: Partitioning
        ) throws(Misuse) {
            (self.id, self.key, self.isImported, self.partitioning) = (id, key, isImported, partitioning)
            secretBytes = try Self.secret(settings) ?? Array(key.utf8)
        }

        /// The secret by which the nodes know each other's requests and records.
        var secret: ClusterSecret { ClusterSecret(secretBytes, cluster: id) }

        /// The key by which the nodes sign their requests.
        var requestKey: [UInt8] { secret.key(for: "requests") }

        /// Random values.
        ///
        /// - Throws: as the initializer.
        static func random(_ settings: ClusterSettings) throws(Misuse) -> Identity {
            try Identity(id: word(), key: word() + word(), settings, settings.partitioning)
        }

        private static func secret(_ settings: ClusterSettings) throws(Misuse) -> [UInt8]? {
            guard let path = settings.secretFile else { return nil }
            guard let data = FileManager.default.contents(atPath: path) else {
                throw Misuse(description: "The file \(path) of cluster.secretFile cannot be read.")
            }
            let text = String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
            guard text.utf8.count >= ClusterSecret.minimumCount else {
                throw Misuse(
                    description: "The file \(path) of cluster.secretFile has less than "
                        + "\(ClusterSecret.minimumCount) characters. Make it with `openssl rand -hex 32`.")
            }
            return Array(text.utf8)
        }

        private static func word() -> String { String(UInt64.random(in: .min ... .max), radix: 16) }
    }

    /// Connects, checks the servers, and creates what is missing.
    ///
    /// - Parameters:
    ///   - settings: usable settings.
    ///   - knownID: the cluster of this node's copy; `nil` for a new one, which may be the first of a new cluster.
    ///   - fresh: the identity of a new cluster.
    /// - Returns: the link.
    /// - Throws: `Misuse`, or `NATSError` when NATS does not answer and the call should be repeated.
    static func open(_ settings: ClusterSettings, knownID: String?, fresh: Identity) async throws -> ClusterLink {
        do {
            let connection = try await connect(settings)
            try await checkSync(settings)
            // Before anything is created for other settings than the cluster's.
            if let state = try await NATSKeyValue.existing(settings.name + "_cluster", on: connection) {
                _ = try await identify(state, settings, knownID: knownID, fresh: nil)
            }
            for part in settings.partitioning.parts {
                try await PartitionLink.stream(of: part, settings).prepare(on: connection)
            }
            let state = try await NATSKeyValue.open(
                settings.name + "_cluster", on: connection, replicas: settings.replicas)
            let nodes = try await NATSKeyValue.open(
                settings.name + "_nodes", on: connection, replicas: settings.replicas, lifetime: .seconds(60))
            guard let identity = try await identify(state, settings, knownID: knownID, fresh: fresh) else {
                throw NATSError.unavailable("The cluster's identity was not written.")
            }
            let parts = settings.partitioning.parts.map {
                PartitionLink($0, settings, connection, state, identity.secret)
            }
            return ClusterLink(connection: connection, parts: parts, state: state, nodes: nodes, identity: identity)
        } catch let error as NATSError {
            throw misuse(error, settings) ?? error
        }
    }

    private static func connect(_ settings: ClusterSettings) async throws -> NATSConnection {
        let connection = try await NATSConnection.connect(
            NATSSettings(
                servers: settings.servers, name: "fencepost \(settings.node)",
                credentialsFile: settings.credentialsFile, certificateFile: settings.caFile))
        try await connection.checkServers()
        guard connection.maximumPayload >= 1 << 20 else {
            throw Misuse(
                description: "The NATS servers take messages of \(connection.maximumPayload) bytes. "
                    + "Set max_payload to 1 MB or more.")
        }
        return connection
    }

    /// What only a change of settings or servers mends; `nil` for what time may mend.
    private static func misuse(_ error: NATSError, _ settings: ClusterSettings) -> Misuse? {
        switch error {
        case .invalidSettings, .otherSettings, .unfit: Misuse(description: "\(error)")
        // More replicas than one server can hold.
        case .refused(10074, _):
            Misuse(
                description: "The NATS servers are no cluster, so they cannot hold the log several times. "
                    + "Join three servers, or set cluster.replicas to 1.")
        // Not enough storage: the servers reserve the log's largest size.
        case .refused(10047, _), .refused(10028, _), .refused(10002, _):
            Misuse(
                description:
                    "The NATS servers have no room for a log of \(settings.logLimit) bytes, which they reserve. "
                    + "Set cluster.logLimit lower, or max_file_store of the servers' jetstream section higher.")
        case .unavailable, .refused, .notFound, .conflict: nil
        }
    }

    /// Reads the identity, and checks that it is that of the settings and of this node's copy.
    ///
    /// - Parameters:
    ///   - state: the bucket that has it.
    ///   - settings: usable settings.
    ///   - knownID: the cluster of this node's copy; `nil` for a new one.
    ///   - fresh: what is written where there is none; `nil` writes nothing.
    /// - Returns: `nil` where there is none.
    /// - Throws: `Misuse`, or `NATSError`.
    private static func identify(
        _ state: NATSKeyValue, _ settings: ClusterSettings, knownID: String?, fresh: Identity?
    ) async throws -> Identity? {
        if let stored = try await state.value(identityKey) {
            guard let root = (try? JSONDocument(parsing: stored.bytes))?.root, let id = root["id"]?.string else {
                throw Misuse(description: "The bucket \(settings.name)_cluster in NATS is not one of Fencepost.")
            }
            guard (root["format"]?.int ?? 0) <= partitionedFormat else {
                throw Misuse(
                    description: "The cluster \(settings.name) was made by a newer Fencepost. Install that version.")
            }
            guard knownID == nil || knownID == id else {
                throw Misuse(
                    description: "The database is a copy of another cluster than \(settings.name) in NATS. "
                        + "Choose another cluster.name or another storage.path.")
            }
            let partitions = root["partitions"]?.int ?? 1
            guard partitions == settings.partitions else {
                throw Misuse(
                    description:
                        "The cluster \(settings.name) was created with \(Prose.count(partitions, "partition")), "
                        + "which cannot be changed. Set cluster.partitions to \(partitions), or choose another "
                        + "cluster.name for a new cluster.")
            }
            let key = root["key"]?.string ?? fresh?.key
            // Of a version whose nodes sent nothing on.
            guard let key else { return nil }
            let identity = try Identity(
                id: id, key: key, isImported: root["imported"]?.bool ?? false, settings, settings.partitioning)
            if let check = root["check"]?.string {
                guard check == identity.secret.check else {
                    throw Misuse(
                        description: "The nodes of the cluster \(settings.name) have another secret. Give this one "
                            + "the same cluster.secretFile as the others, or none where they have none.")
                }
                return identity
            }
            // Of a version without the check, whose records are not sealed: from now on the secret is this one.
            guard fresh != nil else { return identity }
            return try await write(
                identity, replacing: stored.revision, state, settings, knownID: knownID)
        }
        guard knownID == nil else {
            throw Misuse(
                description: "NATS does not know the cluster \(settings.name) of this copy. Connect to the servers "
                    + "that hold its log; if they are lost, `fencepost cluster detach` makes the copy a single node.")
        }
        guard let fresh else { return nil }
        return try await write(fresh, replacing: nil, state, settings, knownID: knownID)
    }

    /// The identity that NATS has; `nil` for none, or one of a version whose nodes sent nothing on.
    static func identity(in state: NATSKeyValue, _ settings: ClusterSettings) async throws(NATSError) -> Identity? {
        guard let stored = try await state.value(identityKey),
            let root = (try? JSONDocument(parsing: stored.bytes))?.root, let id = root["id"]?.string,
            let key = root["key"]?.string,
            (1...Partitioning.maximum).contains(root["partitions"]?.int ?? 1)
        else { return nil }
        // The nodes, and not the commands, say that the secret cannot be read.
        return try? Identity(
            id: id, key: key, isImported: root["imported"]?.bool ?? false, settings,
            Partitioning(count: root["partitions"]?.int ?? 1))
    }

    private static func write(
        _ identity: Identity, replacing revision: UInt64?, _ state: NATSKeyValue, _ settings: ClusterSettings,
        knownID: String?
    ) async throws -> Identity? {
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("id", identity.id)
        writer.field("format", identity.partitioning == .single ? format : partitionedFormat)
        writer.field("key", identity.key)
        writer.field("check", identity.secret.check)
        writer.name("imported")
        writer.value(identity.isImported)
        if identity.partitioning != .single { writer.field("partitions", identity.partitioning.count) }
        writer.endObject()
        do throws(NATSError) {
            _ = try await state.set(identityKey, to: writer.bytes, replacing: revision)
        } catch {
            guard error == .conflict else { throw error }
            // Another node was first, or the answer was lost.
            return try await identify(state, settings, knownID: knownID, fresh: identity)
        }
        return identity
    }

    /// Checks at the servers' monitoring that they sync every write: clients cannot see it.
    private static func checkSync(_ settings: ClusterSettings) async throws {
        guard !settings.acceptsLazySync else { return }
        guard !settings.monitors.isEmpty else {
            throw Misuse(
                description:
                    "Name the servers' monitoring in cluster.monitors, such as [\"http://127.0.0.1:8222\"], so "
                    + "that it can be checked that they sync every write. Or set cluster.acceptLazySync to true: a "
                    + "power cut of all servers may lose what was acknowledged then.")
        }
        for monitor in settings.monitors {
            // A server that is down or out of space now is no reason to stay down: it is checked at the next start.
            guard await storage(monitor) != .unsynced else {
                throw Misuse(
                    description:
                        "The NATS server at \(monitor) does not sync every write. Set sync_interval: always in "
                        + "its jetstream section, or set cluster.acceptLazySync to true.")
            }
        }
    }

    /// What a server does with what it has to store.
    ///
    /// - Parameter monitor: the address of its monitoring.
    /// - Returns: `nil` when it does not answer.
    static func storage(_ monitor: String) async -> ServerStorage? {
        var request = HTTPClientRequest("GET", monitor + "/jsz?config=1")
        (request.connect, request.total) = (.seconds(2), .seconds(5))
        guard let response = try? await HTTPClient.shared.response(to: request), response.status == 200 else {
            return nil
        }
        return ServerStorage(monitoring: response.body)
    }

    /// A part's log and lease.
    func part(_ part: ClusterPartition) -> PartitionLink? { parts.first { $0.part == part } }

    /// All reports that have not expired, by node.
    func reports() async throws(NATSError) -> [NodeReport] { try await Self.reports(in: nodes) }

    /// As `reports()`, of a bucket.
    package static func reports(in nodes: NATSKeyValue) async throws(NATSError) -> [NodeReport] {
        var reports: [NodeReport] = []
        for key in try await nodes.keys() {
            if let stored = try await nodes.value(key), let report = NodeReport.decode(stored.bytes) {
                reports.append(report)
            }
        }
        return reports.sorted { $0.node < $1.node }
    }
}
