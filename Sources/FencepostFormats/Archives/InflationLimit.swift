internal import FencepostModel

/// What an archive or a compressed file may become when it is inflated (rule L2).
struct InflationLimit {
    /// The most bytes of the content, of all files together.
    static let size = 2 << 30
    /// The most bytes of the content for each byte of the file, of what is beyond `free`.
    ///
    /// Text of locations becomes 30 times smaller at most. Deflate can do 1032.
    static let ratio = 200
    /// Bytes of the content to which the ratio does not apply: a short file of equal lines is no attack.
    static let free = 16 << 20

    private(set) var inflated = 0

    /// Counts inflated bytes.
    ///
    /// - Parameters:
    ///   - count: their number.
    ///   - read: the compressed bytes that were read until now.
    /// - Throws: `payload_too_large` beyond the limit.
    mutating func add(_ count: Int, of read: Int) throws(Rejection) {
        inflated += count
        guard inflated <= Self.size else {
            throw Rejection(.payloadTooLarge, "it has more than \(Self.size >> 30) GiB when inflated")
        }
        guard inflated <= Self.free || inflated / Self.ratio <= read else {
            throw Rejection(.payloadTooLarge, "it becomes more than \(Self.ratio) times its size when inflated")
        }
    }
}
