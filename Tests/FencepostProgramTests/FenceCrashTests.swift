import Foundation
import Testing

/// A fence is a record of the log: what was answered is there after a crash, and its events are emitted once.
@Suite("A service killed around fences", .serialized) struct FenceCrashTests {
    private static func locations(_ minutes: Range<Int>, from start: Date, north: (Int) -> Double) -> String {
        minutes.map { minute in
            let time = Int(start.timeIntervalSince1970) + minute * 60
            let latitude = 48 + north(minute)
            return "{\"deviceId\":\"van\",\"timestamp\":\(time),\"latitude\":\(latitude),\"longitude\":2,"
                + "\"horizontalAccuracy\":8}\n"
        }.joined()
    }

    private static func client(_ program: RunningProgram, _ token: String) async throws -> Client {
        let client = Client(port: program.port, token: token)
        while try await client.request("GET", "/readyz").status != 200 { try await Task.sleep(for: .milliseconds(10)) }
        return client
    }

    @Test("keeps what it has answered, and raises one alarm", arguments: ["none", "evaluated", "committed"])
    func ends(point: String) async throws {
        let folder = try ServiceFolder()
        var program = try await RunningProgram(in: folder.url)
        let token = try #require(program.firstToken)
        var client = try await Self.client(program, token)
        let start = Date(timeIntervalSinceNow: -3600)
        func send(_ minutes: Range<Int>, north: (Int) -> Double = { Double($0 % 3) / 1e5 }) async throws {
            let body = Self.locations(minutes, from: start, north: north)
            _ = try? await client.request("POST", "/v1/locations", body: body, type: "application/x-ndjson")
        }
        try await send(0..<60)
        if point != "none" {
            await program.killHard()
            program = try await RunningProgram(in: folder.url, environment: ["FENCEPOST_CRASH_AT": "\(point):1"])
            client = try await Self.client(program, token)
        }
        let armed = try? await client.request("PUT", "/v1/devices/van/fence", body: "{}")
        if point == "none" { #expect(armed?.status == 200) }
        await program.killHard()
        program = try await RunningProgram(in: folder.url)
        client = try await Self.client(program, token)
        if point != "none" { _ = try await client.request("PUT", "/v1/devices/van/fence", body: "{}") }
        let state = try await client.request("GET", "/v1/devices/van/fence")
        #expect(state.status == 200 && state.text.contains("\"state\":\"armed\""))
        // It is towed in the minutes to come, and the service is killed after each location.
        for minute in 61..<65 {
            try await send(minute..<minute + 1) { Double($0 - 60) / 200 }
            await program.killHard()
            program = try await RunningProgram(in: folder.url)
            client = try await Self.client(program, token)
        }
        let types = try await client.all("/v1/events?deviceId=van&type=fence.*").compactMap { $0["type"] as? String }
        #expect(types.filter { $0 == "fence.broken" }.count == 1)
        #expect(types.first == "fence.armed" && types.last == "fence.broken")
        #expect(await program.stop() == 0)
    }
}
