import FencepostService
import FencepostStore

/// The tokens of a cluster with several partitions, as a node's copy of the configuration has them.
///
/// A token that the copy does not know may be looked for again when the copy has what the log has.
actor ConfigurationTokens: TokenSource {
    /// The longest time for which a request with an unknown token waits.
    private static let catchUp = Duration.seconds(2)

    private let node: PartitionNode
    private var open: (tokens: ReplicaTokens, generation: Int)?

    /// - Parameter node: of the configuration.
    init(_ node: PartitionNode) {
        self.node = node
    }

    func token(hash: [UInt8]) async throws -> AccessToken? {
        do {
            return try await find(hash)
        } catch {
            // The copy is not there yet, or is replaced at this moment.
            return try await lateToken(hash: hash)
        }
    }

    func lateToken(hash: [UInt8]) async throws -> AccessToken? {
        await node.catchUp(within: Self.catchUp)
        do {
            return try await find(hash)
        } catch {
            // The copy is not there yet, or is replaced at this moment.
            throw MonitorFailure.starting
        }
    }

    private func find(_ hash: [UInt8]) async throws -> AccessToken? {
        if let open, open.generation != node.generation {
            try? open.tokens.close()
            self.open = nil
        }
        if let open { return try await open.tokens.token(hash: hash) }
        let generation = node.generation
        let tokens = try ReplicaTokens(of: node.path)
        open = (tokens, generation)
        return try await tokens.token(hash: hash)
    }
}
