import FencepostHTTP
import FencepostTiles
import Foundation
import Synchronization

/// The file with map tiles that administrators send, next to the database. It comes in parts: a country has gigabytes.
final class MapFiles: Sendable {
    /// A file that comes.
    private struct Upload {
        var name: String
        var total: Int
        var received = 0
    }

    /// What a part has made of the file.
    enum Outcome: Hashable {
        /// So many bytes are there.
        case incomplete(received: Int)
        /// The file is complete, can be read, and has this name.
        case complete(name: String)
    }

    /// The names of stored files, by the end of the sent name.
    private static let names = ["map.pmtiles", "map.mbtiles"]
    /// The most bytes of a file.
    static let limit = 256 << 30

    private let database: String
    private let upload = Mutex<Upload?>(nil)

    /// - Parameter database: the path of the database, with which the paths of files begin.
    init(besides database: String) {
        self.database = database
        // Of an upload that a former process did not complete.
        for name in Self.names { unlink(partial(name)) }
    }

    /// The path of a stored file.
    func path(of name: String) -> String { "\(database).\(name)" }

    /// The stored file and its size in bytes; `nil` for none.
    var stored: (name: String, size: Int)? {
        for name in Self.names {
            let attributes = try? FileManager.default.attributesOfItem(atPath: path(of: name))
            if let size = attributes?[.size] as? Int { return (name, size) }
        }
        return nil
    }

    /// Takes the next part of a file. Blocks.
    ///
    /// - Parameters:
    ///   - bytes: the part.
    ///   - offset: where it begins; 0 begins a file, and ends another one that is not complete.
    ///   - total: the bytes of the whole file.
    ///   - sent: the name of the file at the sender's, which ends with `.pmtiles` or `.mbtiles`.
    /// - Returns: what there is now.
    /// - Throws: a `Problem`: for a wrong offset or name, a file that has no map tiles, and a disk that is full.
    func take(_ bytes: [UInt8], at offset: Int, of total: Int, named sent: String) throws(Problem) -> Outcome {
        guard let name = Self.names.first(where: { sent.lowercased().hasSuffix($0.dropFirst(3)) }) else {
            throw .parameter("name", "it has to end with .pmtiles or .mbtiles.")
        }
        guard (1...Self.limit).contains(total), offset >= 0, offset + bytes.count <= total else {
            throw .parameter("total", "it has to be the bytes of the whole file, at most \(Self.limit).")
        }
        return try upload.withLock { upload throws(Problem) in
            var current = upload ?? Upload(name: name, total: total)
            if offset == 0 { current = Upload(name: name, total: total) }
            guard current.name == name, current.total == total, current.received == offset else {
                throw .conflict("unexpected_offset", "The next part begins at byte \(upload?.received ?? 0).")
            }
            upload = nil
            try write(bytes, at: offset, to: partial(name))
            current.received += bytes.count
            guard current.received == total else {
                upload = current
                return .incomplete(received: current.received)
            }
            try keep(name)
            return .complete(name: name)
        }
    }

    /// Removes the stored file, and the parts of one that is not complete.
    func remove() {
        upload.withLock { $0 = nil }
        for name in Self.names {
            unlink(path(of: name))
            unlink(partial(name))
        }
    }

    /// The path of a file that is not complete. Its end says how it is read.
    private func partial(_ name: String) -> String { path(of: "part-\(name)") }

    private func write(_ bytes: [UInt8], at offset: Int, to path: String) throws(Problem) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | (offset == 0 ? O_TRUNC : 0), 0o600)
        guard descriptor >= 0 else { throw Self.failure(errno) }
        defer { close(descriptor) }
        var written = 0
        while written < bytes.count {
            let count = bytes.withUnsafeBytes {
                pwrite(
                    descriptor, $0.baseAddress?.advanced(by: written), bytes.count - written, off_t(offset + written))
            }
            guard count > 0 else {
                if count < 0, errno == EINTR { continue }
                let code = errno
                unlink(path)
                throw Self.failure(code)
            }
            written += count
        }
    }

    private static func failure(_ code: Int32) -> Problem {
        .unavailable("The file cannot be stored: \(String(cString: strerror(code))).")
    }

    /// Keeps a complete file in place of the former one, if it can be read.
    private func keep(_ name: String) throws(Problem) {
        do {
            _ = try TileFile.open(partial(name))
        } catch {
            unlink(partial(name))
            throw .invalid("invalid_map_file", "\(error)".replacing(partial(name), with: "The file"))
        }
        guard rename(partial(name), path(of: name)) == 0 else { throw Self.failure(errno) }
        for other in Self.names where other != name { unlink(path(of: other)) }
    }
}
