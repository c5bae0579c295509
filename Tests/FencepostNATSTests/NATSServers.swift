import FencepostNATS
import FencepostTesting
import Foundation
import Testing

#if canImport(Glibc)
    import Glibc
#endif

/// One NATS server, or three as a cluster, on free ports of the loopback, with every write synced.
final class NATSServers {
    /// `make nats-server` installs it; `FENCEPOST_NATS_SERVER` names another.
    static let program: String? = {
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
        let own = folder.appending(path: "../../.build/nats/bin/nats-server")
        let named = ProcessInfo.processInfo.environment["FENCEPOST_NATS_SERVER"].map { [$0] } ?? []
        let program = (named + [own.standardizedFileURL.path, "/usr/local/bin/nats-server"])
            .first { FileManager.default.isExecutableFile(atPath: $0) }
        if program == nil { print("Skipped: tests with NATS. `make nats-server` installs what they need.") }
        return program
    }()

    let ports: [Int]
    private let routes: [Int]
    private let folder: URL
    private var processes: [Process?]

    init(count: Int) throws {
        ports = try (0..<count).map { _ in try Self.freePort() }
        routes = try (0..<count).map { _ in try Self.freePort() }
        processes = Array(repeating: nil, count: count)
        folder = FileManager.default.temporaryDirectory.appending(path: "fencepost-nats-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for index in 0..<count { try start(index) }
    }

    deinit {
        for index in processes.indices { stop(index) }
        try? FileManager.default.removeItem(at: folder)
    }

    var urls: [String] { ports.map { "nats://127.0.0.1:\($0)" } }

    func start(_ index: Int) throws {
        let others = routes.map { "nats://127.0.0.1:\($0)" }.joined(separator: ", ")
        let cluster = "cluster { name: test, listen: 127.0.0.1:\(routes[index]), routes: [\(others)] }"
        let lines = [
            "server_name: n\(index)", "listen: 127.0.0.1:\(ports[index])",
            "jetstream { store_dir: \"\(folder.path)/\(index)\", max_file: 1G, sync_interval: always }",
            ports.count > 1 ? cluster : "",
        ]
        let file = folder.appending(path: "\(index).conf")
        try Data(lines.joined(separator: "\n").utf8).write(to: file)
        let process = Process()
        process.executableURL = URL(filePath: try #require(Self.program))
        process.arguments = ["-c", file.path, "-l", folder.appending(path: "\(index).log").path]
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        processes[index] = process
    }

    /// Kills a server without a word to anybody.
    func stop(_ index: Int) {
        guard let process = processes[index] else { return }
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        processes[index] = nil
    }

    /// Pauses or continues a server.
    func pause(_ index: Int, _ isPaused: Bool) {
        guard let process = processes[index] else { return }
        kill(process.processIdentifier, isPaused ? SIGSTOP : SIGCONT)
    }

    /// A connection, once the servers listen and JetStream has a leader.
    func connect() async throws -> NATSConnection {
        var failure: (any Error)?
        for _ in 0..<300 {
            do {
                let connection = try await NATSConnection.connect(NATSSettings(servers: urls))
                _ = try await connection.apiLevel()
                return connection
            } catch { failure = error }
            try await Task.sleep(for: .milliseconds(100))
        }
        throw try #require(failure)
    }

    /// Prepares a stream, once enough servers are there to hold it.
    func prepare(_ stream: NATSStream, on connection: NATSConnection) async throws {
        for _ in 0..<100 {
            do throws(NATSError) {
                return try await stream.prepare(on: connection)
            } catch .otherSettings(let text) {
                throw NATSError.otherSettings(text)
            } catch {
                try await Task.sleep(for: .milliseconds(200))
            }
        }
        try await stream.prepare(on: connection)
    }

    private static func freePort() throws -> Int {
        for _ in 0..<100 {
            let port = Int.random(in: 20_000..<32_000)
            let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            defer { close(descriptor) }
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = UInt16(port).bigEndian
            address.sin_addr.s_addr = inet_addr("127.0.0.1")
            let status = withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
            if status == 0 { return port }
        }
        throw NATSError.unavailable("there is no free port")
    }
}
