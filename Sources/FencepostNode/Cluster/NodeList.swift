import FencepostJSON
import FencepostModel
package import FencepostNATS

/// Names of nodes under a key in NATS, which change by compare and swap.
package struct NodeList: Hashable, Sendable {
    /// The names.
    package private(set) var nodes: Set<String>
    private let key: String
    /// `nil` while there is no list.
    private let revision: UInt64?

    /// How often a change is tried that other nodes' changes come before.
    private static let attempts = 10
    /// The key of the nodes that can have copies of partitions, also of those that are away.
    package static let members = "members"

    /// The key of the nodes that have a copy of a part, and take their names out before they remove it.
    static func copies(of part: ClusterPartition) -> String { "copies.\(part)" }

    /// Reads a list.
    ///
    /// - Parameters:
    ///   - key: its key.
    ///   - state: the bucket.
    /// - Returns: the list; an empty one where there is none.
    /// - Throws: when NATS does not answer, or has something else there.
    package static func read(_ key: String, in state: NATSKeyValue) async throws(NATSError) -> NodeList {
        guard let stored = try await state.value(key) else { return NodeList(nodes: [], key: key, revision: nil) }
        guard let nodes = (try? JSONDocument(parsing: stored.bytes))?.root["nodes"]?.array else {
            throw .unavailable("The list \(key) in NATS cannot be read.")
        }
        return NodeList(nodes: Set(nodes.compactMap(\.string)), key: key, revision: stored.revision)
    }

    /// Writes other names in place of these.
    ///
    /// - Parameters:
    ///   - nodes: the names.
    ///   - state: the bucket.
    /// - Throws: `conflict` when the list was changed since it was read; then, and when NATS does not answer, nothing is written
    ///   or it is not known whether it was.
    func replace(with nodes: Set<String>, in state: NATSKeyValue) async throws(NATSError) {
        var writer = JSONWriter()
        writer.beginObject()
        writer.name("nodes")
        writer.beginArray()
        for node in nodes.sorted() { writer.value(node) }
        writer.endArray()
        writer.endObject()
        _ = try await state.set(key, to: writer.bytes, replacing: revision)
    }

    /// Puts a name into a list, or takes it out.
    ///
    /// - Parameters:
    ///   - node: the name.
    ///   - isIn: whether the list is to have it.
    ///   - key: the list's key.
    ///   - state: the bucket.
    ///   - again: whether to write the list also where nothing changes, so that it has another revision.
    /// - Returns: the names then.
    /// - Throws: when NATS does not answer.
    package static func set(
        _ node: String, isIn: Bool, _ key: String, in state: NATSKeyValue, again: Bool = false
    ) async throws(NATSError) -> Set<String> {
        for _ in 0..<attempts {
            let list = try await read(key, in: state)
            guard again || list.nodes.contains(node) != isIn else { return list.nodes }
            let changed = isIn ? list.nodes.union([node]) : list.nodes.subtracting([node])
            do throws(NATSError) {
                try await list.replace(with: changed, in: state)
                return changed
            } catch {
                // Another node was first.
                guard error == .conflict else { throw error }
            }
        }
        throw .conflict
    }
}
