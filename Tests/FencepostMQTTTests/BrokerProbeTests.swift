import FencepostMQTT
import FencepostService
import FencepostServiceTesting
import Foundation
import Testing

@Suite(
    "A test of a broker's settings", .serialized, .enabled(if: Broker.program != nil, "mosquitto is not installed"),
    .timeLimit(.minutes(2)))
struct BrokerProbeTests {
    private static func failure(
        _ port: Int, host: String = "127.0.0.1", within limit: Duration = .seconds(10),
        _ change: (inout MQTTSettings) -> Void = { _ in }
    ) async -> BrokerFailure.Reason? {
        var settings = MQTTSettings(host: host, port: port, clientID: "fencepost-test")
        change(&settings)
        return await BrokerProbe.failure(of: settings, within: limit)?.reason
    }

    /// The lines of a broker with one user.
    static func withPassword(in folder: URL) throws -> [String] {
        let file = folder.appending(path: "users")
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/mosquitto_passwd")
        process.arguments = ["-b", "-c", file.path, "fencepost", "right"]
        try process.run()
        process.waitUntilExit()
        return ["allow_anonymous false", "password_file \(file.path)"]
    }

    @Test("is passed by a broker that accepts the subscription, and leaves no session behind") func accepted()
        async throws
    {
        let broker = try Broker()
        #expect(await Self.failure(broker.port) == nil)
        // A session would have queued this message.
        try broker.publish("owntracks/jane/phone", "{}")
        let subscriber = try Socket(port: broker.port)
        let id = Array("fencepost-test".utf8)
        try subscriber.send(
            kind: 0x10, [0, 4] + Array("MQTT".utf8) + [4, 0, 0, 60, 0, UInt8(id.count)] + id)
        #expect(try subscriber.receive(4) == [0x20, 2, 0, 0], "the broker knows no session of it")
    }

    @Test("says that a broker refuses the name or the password") func refused() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "fencepost-users-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let broker = try Broker(configuration: Self.withPassword(in: folder))
        #expect(await Self.failure(broker.port) == .refused)
        #expect(await Self.failure(broker.port) { ($0.username, $0.password) = ("fencepost", "wrong") } == .refused)
        #expect(await Self.failure(broker.port) { ($0.username, $0.password) = ("fencepost", "right") } == nil)
    }

    @Test("says that there is no such host, or nothing at the port") func nowhere() async throws {
        #expect(await Self.failure(1883, host: "nowhere.invalid") == .noSuchHost)
        #expect(await Self.failure(try Socket.freePort()) == .unreachable)
    }

    @Test("says that TLS fails, or is wanted") func encrypted() async throws {
        let broker = try Broker()
        #expect(await Self.failure(broker.port) { $0.usesTLS = true } == .tls)
        let settings = MQTTSettings(host: "h", usesTLS: true, certificateFile: "/nowhere.pem")
        #expect(await BrokerProbe.failure(of: settings)?.reason == .invalid)
    }

    @Test("says that what answers is no broker, or that nothing answers in time") func others() async throws {
        let port = try Socket.freePort()
        let silent = try Socket(listeningOn: port)
        #expect(await Self.failure(port, within: .milliseconds(300)) == .timeout)
        // Closing it with a connection that waits resets that.
        withExtendedLifetime(silent) {}
        #expect(await Self.failure(try Web.port(), within: .seconds(5)) == .noBroker)
    }

    /// Something that closes each connection, as a web server does after a request that it does not understand.
    private enum Web {
        static func port() throws -> Int {
            let port = try Socket.freePort()
            let process = Process()
            process.executableURL = URL(filePath: "/usr/bin/env")
            process.arguments = [
                "python3", "-c",
                "import socket\ns=socket.create_server(('127.0.0.1',\(port)))\nfor _ in range(2):\n c,_=s.accept()\n c.recv(9)\n c.close()",
            ]
            try process.run()
            for _ in 0..<500 {
                // The first connection is this one.
                if let probe = try? Socket(port: port) {
                    try probe.send(kind: 0, [])
                    return port
                }
                usleep(10_000)
            }
            throw CocoaError(.fileReadUnknown)
        }
    }

    @Test("has a sentence with a cure for each failure", arguments: BrokerFailure.Reason.allCases)
    func sentences(reason: BrokerFailure.Reason) {
        let text = BrokerFailure(reason).description
        #expect(text.hasSuffix(".") && text.count > 20)
        #expect(BrokerFailure(reason, "why").description == "\(text) (why)")
    }
}
