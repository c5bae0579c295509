import Foundation
import Testing

@Suite("A full disk", .serialized) struct DiskTests {
    @Test(
        "causes status 503 until there is space again, and loses no accepted fix",
        .enabled(if: SmallDisk.mayMount, "needs the right to mount a small file system"))
    func recovers() async throws {
        let folder = try ServiceFolder()
        guard let disk = try SmallDisk(in: folder.url, megabytes: 12) else {
            return print("skipped: no file system could be mounted")
        }
        let program = try await RunningProgram(in: disk.url)
        let client = Client(port: program.port, token: try #require(program.firstToken))
        let now = Int(Date().timeIntervalSince1970)
        func post(_ number: Int) async throws -> Client.Answer {
            try await client.request(
                "POST", "/v1/locations",
                body:
                    "{\"deviceId\":\"d\",\"timestamp\":\(now - 10_000 + number),\"lat\":1,\"lon\":\(Double(number) / 1000)}\n",
                type: "application/x-ndjson")
        }
        var acknowledged = 0
        for number in 0..<5 where try await post(number).status == 200 { acknowledged += 1 }
        #expect(acknowledged == 5)

        let filler = try disk.fill()

        var number = 5
        var refused: Client.Answer?
        while refused == nil, number < 400 {
            let answer = try await post(number)
            number += 1
            if answer.status == 200 { acknowledged += 1 } else { refused = answer }
        }
        #expect(refused?.status == 503, "\(refused?.text ?? "never refused")")
        #expect(refused?.headers["retry-after"] != nil)
        #expect(refused?.headers["content-type"]?.hasPrefix("application/problem+json") == true)
        #expect(try await client.request("GET", "/v1/devices").status == 200)
        #expect(try await client.request("GET", "/readyz").status == 503)
        #expect(try await client.request("GET", "/healthz").status == 200)

        try FileManager.default.removeItem(at: filler)
        let end = ContinuousClock.now + .seconds(20)
        while ContinuousClock.now < end {
            let answer = try await post(number)
            number += 1
            if answer.status == 200 {
                acknowledged += 1
                break
            }
            try await Task.sleep(for: .milliseconds(100))
        }
        #expect(try await client.request("GET", "/readyz").status == 200)
        let stored = try await client.all("/v1/locations?deviceId=d")
        #expect(stored.count == acknowledged)
        #expect(await program.stop() == 0)
        let doctor = try CommandRun.run(
            [
                "doctor", "--config",
                try folder.write("c.json", "{\"storage\":{\"path\":\"\(disk.url.path)/fencepost.sqlite\"}}"),
            ],
            input: "")
        #expect(doctor.status == 0, "\(doctor.output)")
    }
}
