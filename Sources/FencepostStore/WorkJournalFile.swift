import FencepostFiles
public import FencepostService
import Foundation

/// The file of a database's `WorkJournal`.
public enum WorkJournalFile {
    /// What its name adds to that of the database.
    public static let suffix = ".work"

    /// Opens the journal next to a database, and creates it if there is none. It stays open as long as the process runs.
    ///
    /// - Parameters:
    ///   - database: the path of the database, whose lock the process holds.
    ///   - version: the version of the program.
    ///   - willBegin: called when work begins, for tests.
    /// - Returns: the journal.
    /// - Throws: `cannotOpen` when the file cannot be created or used.
    public static func open(
        nextTo database: String, version: String, willBegin: (@Sendable (WorkJournal.Work, String) -> Void)? = nil
    ) throws(StoreError) -> WorkJournal {
        let path = FileName.canonical(database) + suffix
        func failure() -> StoreError {
            StoreError(.cannotOpen, "\(path) cannot be used: \(String(cString: strerror(errno))).")
        }
        let file = Glibc.open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw failure() }
        defer { close(file) }
        // Allocated, since a store into a hole of a full disk would end the process.
        let problem = posix_fallocate(file, 0, WorkJournal.byteCount)
        guard problem == 0 else {
            errno = problem
            throw failure()
        }
        let memory = mmap(nil, WorkJournal.byteCount, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0)
        guard let memory, memory != MAP_FAILED else { throw failure() }
        let journal = WorkJournal(memory, version: version, willBegin: willBegin) { _ in }
        journal.watchFaults()
        return journal
    }

    /// What the file next to a database counts as ended too often, without changing it, also while a service runs.
    ///
    /// - Parameters:
    ///   - database: the path of the database.
    ///   - version: the version of the program, whose counts alone hold.
    /// - Returns: what is counted; nothing where there is no file.
    static func excessive(nextTo database: String, version: String) -> [WorkJournal.Ended] {
        guard let bytes = FileManager.default.contents(atPath: FileName.canonical(database) + suffix),
            bytes.count == WorkJournal.byteCount
        else { return [] }
        let memory = UnsafeMutableRawPointer.allocate(byteCount: WorkJournal.byteCount, alignment: 4096)
        bytes.copyBytes(to: UnsafeMutableRawBufferPointer(start: memory, count: WorkJournal.byteCount))
        return WorkJournal(memory, version: version) { $0.deallocate() }.excessive
    }
}
