import Foundation
import Testing

/// Many regions are written in parts before the transaction that activates them. A crash in between must change
/// nothing.
@Suite("A service killed while many regions change", .serialized) struct ChangeCrashTests {
    /// A collection of circles. Their ids end in these numbers, and their radius identifies the change.
    private static func regions(_ numbers: Range<Int>, radius: Int) -> String {
        let features = numbers.map { number in
            """
            {"type":"Feature","id":"r\(number)","geometry":{"type":"Point","coordinates":[2.\(100 + number),48.\(number % 8)]},\
            "properties":{"radius":\(radius)}}
            """
        }
        return "{\"type\":\"FeatureCollection\",\"features\":[\(features.joined(separator: ","))]}"
    }

    private static func radii(_ client: Client) async throws -> [String: Int] {
        // The service accepts requests before it has read its state, and a test cannot wait for events of another
        // process.
        while try await client.request("GET", "/readyz").status != 200 { try await Task.sleep(for: .milliseconds(10)) }
        var radii: [String: Int] = [:]
        for region in try await client.all("/v1/regions") {
            let properties = region["properties"] as? [String: Any]
            radii[region["id"] as? String ?? ""] = properties?["radius"] as? Int
        }
        return radii
    }

    @Test(
        "has the whole change or nothing of it",
        arguments: [("evaluated", false), ("staged", false), ("changed", true), ("none", true)])
    func ends(point: String, isMade: Bool) async throws {
        let folder = try ServiceFolder()
        var program = try await RunningProgram(in: folder.url)
        let token = try #require(program.firstToken)
        var client = Client(port: program.port, token: token)
        let body = Self.regions(0..<400, radius: 100)
        #expect(try await client.request("POST", "/v1/regions", body: body).status == 200)
        // A device is inside, so a state changes with the regions.
        let fix = "{\"deviceId\":\"a\",\"timestamp\":1772000000,\"latitude\":48.0,\"longitude\":2.100}\n"
        let first = try await client.request("POST", "/v1/locations", body: fix, type: "application/x-ndjson")
        #expect(first.status == 200)
        await program.killHard()

        program = try await RunningProgram(in: folder.url, environment: ["FENCEPOST_CRASH_AT": "\(point):1"])
        client = Client(port: program.port, token: token)
        let change = Self.regions(200..<700, radius: 200)
        if point == "evaluated" {
            // At a random moment while the regions are written.
            let (one, other) = (client, client)
            async let answer = one.request("POST", "/v1/regions", body: change)
            _ = try? await other.request("POST", "/v1/locations", body: fix, type: "application/x-ndjson")
            _ = try? await answer
        } else {
            let answer = try? await client.request("POST", "/v1/regions", body: change)
            #expect((answer?.status == 200) == (point == "none"))
        }
        if point == "none" { await program.killHard() }
        #expect(await program.waitForEnd() == SIGKILL)

        var old: [String: Int] = [:]
        for number in 0..<400 { old["r\(number)"] = 100 }
        var new = old
        for number in 200..<700 { new["r\(number)"] = 200 }
        for life in 1...2 {
            program = try await RunningProgram(in: folder.url)
            client = Client(port: program.port, token: token)
            let radii = try await Self.radii(client)
            #expect(radii == (isMade ? new : old) || point == "evaluated" && radii == new, "life \(life)")
            let events = try await client.all("/v1/events?deviceId=a")
            #expect(events.compactMap { $0["type"] as? String } == ["region.entered"])
            // The database is consistent.
            if life == 1 { await program.killHard() } else { #expect(await program.stop() == 0) }
        }
    }
}
