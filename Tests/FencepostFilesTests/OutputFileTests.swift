import Foundation
import Testing

@testable import FencepostFiles

/// A folder that is removed with its owner.
private final class Folder {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: "fencepost-files-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    func path(_ name: String) -> String { url.appending(path: name).path }

    func write(_ name: String, _ text: String) throws -> String {
        try Data(text.utf8).write(to: url.appending(path: name))
        return path(name)
    }

    func text(_ name: String) throws -> String { try String(contentsOfFile: path(name), encoding: .utf8) }

    func names() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: url.path).sorted() }
}

@Suite("An output file") struct OutputFileTests {
    private func code(_ body: () throws -> Void) -> OutputFileError.Code? {
        do {
            try body()
            return nil
        } catch {
            return (error as? OutputFileError)?.code
        }
    }

    @Test("has its whole content, and nothing remains next to it")
    func writes() throws {
        let folder = try Folder()
        try OutputFile(folder.path("out")).write(Array("text".utf8))
        #expect(try folder.text("out") == "text")
        #expect(try folder.names() == ["out"])
    }

    @Test("replaces an existing file only on demand")
    func existing() throws {
        let folder = try Folder()
        let file = try folder.write("out", "precious")
        #expect(code { _ = try OutputFile(file) } == .exists)
        #expect(try folder.text("out") == "precious")
        try OutputFile(file, replacesExisting: true).write(Array("new".utf8))
        #expect(try folder.text("out") == "new")
        #expect(try folder.names() == ["out"])
    }

    @Test("does not replace a file that appeared after the check")
    func race() throws {
        let folder = try Folder()
        let output = try OutputFile(folder.path("out"))
        _ = try folder.write("out", "precious")
        #expect(code { try output.write(Array("new".utf8)) } == .exists)
        #expect(try folder.text("out") == "precious")
        #expect(try folder.names() == ["out"])
    }

    @Test(
        "is never one that is in use, by whatever name",
        arguments: ["db", "./db", "sub/../db", "symbolic", "hard", "db-wal", "db-shm", "db.lock", "symbolic-wal"])
    func inUse(name: String) throws {
        let folder = try Folder()
        let database = try folder.write("db", "rows")
        try FileManager.default.createDirectory(atPath: folder.path("sub"), withIntermediateDirectories: true)
        symlink(database, folder.path("symbolic"))
        link(database, folder.path("hard"))
        var used = FilesInUse()
        used.add(database: folder.path("symbolic"))
        for force in [false, true] {
            let path = "\(folder.url.path)/\(name)"
            #expect(code { _ = try OutputFile(path, inUse: used, replacesExisting: force) } == .inUse, "\(force)")
        }
        #expect(try folder.text("db") == "rows")
    }

    @Test("is not one that another process has locked")
    func locked() throws {
        let folder = try Folder()
        let file = try folder.write("out", "rows")
        let descriptor = open(file, O_RDWR)
        defer { close(descriptor) }
        #expect(flock(descriptor, LOCK_EX | LOCK_NB) == 0)
        #expect(code { _ = try OutputFile(file, replacesExisting: true) } == .inUse)
    }

    @Test("whose content fails leaves nothing behind, and the old file as it was")
    func failure() throws {
        struct Failure: Error {}
        let folder = try Folder()
        let file = try folder.write("out", "old")
        let output = try OutputFile(file, replacesExisting: true)
        #expect(throws: Failure.self) {
            try output.write(permissions: 0o600) { partial in
                try? Data("half".utf8).write(to: URL(filePath: partial + "-journal"))
                throw Failure()
            }
        }
        #expect(try folder.names() == ["out"])
        #expect(try folder.text("out") == "old")
    }

    @Test("may be a device")
    func device() throws {
        try OutputFile("/dev/null").write(Array("text".utf8))
        #expect(code { try OutputFile("/dev/full").write(Array("text".utf8)) } == .full)
    }

    @Test("needs a folder")
    func missingFolder() throws {
        let folder = try Folder()
        #expect(code { _ = try OutputFile(folder.path("none/out")) } == .cannotCreate)
        #expect(code { _ = try OutputFile(folder.url.path) } == .cannotCreate)
    }
}

@Suite("The kernel's locks") struct FileLocksTests {
    @Test("name the process that holds a file")
    func holder() {
        let table = """
            1: POSIX  ADVISORY  WRITE 700 08:01:131 0 EOF
            2: FLOCK  ADVISORY  WRITE 812 08:01:131 0 EOF
            2: -> FLOCK  ADVISORY  WRITE 813 08:01:131 0 EOF
            3: FLOCK  ADVISORY  WRITE 900 103:00010:77 0 EOF
            """
        #expect(FileLocks.holder(of: FileIdentity(device: 0x801, inode: 131), in: table) == 812)
        #expect(FileLocks.holder(of: FileIdentity(device: 0x801, inode: 132), in: table) == nil)
        #expect(FileLocks.holder(of: FileIdentity(device: 0x802, inode: 131), in: table) == nil)
        #expect(FileLocks.holder(of: FileIdentity(device: 0x10310, inode: 77), in: table) == 900)
    }
}
