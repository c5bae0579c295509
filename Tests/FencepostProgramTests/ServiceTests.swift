import FencepostModel
import Foundation
import Testing

/// Tests of the whole program: start, HTTP API, reload and shutdown.
@Suite("The service", .serialized) struct ServiceTests {
    private static let square = """
        {"type":"Feature","id":"office","properties":{"name":"Office","tags":["work"]},
         "geometry":{"type":"Polygon","coordinates":[[[2.34,48.84],[2.36,48.84],[2.36,48.86],[2.34,48.86],[2.34,48.84]]]}}
        """

    private static func time(_ secondsAgo: Int) -> Int { Int(Date().timeIntervalSince1970) - secondsAgo }

    /// Waits for an effect of another process.
    private static func eventually(_ what: String, _ isSo: () async throws -> Bool) async throws {
        let end = ContinuousClock.now + .seconds(20)
        while ContinuousClock.now < end {
            if try await isSo() { return }
            try await Task.sleep(for: .milliseconds(20))
        }
        Issue.record("\(what) did not happen")
    }

    @Test("reports the events of a track in the list, on the stream and by a signed webhook")
    func newcomer() async throws {
        let folder = try ServiceFolder()
        let receiver = try await WebhookReceiver()
        let program = try await RunningProgram(
            in: folder.url,
            environment: [
                "FENCEPOST_WEBHOOKS_ALLOW_HTTP": "true", "FENCEPOST_WEBHOOKS_ALLOWED_NETWORKS": "127.0.0.0/8",
                "FENCEPOST_MONITOR_CROSSING": "raw",
            ])
        let client = Client(port: program.port, token: try #require(program.firstToken))
        let made = try await client.request(
            "POST", "/v1/regions", body: Self.square, type: "application/geo+json")
        #expect(made.status == 201, "\(made.text)")
        let endpoint = try await client.request(
            "POST", "/v1/endpoints",
            body: "{\"url\":\"http://127.0.0.1:\(receiver.port)/hook\",\"events\":[\"region.*\"]}")
        #expect(endpoint.status == 201, "\(endpoint.text)")
        let secret = try #require(endpoint.object["secret"] as? String)

        let owntracks = """
            {"_type":"location","tid":"ph","lat":48.85,"lon":2.35,"acc":8,"tst":\(Self.time(120)),"vel":3,"batt":80,"t":"u"}
            """
        let first = try await client.request(
            "POST", "/ingest/owntracks", body: owntracks, headers: ["X-Limit-U": "jane", "X-Limit-D": "phone"])
        #expect(first.status == 200 && first.text == "[]", "\(first.text)")
        let overland = """
            {"locations":[{"type":"Feature","geometry":{"type":"Point","coordinates":[2.4,48.9]},
             "properties":{"timestamp":"\(Date(timeIntervalSince1970: Double(Self.time(60))).ISO8601Format())",
             "horizontal_accuracy":5,"speed":-1,"device_id":"jane/phone"}}]}
            """
        let second = try await client.request("POST", "/ingest/overland", body: overland)
        #expect(second.status == 200 && second.object["result"] as? String == "ok", "\(second.text)")

        let events = try await client.all("/v1/events?deviceId=jane%2Fphone&type=region.*")
        #expect(events.compactMap { $0["type"] as? String } == ["region.entered", "region.exited"])
        let stream = try await client.firstEvents(2, of: "/v1/stream?lastEventId=0&type=region.*")
        #expect(stream.map { $0["id"] as? String } == events.map { $0["id"] as? String })

        try await Self.eventually("two webhooks") { receiver.received.count == 2 }
        let message = try #require(receiver.received.first)
        // The endpoint does not ask for order.
        #expect(receiver.received.map(\.id).sorted() == events.compactMap { $0["id"] as? String }.sorted())
        let verified = try CommandRun.run(
            [
                "webhook", "verify", "--secret", secret, "--id", message.id, "--timestamp",
                message.headers["webhook-timestamp"] ?? "", "--signature", message.headers["webhook-signature"] ?? "",
            ], input: message.body)
        #expect(verified.status == 0, "\(verified.errors)")
        let forged = try CommandRun.run(
            [
                "webhook", "verify", "--secret", secret, "--id", message.id, "--timestamp",
                message.headers["webhook-timestamp"] ?? "", "--signature", message.headers["webhook-signature"] ?? "",
            ], input: message.body + " ")
        #expect(forged.status == 1)

        // One version, wherever it is reported.
        let version = FencepostVersion.current
        #expect(message.headers["user-agent"] == "Fencepost/\(version)")
        #expect(try await client.request("GET", "/v1/version").object["version"] as? String == version)
        let description = try await client.request("GET", "/openapi.json").object["info"] as? [String: Any]
        #expect(description?["version"] as? String == version)
        let metrics = try await client.request("GET", "/metrics").text
        #expect(metrics.contains("fencepost_build_info{version=\"\(version)\"}"))
        #expect(try CommandRun.run(["--version"], input: "").output == version + "\n")
        #expect(await program.stop() == 0)
        try await receiver.close()
    }

    @Test("reloads its configuration on SIGHUP, and keeps the old one when the new one is invalid")
    func reloads() async throws {
        let folder = try ServiceFolder()
        let config = try folder.write("config.json", #"{"regions":["regions.geojson"],"server":{"port":8080}}"#)
        _ = try folder.write("regions.geojson", Self.square)
        let program = try await RunningProgram(in: folder.url, arguments: ["--config", config])
        let client = Client(port: program.port, token: try #require(program.firstToken))
        func ids() async throws -> [String] { try await client.all("/v1/regions").compactMap { $0["id"] as? String } }
        try await Self.eventually("the first region") { try await ids() == ["office"] }

        _ = try folder.write("regions.geojson", Self.square.replacing("\"office\"", with: "\"home\""))
        program.reload()
        try await Self.eventually("the other region") { try await ids() == ["home"] }

        _ = try folder.write("config.json", #"{"regions":["none.geojson"],"server":{"prot":1}}"#)
        program.reload()
        try await Self.eventually("the complaint") { program.logText.contains("did you mean \\\"port\\\"") }
        try await Self.eventually("the old one's stay") { program.logText.contains("the old one stays in effect") }
        #expect(try await ids() == ["home"])

        // Changes over HTTP stay while the file is unchanged.
        _ = try folder.write("config.json", #"{"regions":["regions.geojson"],"storage":{"durability":"relaxed"}}"#)
        #expect(try await client.request("DELETE", "/v1/regions/home").status == 204)
        program.reload()
        try await Self.eventually("the reload") {
            program.logText.contains("configuration reloaded\",\"logger\":\"fencepost\",\"changes\":0")
        }
        #expect(program.logText.contains("\"key\":\"/storage/durability\""))
        #expect(try await ids() == [])

        func zone() async throws -> String? {
            try await client.request("GET", "/v1/access").object["timeZone"] as? String
        }
        #expect(try await zone() == nil)
        _ = try folder.write("config.json", #"{"regions":["regions.geojson"],"timeZone":"Asia/Kolkata"}"#)
        program.reload()
        try await Self.eventually("the time zone") { try await zone() == "Asia/Kolkata" }
        #expect(await program.stop() == 0)
    }

    @Test(
        "rejects a second process on its database or port, without affecting the first",
        // Of several partitions none has the name of the database.
        .enabled(if: TestCluster.partitions == "1"))
    func excludes() async throws {
        let folder = try ServiceFolder()
        let program = try await RunningProgram(in: folder.url)
        let storage = folder.url.appending(path: "fencepost.sqlite").path
        let second = try CommandRun.run(["serve", "--port", "0", "--storage", storage], input: "")
        #expect(second.status == 75, "\(second.errors)")
        #expect(second.errors.contains("\(storage)"))
        let other = folder.url.appending(path: "other.sqlite").path
        let third = try CommandRun.run(["serve", "--port", "\(program.port)", "--storage", other], input: "")
        #expect(third.status == 69, "\(third.errors)")
        #expect(third.errors.contains("port \(program.port)"))
        let client = Client(port: program.port, token: try #require(program.firstToken))
        #expect(try await client.request("GET", "/v1/devices").status == 200)
        #expect(await program.stop() == 0)
    }

    @Test("imports files once while no server runs, and replays to the same events")
    func imports() async throws {
        let folder = try ServiceFolder()
        let storage = folder.url.appending(path: "fencepost.sqlite").path
        let config = try folder.write(
            "config.json", "{\"regions\":[\"regions.geojson\"],\"storage\":{\"path\":\"\(storage)\"}}")
        _ = try folder.write("regions.geojson", Self.square)
        var track = "time,lat,lon,acc\n"
        for step in 0..<60 {
            let longitude = 2.30 + Double(step) * 0.002
            track += "\(1_772_353_800 + step * 30),48.85,\(longitude),8\n"
        }
        track += "never,1,1,1\n"
        let file = try folder.write("walk.csv", track)
        let dry = try CommandRun.run(["import", "--config", config, "--dry-run", file], input: "")
        #expect(dry.status == 0, "\(dry.errors)")
        #expect(!FileManager.default.fileExists(atPath: storage))
        for (stored, duplicates) in [(60, 0), (0, 60)] {
            let run = try CommandRun.run(["import", "--config", config, "--device", "me", file], input: "")
            #expect(run.status == 0, "\(run.errors)")
            let line = try #require(
                try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any])
            #expect(line["stored"] as? Int == stored)
            #expect(line["duplicates"] as? Int == duplicates)
            let rejected = try #require(line["rejected"] as? [[String: Any]])
            #expect(rejected.first?["line"] as? Int == 62)
            #expect(rejected.first?["code"] as? String == "invalid_timestamp")
        }
        let broken = try folder.write("broken.gpx", "<gpx><trk><trkseg><trkpt lat=\"1\" lon=\"2\">")
        #expect(try CommandRun.run(["import", "--config", config, broken], input: "").status == 65)
        let replay = try CommandRun.run(["replay", "--config", config], input: "")
        #expect(replay.status == 0, "\(replay.output)\(replay.errors)")
        #expect(replay.errors.contains("60 fixes"))
        let doctor = try CommandRun.run(["doctor", "--config", config], input: "")
        #expect(doctor.status == 0, "\(doctor.output)\(doctor.errors)")
    }

    @Test("logs no secrets and no positions", arguments: ["info", "debug"])
    func canaries(level: String) async throws {
        let folder = try ServiceFolder()
        let config = try folder.write(
            "config.json",
            """
            {"mqtt":{"host":"127.0.0.1","port":1,"username":"canary-name","password":"canary-password"},
             "endpoints":[{"id":"one","url":"https://127.0.0.1:1/","secret":"whsec_Y2FuYXJ5LWNhbmFyeS1jYW5hcnktY2FuYXJ5"}]}
            """)
        let program = try await RunningProgram(
            in: folder.url, arguments: ["--config", config], environment: ["FENCEPOST_LOG_LEVEL": level])
        let token = try #require(program.firstToken)
        let client = Client(port: program.port, token: token)
        let latitude = "48.8512345", longitude = "2.3554321"
        _ = try await client.request(
            "POST", "/ingest/owntracks",
            body: """
                {"_type":"location","lat":\(latitude),"lon":\(longitude),"tst":\(Self.time(5)),"SSID":"canary-network"}
                """)
        _ = try await client.request(
            "GET", "/ingest/osmand?id=c&lat=\(latitude)&lon=\(longitude)&token=\(token)&secret=canary-query")
        _ = try await client.request("POST", "/v1/locations", body: "{\"canary-broken\": \(latitude)")
        _ = try await client.request("POST", "/v1/endpoints", body: #"{"url":"https://canary-user:pw@example.org"}"#)
        _ = await program.stop()
        let log = program.logText
        #expect(log.contains("\"route\":\"/v1/endpoints\""))
        for canary in [latitude, longitude, token, "canary", "Y2FuYXJ5", "Bearer"] {
            #expect(!log.contains(canary), "the log holds \(canary)")
        }
    }
}

/// A finished command of the program.
enum CommandRun {
    struct Result {
        let status: Int32
        let output: String
        let errors: String
    }

    static func run(_ arguments: [String], input: String) throws -> Result {
        let folder = try ServiceFolder()
        let names = ["in", "out", "err"].map { folder.url.appending(path: $0) }
        try Data(input.utf8).write(to: names[0])
        for name in names.dropFirst() { try Data().write(to: name) }
        let process = Process()
        process.executableURL = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
            .appending(path: "fencepost")
        process.arguments = arguments
        process.currentDirectoryURL = folder.url
        process.environment = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("FENCEPOST_") }
        process.standardInput = try FileHandle(forReadingFrom: names[0])
        process.standardOutput = try FileHandle(forWritingTo: names[1])
        process.standardError = try FileHandle(forWritingTo: names[2])
        try process.run()
        process.waitUntilExit()
        return Result(
            status: process.terminationStatus, output: try String(contentsOf: names[1], encoding: .utf8),
            errors: try String(contentsOf: names[2], encoding: .utf8))
    }
}
