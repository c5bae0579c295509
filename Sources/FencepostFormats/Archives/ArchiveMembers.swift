/// Reads single files out of a zip archive in memory.
public enum ArchiveMembers {
    /// The files whose names a filter accepts, in the order of the archive.
    ///
    /// - Parameters:
    ///   - bytes: the archive.
    ///   - maximumSize: the most bytes that a file may have; all may have what an import may become (rule L2).
    ///   - accepts: chooses files by their names.
    /// - Returns: names and contents.
    /// - Throws: `invalid_shape` for a corrupt archive or file, `payload_too_large` for a file above the size.
    public static func members(
        of bytes: [UInt8], maximumSize: Int, where accepts: (String) -> Bool
    ) throws(Rejection) -> [(name: String, bytes: [UInt8])] {
        var (bytes, limit) = (bytes, InflationLimit())
        let size = bytes.count
        let archive = try ZipArchive(&bytes)
        var members: [(name: String, bytes: [UInt8])] = []
        for (index, name) in archive.names.enumerated() {
            guard let name, accepts(name) else { continue }
            members.append(
                (
                    name,
                    try contents(of: try archive.open(index), name, maximumSize) { count throws(Rejection) in
                        try limit.add(count, of: size)
                    }
                ))
        }
        return members
    }

    private static func contents(
        of entry: ZipArchive.Entry, _ name: String, _ maximumSize: Int, count add: (Int) throws(Rejection) -> Void
    ) throws(Rejection) -> [UInt8] {
        var contents: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            guard let count = buffer.withUnsafeMutableBytes({ entry.read(into: $0) }) else {
                throw Rejection(.invalidShape, "\(name) in the archive is corrupt")
            }
            guard count > 0 else { return contents }
            guard contents.count + count <= maximumSize else {
                throw Rejection(.payloadTooLarge, "\(name) in the archive has more than \(maximumSize) bytes")
            }
            try add(count)
            contents += buffer[..<count]
        }
    }
}
