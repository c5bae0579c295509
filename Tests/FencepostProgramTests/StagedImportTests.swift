import FencepostEngine
import FencepostModel
import FencepostMonitor
import FencepostRegionFiles
import FencepostRegions
import FencepostTesting
import Foundation
import NIOCore
import Testing

/// A large file is staged in the database and stored in parts: a crash or a full disk in between loses and doubles
/// nothing.
@Suite("An import in the background", .serialized) struct StagedImportTests {
    private static let configuration = """
        {"regions":["regions.geojson"],"monitor":{"crossing":"raw"},"visits":{"enabled":false}}
        """
    private static let square = """
        {"type":"Feature","id":"square","properties":{},"geometry":{"type":"Polygon","coordinates":\
        [[[2.35,48.84],[2.37,48.84],[2.37,48.86],[2.35,48.86],[2.35,48.84]]]}}
        """

    private static func fixes(_ count: Int) -> [Location] {
        let start = Timestamp(seconds: Int64(Date().timeIntervalSince1970) - 400 * 86_400)
        var phone = CrashTests.Phone(id: "phone", random: SeededGenerator(seed: 7), time: start)
        return (0..<count).map { _ in phone.next() }
    }

    private static func ready(_ client: Client) async throws {
        // The service accepts requests before it has read its state.
        while try await client.request("GET", "/readyz").status != 200 { try await Task.sleep(for: .milliseconds(10)) }
    }

    /// Waits until the only import of the service is in one of these states.
    private static func job(_ client: Client, in states: Set<String>) async throws -> [String: Any] {
        for _ in 0..<6000 {
            if let jobs = try? await client.request("GET", "/v1/imports").data, let job = jobs.first,
                states.contains(job["state"] as? String ?? "")
            {
                return job
            }
            try await Task.sleep(for: .milliseconds(10))
        }
        Issue.record("no import in the states \(states.sorted())")
        return [:]
    }

    /// Compares locations and events with an engine that got the fixes once, in order.
    private static func compare(_ client: Client, _ fixes: [Location]) async throws {
        let stored = try await client.all("/v1/locations?deviceId=phone").compactMap { $0["timestamp"] as? String }
        #expect(stored == fixes.map(\.timestamp.rfc3339))
        var settings = MonitorSettings()
        (settings.crossing, settings.visits) = (.raw, nil)
        let regions = RegionFile.read(Array(square.utf8), name: "square", options: .stored).regions
        var engine = MonitorEngine(RegionIndex(RegionCatalog(regions)), settings: settings)
        var expected: [String] = []
        for fix in fixes {
            _ = try engine.accept(fix) { expected.append("\($0.timestamp.rfc3339) \($0.occurrence.type.rawValue)") }
        }
        let events = try await client.all("/v1/events?deviceId=phone&history=all")
        #expect(events.map { "\($0["timestamp"] ?? "") \($0["type"] ?? "")" } == expected)
        #expect(!expected.isEmpty)
    }

    @Test(
        "survives kill -9 after any of its parts and in its evaluation",
        arguments: SeedShare.of([
            "sliceStored:1", "sliceStored:3", "sliceStored:6", "chunkEvaluated:1", "chunkApplied:2",
        ]))
    func killed(point: String) async throws {
        let folder = try ServiceFolder()
        _ = try folder.write("regions.geojson", Self.square)
        let config = try folder.write("config.json", Self.configuration)
        var program = try await RunningProgram(
            in: folder.url, arguments: ["--config", config], environment: ["FENCEPOST_CRASH_AT": point])
        let token = try #require(program.firstToken)
        let fixes = Self.fixes(12_000)
        let first = Client(port: program.port, token: token)
        // The service dies before it answers, so the file counts as sent only because it is staged.
        _ = try? await first.request(
            "POST", "/v1/imports?file=years.ndjson", body: CrashTests.text(fixes), type: "application/x-ndjson",
            timeout: .seconds(60))
        #expect(await program.waitForEnd(atMost: .seconds(60)) == SIGKILL)

        program = try await RunningProgram(in: folder.url, arguments: ["--config", config])
        let client = Client(port: program.port, token: token)
        try await Self.ready(client)
        let job = try await Self.job(client, in: ["done"])
        #expect(job["stored"] as? Int == 12_000 && job["duplicates"] as? Int == 0, "\(job)")
        try await Self.compare(client, fixes)
        // The same file once more changes nothing.
        let again = try await client.request(
            "POST", "/v1/imports?file=years.ndjson", body: CrashTests.text(fixes), type: "application/x-ndjson",
            timeout: .seconds(60))
        #expect(again.object["duplicates"] as? Int == 12_000, "\(again.text.prefix(300))")
        try await Self.compare(client, fixes)
        #expect(await program.stop() == 0)
        let storage = folder.url.appending(path: "fencepost.sqlite").path
        let doctor = try CommandRun.run(["doctor", "--storage", storage], input: "")
        #expect(doctor.status == 0, "\(doctor.output)")
    }

    @Test(
        "pauses on a full disk with what is done, and goes on when there is space",
        .enabled(if: SmallDisk.mayMount, "needs the right to mount a small file system"))
    func fullDisk() async throws {
        let folder = try ServiceFolder()
        guard let disk = try SmallDisk(in: folder.url, megabytes: 24) else {
            return print("skipped: no file system could be mounted")
        }
        _ = try folder.write("regions.geojson", Self.square)
        let config = try folder.write("config.json", Self.configuration)
        let program = try await RunningProgram(in: disk.url, arguments: ["--config", config])
        let client = Client(port: program.port, token: try #require(program.firstToken))
        let fixes = Self.fixes(60_000)
        let answer = try await client.request(
            "POST", "/v1/imports?file=years.ndjson", body: CrashTests.text(fixes), type: "application/x-ndjson",
            timeout: .seconds(120))
        #expect(answer.status == 202, "\(answer.text.prefix(300))")
        let filler = try disk.fill()
        let paused = try await Self.job(client, in: ["paused", "done"])
        #expect(paused["state"] as? String == "paused")
        #expect(paused["stored"] as? Int ?? 0 < 60_000)
        #expect(try await client.request("GET", "/healthz").status == 200)
        try FileManager.default.removeItem(at: filler)
        let job = try await Self.job(client, in: ["done"])
        #expect(job["stored"] as? Int == 60_000 && job["duplicates"] as? Int == 0, "\(job)")
        try await Self.compare(client, fixes)
        #expect(await program.stop() == 0)
    }
}
