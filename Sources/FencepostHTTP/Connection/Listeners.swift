package import FencepostModel
import Hummingbird
package import HummingbirdCore
package import Logging
package import NIOCore
import ServiceLifecycle

/// Opens the ports of a server, whose connections share limits.
package struct Listeners: Sendable {
    private let limits: ConnectionLimits
    package let logger: Logger
    package let now: @Sendable () -> Timestamp
    private let registry: ConnectionRegistry

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
        try await Application(
            responder: CallbackResponder<ConnectionContext> { request, context in
                await respond(request, context.channel)
            },
            server: HTTPServerBuilder { [limits, registry] responder in
                GuardedChannel(
                    limits: limits, registry: registry, tls: tls, onRefusal: onRefusal, responder: responder)
            },
            configuration: ApplicationConfiguration(address: address, serverName: nil, backlog: 1024),
            onServerRunning: { channel in
                await guardAccepting(channel)
                await onRunning(channel)
            },
            logger: quiet
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

/// Context that Hummingbird passes along with a request.
private struct ConnectionContext: InitializableFromSource {
    let channel: any Channel

    init(source: ApplicationRequestContextSource) {
        channel = source.channel
    }
}
