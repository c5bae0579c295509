import Dispatch
import Foundation
import Synchronization

/// Looks up the addresses of a host.
public protocol HostResolver: Sendable {
    /// All addresses of the name, in the order in which they should be tried; never empty.
    ///
    /// - Throws: when the name has no address, the look-up fails, or the task is cancelled.
    func addresses(of name: String) async throws -> [IPAddress]
}

/// The system's resolver, `getaddrinfo`.
public final class SystemResolver: HostResolver {
    /// A look-up failed.
    public struct Failure: Error, Hashable, Sendable {
        /// The error code of `getaddrinfo`.
        public let code: Int32
    }

    private typealias Waiter = CheckedContinuation<[IPAddress], any Error>

    /// `getaddrinfo` blocks, so it runs on threads of its own. Concurrent look-ups of one name share a call.
    private let queue = DispatchQueue(label: "fencepost.resolver", attributes: .concurrent)
    private let waiting = Mutex<(byName: [String: [Int: Waiter]], nextID: Int)>(([:], 0))

    /// A resolver with its own threads.
    public init() {}

    /// Looks the addresses up on a thread of the resolver.
    ///
    /// - Throws: `Failure`, or `CancellationError` when the task is cancelled.
    public func addresses(of name: String) async throws -> [IPAddress] {
        let id = waiting.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                wait(for: name, id: id, continuation)
            }
        } onCancel: {
            // `getaddrinfo` cannot be cancelled: its thread ends later, and no task waits for it.
            waiting.withLock { $0.byName[name]?.removeValue(forKey: id) }?.resume(throwing: CancellationError())
        }
    }

    private func wait(for name: String, id: Int, _ continuation: Waiter) {
        let (isCancelled, isFirst) = waiting.withLock { state in
            if Task.isCancelled { return (true, false) }
            let isFirst = state.byName[name] == nil
            state.byName[name, default: [:]][id] = continuation
            return (false, isFirst)
        }
        if isCancelled { return continuation.resume(throwing: CancellationError()) }
        guard isFirst else { return }
        queue.async { [self] in
            let result = Result { try SystemResolver.lookUp(name) }
            let waiters = waiting.withLock { $0.byName.removeValue(forKey: name) } ?? [:]
            for waiter in waiters.values { waiter.resume(with: result) }
        }
    }

    private static func lookUp(_ name: String) throws -> [IPAddress] {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        hints.ai_flags = AI_ADDRCONFIG
        var list: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(name, nil, &hints, &list)
        defer { if let list { freeaddrinfo(list) } }
        guard code == 0 else { throw Failure(code: code) }
        var found: [IPAddress] = []
        var next = list
        while let entry = next {
            if let address = address(entry.pointee), !found.contains(address) { found.append(address) }
            next = entry.pointee.ai_next
        }
        guard !found.isEmpty else { throw Failure(code: EAI_NONAME) }
        return found
    }

    private static func address(_ entry: addrinfo) -> IPAddress? {
        guard let socket = entry.ai_addr else { return nil }
        switch entry.ai_family {
        case AF_INET:
            return socket.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                .v4(UInt32(bigEndian: $0.pointee.sin_addr.s_addr))
            }
        case AF_INET6:
            return socket.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { address in
                withUnsafeBytes(of: address.pointee.sin6_addr) { bytes in
                    .v6(bytes.reduce(UInt128(0)) { $0 << 8 | UInt128($1) })
                }
            }
        default: return nil
        }
    }
}
