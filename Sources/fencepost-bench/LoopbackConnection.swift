import Foundation

/// A connection to a service on this machine. It uses blocking sockets, so the generator is cheap.
struct LoopbackConnection {
    let port: UInt16
    private var descriptor: Int32 = -1
    private var received = [UInt8](repeating: 0, count: 16_384)

    init(port: UInt16) {
        self.port = port
    }

    private struct SocketError: Error, CustomStringConvertible {
        let description: String
        init(_ call: String) { description = "\(call): \(String(cString: strerror(errno)))" }
    }

    private mutating func connectIfNeeded() throws {
        guard descriptor < 0 else { return }
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in.loopback(port: port)
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else { throw SocketError("connect") }
        var enabled: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &enabled, socklen_t(MemoryLayout<Int32>.size))
    }

    /// Sends a request and waits for the response. After an error the next request opens a new connection.
    mutating func exchange(_ bytes: [UInt8]) throws -> (status: Int, text: String) {
        do {
            try send(bytes)
            return try receive()
        } catch {
            end()
            throw error
        }
    }

    /// Closes the connection; the next request opens another.
    mutating func end() {
        if descriptor >= 0 { close(descriptor) }
        descriptor = -1
    }

    private mutating func send(_ bytes: [UInt8]) throws {
        try connectIfNeeded()
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes {
                Foundation.send(
                    descriptor, $0.baseAddress?.advanced(by: sent), $0.count - sent, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { throw SocketError("send") }
            sent += count
        }
    }

    /// Reads one response: the head, and a body of `content-length` bytes.
    private mutating func receive() throws -> (status: Int, text: String) {
        var filled = 0
        while true {
            let count = received.withUnsafeMutableBytes {
                recv(descriptor, $0.baseAddress?.advanced(by: filled), $0.count - filled, 0)
            }
            guard count > 0 else { throw SocketError("recv") }
            filled += count
            let text = String(decoding: received[..<filled], as: UTF8.self)
            guard let end = text.range(of: "\r\n\r\n") else { continue }
            let head = text[..<end.lowerBound].lowercased()
            var length = 0
            if let field = head.range(of: "content-length: ") {
                length = Int(head[field.upperBound...].prefix { $0.isNumber }) ?? 0
            }
            guard text.utf8.distance(from: end.upperBound, to: text.endIndex) >= length || filled == received.count
            else { continue }
            return (Int(head.dropFirst(9).prefix(3)) ?? 0, text)
        }
    }
}

extension sockaddr_in {
    /// A port of this machine.
    static func loopback(port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        return address
    }
}

extension Duration {
    /// Seconds as a floating-point number.
    var inSeconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}
