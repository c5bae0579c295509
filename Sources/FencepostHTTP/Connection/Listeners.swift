package import FencepostModel
import Foundation
import HTTPTypes
package import HummingbirdCore
package import Logging
package import NIOCore
import NIOHTTP1
import NIOPosix
import ServiceLifecycle
import Synchronization

/// Opens the ports of a server, whose connections share limits.
package struct Listeners: Sendable {
    private let limits: ConnectionLimits
    package let logger: Logger
    package let now: @Sendable () -> Timestamp
    private let registry: ConnectionRegistry
    private let date = DateHeader()

    package init(_ limits: ConnectionLimits, logger: Logger, now: @escaping @Sendable () -> Timestamp) {
        self.limits = limits
        self.logger = logger
        self.now = now
        registry = ConnectionRegistry(limits, logger: logger, now: now)
    }

    /// Serves the requests of a port until a graceful shutdown.
    ///
    /// - Parameters:
    ///   - address: where to listen.
    ///   - tls: what decrypts the connections; `nil` for plain ones.
    ///   - onRefusal: called for each request that is refused before it is handed on.
    ///   - respond: the response to a request of a connection.
    ///   - onRunning: called with the listener's channel when the port is bound.
    /// - Throws: when the port cannot be bound.
    package func serve(
        at address: BindAddress, tls: PeerTLS? = nil, onRefusal: @escaping @Sendable (Problem) -> Void,
        respond: @escaping @Sendable (Request, any Channel) async -> Response,
        onRunning: @escaping @Sendable (any Channel) async -> Void
    ) async throws {
        // The ports are logged once for all of them.
        var quiet = logger
        quiet.logLevel = max(.notice, quiet.logLevel)
        // Hummingbird's application would give each request a logger, an id and a context, which nothing here uses.
        try await HTTPServerBuilder { [limits, registry] responder in
            GuardedChannel(limits: limits, registry: registry, tls: tls, onRefusal: onRefusal, responder: responder)
        }.buildServer(
            configuration: ServerConfiguration(address: address, serverName: nil, backlog: 1024),
            eventLoopGroup: MultiThreadedEventLoopGroup.singleton, logger: quiet,
            responder: { [date] request, writer, channel in
                var response = await respond(request, channel)
                response.headers[.date] = date.text(at: now())
                do {
                    try await writer.write(response: response.head, body: response.body)
                } catch is HTTPParserError {
                    // Thrown as it is, it would make Hummingbird write a second response.
                    throw BrokenConnection()
                }
            },
            onServerRunning: { channel in
                await guardAccepting(channel)
                await onRunning(channel)
            }
        ).run()
    }

    private func guardAccepting(_ channel: any Channel) async {
        let registry = registry
        let added = channel.eventLoop.submit {
            try channel.pipeline.syncOperations.addHandler(
                AcceptGuard(onFailure: { registry.acceptFailed() }), position: .first)
        }
        do {
            try await added.get()
        } catch {
            // The channel is closed already, so it accepts nothing.
            logger.debug("the listener has closed", metadata: ["error": "\(error)"])
        }
    }
}

/// The client's bytes were no HTTP while its response was written.
private struct BrokenConnection: Error {}

/// The header `Date` of responses, which is written once a second.
private final class DateHeader: Sendable {
    private let last = Mutex((second: Int64.min, text: ""))

    func text(at time: Timestamp) -> String {
        let second = time.milliseconds / 1000
        return last.withLock { last in
            if last.second != second {
                last = (second, Self.text(second))
            }
            return last.text
        }
    }

    /// The form of RFC 9110, section 5.6.7, such as `Sun, 06 Nov 1994 08:49:37 GMT`.
    private static func text(_ second: Int64) -> String {
        let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        var (time, parts) = (time_t(second), tm())
        gmtime_r(&time, &parts)
        let clock = String(
            format: "%04d %02d:%02d:%02d", parts.tm_year + 1900, parts.tm_hour, parts.tm_min, parts.tm_sec)
        return "\(days[Int(parts.tm_wday)]), \(String(format: "%02d", parts.tm_mday)) "
            + "\(months[Int(parts.tm_mon)]) \(clock) GMT"
    }
}
