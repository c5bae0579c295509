import Foundation
import Testing

@Suite("fencepost export", .serialized) struct ExportCommandTests {
    /// A folder with a database of the sample day.
    private func database(in folder: ServiceFolder) throws -> String {
        let storage = folder.url.appending(path: "fencepost.sqlite").path
        let track = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Regions/tracks/day.ndjson").standardizedFileURL.path
        let run = try CommandRun.run(["import", "--storage", storage, track], input: "")
        try #require(run.status == 0, "\(run.errors)")
        return storage
    }

    private func export(_ arguments: [String]) throws -> CommandRun.Result {
        try CommandRun.run(["export", "--format", "geoparquet"] + arguments, input: "")
    }

    private func isParquet(_ path: String) throws -> Bool {
        let bytes = try Data(contentsOf: URL(filePath: path))
        return bytes.starts(with: Data("PAR1".utf8)) && bytes.suffix(4) == Data("PAR1".utf8)
    }

    @Test("writes a file once, and replaces it with --force") func file() throws {
        let folder = try ServiceFolder()
        let storage = try database(in: folder)
        let path = folder.url.appending(path: "all.parquet").path
        let first = try export(["--storage", storage, path])
        #expect(first.status == 0 && first.errors.contains("596 locations exported"), "\(first.errors)")
        #expect(try isParquet(path))
        let again = try export(["--storage", storage, path])
        #expect(again.status == 73 && again.errors.contains("replace it with --force"), "\(again.errors)")
        let forced = try export(["--storage", storage, "--force", "--device", "van-*", path])
        #expect(forced.status == 0 && forced.errors.contains("695 locations exported"), "\(forced.errors)")
        let own = try export(["--storage", storage, "--force", storage])
        #expect(own.status == 73 && own.errors.contains("the database"), "\(own.errors)")
        let output = try CommandRun.run(["export", "--format", "mf-json", "--storage", storage, "-"], input: "")
        #expect(output.status == 0 && output.output.hasPrefix("{\"type\":\"FeatureCollection\""), "\(output.errors)")
        #expect(output.output.hasSuffix("]}\n") && output.errors.contains("4 trajectories exported to standard output"))
    }

    @Test("a folder has a file for each day and device, and only exports are replaced") func folder() throws {
        let folder = try ServiceFolder()
        let storage = try database(in: folder)
        let target = folder.url.appending(path: "lake").path
        /// The exported files below the folder.
        func files() throws -> [String] {
            let found = try FileManager.default.subpathsOfDirectory(atPath: target).filter { $0.hasSuffix(".parquet") }
            return found.sorted()
        }
        #expect(try export(["--storage", storage, target + "/"]).status == 0)
        let names = ["drone-2", "ferry%2Fbridge", "jane%2Fphone", "van-7"]
        #expect(try files() == names.map { "day=2026-03-06/device=\($0)/locations.parquet" })
        for file in try files() { #expect(try isParquet("\(target)/\(file)")) }
        let again = try export(["--storage", storage, target])
        #expect(again.status == 73 && again.errors.contains("a folder with content"), "\(again.errors)")
        // Half a day to the east it is the next day for some of them.
        let forced = try export(["--storage", storage, "--force", "--time-zone", "Pacific/Auckland", target])
        #expect(forced.status == 0, "\(forced.errors)")
        #expect(try files().contains("day=2026-03-07/device=van-7/locations.parquet"))
        try Data("mine".utf8).write(to: URL(filePath: target).appending(path: "notes.txt"))
        let foreign = try export(["--storage", storage, "--force", target])
        #expect(foreign.status == 73 && foreign.errors.contains("notes.txt"), "\(foreign.errors)")
        #expect(FileManager.default.fileExists(atPath: "\(target)/notes.txt"))
        let left = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
        #expect(!left.contains { $0.contains("partial") || $0.contains("replaced") }, "\(left)")
    }

    @Test("refuses what it cannot do in one sentence") func refusals() throws {
        let folder = try ServiceFolder()
        let storage = try database(in: folder)
        let path = folder.url.appending(path: "none.parquet").path
        for (arguments, status, words) in [
            (["--device", "nobody", path], 66, "has no device nobody"),
            (
                ["--from", "2026-03-06T12:00:00Z", "--to", "2026-03-06T00:00:00Z", path], 64,
                "--from has to be before --to"
            ),
            (["--format", "mf-json", "--kind", "events", path], 64, "mf-json has trajectories"),
            (["--time-zone", "Europe/Lisbon", path], 64, "let the target end in /"),
            (["--from", "yesterday", path], 64, "yesterday"),
            ([folder.url.path + "/no/such/file"], 73, "cannot be created"),
            ([storage + "/"], 73, "is the database"),
        ] as [([String], Int32, String)] {
            let run = try export(["--storage", storage] + arguments)
            #expect(run.status == status && run.errors.contains(words), "\(arguments): \(run.status) \(run.errors)")
            #expect(!FileManager.default.fileExists(atPath: path))
        }
        let none = try export(["--storage", folder.url.appending(path: "no.sqlite").path, path])
        #expect(none.status == 66 && none.errors.contains("does not exist"), "\(none.errors)")
        let partitions = try export(["--storage", folder.url.path, path])
        #expect(partitions.status == 66 && partitions.errors.contains("a cluster of several partitions"))
    }

    @Test(
        "a full disk is named, and leaves nothing",
        .enabled(if: SmallDisk.mayMount, "needs the right to mount a small file system"))
    func fullDisk() throws {
        let folder = try ServiceFolder()
        let storage = try database(in: folder)
        guard let disk = try SmallDisk(in: folder.url, megabytes: 1) else {
            return print("skipped: no file system could be mounted")
        }
        _ = try disk.fill()
        for target in ["out.parquet", "lake/"] {
            let run = try export(["--storage", storage, disk.url.path + "/" + target])
            #expect(run.status == 74 && run.errors.contains("No disk space is left"), "\(run.errors)")
            #expect(run.errors.split(separator: "\n").count == 1)
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: disk.url.path) == ["filler"])
    }

    @Test("reads next to a running service") func running() async throws {
        let folder = try ServiceFolder()
        let program = try await RunningProgram(in: folder.url)
        let client = Client(port: program.port, token: try #require(program.firstToken))
        let now = Int(Date().timeIntervalSince1970)
        let lines = (0..<5).map { "{\"deviceId\":\"d\",\"timestamp\":\(now - 100 + $0),\"lat\":1,\"lon\":2}\n" }
            .joined()
        let stored = try await client.request("POST", "/v1/locations", body: lines, type: "application/x-ndjson")
        #expect(stored.status == 200)
        let path = folder.url.appending(path: "now.mf.json").path
        let run = try CommandRun.run(
            ["export", "--format", "mf-json", "--storage", folder.url.appending(path: "fencepost.sqlite").path, path],
            input: "")
        #expect(run.status == 0 && run.errors.contains("trajectory exported"), "\(run.errors)")
        #expect(await program.stop() == 0)
    }
}
