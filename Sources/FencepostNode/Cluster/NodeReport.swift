package import FencepostCluster
import FencepostJSON
package import FencepostModel

/// What a node writes about itself every two seconds, for people and for `fencepost cluster status`.
package struct NodeReport: Hashable, Sendable {
    /// What the node is at the moment.
    package typealias Role = NodeRole

    package var node: String
    /// The run of its process; random.
    var run: UInt64
    var version: String
    /// The newest schema of the database that its version knows; `nil` for an earlier version, which does not say it.
    package var schema: Int?
    /// Whether it may lead: it is no gateway, and has not begun to end.
    package var mayLead = true
    /// What it is in each part; one for a cluster of one partition.
    var parts: [Part]
    /// Where it answers requests of the others, such as `http://10.0.0.1:8080`.
    var address: String
    /// When it was written, by the node's clock.
    var time: Timestamp

    /// What a node is in a part of its cluster.
    package struct Part: Hashable, Sendable {
        var part: ClusterPartition
        package var role: Role
        /// The newest record that its copy has applied, and the position of it.
        var sequence: UInt64 = 0
        var position: UInt64 = 0
        /// Why it does not follow or lead, in a sentence.
        package var problem: String?
        /// Whether its monitor stands by to lead.
        var standsBy = false
        /// How many events of that monitor and the leader's differed since the node was started.
        var divergences = 0
        /// How often the log had something that no node wrote, since the node was started.
        var foreign = 0

        /// Whether it has a copy that other nodes can have.
        package var hasCopy: Bool { role == .follower || role == .leader }
        /// Whether it could lead.
        var isWell: Bool { hasCopy && problem == nil }
    }

    /// What it is in a part; `nil` when it does not say.
    package func part(_ part: ClusterPartition) -> Part? { parts.first { $0.part == part } }

    /// What it is in all: what needs a person first.
    var role: Role {
        let order: [Role] = [.failed, .starting, .fetching, .leader, .follower, .noCopy]
        return order.first { role in parts.contains { $0.role == role } } ?? .gone
    }

    /// The first problem of a part, in a sentence; `nil` for none.
    var problem: String? { parts.lazy.compactMap(\.problem).first ?? divergence ?? foreign }

    /// That the log has what no node wrote, in a sentence; `nil` while it does not.
    private var foreign: String? {
        let count = parts.reduce(0) { $0 + $1.foreign }
        guard count > 0 else { return nil }
        return
            "\(Prose.count(count, "record")) in the cluster's log were written by no node and are skipped; the log of this "
            + "node has their sequences. Who else may write to NATS?"
    }

    /// That the node evaluates otherwise than a leader of its version did, in a sentence; `nil` while it does not.
    private var divergence: String? {
        let count = parts.reduce(0) { $0 + $1.divergences }
        guard count > 0 else { return nil }
        return "\(Prose.count(count, "event")) differed between this node's evaluation and the leader's since it was "
            + "started; its log has them. Its copy is not affected. Do all nodes have the same kind of processor and the same system?"
    }

    var encoded: [UInt8] {
        var writer = JSONWriter()
        write(to: &writer)
        return writer.bytes
    }

    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.field("node", node)
        writer.field("run", String(run, radix: 16))
        writer.field("version", version)
        if let schema { writer.field("schema", schema) }
        writer.name("mayLead")
        writer.value(mayLead)
        // A cluster of one partition is as that of an older version.
        if let only = parts.first, parts.count == 1 { Self.write(only, to: &writer) }
        writer.field("address", address)
        writer.field("time", Int(time.milliseconds))
        if parts.count > 1 {
            writer.name("parts")
            writer.beginArray()
            for part in parts {
                writer.beginObject()
                writer.field("part", "\(part.part)")
                Self.write(part, to: &writer)
                writer.endObject()
            }
            writer.endArray()
        }
        writer.endObject()
    }

    private static func write(_ part: Part, to writer: inout JSONWriter) {
        writer.field("role", part.role.rawValue)
        writer.field("sequence", Int(part.sequence))
        writer.field("position", Int(part.position))
        if let problem = part.problem { writer.field("problem", problem) }
        if part.standsBy {
            writer.name("standsBy")
            writer.value(true)
        }
        if part.divergences > 0 { writer.field("divergences", part.divergences) }
        if part.foreign > 0 { writer.field("foreign", part.foreign) }
    }

    /// `nil` for bytes of another program.
    static func decode(_ bytes: [UInt8]) -> NodeReport? {
        guard let root = (try? JSONDocument(parsing: bytes))?.root, let node = root["node"]?.string,
            let run = root["run"]?.string.flatMap({ UInt64($0, radix: 16) })
        else { return nil }
        let parts: [Part?] =
            if let parts = root["parts"]?.array {
                parts.map { value in value["part"]?.string.flatMap { ClusterPartition($0) }.flatMap { part($0, value) }
                }
            } else {
                [part(.partition(0), root)]
            }
        guard !parts.contains(nil) else { return nil }
        return NodeReport(
            node: node, run: run, version: root["version"]?.string ?? "",
            schema: root["schema"]?.int, mayLead: root["mayLead"]?.bool ?? true, parts: parts.compactMap(\.self),
            address: root["address"]?.string ?? "",
            time: Timestamp(milliseconds: Int64(root["time"]?.int ?? 0)))
    }

    private static func part(_ part: ClusterPartition, _ value: JSONElement) -> Part? {
        guard let role = value["role"]?.string.flatMap(Role.init) else { return nil }
        return Part(
            part: part, role: role, sequence: UInt64(clamping: value["sequence"]?.int ?? 0),
            position: UInt64(clamping: value["position"]?.int ?? 0), problem: value["problem"]?.string,
            standsBy: value["standsBy"]?.bool ?? false, divergences: value["divergences"]?.int ?? 0,
            foreign: value["foreign"]?.int ?? 0)
    }
}

extension Lease {
    /// The lease as it is in NATS.
    var encoded: [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("node", node)
        writer.field("run", String(run, radix: 16))
        writer.field("claim", Int(claim))
        writer.field("epoch", Int(epoch))
        writer.name("held")
        writer.value(isHeld)
        if let address { writer.field("address", address) }
        if let version { writer.field("version", version) }
        if let successor { writer.field("successor", successor) }
        writer.endObject()
        return writer.bytes
    }

    /// `nil` for bytes of another program.
    static func decode(_ bytes: [UInt8]) -> Lease? {
        guard let root = (try? JSONDocument(parsing: bytes))?.root, let node = root["node"]?.string,
            let run = root["run"]?.string.flatMap({ UInt64($0, radix: 16) }), let claim = root["claim"]?.int,
            let epoch = root["epoch"]?.int, let isHeld = root["held"]?.bool
        else { return nil }
        return Lease(
            node: node, run: run, claim: UInt64(clamping: claim), epoch: UInt64(clamping: epoch), isHeld: isHeld,
            address: root["address"]?.string, version: root["version"]?.string, successor: root["successor"]?.string)
    }
}
