import FencepostHTTP
import FencepostService
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
public import ServiceLifecycle
import Synchronization

/// The HTTP server: the API on ports of its own, or behind those of a cluster's node.
///
/// A graceful shutdown accepts no more connections, finishes requests in flight and ends event streams. It takes at
/// most 8 seconds (rule O4).
public struct FencepostServer: Service {
    private let dependencies: ServerDependencies
    private let api: API
    private let table: RouteTable
    private let listeners: Listeners

    static let shutdownTime = Duration.seconds(8)
    /// Interval between writes of the times at which tokens were last used.
    static let useInterval = Duration.seconds(60)

    /// A server that listens as soon as it runs.
    public init(_ dependencies: ServerDependencies) {
        self.dependencies = dependencies
        api = API(dependencies)
        dependencies.accessChanges?.observe { [authenticator = api.authenticator, sessions = api.sessions] in
            authenticator.tokensDidChange()
            sessions.didChange()
        }
        let clock = dependencies.clock
        listeners = Listeners(dependencies.limits, logger: dependencies.logger, now: { clock.now() })
        let routes = api.routes
        let described = routes + api.documentRoutes(openAPI: "", asyncAPI: "")
        let version = dependencies.version
        table = RouteTable(
            routes
                + api.documentRoutes(
                    openAPI: OpenAPIDocument(routes: described, version: version).json,
                    asyncAPI: AsyncAPIDocument(routes: described, version: version).json))
    }

    /// Method and path of every route, such as `GET /v1/regions/{id}`.
    public var routeNames: [String] { table.routes.map(\.title) }

    /// The tasks of the server.
    private enum Part { case listener, local, uses, deadline }

    /// Serves requests until a graceful shutdown.
    ///
    /// - Throws: when a port cannot be bound.
    public func run() async throws {
        await api.restoreMap()
        try await withGracefulShutdownHandler {
            try await serve()
        } onGracefulShutdown: { [api] in
            api.closing.raise()
        }
        try await api.authenticator.storeUses(in: api.store)
    }

    private func serve() async throws {
        var expected: Set<BoundPorts.Listener> = [.main]
        if dependencies.router == nil, dependencies.settings.osmandPort != nil { expected.insert(.osmand) }
        if dependencies.localSocket != nil { expected.insert(.local) }
        let ports = BoundPorts(expected: expected)
        let limit = LimitRate(ingest: api.settings.ingestRate, api: api.settings.apiRate, clock: api.clock)
        let record = RecordRequest(RequestCounters(table.routes), api.logger)
        let handler = RequestHandler(api: api, table: table, limit: limit, record: record)
        let local = RequestHandler(api: api, table: table, limit: limit, record: record, isLocal: true)
        answerReports(local)
        answerInnerRequests(handler, local)
        let osmand = RequestHandler(
            api: api, table: table, limit: limit, record: record, path: OsmAndRoute.path)
        try await withThrowingTaskGroup(of: Part.self) { group in
            var listeners = 1
            if let router = dependencies.router {
                group.addTask { await serve(handler, osmand, behind: router, ports) }
            } else {
                group.addTask { try await serve(handler, port: dependencies.settings.port, ports, as: .main) }
                if let port = dependencies.settings.osmandPort {
                    listeners = 2
                    group.addTask { try await serve(osmand, port: port, ports, as: .osmand) }
                }
            }
            if let path = dependencies.localSocket {
                group.addTask { await serve(local, at: path, ports) }
            }
            group.addTask { await storeUses() }
            group.addTask {
                // Connections that are still open after this time are closed, so that the process ends in time.
                try await gracefulShutdown()
                try await Task.sleep(for: Self.shutdownTime)
                return .deadline
            }
            var isLate = false
            while listeners > 0 {
                do {
                    switch try await group.next() {
                    case .listener: listeners -= 1
                    case .deadline:
                        isLate = true
                        group.cancelAll()
                    case .local, .uses, nil: break
                    }
                } catch is CancellationError where isLate {
                    listeners -= 1
                }
            }
            group.cancelAll()
        }
    }

    /// Answers the requests for reports of the service itself.
    private func answerReports(_ local: RequestHandler) {
        let router = dependencies.partition == nil ? nil : dependencies.router?.router
        dependencies.reports?.attach { target, channel in
            if let router { return await router.respond(toOwn: target, on: channel) }
            let head = HTTPRequest(method: .get, scheme: "http", authority: nil, path: target)
            let request = Request(head: head, body: RequestBody(buffer: ByteBuffer()))
            return await local.respond(to: request, on: channel, isInProcess: true)
        }
    }

