import Foundation

extension SQLiteStore {
    /// Size of a large commit in bytes.
    private static let probeSize = 1 << 20

    /// Writes a file next to the database, in the same file system and with the same permissions, and removes it.
    public func probe() async throws {
        try self.file.check()
        try Self.probe(nextTo: path)
    }

    /// Writes a file next to a database, and removes it.
    static func probe(nextTo path: String) throws(StoreError) {
        let file = path + "-probe"
        let descriptor = open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw probeFailure(path) }
        defer {
            _ = Foundation.close(descriptor)
            unlink(file)
        }
        let zeros = [UInt8](repeating: 0, count: probeSize)
        var written = 0
        while written < zeros.count {
            let count = zeros.withUnsafeBytes {
                Foundation.write(descriptor, $0.baseAddress?.advanced(by: written), $0.count - written)
            }
            guard count > 0 else { throw probeFailure(path) }
            written += count
        }
        guard fsync(descriptor) == 0 else { throw probeFailure(path) }
    }

    private static func probeFailure(_ path: String) -> StoreError {
        errno == ENOSPC || errno == EDQUOT
            ? StoreError(.full, "No disk space is left for \(path).")
            : StoreError(.inputOutput, "\(path) cannot be written now (\(String(cString: strerror(errno)))).")
    }
}
