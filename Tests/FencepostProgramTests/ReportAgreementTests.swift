import FencepostTesting
import Foundation
import NIOCore
import Testing

/// The same locations in a file and in the service give the same figures.
@Suite("Reports of files and of the service", .serialized) struct ReportAgreementTests {
    @Test(
        "have the same time in regions, visits, trips and distances",
        arguments: [("device", "day"), ("region", "day"), ("device", "week"), ("region", "month")])
    func summaries(by grouping: String, period: String) async throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let track = root.appending(path: "Regions/tracks/day.ndjson")
        try await compare(track, regions: root.appending(path: "Regions").path, grouping, period)
    }

    @Test(
        "are the same for recorded tracks", .enabled(if: SharedData.isPresent, "no ../shared/data"),
        arguments: ["android-a-20150827.ndjson", "ios-b-20151106.ndjson", "posmo-switzerland.ndjson"])
    func tracks(_ name: String) async throws {
        try await compare(SharedData.file("tracks/\(name)"), regions: nil, "device", "day")
    }

    private func compare(_ track: URL, regions: String?, _ grouping: String, _ period: String) async throws {
        let folder = try ServiceFolder()
        // The service reads the locations in the order of time, as the file has them.
        let text = try String(contentsOf: track, encoding: .utf8)
        let environment = regions.map { ["FENCEPOST_REGIONS": $0] } ?? [:]
        let program = try await RunningProgram(in: folder.url, environment: environment)
        let client = Client(port: program.port, token: try #require(program.firstToken))
        let name = track.lastPathComponent
        let imported = try await client.request(
            "POST", "/v1/imports?file=\(name)", body: text, type: "application/octet-stream", timeout: .seconds(60))
        #expect([200, 202].contains(imported.status), "\(imported.text)")
        let first = try #require(text.firstMatch(of: /"(\d{4})-\d\d-\d\dT/)?.output.1)
        let query =
            "by=\(grouping)&period=\(period)&timeZone=Europe/Lisbon&from=\(first)-01-01T00:00:00Z"
            + "&to=\(first)-12-31T23:59:59Z"
        let csv = try await client.request("GET", "/v1/summaries?\(query)&format=csv")
        #expect(csv.status == 200, "\(csv.text)")
        let json = try await client.request("GET", "/v1/summaries?\(query)")
        let rows = json.data
        _ = await program.stop()

        let process = Process()
        process.executableURL = RunningProgram.executable
        process.arguments =
            [
                "report", "--by", grouping, "--period", period, "--time-zone", "Europe/Lisbon", "--output", "csv",
                "--quiet",
            ]
            + (regions.map { ["--regions", $0] } ?? []) + [track.path]
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        let printed = String(decoding: data, as: UTF8.self)
        #expect(process.terminationStatus == 0)
        #expect(printed == csv.text, "\(name)")
        #expect(printed.split(separator: "\n").count == rows.count + 1)
        #expect(rows.count > 0)
    }
}