    /// Answers the requests that the API makes in the names of its clients.
    private func answerInnerRequests(_ handler: RequestHandler, _ local: RequestHandler) {
        let router = dependencies.partition == nil ? nil : dependencies.router?.router
        api.services.inner.attach { request, channel, isLocal in
            guard let router else {
                return await (isLocal ? local : handler).respond(to: request, on: channel, isInProcess: true)
            }
            if isLocal { return await router.respondLocally(to: request, on: channel) }
            return await router.respondAsPartition(request, channel, isOsmAnd: false, isFromNode: false)
        }
    }

    /// Handles the requests of a node's ports, which are open already.
    private func serve(
        _ main: RequestHandler, _ osmand: RequestHandler, behind router: PartitionAttachment, _ ports: BoundPorts
    ) async -> Part {
        // Requests wait for an engine that can take them.
        await dependencies.untilReady()
        router.attach(main, osmand: osmand)
        await bound(ports.set(router.port, of: .main))
        try? await gracefulShutdown()
        await router.detach(within: Self.shutdownTime)
        return .listener
    }

    private func serve(
        _ handler: RequestHandler, port: Int, _ ports: BoundPorts, as listener: BoundPorts.Listener
    ) async throws -> Part {
        try await serve(handler, at: .hostname(dependencies.settings.host, port: port)) { channel in
            await bound(ports.set(channel.localAddress?.port ?? port, of: listener))
        }
        return .listener
    }

    /// Serves commands of this machine. The service works without, so a failure is only logged.
    private func serve(_ handler: RequestHandler, at path: String, _ ports: BoundPorts) async -> Part {
        // Until the file exists, so that no other user can connect at any moment.
        let mask = FileMask(0o177)
        defer { mask.restore() }
        do {
            let router = dependencies.partition == nil ? nil : dependencies.router?.router
            try await listeners.serve(
                at: .unixDomainSocket(path: path), onRefusal: handler.refused,
                respond: { request, channel in
                    // The part that has the socket is one of several.
                    if let router { return await router.respondLocally(to: request, on: channel) }
                    return await handler.respond(to: request, on: channel)
                },
                onRunning: { _ in
                    mask.restore()
                    await bound(ports.set(nil, of: .local))
                })
            unlink(path)
        } catch {
            mask.restore()
            if !Task.isCancelled {
                dependencies.logger.warning(
                    "the local socket cannot be created; commands need --server and --token",
                    metadata: ["path": "\(path)", "error": "\(error)"])
            }
            await bound(ports.set(nil, of: .local))
        }
        return .local
    }

    private func serve(
        _ handler: RequestHandler, at address: BindAddress, onRunning: @escaping @Sendable (any Channel) async -> Void
    ) async throws {
        try await listeners.serve(
            at: address, onRefusal: handler.refused,
            respond: { request, channel in await handler.respond(to: request, on: channel) }, onRunning: onRunning)
    }

    private func bound(_ all: (main: Int, osmand: Int?)?) async {
        if let all { await dependencies.onListening(all.main, all.osmand) }
    }

    private func storeUses() async -> Part {
        var round = 0
        while !Task.isCancelled {
            do {
                try await api.sleep(Self.useInterval)
                // Once an hour is often enough, because nothing accepts what has expired.
                if round % 60 == 0 { try await dependencies.store.removeExpiredAccess(before: api.clock.now()) }
                round += 1
                try await api.authenticator.storeUses(in: api.store)
            } catch is CancellationError {
                break
            } catch {
                // Only the list of tokens shows these times, and the next write is in a minute.
                dependencies.logger.debug("storing the last use of tokens failed", metadata: ["error": "\(error)"])
            }
        }
        return .uses
    }
}

/// Collects the ports that were bound.
private final class BoundPorts: Sendable {
    enum Listener: Hashable { case main, osmand, local }

    private let expected: Set<Listener>
    private let ports = Mutex<[Listener: Int?]>([:])

    init(expected: Set<Listener>) {
        self.expected = expected
    }

    /// `port` is `nil` for the local socket.
    ///
    /// - Returns: the ports, when all listen.
    func set(_ port: Int?, of listener: Listener) -> (main: Int, osmand: Int?)? {
        ports.withLock { ports in
            guard ports.updateValue(port, forKey: listener) == nil, ports.count == expected.count,
                let main = ports[.main] ?? nil
            else { return nil }
            return (main, ports[.osmand] ?? nil)
        }
    }
}

/// The mask of new files' permissions while a file is created.
private final class FileMask: Sendable {
    private let former: Mutex<mode_t?>

    init(_ mask: mode_t) {
        former = Mutex(umask(mask))
    }

    func restore() {
        former.withLock { mask in
            if let old = mask { _ = umask(old) }
            mask = nil
        }
    }
}
