import Foundation

/// Notifies systemd of the service's state (sd_notify(3)). Does nothing without systemd.
public struct ServiceManager: Sendable {
    private let path: String?
    /// Interval at which `alive` has to be called: half of systemd's timeout; `nil` without a watchdog.
    public let watchdog: Duration?

    /// Reads `NOTIFY_SOCKET` and `WATCHDOG_USEC`.
    public init(environment: [String: String]) {
        path = environment["NOTIFY_SOCKET"]
        watchdog = environment["WATCHDOG_USEC"].flatMap { Int64($0) }.map { .microseconds($0 / 2) }
    }

    /// Reports that the service accepts requests.
    public func ready() { send("READY=1") }
    /// Sends the watchdog's keep-alive notification.
    public func alive() { send("WATCHDOG=1") }
    /// Reports that the service shuts down.
    public func stopping() { send("STOPPING=1") }

    /// Reports that the configuration is being reloaded. `ready` ends it.
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
        // A name that starts with @ is in the abstract namespace, whose names start with a zero byte.
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
