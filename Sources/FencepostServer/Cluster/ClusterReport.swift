import FencepostHTTP
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
        /// The position of the newest record that its copy has applied, added up over all parts.
        public var position: UInt64
        /// How many parts of a cluster of several partitions it leads; `nil` where there is only one.
        public var leads: Int?
        /// Of how many parts of a cluster of several partitions it has a copy; `nil` where there is only one.
        public var copies: Int?
        /// The newest position that a node has of the parts of which this one has or fetches a copy, added up; `nil` for those of
        /// all parts.
        public var end: UInt64?
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

    /// A part of a cluster of several partitions.
    public struct Part: Hashable, Sendable {
        /// `config`, or the number of the partition.
        public var name: String
        /// The name of the node that leads it; `nil` for none.
        public var leader: String?
        /// The newest position that a node has.
        public var position: UInt64
        /// The names of the nodes that have a copy.
        public var copies: [String]
        /// Its log.
        public var log: Log

        /// Creates a value.
        public init(name: String, leader: String?, position: UInt64, copies: [String], log: Log) {
            (self.name, self.leader, self.position) = (name, leader, position)
            (self.copies, self.log) = (copies, log)
        }
    }

    /// A replicated log.
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
    /// The name of the node that leads, of several partitions the configuration; `nil` for none.
    public var leader: String?
    /// All nodes that have reported in the last minute, by name.
    public var nodes: [Node]
    /// The log, or the sizes of all logs together.
    public var log: Log
    /// The parts of a cluster of several partitions; empty where there is only one.
    public var parts: [Part] = []
    /// Members that have not reported in the last minute, where not every node has all copies: theirs are missing.
    public var away: [String] = []

    /// Creates a value.
    public init(name: String, leader: String?, nodes: [Node], log: Log) {
        (self.name, self.leader, self.nodes, self.log) = (name, leader, nodes, log)
    }

    /// The newest position that a node has, added up over all parts.
    public var end: UInt64 {
        parts.isEmpty ? nodes.map(\.position).max() ?? 0 : parts.reduce(0) { $0 + $1.position }
    }

    /// Whether a node leads each part, no node has a problem and no member is away.
    public var isWell: Bool {
        leader != nil && away.isEmpty && parts.allSatisfy { $0.leader != nil }
            && nodes.allSatisfy { $0.problem == nil && $0.role != "failed" }
    }

    /// How far a node's copies are behind.
    public func behind(_ node: Node) -> UInt64 {
        let end = node.end ?? end
        return end - min(end, node.position)
    }

    /// Writes the report as a JSON object.
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("name", name)
        writer.member("leader", leader)
        write(log, to: &writer)
        if !parts.isEmpty {
            writer.beginArray("parts")
            for part in parts {
                writer.beginObject()
                writer.member("name", part.name)
                writer.member("leader", part.leader)
                writer.member("position", Int(part.position))
                writer.beginArray("copies")
                for node in part.copies { writer.value(node) }
                writer.endArray()
                write(part.log, to: &writer)
                writer.endObject()
            }
            writer.endArray()
        }
        writer.beginArray("nodes")
        for node in nodes {
            writer.beginObject()
            writer.member("name", node.name)
            writer.member("role", node.role)
            writer.member("address", node.address)
            writer.member("version", node.version)
            writer.member("position", Int(node.position))
            writer.member("behind", Int(behind(node)))
            if let leads = node.leads { writer.member("leads", leads) }
            if let copies = node.copies { writer.member("copies", copies) }
            writer.member("problem", node.problem)
            writer.member("reportedAt", node.reportedAt)
            writer.endObject()
        }
        writer.endArray()
        if !away.isEmpty {
            writer.beginArray("away")
            for node in away { writer.value(node) }
            writer.endArray()
        }
        writer.endObject()
    }

    private func write(_ log: Log, to writer: inout JSONWriter) {
        writer.name("log")
        writer.beginObject()
        writer.member("bytes", log.bytes)
        writer.member("limit", log.limit)
        writer.member("first", log.first)
        writer.member("last", log.last)
        writer.endObject()
    }
}
