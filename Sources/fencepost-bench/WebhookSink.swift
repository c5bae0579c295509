import Foundation
import Synchronization

/// Receives webhooks over loopback, responds at once, and records the time of arrival.
final class WebhookSink: Sendable {
    /// The identity of an event.
    struct Key: Hashable, Sendable {
        var device: String
        var sequence: Int
    }

    let port: UInt16
    private let descriptor: Int32
    private let times = Mutex<[Key: ContinuousClock.Instant]>([:])

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    init() throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in.loopback(port: 0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = descriptor
        let isBound = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0 && listen(descriptor, 64) == 0
                    && getsockname(descriptor, $0, &length) == 0
            }
        }
        guard isBound else { throw Failure(description: "no port for the webhook receiver") }
        port = UInt16(bigEndian: address.sin_port)
    }

    var received: [Key: ContinuousClock.Instant] { times.withLock { $0 } }

    /// Accepts connections, each on its own thread, until the process ends.
    func start() {
        Thread { [self] in
            while true {
                let connection = accept(descriptor, nil, nil)
                guard connection >= 0 else { return }
                Thread { [self] in serve(connection) }.start()
            }
        }.start()
    }

    private func serve(_ connection: Int32) {
        defer { close(connection) }
        let answer = Array("HTTP/1.1 204 No Content\r\n\r\n".utf8)
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = recv(connection, &chunk, chunk.count, 0)
            guard count > 0 else { return }
            bytes += chunk[..<count]
            while let (body, end) = Self.request(in: bytes) {
                let now = ContinuousClock.now
                bytes.removeFirst(end)
                if let key = Self.key(of: body) { times.withLock { $0[key] = $0[key] ?? now } }
                guard answer.withUnsafeBytes({ send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }) > 0
                else { return }
            }
        }
    }

    /// The body of the first complete request, and the end of that request.
    private static func request(in bytes: [UInt8]) -> (body: String, end: Int)? {
        let text = String(decoding: bytes, as: UTF8.self)
        guard let head = text.range(of: "\r\n\r\n") else { return nil }
        let fields = text[..<head.lowerBound].lowercased()
        guard let field = fields.range(of: "content-length: "),
            let length = Int(fields[field.upperBound...].prefix { $0.isNumber })
        else { return nil }
        let start = text.utf8.distance(from: text.startIndex, to: head.upperBound)
        guard bytes.count >= start + length else { return nil }
        return (String(decoding: bytes[start..<start + length], as: UTF8.self), start + length)
    }

    private static func key(of body: String) -> Key? {
        guard let object = try? JSONSerialization.jsonObject(with: Data(body.utf8)) as? [String: Any],
            let data = object["data"] as? [String: Any], let device = data["deviceId"] as? String,
            let sequence = data["sequence"] as? Int
        else { return nil }
        return Key(device: device, sequence: sequence)
    }
}
