public import Foundation

#if canImport(Glibc)
    import Glibc
#endif

/// A mosquitto of the test's own, on a free port of the loopback.
public final class Broker: Sendable {
    /// What went wrong with the broker.
    public struct Failure: Error {
        /// In a few words.
        public let reason: String
    }

    /// The path of mosquitto; `nil` where it is not installed.
    public static let program = ["/usr/sbin/mosquitto", "/usr/local/sbin/mosquitto", "/opt/homebrew/sbin/mosquitto"]
        .first { FileManager.default.isExecutableFile(atPath: $0) }

    /// The port on the loopback.
    public let port: Int
    /// Its files.
    public let folder: URL
    private let process = Process()

    /// Starts a broker; `configuration` has lines in place of `allow_anonymous true`.
    ///
    /// - Throws: when mosquitto is not installed or does not listen within five seconds.
    public init(port: Int? = nil, configuration: [String] = ["allow_anonymous true"]) throws {
        guard let program = Self.program else { throw Failure(reason: "mosquitto is not installed") }
        self.port = try port ?? Socket.freePort()
        folder = FileManager.default.temporaryDirectory.appending(path: "fencepost-mqtt-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let lines = ["listener \(self.port) 127.0.0.1"] + configuration + ["persistence false"]
        let root = getuid() == 0 ? ["user root"] : []
        let file = folder.appending(path: "mosquitto.conf")
        try Data((lines + root).joined(separator: "\n").appending("\n").utf8).write(to: file)
        process.executableURL = URL(filePath: program)
        process.arguments = ["-c", file.path]
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        // It takes some milliseconds to listen, which only a connection attempt shows.
        for _ in 0..<500 {
            if (try? Socket(port: self.port)) != nil { return }
            usleep(10_000)
        }
        throw Failure(reason: "mosquitto does not listen")
    }

    deinit {
        stop()
        try? FileManager.default.removeItem(at: folder)
    }

    /// Kills it.
    public func stop() {
        guard process.isRunning else { return }
        // Threads of a test hold off signals, and so does what they start; this one cannot be held off.
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    /// Publishes and waits until the broker has it.
    ///
    /// - Throws: when the broker refuses it or its connection fails.
    public func publish(_ topic: String, _ payload: String, qos: UInt8 = 1, isRetained: Bool = false) throws {
        let socket = try Socket(port: port)
        // MQTT 3.1.1, clean session, 60 s, no id.
        try socket.send(kind: 0x10, [0, 4] + Array("MQTT".utf8) + [4, 2, 0, 60, 0, 0])
        guard try socket.receive(4) == [0x20, 2, 0, 0] else { throw Failure(reason: "the broker refuses the client") }
        let head: [UInt8] = [UInt8(topic.utf8.count >> 8), UInt8(topic.utf8.count & 255)] + Array(topic.utf8)
        let id: [UInt8] = qos > 0 ? [0, 1] : []
        try socket.send(kind: 0x30 | qos << 1 | (isRetained ? 1 : 0), head + id + Array(payload.utf8))
        if qos > 0, try socket.receive(4) != [0x40, 2, 0, 1] { throw Failure(reason: "no PUBACK") }
        try socket.send(kind: 0xE0, [])
    }
}

/// A connection to the loopback.
public final class Socket {
    /// A call of the system failed.
    public struct Failure: Error {}

    private let descriptor: Int32

    /// Connects to a port.
    public init(port: Int) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0, Socket.with(port: port, { connect(descriptor, $0, $1) }) == 0 else {
            close(descriptor)
            throw Failure()
        }
    }

    /// Listens, and never answers.
    public init(listeningOn port: Int) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0, Socket.with(port: port, { bind(descriptor, $0, $1) }) == 0, listen(descriptor, 5) == 0
        else {
            close(descriptor)
            throw Failure()
        }
    }

    deinit { close(descriptor) }

    /// Waits for somebody to connect, and lets them be.
    public func accept() throws {
        guard Glibc.accept(descriptor, nil, nil) >= 0 else { throw Failure() }
    }

    /// A port that nobody listens on, below those that the system assigns to clients.
    public static func freePort() throws -> Int {
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
    public func send(kind: UInt8, _ body: [UInt8]) throws {
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

    /// Waits for so many bytes.
    public func receive(_ count: Int) throws -> [UInt8] {
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
