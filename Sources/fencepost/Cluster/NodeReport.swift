import FencepostCluster
import FencepostJSON
import FencepostModel

/// What a node writes about itself every two seconds, for people and for `fencepost cluster status`.
struct NodeReport: Hashable, Sendable {
    /// What the node is at the moment.
    enum Role: String, Hashable, Sendable, CaseIterable {
        case starting, follower, leader, failed
        /// It fetches the copy of another node.
        case fetching
        /// It was stopped.
        case gone
    }

    var node: String
    /// The run of its process; random.
    var run: UInt64
    var version: String
    var role: Role
    /// The newest record that its copy has applied, and the position of it.
    var sequence: UInt64 = 0
    var position: UInt64 = 0
    /// Where it listens, as `host:port`.
    var address: String
    /// Why it does not follow or lead, in a sentence.
    var problem: String?
    /// When it was written, by the node's clock.
    var time: Timestamp

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
        writer.field("role", role.rawValue)
        writer.field("sequence", Int(sequence))
        writer.field("position", Int(position))
        writer.field("address", address)
        if let problem { writer.field("problem", problem) }
        writer.field("time", Int(time.milliseconds))
        writer.endObject()
    }

    /// `nil` for bytes of another program.
    static func decode(_ bytes: [UInt8]) -> NodeReport? {
        guard let root = (try? JSONDocument(parsing: bytes))?.root, let node = root["node"]?.string,
            let run = root["run"]?.string.flatMap({ UInt64($0, radix: 16) }),
            let role = root["role"]?.string.flatMap(Role.init)
        else { return nil }
        return NodeReport(
            node: node, run: run, version: root["version"]?.string ?? "", role: role,
            sequence: UInt64(clamping: root["sequence"]?.int ?? 0),
            position: UInt64(clamping: root["position"]?.int ?? 0), address: root["address"]?.string ?? "",
            problem: root["problem"]?.string, time: Timestamp(milliseconds: Int64(root["time"]?.int ?? 0)))
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
            address: root["address"]?.string, successor: root["successor"]?.string)
    }
}
