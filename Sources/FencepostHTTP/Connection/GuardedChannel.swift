import HTTPTypes
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1

/// Hummingbird's HTTP/1.1 channel with a `ConnectionGuard` in its pipeline.
struct GuardedChannel: ServerChildChannel {
    private let inner: HTTP1Channel
    private let limits: ConnectionLimits
    private let registry: ConnectionRegistry
    private let onRefusal: @Sendable (Problem) -> Void
    private let tls: PeerTLS?

    init(
        limits: ConnectionLimits, registry: ConnectionRegistry, tls: PeerTLS?,
        onRefusal: @escaping @Sendable (Problem) -> Void,
        responder: @escaping HTTPChannelHandler.Responder
    ) {
        self.limits = limits
        self.registry = registry
        self.onRefusal = onRefusal
        self.tls = tls
        inner = HTTP1Channel(
            responder: { request, writer, channel in
                // curl and other clients send a large body only after this response, or after waiting for a second.
                if request.headers[.expect]?.lowercased() == "100-continue" {
                    try await writer.writeInformationalHead(HTTPResponse(status: .continue))
                }
                try await responder(request, writer, channel)
            },
            configuration: HTTP1Channel.Configuration(
                idleTimeout: TimeAmount(limits.idleTime),
                httpDecoderConfiguration: HTTP1Channel.Configuration.DecoderConfiguration(
                    maxHeaderFieldSize: limits.headerBytes, maxHeaderListSize: limits.headerBytes,
                    maxHeaderFieldCount: 100)))
    }

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<HTTP1Channel.Value> {
        let connectionGuard = ConnectionGuard(limits: limits, registry: registry, onRefusal: onRefusal)
        do {
            if let tls { try channel.pipeline.syncOperations.addHandler(tls.handler()) }
            try channel.pipeline.syncOperations.addHandler(ByteCounter(for: connectionGuard))
            let ready = inner.setup(channel: channel, logger: logger)
            let decoder = try channel.pipeline.syncOperations.handler(
                type: ByteToMessageHandler<HTTPRequestDecoder>.self)
            try channel.pipeline.syncOperations.addHandler(connectionGuard, position: .after(decoder))
            return ready
        } catch {
            return channel.eventLoop.makeFailedFuture(error)
        }
    }

    func handle(value: HTTP1Channel.Value, logger: Logger) async {
        await withTaskExecutorPreference(LoopExecutor(value.channel.eventLoop)) {
            await inner.handle(value: value, logger: logger)
        }
    }
}
