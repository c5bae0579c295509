internal import FencepostCrypto

/// A secret that the nodes of a cluster share, from which each use has a key of its own.
public struct ClusterSecret: Hashable, Sendable {
    /// The fewest bytes of a secret.
    public static let minimumCount = 32

    private let bytes: [UInt8]

    /// Creates a secret.
    ///
    /// - Parameters:
    ///   - bytes: what only the nodes know; random.
    ///   - cluster: the id of the cluster: two clusters with one secret do not accept each other's records and requests.
    public init(_ bytes: [UInt8], cluster: String) {
        self.bytes = HMACSHA256.code(for: Array("fencepost cluster \(cluster)".utf8), key: bytes)
    }

    /// The key for a use.
    ///
    /// - Parameter use: its name.
    /// - Returns: 32 bytes.
    public func key(for use: String) -> [UInt8] { HMACSHA256.code(for: Array(use.utf8), key: bytes) }

    /// What shows that two nodes have the same secret, and nothing of the secret: 32 hexadecimal digits.
    public var check: String {
        key(for: "check").prefix(16).map { byte in
            let digits = String(byte, radix: 16)
            return digits.count == 1 ? "0" + digits : digits
        }.joined()
    }
}
