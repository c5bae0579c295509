import Foundation

/// A file that a command writes: the only way in which commands create files (rule O11).
///
/// The content is written to a temporary file in the same folder, synced and then renamed, so the file is there with its
/// whole content or not at all. A file in use is never replaced, another existing file only on demand. A pipe or a device
/// such as `/dev/null` is written directly.
public struct OutputFile: Sendable {
    /// The path as the user wrote it.
    public let path: String
    private let target: String
    private let replacesExisting: Bool
    private let isStream: Bool

    /// Checks that the file may be written. Writes nothing yet.
    ///
    /// - Parameters:
    ///   - path: the path as the user gave it.
    ///   - inUse: files that are never replaced.
    ///   - replacesExisting: whether another existing file is replaced: `--force`.
    /// - Throws: `inUse`, `exists`, `cannotCreate`.
    public init(
        _ path: String, inUse: FilesInUse = FilesInUse(), replacesExisting: Bool = false
    ) throws(OutputFileError) {
        self.path = path
        self.replacesExisting = replacesExisting
        target = FileName.canonical(path)
        try inUse.refuse(path)
        var status = stat()
        guard stat(path, &status) == 0 else {
            guard lstat(target, &status) != 0 else {
                throw OutputFileError(.exists, "\(path) is a link that leads nowhere. Remove it first.")
            }
            isStream = false
            try Self.requireFolder(of: target, for: path)
            return
        }
        let kind = status.st_mode & S_IFMT
        guard kind != S_IFDIR else { throw OutputFileError(.cannotCreate, "\(path) is a folder.") }
        // The names of open files would be replaced in the folder of the process, not in that of the file.
        isStream = kind != S_IFREG || ["/dev/", "/proc/"].contains { path.hasPrefix($0) }
        guard !isStream else { return }
        guard replacesExisting else {
            throw OutputFileError(.exists, "\(path) exists. Choose another name, or replace it with --force.")
        }
        try refuseLocked()
    }

    /// Writes the whole content.
    ///
    /// - Throws: `exists` when the file was created meanwhile, `cannotCreate`, `full`, `inputOutput`.
    public func write(_ content: some Collection<UInt8>) throws {
        let bytes = Array(content)
        try write { append in try bytes.withUnsafeBytes { try append($0) } }
    }

    /// Writes the content piece by piece, for content that should not be in memory as a whole.
    ///
    /// - Parameter body: receives a function that writes the next bytes. If it throws, nothing is left behind.
    /// - Throws: as `write(_:)`, and what `body` throws.
    public func write(_ body: (_ append: (UnsafeRawBufferPointer) throws -> Void) throws -> Void) throws {
        guard !isStream else {
            let descriptor = open(path, O_WRONLY | O_CLOEXEC)
            guard descriptor >= 0 else { throw failure() }
            defer { close(descriptor) }
            return try body { try append($0, to: descriptor) }
        }
        try write(permissions: 0o666) { partial in
            let descriptor = open(partial, O_WRONLY | O_CLOEXEC)
            guard descriptor >= 0 else { throw failure() }
            defer { close(descriptor) }
            try body { try append($0, to: descriptor) }
        }
    }

    /// Writes the content piece by piece, for content that is waited for.
    ///
    /// - Parameter body: receives a function that writes the next bytes. If it throws, nothing is left behind.
    /// - Throws: as `write(_:)`, and what `body` throws.
    public nonisolated(nonsending) func write(
        waiting body: (_ append: ([UInt8]) throws -> Void) async throws -> Void
    ) async throws {
        guard !isStream else {
            let descriptor = open(path, O_WRONLY | O_CLOEXEC)
            guard descriptor >= 0 else { throw failure() }
            defer { close(descriptor) }
            return try await body { bytes in try bytes.withUnsafeBytes { try append($0, to: descriptor) } }
        }
        let (partial, descriptor) = try makePartial(permissions: 0o666)
        do {
            defer { close(descriptor) }
            try await body { bytes in try bytes.withUnsafeBytes { try append($0, to: descriptor) } }
        } catch {
            unlink(partial)
            throw error
        }
        try finish(partial) {}
    }

    /// Lets a closure write the content to a temporary file, which exists and is empty.
    ///
    /// - Parameters:
    ///   - permissions: of the file; the process's mask applies.
    ///   - body: receives the path of the temporary file. If it throws, the file is removed.
    /// - Throws: as `write(_:)`, and what `body` throws.
    public func write(permissions: UInt32, making body: (_ partial: String) throws -> Void) throws {
        guard !isStream else { throw OutputFileError(.cannotCreate, "\(path) is not a regular file.") }
        let (partial, descriptor) = try makePartial(permissions: permissions)
        close(descriptor)
        try finish(partial) { try body(partial) }
    }

    // MARK: - Steps

    /// Creates the temporary file.
    private func makePartial(permissions: UInt32) throws(OutputFileError) -> (path: String, descriptor: Int32) {
        let partial = "\(target).partial-\(getpid())"
        let descriptor = open(partial, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, permissions)
        guard descriptor >= 0 else { throw failure() }
        return (partial, descriptor)
    }

    /// Lets a closure write the rest of the temporary file, makes it durable and gives it its name.
    private func finish(_ partial: String, _ rest: () throws -> Void) throws {
        do {
            try rest()
            try synchronize(partial)
            try publish(partial)
        } catch {
            // SQLite may have left a journal.
            for suffix in ["", "-journal", "-wal", "-shm"] { unlink(partial + suffix) }
            throw error
        }
        // The sync of the folder makes the new name durable.
        try synchronize(FileName.folder(of: target))
    }

    /// Gives the temporary file its name.
    private func publish(_ partial: String) throws(OutputFileError) {
        if replacesExisting {
            guard rename(partial, target) == 0 else { throw failure() }
            return
        }
        // Unlike `rename`, `link` fails when the name was taken meanwhile.
        if link(partial, target) == 0 {
            unlink(partial)
            return
        }
        guard errno != EEXIST else {
            throw OutputFileError(
                .exists, "\(path) was created meanwhile. Choose another name, or replace it with --force.")
        }
        // File systems without hard links, such as FAT.
        guard access(target, F_OK) != 0, rename(partial, target) == 0 else { throw failure() }
    }

    private func append(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) throws(OutputFileError) {
        var written = 0
        while written < bytes.count {
            let count = Foundation.write(descriptor, bytes.baseAddress?.advanced(by: written), bytes.count - written)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw failure() }
            written += count
        }
    }

    /// Refuses a file that another process has locked, such as the database of a running service.
    private func refuseLocked() throws(OutputFileError) {
        let descriptor = open(target, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) != 0 else { return }
        throw OutputFileError(.inUse, "\(path) is in use by another process. Choose another file.")
    }

    private static func requireFolder(of target: String, for path: String) throws(OutputFileError) {
        guard access(FileName.folder(of: target), W_OK) == 0 else { throw OutputFileError(errno: errno, path: path) }
    }

    private func synchronize(_ name: String) throws(OutputFileError) {
        let descriptor = open(name, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure() }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw failure() }
    }

    private func failure() -> OutputFileError { OutputFileError(errno: errno, path: path) }
}
