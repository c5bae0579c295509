import Foundation
import Testing

@Suite("A full disk", .serialized) struct DiskTests {
    /// A file system of a few megabytes that is unmounted with its owner.
    private final class SmallDisk: Sendable {
        let url: URL

        init?(in folder: URL, megabytes: Int) throws {
            url = folder.appending(path: "small")
            try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
            guard Self.run("mount", "-t", "tmpfs", "-o", "size=\(megabytes)m", "tmpfs", url.path) else { return nil }
        }

        deinit { _ = Self.run("umount", "-l", url.path) }

        private static func run(_ arguments: String...) -> Bool {
            let process = Process()
            process.executableURL = URL(filePath: "/usr/bin/env")
            process.arguments = arguments
            process.standardError = FileHandle.nullDevice
            guard (try? process.run()) != nil else { return false }
            process.waitUntilExit()
            return process.terminationStatus == 0
        }
    }

    /// The test needs the right to mount a file system.
    private static let mayMount = geteuid() == 0

    @Test(
        "causes status 503 until there is space again, and loses no accepted fix",
        .enabled(if: mayMount, "needs the right to mount a small file system"))
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

        let filler = disk.url.appending(path: "filler")
        try Data().write(to: filler)
        let handle = try FileHandle(forWritingTo: filler)
        let block = Data(count: 1 << 16)
        while (try? handle.write(contentsOf: block)) != nil {}
        try? handle.close()

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
