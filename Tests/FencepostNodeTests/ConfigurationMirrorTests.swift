import FencepostService
import FencepostStore
import Foundation
import GRDB
import Logging
import Synchronization
import Testing

@testable import FencepostNode

@Suite("The mirror of the configuration", .timeLimit(.minutes(1))) struct ConfigurationMirrorTests {
    /// The copy of the configuration on the node, as far as a mirror without changes needs it.
    private final class Copy: Sendable {
        private let queue: DatabaseQueue
        private let state = Atomic<UInt64>(1)

        init(path: String) throws {
            try SQLiteStore(path: path).close()
            queue = try DatabaseQueue(path: path)
            try queue.write { db in
                try db.execute(sql: "CREATE TABLE replica (cluster TEXT, position INTEGER)")
                try db.execute(sql: "INSERT INTO replica VALUES ('one', 1)")
            }
        }

        /// What the node says of it.
        var position: UInt64 { state.load(ordering: .acquiring) }

        /// Has the node know a position, as a leader does, whose database has it a moment later.
        func announce(_ position: UInt64) { state.store(position, ordering: .releasing) }

        func apply(_ position: UInt64) throws {
            try queue.write { db in try db.execute(sql: "UPDATE replica SET position = \(position)") }
        }
    }

    @Test("is woken by what changes it, without a look at the clock")
    func wakes() async throws {
        let room = try ServiceRoom()
        let configuration = try room.configuration()
        let assembly = try ServiceAssembly(configuration, logger: Logger(label: "test"))
        let path = configuration.storage.path + ".config"
        let (copy, changes) = (try Copy(path: path), EventSignal())
        let mirror = ConfigurationMirror(
            ConfigurationMirror.Source(
                path: path, position: { copy.position }, changes: changes, disable: { _ in }),
            ConfigurationMirror.Targets(assembly: assembly, endpointsDidChange: {}, accessDidChange: {}),
            logger: Logger(label: "test"),
            // Nothing but a signal ends a pause.
            sleep: { _ in try await Task.sleep(for: .seconds(3600)) })
        let running = Task { try await mirror.run() }
        try await mirror.wait(until: 1)
        for position in 2...20 as ClosedRange<UInt64> {
            try copy.apply(position)
            copy.announce(position)
            changes.raise()
            // A mirror that is not woken ends with the time of the test, and so does the wait for it.
            try await withTaskCancellationHandler {
                try await mirror.wait(until: position)
            } onCancel: {
                running.cancel()
            }
        }
        running.cancel()
        try await running.value
        await #expect(throws: ConfigurationMirror.Ended.self) { try await mirror.wait(until: 21) }
        try assembly.store.close()
    }
}
