import Foundation
import Testing

#if canImport(Glibc)
    import Glibc
#endif

/// A mosquitto of the test's own, on a free port of the loopback.
final class Broker {
    static let program = ["/usr/sbin/mosquitto", "/usr/local/sbin/mosquitto", "/opt/homebrew/sbin/mosquitto"]
        .first { FileManager.default.isExecutableFile(atPath: $0) }

    let port: Int
    let folder: URL
    private let process = Process()

    /// Starts a broker; `configuration` has lines in place of `allow_anonymous true`.
    init(port: Int? = nil, configuration: [String] = ["allow_anonymous true"]) throws {
        self.port = try port ?? Socket.freePort()
        folder = FileManager.default.temporaryDirectory.appending(path: "fencepost-mqtt-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let lines = ["listener \(self.port) 127.0.0.1"] + configuration + ["persistence false"]
        let root = getuid() == 0 ? ["user root"] : []
        let file = folder.appending(path: "mosquitto.conf")
        try Data((lines + root).joined(separator: "\n").appending("\n").utf8).write(to: file)
        process.executableURL = URL(filePath: try #require(Self.program))
        process.arguments = ["-c", file.path]
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        // It takes some milliseconds to listen, which only a connection attempt shows.
        for _ in 0..<500 {
            if (try? Socket(port: self.port)) != nil { return }
            usleep(10_000)
        }
        Issue.record("mosquitto does not listen")
    }

    deinit {
        stop()
        try? FileManager.default.removeItem(at: folder)
    }

    func stop() {
        guard process.isRunning else { return }
        // Threads of a test hold off signals, and so does what they start; this one cannot be held off.
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    /// Publishes and waits until the broker has it.
    func publish(_ topic: String, _ payload: String, qos: UInt8 = 1, isRetained: Bool = false) throws {
        let socket = try Socket(port: port)
        // MQTT 3.1.1, clean session, 60 s, no id.
        try socket.send(kind: 0x10, [0, 4] + Array("MQTT".utf8) + [4, 2, 0, 60, 0, 0])
        #expect(try socket.receive(4) == [0x20, 2, 0, 0])
        let head: [UInt8] = [UInt8(topic.utf8.count >> 8), UInt8(topic.utf8.count & 255)] + Array(topic.utf8)
        let id: [UInt8] = qos > 0 ? [0, 1] : []
        try socket.send(kind: 0x30 | qos << 1 | (isRetained ? 1 : 0), head + id + Array(payload.utf8))
        if qos > 0 { #expect(try socket.receive(4) == [0x40, 2, 0, 1]) }
        try socket.send(kind: 0xE0, [])
    }
}

/// A connection to the loopback.
final class Socket {
    struct Failure: Error {}

    private let descriptor: Int32

    init(port: Int) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0, Socket.with(port: port, { connect(descriptor, $0, $1) }) == 0 else {
            close(descriptor)
            throw Failure()
        }
    }

    /// Listens, and never answers.
    init(listeningOn port: Int) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0, Socket.with(port: port, { bind(descriptor, $0, $1) }) == 0, listen(descriptor, 5) == 0
        else {
            close(descriptor)
            throw Failure()
        }
    }

    deinit { close(descriptor) }

    /// Waits for somebody to connect, and lets them be.
    func accept() throws {
        guard Glibc.accept(descriptor, nil, nil) >= 0 else { throw Failure() }
    }

    /// A port that nobody listens on, below those that the system assigns to clients.
    static func freePort() throws -> Int {
        for _ in 0..<100 {
            let port = Int.random(in: 20_000..<32_000)
            if (try? Socket(listeningOn: port)) != nil { return port }
        }
        throw Failure()
    }

    private static func with(port: Int, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }

    /// An MQTT packet.
    func send(kind: UInt8, _ body: [UInt8]) throws {
        var length: [UInt8] = []
        var rest = body.count
        repeat {
            length.append(UInt8(rest % 128) | (rest >= 128 ? 128 : 0))
            rest /= 128
        } while rest > 0
        let bytes = [kind] + length + body
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 else { throw Failure() }
            sent += count
        }
    }

    func receive(_ count: Int) throws -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: count)
        while bytes.count < count {
            let read = recv(descriptor, &buffer, count - bytes.count, 0)
            guard read > 0 else { throw Failure() }
            bytes += buffer[..<read]
        }
        return bytes
    }
}

/// An authority of the test's own and a certificate for `localhost` that it has signed.
final class Certificates {
    static let program = ["/usr/bin/openssl", "/usr/local/bin/openssl"]
        .first { FileManager.default.isExecutableFile(atPath: $0) }

    private let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "fencepost-tls-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let extensions = folder.appending(path: "extensions")
        try Data("subjectAltName=DNS:localhost\n".utf8).write(to: extensions)
        let key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
        try run(["req", "-x509", "-subj", "/CN=authority", "-days", "2", "-keyout", "ca.key", "-out", "ca.pem"] + key)
        try run(["req", "-subj", "/CN=localhost", "-keyout", "server.key", "-out", "server.csr"] + key)
        try run([
            "x509", "-req", "-in", "server.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days", "2",
            "-extfile", extensions.path, "-out", "server.pem",
        ])
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    var authority: String { folder.appending(path: "ca.pem").path }

    /// Lines for a listener of mosquitto.
    var configuration: [String] {
        ["certfile", "keyfile"].map {
            "\($0) \(folder.appending(path: $0 == "certfile" ? "server.pem" : "server.key").path)"
        }
    }

    private func run(_ arguments: [String]) throws {
        let process = Process()
        process.executableURL = URL(filePath: try #require(Self.program))
        process.arguments = arguments
        process.currentDirectoryURL = folder
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0, "\(arguments)")
    }
}
