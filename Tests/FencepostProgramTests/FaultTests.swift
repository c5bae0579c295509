import Foundation
import Testing

/// Work that ends the process does not do so a third time.
@Suite("A service whose work ends the process", .serialized, .enabled(if: TestCluster.size == 1)) struct FaultTests {
    private static func line(_ device: String, _ second: Int) -> String {
        let time = Int(Date().timeIntervalSince1970) - 3600 + second
        return "{\"deviceId\":\"\(device)\",\"timestamp\":\(time),\"latitude\":48.85,\"longitude\":2.35}\n"
    }

    private static func post(_ client: Client, _ device: String, _ second: Int) async throws -> Int {
        try await client.request(
            "POST", "/v1/locations", body: line(device, second), type: "application/x-ndjson"
        ).status
    }

    private static func ready(_ client: Client) async throws {
        while (try? await client.request("GET", "/readyz").status) != 200 {
            try await Task.sleep(for: .milliseconds(10))
        }
    }

    @Test("sets the device aside after the second end, reports it, and takes it back when it is released")
    func arrival() async throws {
        let folder = try ServiceFolder()
        let fault = ["FENCEPOST_CRASH_AT": "fault:any:bus-1", "SWIFT_BACKTRACE": "enable=no"]
        var program = try await RunningProgram(in: folder.url)
        let token = try #require(program.firstToken)
        var client = Client(port: program.port, token: token)
        #expect(try await Self.post(client, "bus-1", 0) == 200)
        #expect(await program.stop() == 0)

        // A start that reads the device's state ends the process, and so does the next one.
        for _ in 0..<2 { await #expect(throws: (any Error).self) { try await Self.failing(folder, fault) } }
        program = try await RunningProgram(in: folder.url, environment: fault)
        client = Client(port: program.port, token: token)
        try await Self.ready(client)
        for second in 1...5 {
            #expect(try await Self.post(client, "bus-1", second) == 200)
            #expect(try await Self.post(client, "bus-2", second) == 200)
        }
        #expect(program.isRunning)
        let readiness = try await client.request("GET", "/readyz")
        #expect(readiness.status == 200 && readiness.object["status"] as? String == "degraded", "\(readiness.text)")
        let list = try await client.request("GET", "/v1/set-aside").data
        #expect(list.map { $0["id"] as? String } == ["bus-1"], "\(list)")
        #expect(try await client.all("/v1/locations?deviceId=bus-1").count == 6)
        #expect(try await client.request("GET", "/v1/devices/bus-2").status == 200)
        #expect(program.logText.contains("set aside"))
        let storage = folder.url.appending(path: "fencepost.sqlite").path
        let doctor = try CommandRun.run(["doctor", "--storage", storage], input: "")
        #expect(doctor.status == 1 && doctor.output.contains("bus-1 is set aside"), "\(doctor.output)")
        #expect(await program.stop() == 0)

        // Released without a service, it is evaluated by the next one, which has been mended.
        let release = try CommandRun.run(["doctor", "--storage", storage, "--release", "bus-1"], input: "")
        #expect(release.status == 0, "\(release.output) \(release.errors)")
        program = try await RunningProgram(in: folder.url)
        client = Client(port: program.port, token: token)
        try await Self.ready(client)
        while try await client.request("GET", "/v1/devices/bus-1").status != 200 {
            try await Task.sleep(for: .milliseconds(20))
        }
        #expect(try await client.request("GET", "/v1/set-aside").data.isEmpty)
        #expect(await program.stop() == 0)
        let healthy = try CommandRun.run(["doctor", "--storage", storage], input: "")
        #expect(healthy.status == 0, "\(healthy.output)")
    }

    @Test("sets a device aside whose late locations end the process, with the service that goes on")
    func history() async throws {
        let folder = try ServiceFolder()
        let fault = ["FENCEPOST_CRASH_AT": "fault:history:bus-1", "SWIFT_BACKTRACE": "enable=no"]
        var program = try await RunningProgram(in: folder.url, environment: fault)
        let token = try #require(program.firstToken)
        var client = Client(port: program.port, token: token)
        #expect(try await Self.post(client, "bus-1", 600) == 200)
        // It is acknowledged, and ends the process in the background.
        _ = try? await Self.post(client, "bus-1", 10)
        #expect(await program.waitForEnd(atMost: .seconds(30)) != 0)
        for _ in 0..<2 {
            if let next = try? await RunningProgram(in: folder.url, environment: fault) {
                program = next
                client = Client(port: program.port, token: token)
                if await !Self.lives(program, client) { continue }
                break
            }
        }
        #expect(program.isRunning)
        #expect(try await client.request("GET", "/v1/set-aside").data.map { $0["id"] as? String } == ["bus-1"])
        #expect(try await client.all("/v1/locations?deviceId=bus-1").count == 2)
        let answer = try await client.request("POST", "/v1/devices/bus-1/release")
        #expect(answer.status == 204)
        // The fault is still there: the count begins again, and the service lives after it.
        #expect(await program.waitForEnd(atMost: .seconds(30)) != 0)
    }

    /// Whether the process goes on for as long as an evaluation takes.
    private static func lives(_ program: RunningProgram, _ client: Client) async -> Bool {
        for _ in 0..<300 {
            if !program.isRunning { return false }
            if let list = try? await client.request("GET", "/v1/set-aside").data, !list.isEmpty { return true }
            try? await Task.sleep(for: .milliseconds(10))
        }
        return program.isRunning
    }

    private static func failing(_ folder: ServiceFolder, _ fault: [String: String]) async throws {
        let program = try await RunningProgram(in: folder.url, environment: fault)
        // It may listen for a moment before it has read the states.
        if await program.waitForEnd(atMost: .seconds(30)) != 0 { throw RunningProgram.StartFailure("", in: folder.url) }
    }
}
