/// Files that a command must not overwrite, because it or a service uses them.
///
/// A file is compared by device and inode, so that no link hides it, and by its name, because a file such as a write-ahead
/// log need not exist to be in use.
public struct FilesInUse: Sendable {
    private var identities: [FileIdentity: String] = [:]
    private var names: [String: String] = [:]

    /// No files.
    public init() {}

    /// Adds a file, except standard input and output (`-`).
    ///
    /// - Parameters:
    ///   - path: the path as the user gave it.
    ///   - purpose: what the file is, for the error: "the configuration".
    public mutating func add(_ path: String, as purpose: String) {
        guard path != "-" else { return }
        names[FileName.canonical(path)] = purpose
        if let identity = FileIdentity(path: path) { identities[identity] = purpose }
    }

    /// Adds a database with the files that SQLite and Fencepost keep next to it.
    public mutating func add(database path: String) {
        add(path, as: "the database")
        for base in Set([path, FileName.canonical(path)]) {
            for (suffix, purpose) in [
                ("-wal", "the write-ahead log of the database"), ("-shm", "the shared memory of the database"),
                ("-journal", "the journal of the database"), (".lock", "the lock of the database"),
                (".work", "the journal of the work on the database"),
                (".sock", "the local socket of the service"),
                ("-probe", "a file of the database"),
            ] { add(base + suffix, as: purpose) }
        }
    }

    /// What the file at a path is used as; `nil` when it is not among these files.
    public func purpose(of path: String) -> String? {
        names[FileName.canonical(path)] ?? FileIdentity(path: path).flatMap { identities[$0] }
    }

    /// - Throws: `inUse` when the file at a path is among these files.
    public func refuse(_ path: String) throws(OutputFileError) {
        if let purpose = purpose(of: path) {
            throw OutputFileError(.inUse, "\(path) is \(purpose). Choose another file.")
        }
    }
}
