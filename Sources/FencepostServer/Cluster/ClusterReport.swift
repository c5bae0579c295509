public import FencepostJSON
public import FencepostModel

/// Who leads a cluster, how far each node's copy is, and how large the log is.
public struct ClusterReport: Hashable, Sendable {
    /// A node, as it reported itself last.
    public struct Node: Hashable, Sendable {
        /// Its name.
        public var name: String
        /// `starting`, `fetching`, `follower`, `leader`, `failed` or `gone`.
        public var role: String
        /// Where other nodes send requests to it.
        public var address: String
        /// The version of its program.
        public var version: String
        /// The position of the newest record that its copy has applied.
        public var position: UInt64
        /// Why it does not follow or lead, in a sentence; `nil` for nothing.
        public var problem: String?
        /// When it reported, by its clock.
        public var reportedAt: Timestamp

        /// Creates a value.
        ///
        /// More than five parameters, because each is another property and none has a default.
        public init(
            name: String, role: String, address: String, version: String, position: UInt64, problem: String?,
            reportedAt: Timestamp
        ) {
            (self.name, self.role, self.address, self.version) = (name, role, address, version)
            (self.position, self.problem, self.reportedAt) = (position, problem, reportedAt)
        }
    }

    /// The replicated log.
    public struct Log: Hashable, Sendable {
        /// Its size, and the largest one that it may have, in bytes.
        public var bytes, limit: Int
        /// The sequences of its oldest and newest record.
        public var first, last: Int

        /// Creates a value.
        public init(bytes: Int, limit: Int, first: Int, last: Int) {
            (self.bytes, self.limit, self.first, self.last) = (bytes, limit, first, last)
        }
    }

    /// The cluster's name.
    public var name: String
    /// The name of the node that leads; `nil` for none.
    public var leader: String?
    /// All nodes that have reported in the last minute, by name.
    public var nodes: [Node]
    /// The log.
    public var log: Log

    /// Creates a value.
    public init(name: String, leader: String?, nodes: [Node], log: Log) {
        (self.name, self.leader, self.nodes, self.log) = (name, leader, nodes, log)
    }

    /// The newest position that a node has.
    public var end: UInt64 { nodes.map(\.position).max() ?? 0 }

    /// Whether a node leads and no node has a problem.
    public var isWell: Bool { leader != nil && nodes.allSatisfy { $0.problem == nil && $0.role != "failed" } }

    /// Writes the report as a JSON object.
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("name", name)
        writer.member("leader", leader)
        writer.name("log")
        writer.beginObject()
        writer.member("bytes", log.bytes)
        writer.member("limit", log.limit)
        writer.member("first", log.first)
        writer.member("last", log.last)
        writer.endObject()
        writer.beginArray("nodes")
        for node in nodes {
            writer.beginObject()
            writer.member("name", node.name)
            writer.member("role", node.role)
            writer.member("address", node.address)
            writer.member("version", node.version)
            writer.member("position", Int(node.position))
            writer.member("behind", Int(end - node.position))
            writer.member("problem", node.problem)
            writer.member("reportedAt", node.reportedAt)
            writer.endObject()
        }
        writer.endArray()
        writer.endObject()
    }
}
