import FencepostService
import Logging
import Synchronization

/// The journal of the work on a part's copy, which the monitor that stands by and the service share.
final class CopyJournal: Sendable {
    private let path: String
    private let logger: Logger
    /// `nil` before there was a copy.
    private let journal = Mutex<WorkJournal?>(nil)

    /// - Parameters:
    ///   - path: the path of the copy.
    ///   - logger: logs that it cannot be opened.
    init(nextTo path: String, _ logger: Logger) { (self.path, self.logger) = (path, logger) }

    /// The journal, which is opened with the first use.
    var opened: WorkJournal {
        journal.withLock { journal in
            let opened = journal ?? ServiceAssembly.openJournal(nextTo: path, logger)
            journal = opened
            return opened
        }
    }

    /// Forgets it, since its file is removed with the copy.
    func close() { journal.withLock { $0 = nil } }
}
