import Foundation
import Testing

/// Commands find the data of a service, with and without one that runs (rule M15).
@Suite("Commands on the storage", .serialized) struct CommandsOnStorageTests {
    private func object(_ text: String) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any], "\(text)")
    }

    private func track(_ count: Int, device: String) -> String {
        let start = Int(Date().timeIntervalSince1970) - 90 * 86_400
        return (0..<count).map { step in
            "{\"deviceId\":\"\(device)\",\"timestamp\":\(start + step * 20),"
                + "\"latitude\":\(48.85 + Double(step % 200) * 0.0001),\"longitude\":2.3,\"horizontalAccuracy\":8}\n"
        }.joined()
    }

    @Test("work through the running service, or read next to it")
    func nextToService() async throws {
        let folder = try ServiceFolder()
        let program = try await RunningProgram(in: folder.url)
        let client = Client(port: program.port, token: try #require(program.firstToken))
        let storage = folder.url.appending(path: "fencepost.sqlite").path
        let socket = storage + ".sock"
        let permissions = try FileManager.default.attributesOfItem(atPath: socket)[.posixPermissions] as? Int
        #expect(permissions == 0o600)

        let created = try CommandRun.run(
            ["token", "create", "--storage", storage, "--name", "new", "--scope", "read", "--device", "a"], input: "")
        #expect(created.status == 0, "\(created.errors)")
        let text = created.output.trimmingCharacters(in: .whitespacesAndNewlines)
        let reader = Client(port: program.port, token: text)
        #expect(try await reader.request("GET", "/v1/events").status == 200)
        let listed = try CommandRun.run(["token", "list", "--storage", storage, "--json"], input: "")
        let tokens = try listed.output.split(separator: "\n").map { try object(String($0)) }
        let entry = try #require(tokens.first { $0["name"] as? String == "new" })
        #expect(tokens.count == 2 && entry["deviceId"] as? String == "a")
        let id = try #require(entry["id"] as? String)
        #expect(try CommandRun.run(["token", "revoke", "--storage", storage, id], input: "").status == 0)
        #expect(try await reader.request("GET", "/v1/events").status == 401)
        #expect(try CommandRun.run(["token", "revoke", "--storage", storage, id], input: "").status == 66)

        let file = try folder.write("walk.ndjson", track(300, device: "a"))
        for (options, stored, duplicates) in [(["--dry-run"], 300, 0), ([], 300, 0), ([], 0, 300)] {
            let run = try CommandRun.run(["import", "--storage", storage, file] + options, input: "")
            #expect(run.status == 0, "\(run.errors)")
            let report = try object(run.output)
            #expect(report["stored"] as? Int == stored && report["duplicates"] as? Int == duplicates)
            #expect(report["file"] as? String == file)
        }
        let broken = try folder.write("broken.gpx", "<gpx><trk><trkseg><trkpt lat=\"1\" lon=\"2\">")
        let refused = try CommandRun.run(["import", "--storage", storage, broken, file], input: "")
        #expect(refused.status == 65 && refused.errors.contains("broken.gpx"), "\(refused.errors)")
        #expect(try object(refused.output)["duplicates"] as? Int == 300, "the next file was not imported")
        // Too many locations for one commit: they are staged, and the command waits.
        let long = try folder.write("long.ndjson", track(10_050, device: "b"))
        let import2 = try CommandRun.run(["import", "--storage", storage, long], input: "")
        #expect(try object(import2.output)["stored"] as? Int == 10_050, "\(import2.errors)")
        #expect(try await client.all("/v1/devices").count == 2)

        let released = try CommandRun.run(["quarantine", "release", "--storage", storage], input: "")
        #expect(try object(released.output)["released"] as? Int == 0, "\(released.errors)")
        let replay = try CommandRun.run(["replay", "--storage", storage], input: "")
        #expect(replay.status == 0 && replay.errors.contains("350 fixes"), "\(replay.output)\(replay.errors)")
        #expect(try CommandRun.run(["doctor", "--storage", storage], input: "").status == 0)
        let copy = folder.url.appending(path: "copy.sqlite").path
        #expect(try CommandRun.run(["backup", "--storage", storage, copy], input: "").status == 0)
        let restore = try CommandRun.run(["restore", "--storage", storage, copy], input: "")
        #expect(restore.status == 75 && restore.errors.contains("Stop the service"), "\(restore.errors)")

        // Over TCP, with a token.
        let url = "http://127.0.0.1:\(program.port)"
        let remote = try CommandRun.run(["import", "--server", url, "--token", client.token, file], input: "")
        #expect(try object(remote.output)["duplicates"] as? Int == 300, "\(remote.errors)")
        let stranger = try CommandRun.run(["token", "list", "--server", url, "--token", "fp_wrong"], input: "")
        #expect(stranger.status == 77, "\(stranger.errors)")
        #expect(try CommandRun.run(["token", "list", "--server", url], input: "").status == 64)
        let nobody = try CommandRun.run(["token", "list", "--server", "http://127.0.0.1:1", "--token", "x"], input: "")
        #expect(nobody.status == 69, "\(nobody.errors)")

        #expect(await program.stop() == 0)
        #expect(!FileManager.default.fileExists(atPath: socket))
    }

    @Test("ignore the socket that a killed service left, and the next service replaces it")
    func staleSocket() async throws {
        let folder = try ServiceFolder()
        let program = try await RunningProgram(in: folder.url)
        let storage = folder.url.appending(path: "fencepost.sqlite").path
        await program.killHard()
        #expect(FileManager.default.fileExists(atPath: storage + ".sock"))
        #expect(try CommandRun.run(["token", "list", "--storage", storage], input: "").status == 0)
        let again = try await RunningProgram(in: folder.url)
        let list = try CommandRun.run(["token", "list", "--storage", storage, "--json"], input: "")
        #expect(list.status == 0 && list.output.split(separator: "\n").count == 1, "\(list.errors)")
        #expect(await again.stop() == 0)
    }

    @Test("create no database, except import and token create with --storage")
    func createsNothing() throws {
        let folder = try ServiceFolder()
        let storage = folder.url.appending(path: "none.sqlite").path
        let config = try folder.write("config.json", "{\"storage\":{\"path\":\"none.sqlite\"}}")
        for arguments in [
            ["token", "list"], ["token", "revoke", "tok_1"], ["replay"], ["doctor"], ["backup", "copy.sqlite"],
            ["quarantine", "release"],
        ] {
            for options in [["--storage", storage], ["--config", config]] {
                let run = try CommandRun.run(arguments + options, input: "")
                #expect(run.status == 66, "\(arguments): \(run.errors)")
                #expect(run.errors.contains("none.sqlite"))
            }
        }
        let create = ["token", "create", "--name", "n", "--scope", "admin"]
        #expect(try CommandRun.run(create, input: "").status == 66)
        #expect(try CommandRun.run(create + ["--config", config], input: "").status == 66)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["config.json"])
        #expect(try CommandRun.run(create + ["--storage", storage], input: "").status == 0)
        #expect(FileManager.default.fileExists(atPath: storage))
    }
}
