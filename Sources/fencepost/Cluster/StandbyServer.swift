import FencepostJSON
import FencepostService
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import ServiceLifecycle

/// The HTTP server of a node that does not lead: health, metrics, and 503 for everything else.
final class StandbyServer: Sendable {
    private let settings: ServerSettings
    private let status: ClusterStatus
    private let metricsText: @Sendable () -> String
    private let logger: Logger

    init(
        _ settings: ServerSettings, status: ClusterStatus, metricsText: @escaping @Sendable () -> String, logger: Logger
    ) {
        self.settings = settings
        self.status = status
        self.metricsText = metricsText
        self.logger = logger
    }

    /// The server, to be run as a group: its graceful shutdown answers whom it has accepted. A cancelled server would
    /// drop connections that it has not looked at yet, which the library does not survive.
    ///
    /// - Parameter onListening: called when the port is bound.
    /// - Returns: the group, which does not run yet.
    func group(onListening: @escaping @Sendable () async -> Void) -> ServiceGroup {
        var quiet = logger
        // It logs its end as an error.
        quiet.logLevel = .critical
        let server = self
        let application = Application(
            responder: CallbackResponder<BasicRequestContext> { request, _ in server.response(to: request.uri.path) },
            configuration: ApplicationConfiguration(
                address: .hostname(settings.host, port: settings.port), serverName: nil, backlog: 1024),
            onServerRunning: { _ in await onListening() }, logger: quiet)
        var configuration = ServiceGroupConfiguration(services: [application], logger: quiet)
        // A client that sends half a request.
        configuration.maximumGracefulShutdownDuration = .seconds(2)
        return ServiceGroup(configuration: configuration)
    }

    private func response(to path: String) -> Response {
        switch path {
        case "/healthz": return Self.json(.ok, #"{"status":"ok"}"#)
        case "/metrics":
            return Response(
                status: .ok, headers: [.contentType: "text/plain; version=0.0.4"],
                body: ResponseBody(byteBuffer: ByteBuffer(string: metricsText())))
        case "/readyz":
            var writer = JSONWriter()
            writer.beginObject()
            writer.field("status", "unavailable")
            writer.beginObject("checks")
            writer.beginObject("cluster")
            writer.field("status", "failing")
            writer.field("detail", detail)
            writer.endObject()
            writer.endObject()
            writer.endObject()
            return Self.json(.serviceUnavailable, String(decoding: writer.bytes, as: UTF8.self))
        default:
            var writer = JSONWriter()
            writer.beginObject()
            writer.field("type", "urn:fencepost:problem:not_leading")
            writer.field("title", "Service Unavailable")
            writer.field("status", 503)
            writer.field("code", "not_leading")
            writer.field("detail", detail)
            writer.endObject()
            var response = Self.json(.serviceUnavailable, String(decoding: writer.bytes, as: UTF8.self))
            response.headers[.contentType] = "application/problem+json"
            response.headers[.retryAfter] = "2"
            return response
        }
    }

    private var detail: String {
        status.current.problem ?? "Another node of the cluster leads. Send the request there; /readyz is 200 on it."
    }

    private static func json(_ status: HTTPResponse.Status, _ text: String) -> Response {
        Response(
            status: status, headers: [.contentType: "application/json"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }
}

/// Starts and stops the server of a node that does not lead, whose port the service has in between.
actor Standby {
    /// The port cannot be bound.
    struct NotBound: Error {
        let reason: String
    }

    private let server: StandbyServer
    private var running: (group: ServiceGroup, task: Task<Void, any Error>)?

    init(_ server: StandbyServer) {
        self.server = server
    }

    /// Returns when the server listens.
    ///
    /// - Throws: `NotBound`.
    func start() async throws {
        guard running == nil else { return }
        let (bound, continuation) = AsyncStream.makeStream(of: Void.self)
        let group = server.group { continuation.yield() }
        let task = Task {
            defer { continuation.finish() }
            try await group.run()
        }
        running = (group, task)
        for await _ in bound { return }
        running = nil
        do {
            try await task.value
        } catch {
            throw NotBound(reason: "\(error)")
        }
    }

    /// Returns when the port is free.
    func stop() async {
        guard let (group, task) = running else { return }
        running = nil
        await group.triggerGracefulShutdown()
        _ = await task.result
    }
}
