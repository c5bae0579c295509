import FencepostModel

/// The cursor of a merged list: the position in each partition's list.
enum PartitionCursor {
    /// The longest one: 256 positions of about 22 characters, in base 64.
    private static let longest = 16_384

    /// A cursor of the positions after which the partitions' lists go on; `nil` for a list that begins.
    static func encode(_ positions: [String?]) -> String {
        let list = positions.map { $0.flatMap { Cursor.decode($0) } ?? "" }.joined(separator: ",")
        return Cursor.encode("p" + sum(of: list) + "," + list)
    }

    /// The positions of a cursor.
    ///
    /// - Parameters:
    ///   - cursor: as a client sent it.
    ///   - partitions: the number of partitions.
    /// - Returns: `nil` for a text that is no cursor of a cluster with so many partitions.
    static func decode(_ cursor: String, partitions: Int) -> [String?]? {
        guard let text = Cursor.decode(cursor, longest: longest), text.hasPrefix("p"), encodesOnly(text, as: cursor)
        else { return nil }
        let parts = text.dropFirst().split(separator: ",", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, sum(of: parts[1]) == parts[0] else { return nil }
        let positions = parts[1].split(separator: ",", omittingEmptySubsequences: false)
        guard positions.count == partitions else { return nil }
        return positions.map { $0.isEmpty ? nil : Cursor.encode(String($0)) }
    }

    private static func encodesOnly(_ text: String, as cursor: String) -> Bool { Cursor.encode(text) == cursor }

    private static func sum(of positions: some StringProtocol) -> String {
        String(FNV1a64(Array(positions.utf8)).hash, radix: 36)
    }
}
