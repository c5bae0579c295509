import FencepostJSON
import FencepostNATS

/// The node that a person wants to lead a part, as `fencepost cluster lead` writes it for the leader to read.
struct LeaderWish: Hashable, Sendable {
    /// The name of the node; empty for none.
    var node: String
    private var revision: UInt64

    /// The wish; `nil` when there never was one.
    static func read(_ link: PartLink) async throws(NATSError) -> LeaderWish? {
        guard let stored = try await link.state.value(link.keys.wish),
            let root = (try? JSONDocument(parsing: stored.bytes))?.root,
            let node = root["node"]?.string
        else { return nil }
        return LeaderWish(node: node, revision: stored.revision)
    }

    /// Wishes that a node leads.
    static func write(_ node: String, _ link: PartLink) async throws(NATSError) {
        let key = link.keys.wish
        _ = try await link.state.set(key, to: encoded(node), replacing: try await link.state.value(key)?.revision)
    }

    /// Takes a wish back that was read.
    static func clear(_ wish: LeaderWish, _ link: PartLink) async throws(NATSError) {
        _ = try await link.state.set(link.keys.wish, to: encoded(""), replacing: wish.revision)
    }

    private static func encoded(_ node: String) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("node", node)
        writer.endObject()
        return writer.bytes
    }
}
