import FencepostServer
import FencepostService
import FencepostStore

/// Lets the ports of a node decode locations by the tokens of its copy, in a cluster of one partition.
///
/// It does not while the copy has an older schema than this version: requests are sent on as they came then.
final class CopyDecoding {
    private let front: NodeFront
    private let clock: ServiceClock
    private var tokens: ReplicaTokens?

    /// - Parameters:
    ///   - front: the ports.
    ///   - clock: the node's time.
    init(_ front: NodeFront, _ clock: ServiceClock) {
        (self.front, self.clock) = (front, clock)
    }

    /// Begins as soon as a copy has this version's schema. It is called again and again.
    ///
    /// - Parameters:
    ///   - copy: the copy, which follows.
    ///   - path: the path of its database.
    /// - Throws: a `StoreError`.
    func begin(with copy: ReplicaStore, at path: String) throws {
        guard tokens == nil, copy.upgrade == nil else { return }
        let opened = try ReplicaTokens(of: path)
        tokens = opened
        front.decode(with: opened, clock: clock)
    }

    /// Ends it, before the file is written by the service, or replaced.
    ///
    /// - Throws: a `StoreError`.
    func end() throws {
        front.decode(with: nil, clock: clock)
        try tokens?.close()
    }
}
