import FencepostModel
import FencepostRecordings
import FencepostSimulator
import Foundation
import GRDB
import Testing

@Suite("The archive of a device") struct ArchiveTests {
    private let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "recordings-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    /// A sysdiagnose in small: the power log, a jetsam report, and a log of the location daemon.
    private func makeSysdiagnose() throws -> URL {
        let root = folder.appending(path: "sysdiagnose_2026.09.14")
        let power = root.appending(path: "logs/powerlogs")
        try FileManager.default.createDirectory(at: power, withIntermediateDirectories: true)
        let queue = try DatabaseQueue(path: power.appending(path: "powerlog_1.PLSQL").path)
        try queue.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE PLStorageOperator_EventForward_TimeOffset (timestamp REAL, system REAL);
                    INSERT INTO PLStorageOperator_EventForward_TimeOffset VALUES (0, 1000);
                    CREATE TABLE PLLocationAgent_EventForward_ClientStatus
                      (timestamp REAL, timestampEnd REAL, BundleId TEXT, Client TEXT, Executable TEXT, Type TEXT);
                    INSERT INTO PLLocationAgent_EventForward_ClientStatus VALUES
                      (1789378200, NULL, NULL, 'iorg.example.a:', NULL, 'SignificantLocation'),
                      (1789378300, NULL, 'org.example.b', NULL, NULL, 'Location'), ('x', 'y', 7, 8, 9, 10);
                    CREATE TABLE PLProcessMonitorAgent_EventPoint_ProcessExit
                      (timestamp REAL, ProcessName TEXT, ReasonNamespace INTEGER, ReasonCode INTEGER);
                    INSERT INTO PLProcessMonitorAgent_EventPoint_ProcessExit VALUES (1789379000, 'a', 10, 3735943697);
                    """)
        }
        try Data("not a database".utf8).write(to: power.appending(path: "broken.PLSQL"))
        let report = """
            {"bug_type":"298","timestamp":"2026-09-14 12:00:01.00 +0200","os_version":"iPhone OS 26.2.1"}
            {"processes":[{"name":"a","reason":"per-process-limit"},{"name":"other"}]}
            """
        try Data(report.utf8).write(to: root.appending(path: "JetsamEvent-2026-09-14.ips"))
        let daemon = """
            2026-09-14 11:00:00.5+0200 localhost locationd[7]: {"msg":"#CLIUA AppMonitor notification", "notification":"ForegroundRunning", "bundleId":"org.example.a"}
            """
        try Data(daemon.utf8).write(to: root.appending(path: "locationd.log"))
        try Data([0, 1, 2]).write(to: root.appending(path: "0001.tracev3"))
        return root
    }

    private func tar(_ root: URL, _ flags: String) throws -> URL {
        let file = folder.appending(path: "archive.tar.gz")
        let process = Process()
        process.executableURL = URL(filePath: "/bin/tar")
        process.arguments = ["--format=\(flags)", "-czf", file.path, "-C", folder.path, root.lastPathComponent]
        try process.run()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        return file
    }

    private func check(_ logs: LogFiles) throws {
        let (contents, app) = logs.read(app: "org.example.a")
        #expect(app == "org.example.a")
        let facts = contents.entries.sorted { $0.at < $1.at }.map(\.fact)
        let expected: [LogEntry.Fact] = [
            .foreground, .started(ServiceObject(.significantChange)), .terminated(by: .user), .terminated(by: .system),
        ]
        #expect(facts == expected)
        #expect(contents.problems.contains { $0.contains("broken.PLSQL") })
        #expect(contents.problems.contains { $0.contains("log show") })
        // 1789378200 in the power log is 09:46:40 + 1000 s by the clock.
        #expect(contents.entries.first { $0.fact == .terminated(by: .user) }?.at == Timestamp(seconds: 1_789_380_000))
    }

    @Test("is read as a folder") func readsFolder() throws {
        var logs = LogFiles()
        let isRead = logs.add(try makeSysdiagnose().path)
        #expect(isRead)
        try check(logs)
    }

    @Test("is read as an archive", arguments: ["ustar", "pax", "gnu"]) func readsArchive(format: String) throws {
        var logs = LogFiles()
        let isRead = logs.add(try tar(try makeSysdiagnose(), format).path)
        #expect(isRead)
        try check(logs)
    }

    @Test("is read up to its damage") func damaged() throws {
        let file = try tar(try makeSysdiagnose(), "pax")
        let whole = try Data(contentsOf: file)
        for cut in stride(from: 1, to: whole.count, by: max(whole.count / 40, 1)) {
            try whole.prefix(cut).write(to: file)
            var logs = LogFiles()
            let isRead = logs.add(file.path)
            #expect(isRead)
            #expect(!logs.read(app: "org.example.a").contents.problems.isEmpty)
        }
        var bytes = [UInt8](whole)
        for index in stride(from: 20, to: bytes.count, by: 97) { bytes[index] ^= 0x55 }
        try Data(bytes).write(to: file)
        var logs = LogFiles()
        let isRead = logs.add(file.path)
        #expect(isRead)
        _ = logs.read(app: "org.example.a")
    }

    @Test("is named when it does not exist") func missing() {
        var logs = LogFiles()
        let isRead = logs.add(folder.appending(path: "nothing").path)
        #expect(!isRead)
    }

    /// Compresses bytes with gzip.
    private func gzip(_ bytes: Data, as name: String) throws -> URL {
        let plain = folder.appending(path: "plain")
        try bytes.write(to: plain)
        let process = Process()
        process.executableURL = URL(filePath: "/bin/gzip")
        process.arguments = ["-n", "-1", "-f", plain.path]
        try process.run()
        process.waitUntilExit()
        let file = folder.appending(path: name)
        try? FileManager.default.removeItem(at: file)
        try FileManager.default.moveItem(at: folder.appending(path: "plain.gz"), to: file)
        return file
    }

    @Test("is not inflated twice, so a file that inflates to itself ends") func nested() throws {
        let once = try gzip(Data("{}".utf8), as: "a.log.gz")
        let twice = try gzip(try Data(contentsOf: once), as: "a.log.gz.gz")
        var logs = LogFiles()
        let areRead = logs.add(twice.path) && logs.add(once.path)
        #expect(areRead)
        let contents = logs.read(app: "org.example.a").contents
        #expect(contents.problems == ["a.log.gz.gz is compressed twice and was left out."])
        #expect(contents.files == ["a.log"])
    }

    @Test("is left out where small files inflate to more than the limit together") func bombs() throws {
        let bomb = try gzip(Data(count: 400 << 10), as: "b.log.gz")
        let root = folder.appending(path: "sysdiagnose_bombs")
        try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
        for number in 1...5 {
            try FileManager.default.copyItem(at: bomb, to: root.appending(path: "b\(number).log.gz"))
        }
        var logs = LogFiles(sizeLimit: 1 << 20)
        let isRead = logs.add(root.path)
        #expect(isRead)
        let contents = logs.read(app: "org.example.a").contents
        #expect(contents.files == ["b1.log", "b2.log"])
        #expect(contents.problems.count == 3)
        #expect(contents.problems.allSatisfy { $0.hasSuffix("is too large when inflated and was left out.") })
    }

    @Test("is left out when it becomes more than 200 times its size") func ratio() throws {
        let zeros = Data(count: 24 << 20)
        let root = folder.appending(path: "sysdiagnose_zeros")
        try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
        try zeros.write(to: root.appending(path: "a.log"))
        var logs = LogFiles()
        let files = [try tar(root, "pax"), try gzip(zeros, as: "c.log.gz")]
        let areRead = files.map { logs.add($0.path) } == [true, true]
        #expect(areRead)
        let contents = logs.read(app: "org.example.a").contents
        #expect(contents.files.isEmpty)
        #expect(contents.problems.count == 2)
        #expect(contents.problems.allSatisfy { $0.hasSuffix("when inflated and was left out.") })
    }
}
