internal import FencepostModel

/// The files of a zip archive that is read as a whole.
package struct ZipContent {
    private let archive: ZipArchive
    private let size: Int

    /// - Throws: `invalid_shape` for a corrupt archive, `payload_too_large` for one with too many entries.
    package init(_ bytes: [UInt8]) throws(Rejection) {
        var copy = bytes
        size = bytes.count
        archive = try ZipArchive(&copy)
    }

    /// The names of files in the order of the archive, without folders and what systems add.
    package var names: [String] {
        archive.names.compactMap { $0 }.filter { name in
            !name.hasSuffix("/") && !name.split(separator: "/").contains { $0 == "__MACOSX" || $0.hasPrefix(".") }
        }
    }

    /// The content of a file, of at most so many bytes.
    ///
    /// - Throws: `invalid_shape` for a corrupt one, `payload_too_large` beyond the limit and beyond rule L2.
    package func bytes(of name: String, limit most: Int = .max) throws(Rejection) -> [UInt8] {
        guard let index = archive.names.firstIndex(of: name) else {
            throw Rejection(.invalidShape, "the archive has no file \(name)")
        }
        let entry = try archive.open(index)
        var limit = InflationLimit()
        var content: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            guard let count = buffer.withUnsafeMutableBytes({ entry.read(into: $0) }) else {
                throw Rejection(.invalidShape, "\(name) in the archive is corrupt")
            }
            if count == 0 { return content }
            try limit.add(count, of: size)
            guard content.count + count <= most else {
                throw Rejection(.payloadTooLarge, "\(name) in the archive has more than \(most >> 20) MiB")
            }
            content += buffer[..<count]
        }
    }
}
