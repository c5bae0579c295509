import FencepostGeometry
import FencepostModel
import FencepostWorkload
import Foundation
import Synchronization
import Testing

@Suite("RESP")
struct RESPTests {
    @Test("is read in whatever pieces it arrives", arguments: 1...9)
    func pieces(size: Int) throws {
        let text = "+OK\r\n-ERR no such key\r\n:-12\r\n$5\r\na\r\nbc\r\n$-1\r\n*2\r\n$0\r\n\r\n*1\r\n:7\r\n*-1\r\n"
        let bytes = Array(text.utf8)
        var reader = RESPReader()
        var values: [RESPValue] = []
        for start in stride(from: 0, to: bytes.count, by: size) {
            reader.append(bytes[start..<min(start + size, bytes.count)])
            while let value = try reader.next() { values.append(value) }
        }
        #expect(
            values == [
                .simple("OK"), .error("ERR no such key"), .integer(-12), .bulk("a\r\nbc"), .bulk(nil),
                .array([.bulk(""), .array([.integer(7)])]), .array(nil),
            ])
    }

    @Test("refuses other bytes", arguments: ["HTTP/1.1 200 OK\r\n", ":x\r\n", "$-2\r\n", "*99999999\r\n"])
    func malformed(text: String) {
        var reader = RESPReader()
        reader.append(Array(text.utf8))
        #expect(throws: RESPReader.Malformed.self) { try reader.next() }
    }

    @Test("has commands of bulk texts, counted in bytes")
    func commands() {
        #expect(RESPValue.command(["SET", "ä"]) == Array("*2\r\n$3\r\nSET\r\n$2\r\nä\r\n".utf8))
    }
}

@Suite("A fleet in Tile38", .serialized)
struct Tile38Tests {
    private static let region = Region(
        id: RegionID("r 1"),
        shape: .polygons(
            MultiPolygon([
                Polygon(
                    exterior: LinearRing(
                        [(1.0, 2.0), (1, 3), (2, 3), (1, 2)].map {
                            Coordinate(latitude: $0.0, longitude: $0.1)
                        }))
            ])))

    private static func location(_ latitude: Double) -> Location {
        Location(
            deviceID: DeviceID("van"), timestamp: Timestamp(seconds: 0),
            coordinate: Coordinate(latitude: latitude, longitude: 7.5))
    }

    @Test("sets a geofence for each region, sends each location, and counts what is published")
    func fleet() throws {
        let server = try FakeTile38()
        let fleet = try Tile38Fleet(port: server.port)
        try fleet.setRegions([Self.region])
        // The server publishes a message for each location north of the equator.
        #expect(try fleet.send([Self.location(1.25), Self.location(-3), Self.location(4)]) == 2)
        let commands = server.commands
        #expect(
            commands.filter { $0.first == "SETCHAN" } == [
                [
                    "SETCHAN", "r 1", "INTERSECTS", "fleet", "FENCE", "DETECT", "enter,exit", "OBJECT",
                    #"{"type":"Polygon","coordinates":[[[2.0,1.0],[3.0,1.0],[3.0,2.0],[2.0,1.0]]]}"#,
                ]
            ])
        #expect(commands.filter { $0.first == "SET" }.first == ["SET", "fleet", "van", "POINT", "1.25", "7.5"])
        #expect(commands.filter { $0.first == "SET" }.count == 3)
    }

    @Test("sends thousands of locations in order, and counts every message")
    func many() throws {
        let server = try FakeTile38()
        let fleet = try Tile38Fleet(port: server.port)
        #expect(try fleet.send((0..<3000).map { Self.location($0 % 3 == 0 ? 1 : -1) }) == 1000)
    }

    @Test("fails with the reason of the server")
    func refusal() throws {
        let server = try FakeTile38(refusing: "SETCHAN")
        let fleet = try Tile38Fleet(port: server.port)
        let failure = #expect(throws: RESPConnection.Failure.self) { try fleet.setRegions([Self.region]) }
        #expect(failure?.description == "SETCHAN r 1: ERR not now")
    }
}

/// A server that speaks RESP like Tile38: it answers each command, and publishes a message for each location north of the
/// equator.
private final class FakeTile38: Sendable {
    let port: UInt16
    private let listener: Int32
    private let refused: String?
    private let received = Mutex<[[String]]>([])
    private let subscribers = Mutex<[Int32]>([])

    var commands: [[String]] { received.withLock { $0 } }

    init(refusing command: String? = nil) throws {
        refused = command
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listener = listener
        let bound = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, size) == 0 && listen(listener, 4) == 0 && getsockname(listener, $0, &size) == 0
            }
        }
        try #require(bound)
        port = UInt16(bigEndian: address.sin_port)
        Thread.detachNewThread { [self] in
            while case let client = accept(listener, nil, nil), client >= 0 {
                Thread.detachNewThread { self.serve(client) }
            }
        }
    }

    deinit { close(listener) }

    private func serve(_ client: Int32) {
        var reader = RESPReader()
        var buffer = [UInt8](repeating: 0, count: 4096)
        while case let count = recv(client, &buffer, buffer.count, 0), count > 0 {
            reader.append(buffer[..<count])
            while case .array(let values?)? = try? reader.next() { answer(values.map { $0.text ?? "" }, to: client) }
        }
    }

    private func answer(_ words: [String], to client: Int32) {
        received.withLock { $0.append(words) }
        if words.first == refused { return put("-ERR not now\r\n", to: client) }
        switch words.first {
        case "PSUBSCRIBE":
            subscribers.withLock { $0.append(client) }
            put("*3\r\n$10\r\npsubscribe\r\n$1\r\n*\r\n:1\r\n", to: client)
        case "PUBLISH":
            publish(words[1], words[2])
            put(":1\r\n", to: client)
        case "SET":
            if words.count == 6, let latitude = Double(words[4]), latitude > 0 {
                publish("r 1", #"{"command":"set","detect":"enter"}"#)
            }
            put("+OK\r\n", to: client)
        default: put(":1\r\n", to: client)
        }
    }

    private func publish(_ channel: String, _ message: String) {
        let bytes = RESPValue.command(["pmessage", "*", channel, message])
        for subscriber in subscribers.withLock({ $0 }) { put(String(decoding: bytes, as: UTF8.self), to: subscriber) }
    }

    private func put(_ text: String, to client: Int32) {
        let bytes = Array(text.utf8)
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes {
                Foundation.send(client, $0.baseAddress?.advanced(by: sent), $0.count - sent, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return }
            sent += count
        }
    }
}
