import FencepostModel
import Synchronization

/// What a copy that follows its cluster's log has changed of the monitor's state, until a reader takes it.
///
/// A record's changes are noted before they are visible to readers, so a reader that knows up to which record it sees the
/// copy takes all that it sees and nothing else.
public final class ReplicaChanges: Sendable {
    /// What changed.
    struct Content {
        /// Devices whose checkpoint was written or removed.
        var devices: Set<DeviceID> = []
        /// Whether apps, settings or what comes from files changed.
        var isWatchChanged = false
    }

    private struct Note {
        /// The record's position.
        var position: UInt64
        var devices: [DeviceID]
        var isWatchChanged: Bool
    }

    /// Tables with what is watched, other than regions, which have a revision.
    private static let watched: Set<String> = ["app", "source"]

    private struct State {
        var isNeeded = false
        var notes: [Note] = []
    }

    private let state = Mutex(State())

    /// Creates an empty list.
    public init() {}

    /// Notes from now on; nobody takes anything before.
    func begin() { state.withLock { $0.isNeeded = true } }

    /// Forgets everything, and notes nothing.
    func end() { state.withLock { $0 = State() } }

    /// Notes what a record is about to change.
    ///
    /// - Parameters:
    ///   - changes: the changes of its transaction.
    ///   - position: its position in the log.
    /// - Throws: SQLite's error.
    func note(_ changes: [UInt8], at position: UInt64) throws {
        guard !changes.isEmpty, state.withLock({ $0.isNeeded }) else { return }
        var (changes, note) = (changes, Note(position: position, devices: [], isWatchChanged: false))
        try ChangeSession.rows(&changes) { table, key in
            if table == "device", let key { note.devices.append(DeviceID(key)) }
            if Self.watched.contains(table) { note.isWatchChanged = true }
        }
        guard note.isWatchChanged || !note.devices.isEmpty else { return }
        state.withLock { $0.notes.append(note) }
    }

    /// Removes and returns what records up to a position changed.
    func take(through position: UInt64) -> Content {
        state.withLock { state in
            var content = Content()
            for note in state.notes where note.position <= position {
                content.devices.formUnion(note.devices)
                content.isWatchChanged = content.isWatchChanged || note.isWatchChanged
            }
            state.notes.removeAll { $0.position <= position }
            return content
        }
    }
}
