import Foundation

/// The Unix socket next to a database, by which commands use the service that has the database open (rule D9).
public enum LocalSocket {
    /// What a connection to a socket shows.
    public enum State: Hashable, Sendable {
        /// A service listens.
        case listening
        /// There is no socket, or one that an ended service left.
        case absent
        /// It cannot be used, with the reason: the service runs as another user.
        case unusable(String)
    }

    /// The longest path of a socket on Linux, in bytes.
    public static let maximumLength = 107

    /// The path of the socket of a database. A link and its target have the same one.
    public static func path(of database: String) -> String { FileName.canonical(database) + ".sock" }

    /// Connects to a socket and closes the connection.
    public static func state(of path: String) -> State {
        // No service can have bound it.
        guard path.utf8.count <= maximumLength else { return .absent }
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return .unusable(String(cString: strerror(errno))) }
        defer { close(descriptor) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard result != 0 else { return .listening }
        switch errno {
        case ENOENT, ECONNREFUSED, ENOTSOCK, ENOTDIR: return .absent
        case let code: return .unusable(String(cString: strerror(code)))
        }
    }
}
