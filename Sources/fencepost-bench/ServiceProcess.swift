import Foundation

/// A service process on this machine with an empty storage, stopped by `stop()`.
final class ServiceProcess {
    let port: UInt16
    let token: String
    private let process: Process
    private let folder: URL

    private struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// Starts the service with an empty storage and waits until it answers.
    ///
    /// - Parameters:
    ///   - program: the path of `fencepost`.
    ///   - core: the core it runs on, so the generator has the others.
    /// - Throws: if the program cannot be started, prints no token, or does not answer within 10 seconds.
    init(program: String, core: Int) throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "fencepost-bench-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        port = UInt16.random(in: 20_000..<30_000)
        process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["taskset", "-c", String(core), program, "serve", "--port", String(port)]
        process.currentDirectoryURL = folder
        // `delay` needs webhooks to this machine.
        process.environment = ProcessInfo.processInfo.environment.merging(
            [
                "FENCEPOST_WEBHOOKS_ALLOW_HTTP": "true",
                "FENCEPOST_WEBHOOKS_ALLOWED_NETWORKS": "127.0.0.0/8",
            ], uniquingKeysWith: { $1 })
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        // A service with an empty storage prints its token first.
        var text = ""
        var found: Substring?
        while found == nil {
            let bytes = output.fileHandleForReading.availableData
            guard !bytes.isEmpty else { throw Failure(description: "\(program) serve ended without a token") }
            text += String(decoding: bytes, as: UTF8.self)
            found = text.firstMatch(of: /fp_[0-9A-Za-z_-]+\b(?=\s)/)?.output
        }
        token = String(found ?? "")
        try awaitListening()
    }

    private func awaitListening() throws {
        for _ in 0..<200 {
            var connection = LoopbackConnection(port: port)
            let request = "GET /healthz HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n"
            if (try? connection.exchange(Array(request.utf8)))?.status == 200 { return connection.end() }
            usleep(50_000)
        }
        throw Failure(description: "the service does not answer on port \(port)")
    }

    func stop() {
        process.terminate()
        process.waitUntilExit()
        try? FileManager.default.removeItem(at: folder)
    }
}
