internal import FencepostCrypto

/// The code at the end of each record, by which the nodes of a cluster know what one of them wrote.
///
/// It is HMAC-SHA-256 over the record and the sequence behind which it was appended. So others cannot write records, also when they
/// may write to the log's stream, and a copy of a record counts nowhere else.
public struct RecordSeal: Sendable {
    /// The number of bytes of a code.
    static let count = 32

    private let key: [UInt8]

    /// Creates the seal of a log.
    ///
    /// - Parameter key: a secret of the cluster's nodes, other than for each other log.
    public init(key: [UInt8]) { self.key = key }

    /// The code of a record that is appended behind a sequence.
    func code(for bytes: [UInt8], behind last: UInt64) -> [UInt8] {
        HMACSHA256.code(for: bytes + Self.bytes(of: last), key: key)
    }

    /// Whether the bytes end with the code of those before it; takes the same time whichever byte differs.
    func isValid(_ bytes: [UInt8], behind last: UInt64) -> Bool {
        guard bytes.count > Self.count else { return false }
        let end = bytes.count - Self.count
        return HMACSHA256.isValid(Array(bytes[end...]), for: bytes[..<end] + Self.bytes(of: last), key: key)
    }

    private static func bytes(of sequence: UInt64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: sequence >> UInt64(8 * $0)) }
    }
}
