import FencepostJSON
package import FencepostNATS

/// The node that a person wants to lead a part, as `fencepost cluster lead` writes it for the leader to read.
package struct LeaderRequest: Hashable, Sendable {
    /// The name of the node; empty for none.
    var node: String
    private var revision: UInt64

    /// The request; `nil` when there never was one.
    static func read(_ link: PartitionLink) async throws(NATSError) -> LeaderRequest? {
        guard let stored = try await link.state.value(link.keys.request),
            let root = (try? JSONDocument(parsing: stored.bytes))?.root,
            let node = root["node"]?.string
        else { return nil }
        return LeaderRequest(node: node, revision: stored.revision)
    }

    /// Asks that a node leads.
    package static func write(_ node: String, _ link: PartitionLink) async throws(NATSError) {
        let key = link.keys.request
        _ = try await link.state.set(key, to: encoded(node), replacing: try await link.state.value(key)?.revision)
    }

    /// Takes a request back that was read.
    static func clear(_ request: LeaderRequest, _ link: PartitionLink) async throws(NATSError) {
        _ = try await link.state.set(link.keys.request, to: encoded(""), replacing: request.revision)
    }

    private static func encoded(_ node: String) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("node", node)
        writer.endObject()
        return writer.bytes
    }
}
