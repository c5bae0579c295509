import Foundation

/// Tells systemd how the service is doing (sd_notify(3)); does nothing where there is no systemd.
public struct ServiceManager: Sendable {
    private let path: String?
    /// How often `alive` has to be called; half of what systemd waits.
    public let watchdog: Duration?

    public init(environment: [String: String]) {
        path = environment["NOTIFY_SOCKET"]
        watchdog = environment["WATCHDOG_USEC"].flatMap { Int64($0) }.map { .microseconds($0 / 2) }
    }

    public func ready() { send("READY=1") }
    public func alive() { send("WATCHDOG=1") }
    public func stopping() { send("STOPPING=1") }

    /// Before the configuration is read again; `ready` after it.
    public func reloading() {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        send("RELOADING=1\nMONOTONIC_USEC=\(Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000)")
    }

    private func send(_ message: String) {
        guard let path else { return }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        var bytes = Array(path.utf8)
        let room = MemoryLayout.size(ofValue: address.sun_path)
        guard !bytes.isEmpty, bytes.count < room else { return }
        // A name with @ is one of the abstract namespace, which begins with a zero.
        if bytes[0] == UInt8(ascii: "@") { bytes[0] = 0 }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + bytes.count)
        let socket = Foundation.socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard socket >= 0 else { return }
        defer { close(socket) }
        _ = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                message.withCString { sendto(socket, $0, strlen($0), 0, address, length) }
            }
        }
    }
}
