import FencepostJSON
import FencepostNATS

/// The node that a person wants to lead, as `fencepost cluster lead` writes it for the leader to read.
struct LeaderWish: Hashable, Sendable {
    private static let key = "wish"

    /// The name of the node; empty for none.
    var node: String
    private var revision: UInt64

    /// The wish; `nil` when there never was one.
    static func read(in state: NATSKeyValue) async throws(NATSError) -> LeaderWish? {
        guard let stored = try await state.value(key), let root = (try? JSONDocument(parsing: stored.bytes))?.root,
            let node = root["node"]?.string
        else { return nil }
        return LeaderWish(node: node, revision: stored.revision)
    }

    /// Wishes that a node leads.
    static func write(_ node: String, in state: NATSKeyValue) async throws(NATSError) {
        _ = try await state.set(key, to: encoded(node), replacing: try await state.value(key)?.revision)
    }

    /// Takes a wish back that was read.
    static func clear(_ wish: LeaderWish, in state: NATSKeyValue) async throws(NATSError) {
        _ = try await state.set(key, to: encoded(""), replacing: wish.revision)
    }

    private static func encoded(_ node: String) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("node", node)
        writer.endObject()
        return writer.bytes
    }
}
