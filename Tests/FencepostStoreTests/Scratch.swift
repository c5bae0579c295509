import FencepostModel
import FencepostService
import Foundation
import Testing

@testable import FencepostStore

/// A folder that goes when the test is over.
final class Scratch: Sendable {
    let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "fencepost-store-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    var database: String { path("test.sqlite") }

    func path(_ name: String) -> String { folder.appending(path: name).path }

    /// Those of a database with a name, which does not sync.
    func settings(_ name: String) -> StorageSettings {
        var settings = StorageSettings()
        settings.path = path(name)
        settings.durability = .relaxed
        return settings
    }

    /// The bytes of every file that belongs to the database.
    func bytes() throws -> [String: Data] {
        var contents: [String: Data] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) where !name.hasSuffix(".lock") {
            contents[name] = try Data(contentsOf: folder.appending(path: name))
        }
        return contents
    }
}

/// A store in a scratch folder, closed in the end.
func withStore<T>(
    _ scratch: Scratch? = nil, _ settings: (inout StorageSettings) -> Void = { _ in },
    limits: SQLiteStore.MaintenanceLimits = SQLiteStore.MaintenanceLimits(),
    _ body: (SQLiteStore) async throws -> T
) async throws -> T {
    let scratch = try scratch ?? Scratch()
    var made = StorageSettings()
    made.path = scratch.database
    settings(&made)
    let store =
        ReplicatedScratch.isOn
        ? try await ReplicatedScratch.open(made, limits) : try SQLiteStore(made, limits: limits)
    do {
        let result = try await body(store)
        try store.close()
        if ReplicatedScratch.isOn {
            let difference = try await ReplicatedScratch.difference(fromCopyOf: made)
            #expect(difference == nil)
        }
        withExtendedLifetime(scratch) {}
        return result
    } catch {
        try? store.close()
        throw error
    }
}
