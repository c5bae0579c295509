import Foundation
import Testing

@Suite("The files of a running service", .serialized) struct StorageFileTests {
    private struct Result {
        let status: Int32
        let errors: String
    }

    /// Runs the program to its end.
    private func run(_ arguments: [String], in folder: URL) throws -> Result {
        let process = Process()
        process.executableURL = RunningProgram.executable
        process.arguments = arguments
        process.currentDirectoryURL = folder
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        let errors = FileManager.default.temporaryDirectory.appending(path: "fencepost-errors-\(UUID().uuidString)")
        try Data().write(to: errors)
        defer { try? FileManager.default.removeItem(at: errors) }
        process.standardError = try FileHandle(forWritingTo: errors)
        try process.run()
        process.waitUntilExit()
        return Result(status: process.terminationStatus, errors: try String(contentsOf: errors, encoding: .utf8))
    }

    private func post(_ client: Client, _ number: Int) async throws -> Int {
        let time = Int(Date().timeIntervalSince1970) - 1000 + number
        return try await client.request(
            "POST", "/v1/locations", body: "{\"deviceId\":\"d\",\"timestamp\":\(time),\"lat\":1,\"lon\":1}\n",
            type: "application/x-ndjson"
        ).status
    }

    private func count(_ client: Client) async throws -> Int {
        try await client.request("GET", "/v1/locations?deviceId=d").data.count
    }

    @Test("are not replaced by a backup, and no second service opens them under another name")
    func otherNames() async throws {
        let folder = try ServiceFolder()
        let config = try folder.write("config.json", "{\"storage\":{\"path\":\"fencepost.sqlite\"}}")
        let program = try await RunningProgram(in: folder.url)
        let token = try #require(program.firstToken)
        let client = Client(port: program.port, token: token)
        #expect(try await post(client, 1) == 200)
        for (name, make) in [("symbolic.sqlite", symlink), ("hard.sqlite", link)] {
            let path = folder.url.appending(path: name).path
            _ = make(folder.url.appending(path: "fencepost.sqlite").path, path)
            let second = try run(["serve", "--port", "0", "--storage", path], in: folder.url)
            #expect(second.status == 75, "\(name)")
            #expect(second.errors.contains("in use by"), "\(second.errors)")
        }
        for target in [
            "fencepost.sqlite", "./fencepost.sqlite", "symbolic.sqlite", "hard.sqlite", "fencepost.sqlite-wal",
            "fencepost.sqlite-shm", "fencepost.sqlite.lock", "config.json",
        ] {
            for options in [[], ["--force"]] {
                let backup = try run(["backup", "--config", config, target] + options, in: folder.url)
                #expect(backup.status == 73, "\(target) \(options): \(backup.errors)")
            }
        }
        #expect(try run(["backup", "--config", config, "copy.sqlite"], in: folder.url).status == 0)
        #expect(try run(["backup", "--config", config, "copy.sqlite"], in: folder.url).status == 73)
        #expect(try run(["backup", "--config", config, "--force", "copy.sqlite"], in: folder.url).status == 0)
        #expect(try await post(client, 2) == 200)
        #expect(await program.stop() == 0)
        let again = try await RunningProgram(in: folder.url)
        #expect(try await count(Client(port: again.port, token: token)) == 2)
        #expect(await again.stop() == 0)
    }

    @Test("are refused as bad input when they are damaged, by every command") func damaged() throws {
        let folder = try ServiceFolder()
        let path = folder.url.appending(path: "fencepost.sqlite").path
        try Data(repeating: 0x41, count: 8192).write(to: URL(filePath: path))
        let config = try folder.write("config.json", "{\"storage\":{\"path\":\"fencepost.sqlite\"}}")
        let track = try folder.write(
            "track.ndjson", #"{"deviceId":"a","timestamp":"2026-03-01T08:00:00Z","latitude":48,"longitude":2}"#)
        for arguments in [
            ["serve", "--port", "0", "--storage", path], ["doctor", "--config", config],
            ["backup", "--config", config, "copy.sqlite"],
            ["import", "--config", config, track], ["doctor", "--config", config, "--release", "a"],
            ["quarantine", "release", "--config", config],
        ] {
            let result = try run(arguments, in: folder.url)
            #expect(result.status == 65, "\(arguments): \(result.errors)")
            #expect(result.errors.contains(path) && result.errors.hasPrefix("fencepost: "), "\(result.errors)")
        }
    }

    @Test("are missed when they are moved away: nothing more is acknowledged until they are back")
    func movedAway() async throws {
        let folder = try ServiceFolder()
        let program = try await RunningProgram(in: folder.url)
        let token = try #require(program.firstToken)
        let client = Client(port: program.port, token: token)
        #expect(try await post(client, 1) == 200)
        let database = folder.url.appending(path: "fencepost.sqlite")
        let other = folder.url.appending(path: "other.sqlite")
        try FileManager.default.moveItem(at: database, to: other)
        #expect(try await post(client, 2) == 503)
        let readiness = try await client.request("GET", "/readyz")
        #expect(readiness.status == 503)
        #expect(readiness.text.contains("moved"))
        #expect(program.logText.contains("moved"))
        // What an administrator writes waits too, and is no error of the server.
        let issued = try await client.request("POST", "/v1/tokens", body: #"{"name":"x","scopes":["read"]}"#)
        #expect(issued.status == 503, "\(issued.text)")
        try FileManager.default.moveItem(at: other, to: database)
        var status = 0
        for _ in 0..<600 where status != 200 {
            try await Task.sleep(for: .milliseconds(50))
            status = try await post(client, 3)
        }
        #expect(status == 200)
        #expect(await program.stop() == 0)
        let again = try await RunningProgram(in: folder.url)
        #expect(try await count(Client(port: again.port, token: token)) >= 2)
        #expect(await again.stop() == 0)
    }
}
