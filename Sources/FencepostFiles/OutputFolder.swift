import Foundation

/// A folder of files that a command writes: there with all of them, or not at all.
///
/// The files are written to a temporary folder next to the target, which gets its name when all are complete. An existing folder
/// with content is replaced only on demand, and only if the same command has written all that is in it.
public struct OutputFolder: Sendable {
    /// The path as the user wrote it.
    public let path: String
    private let target: String
    private let replacesExisting: Bool

    /// Checks that the folder may be written. Writes nothing yet.
    ///
    /// - Parameters:
    ///   - path: the path as the user gave it.
    ///   - inUse: files that are never replaced.
    ///   - replacesExisting: whether an existing folder with content is replaced: `--force`.
    ///   - isOwn: whether the command writes files of such a path below the folder.
    /// - Throws: `inUse`, `exists`, `cannotCreate`.
    public init(
        _ path: String, inUse: FilesInUse, replacesExisting: Bool, isOwn: (_ file: String) -> Bool
    ) throws(OutputFileError) {
        self.path = path
        self.replacesExisting = replacesExisting
        target = FileName.canonical(path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path)
        try inUse.refuse(target)
        var status = stat()
        guard stat(target, &status) == 0 else {
            guard access(FileName.folder(of: target), W_OK) == 0 else { throw failure() }
            return
        }
        guard status.st_mode & S_IFMT == S_IFDIR else {
            throw OutputFileError(.exists, "\(path) is a file. Choose another name for a folder.")
        }
        guard access(FileName.folder(of: target), W_OK) == 0 else { throw failure() }
        var isEmpty = true
        for case let name as String in FileManager.default.enumerator(atPath: target) ?? .init() {
            isEmpty = false
            var isFolder = ObjCBool(false)
            let exists = FileManager.default.fileExists(atPath: "\(target)/\(name)", isDirectory: &isFolder)
            guard replacesExisting, !exists || !isFolder.boolValue, !isOwn(name) else { continue }
            throw OutputFileError(
                .exists, "\(path) contains \(name), which is no file of an export. Choose another folder.")
        }
        guard isEmpty || replacesExisting else {
            throw OutputFileError(
                .exists, "\(path) is a folder with content. Choose another name, or replace it with --force.")
        }
    }

    /// Writes all files.
    ///
    /// - Parameter body: receives what opens them. If it throws, nothing is left behind.
    /// - Throws: `cannotCreate`, `full`, `inputOutput`, and what `body` throws.
    public nonisolated(nonsending) func write(_ body: (Content) async throws -> Void) async throws {
        let partial = "\(target).partial-\(getpid())"
        guard mkdir(partial, 0o777) == 0 else { throw failure() }
        do {
            try await body(Content(folder: partial, name: path))
            try publish(partial)
        } catch {
            try? FileManager.default.removeItem(atPath: partial)
            throw error
        }
    }

    /// Gives the temporary folder its name.
    private func publish(_ partial: String) throws(OutputFileError) {
        // An empty folder is replaced by the call itself.
        if rename(partial, target) == 0 { return }
        guard errno == ENOTEMPTY || errno == EEXIST else { throw failure() }
        guard replacesExisting else {
            throw OutputFileError(
                .exists, "\(path) got content meanwhile. Choose another name, or replace it with --force.")
        }
        let old = "\(target).replaced-\(getpid())"
        guard rename(target, old) == 0 else { throw failure() }
        guard rename(partial, target) == 0 else {
            let problem = failure()
            rename(old, target)
            throw problem
        }
        try? FileManager.default.removeItem(atPath: old)
    }

    private func failure() -> OutputFileError { OutputFileError(errno: errno, path: path) }

    /// The files of a folder that is being written.
    public struct Content {
        private let folder, name: String

        init(folder: String, name: String) { (self.folder, self.name) = (folder, name) }

        /// Creates a file, with the folders that it is in.
        ///
        /// - Parameter file: its path below the folder.
        /// - Returns: what writes its content.
        /// - Throws: `cannotCreate`, `full`, `inputOutput`.
        public func create(_ file: String) throws(OutputFileError) -> File {
            let path = "\(folder)/\(file)"
            var parent = folder
            for part in file.split(separator: "/").dropLast() {
                parent += "/\(part)"
                guard mkdir(parent, 0o777) == 0 || errno == EEXIST else {
                    throw OutputFileError(errno: errno, path: "\(name)/\(file)")
                }
            }
            let descriptor = open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0o666)
            guard descriptor >= 0 else { throw OutputFileError(errno: errno, path: "\(name)/\(file)") }
            return File(descriptor: descriptor, name: "\(name)/\(file)")
        }
    }

    /// An open file, which is closed with its owner.
    public final class File {
        private let descriptor: Int32
        private let name: String

        init(descriptor: Int32, name: String) { (self.descriptor, self.name) = (descriptor, name) }

        deinit { close(descriptor) }

        /// Makes the content durable. Without this call the file may be lost with the power.
        public func finish() throws(OutputFileError) {
            guard fsync(descriptor) == 0 else { throw OutputFileError(errno: errno, path: name) }
        }

        /// Writes the next bytes.
        public func append(_ bytes: [UInt8]) throws(OutputFileError) {
            var written = 0
            while written < bytes.count {
                let count = bytes.withUnsafeBytes { buffer in
                    Foundation.write(descriptor, buffer.baseAddress?.advanced(by: written), bytes.count - written)
                }
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { throw OutputFileError(errno: errno, path: name) }
                written += count
            }
        }
    }
}
