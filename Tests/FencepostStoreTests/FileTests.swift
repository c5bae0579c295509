import FencepostFiles
import FencepostModel
import FencepostService
import Foundation
import Testing

@testable import FencepostStore

@Suite("The file of a store") struct FileTests {
    @Test("is locked under all its names", arguments: [true, false])
    func names(isSymbolic: Bool) async throws {
        let scratch = try Scratch()
        try await withStore(scratch) { _ in
            let other = scratch.path("other.sqlite")
            _ = isSymbolic ? symlink(scratch.database, other) : link(scratch.database, other)
            let error = #expect(throws: StoreError.self) { try SQLiteStore(path: other) }
            #expect(error?.code == .locked)
            #expect(error?.message.contains("process") == true)
            // Neither is it replaced under that name.
            let backup = scratch.path("backup.sqlite")
            if access(backup, F_OK) != 0 { try Backup.make(of: scratch.database, to: OutputFile(backup)) }
            let refusal = #expect(throws: StoreError.self) {
                try Backup.restore(backup, to: other, at: MadeUp.start)
            }
            #expect(refusal?.code == .locked)
        }
        try await withStore(scratch) { _ in }
    }

    @Test("is missed by the next write when it or its log is moved", arguments: ["", "-wal"])
    func moved(suffix: String) async throws {
        let scratch = try Scratch()
        try await withStore(scratch) { store in
            try await store.commit(.of(1, [.at("d", 1)]))
            #expect(store.misplacement() == nil)
            let path = scratch.database + suffix
            #expect(rename(path, scratch.path("away")) == 0)
            #expect(store.misplacement() != nil)
            let error = await #expect(throws: StoreError.self) { try await store.commit(.of(2, [.at("d", 2)])) }
            #expect(error?.code == .moved)
            await #expect(throws: StoreError.self) { try await store.probe() }
            #expect(rename(scratch.path("away"), path) == 0)
            try await store.probe()
            #expect(try await store.load().position == 2)
        }
    }

    @Test("is not the same when a copy stands in its place")
    func replaced() async throws {
        let scratch = try Scratch()
        try await withStore(scratch) { store in
            try await store.commit(.of(1, [.at("d", 1)]))
            try FileManager.default.moveItem(atPath: scratch.database, toPath: scratch.path("away"))
            try FileManager.default.copyItem(atPath: scratch.path("away"), toPath: scratch.database)
            let error = await #expect(throws: StoreError.self) { try await store.commit(.of(2, [.at("d", 2)])) }
            #expect(error?.code == .moved)
            try FileManager.default.removeItem(atPath: scratch.database)
            try FileManager.default.moveItem(atPath: scratch.path("away"), toPath: scratch.database)
        }
    }

    @Test("stays whole when a backup has no space, and the error names the target")
    func fullTarget() async throws {
        guard geteuid() == 0 else { return print("skipped: needs the right to mount a small file system") }
        let scratch = try Scratch()
        let small = scratch.path("small")
        try FileManager.default.createDirectory(atPath: small, withIntermediateDirectories: true)
        guard mount("tmpfs", small, "tmpfs", 0, "size=64k") == 0 else {
            return print("skipped: no file system could be mounted")
        }
        defer { umount2(small, Int32(MNT_DETACH)) }
        try await withStore(scratch) { store in
            for position in 1...200 as ClosedRange<LogPosition> {
                try await store.commit(.of(position, (0..<50).map { .at("d\($0)", position) }))
            }
            let error = #expect(throws: StoreError.self) {
                try Backup.make(of: scratch.database, to: OutputFile(small + "/backup"))
            }
            #expect(error?.code == .full)
            #expect(error?.message.contains(small + "/backup") == true)
            #expect(try FileManager.default.contentsOfDirectory(atPath: small) == [])
        }
    }
}
