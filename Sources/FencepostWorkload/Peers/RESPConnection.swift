import Foundation

/// A connection to a server of RESP on this machine, with blocking sockets.
public final class RESPConnection {
    private let descriptor: Int32
    private var reader = RESPReader()
    private var buffer = [UInt8](repeating: 0, count: 1 << 16)

    /// A system call that failed, a connection that the server has ended, or an answer that is an error.
    public struct Failure: Error, Hashable, Sendable, CustomStringConvertible {
        /// What failed and why.
        public let description: String
    }

    /// Connects to a port of this machine.
    public init(port: UInt16) throws(Failure) {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else {
            let failure = Self.failure("connect")
            close(descriptor)
            throw failure
        }
        var enabled: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &enabled, socklen_t(MemoryLayout<Int32>.size))
    }

    deinit { close(descriptor) }

    private static func failure(_ call: String) -> Failure {
        Failure(description: "\(call): \(String(cString: strerror(errno)))")
    }

    /// Sends bytes of any number of commands.
    public func send(_ bytes: [UInt8]) throws(Failure) {
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes {
                Foundation.send(descriptor, $0.baseAddress?.advanced(by: sent), $0.count - sent, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { throw Self.failure("send") }
            sent += count
        }
    }

    /// Waits for the next value.
    public func receive() throws(Failure) -> RESPValue {
        while true {
            do throws(RESPReader.Malformed) {
                if let value = try reader.next() { return value }
            } catch {
                throw Failure(description: "the server answers with something else than RESP")
            }
            let count = recv(descriptor, &buffer, buffer.count, 0)
            guard count > 0 else {
                throw count < 0 ? Self.failure("recv") : Failure(description: "the server has ended the connection")
            }
            reader.append(buffer[..<count])
        }
    }

    /// Sends commands and waits for the answer to each.
    ///
    /// - Throws: also the first answer that is an error.
    public func run(_ commands: [[String]]) throws(Failure) {
        try send(commands.flatMap(RESPValue.command))
        for command in commands {
            if case .error(let reason) = try receive() {
                throw Failure(description: "\(command.prefix(2).joined(separator: " ")): \(reason)")
            }
        }
    }
}
