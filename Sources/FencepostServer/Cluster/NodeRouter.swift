public import FencepostHTTP
import FencepostJSON
public import FencepostModel
public import FencepostService
public import FencepostTracing
import HTTPTypes
import Hummingbird
import HummingbirdCore
public import Logging
import NIOCore
public import ServiceLifecycle
import Synchronization

/// The ports of a cluster's node, which stay open while its role changes: they serve the API while the node leads, and
/// send requests on to the leader while it does not.
public final class NodeRouter: Service {
    /// What a node that does not lead knows of the cluster.
    public struct Upstream: Hashable, Sendable {
        /// Where the leader answers, such as `http://10.0.0.1:8080`; `nil` while none is known.
        public var leader: String?
        /// Why requests to this node fail, in a sentence; `nil` when they do not.
        public var problem: String?
        /// What a person has to know although requests succeed, in a sentence; `nil` for nothing.
        public var warning: String?
        /// Whether the node has a copy of the part, or is to have one.
        public var hasCopy: Bool

        /// Where requests go, in a sentence or two.
        var detail: String {
            (hasCopy ? "" : "This node has no copy. ")
                + (leader.map { "Requests are sent on to \($0)." } ?? "Requests wait for a node that leads.")
        }

        /// Creates a value.
        public init(leader: String?, problem: String?, hasCopy: Bool = true) {
            self.leader = leader
            self.problem = problem
            self.hasCopy = hasCopy
        }
    }

    private struct State {
        var bound: [Port: Int] = [:]
        /// Decodes locations: in a cluster of one part while the node does not lead. `nil` while it leaves that to
        /// the leader, and before the node has tokens.
        var gateway: IngestGateway?
        /// Since when no leader of a part is known.
        var leaderless: [ClusterPartition: ContinuousClock.Instant] = [:]
    }

    /// For how long requests are held while no node leads, if nothing else is set: longer than a takeover takes.
    public static let holdTime = Duration.seconds(15)

    /// How the cluster divides its devices.
    public let partitions: Partitioning
    let settings: ServerSettings
    let holdTime: Duration
    /// For how long a change of the configuration waits until all partitions have it.
    let mirrorTime: Duration
    let listeners: Listeners
    let now: @Sendable () -> Timestamp
    let forwarder: RequestForwarder
    /// Raised when the ports are closed.
    let closing = EventSignal()
    private let verifier = NodeVerifier()
    /// A port of its own for the other nodes, and what they show there; `nil` where they use that of clients.
    private let peers: (port: Int, tls: PeerTLS)?
    private let tracer: Tracer?
    /// The ports that are to be bound.
    private let ports: Set<Port>

    private enum Port: Hashable { case main, osmand, peers }
    let upstream: @Sendable (ClusterPartition) -> Upstream
    private let metricsText: @Sendable () -> String
    private let makeCopy: @Sendable (ClusterPartition) async throws -> String
    private let onListening: @Sendable (Int) async -> Void
    private let apis: [ClusterPartition: AttachedAPI]
    private let state = Mutex(State())

    /// A router whose ports open when it runs.
    ///
    /// More than five parameters, because each is another part of the node.
    ///
    /// - Parameters:
    ///   - settings: where to listen.
    ///   - limits: limits of connections.
    ///   - logger: logs connections that were refused.
    ///   - now: the time, for the log.
    ///   - metricsText: the body of `/metrics` while the node does not lead.
    ///   - holdTime: for how long requests are held while no node leads.
    ///   - partitions: how the cluster divides its devices.
    ///   - mirrorTime: for how long a change of the configuration waits until all partitions have it.
    ///   - peers: a port for the other nodes, and what they show there; `nil` where they use that of clients.
    ///   - tracer: records traces of requests that this node decodes; `nil` for none.
    ///   - upstream: what the node knows of a part of the cluster now.
    ///   - makeCopy: makes a copy of the node's database of a part for another node, and returns its path; it is removed
    ///     afterwards.
    ///   - onListening: called with the bound port, when all ports are.
    public init(
        _ settings: ServerSettings, limits: ConnectionLimits, logger: Logger, now: @escaping @Sendable () -> Timestamp,
        metricsText: @escaping @Sendable () -> String, holdTime: Duration = NodeRouter.holdTime,
        partitions: Partitioning = .single, mirrorTime: Duration = .seconds(60),
        peers: (port: Int, tls: PeerTLS)? = nil, tracer: Tracer? = nil,
        upstream: @escaping @Sendable (_ part: ClusterPartition) -> Upstream,
        makeCopy: @escaping @Sendable (_ part: ClusterPartition) async throws -> String,
        onListening: @escaping @Sendable (_ port: Int) async -> Void
    ) {
        (self.settings, self.holdTime, self.partitions, self.mirrorTime) = (settings, holdTime, partitions, mirrorTime)
        (self.peers, self.tracer) = (peers, tracer)
        var ports: Set<Port> = [.main]
        if settings.osmandPort != nil { ports.insert(.osmand) }
        if peers != nil { ports.insert(.peers) }
        self.ports = ports
        apis = Dictionary(uniqueKeysWithValues: partitions.parts.map { ($0, AttachedAPI()) })
        self.now = now
        listeners = Listeners(limits, logger: logger, now: now)
        forwarder = RequestForwarder(
            holdTime: holdTime, bodyLimit: max(settings.bodyLimit, settings.importLimit),
            tls: peers?.tls)
        self.upstream = upstream
        self.metricsText = metricsText
        self.makeCopy = makeCopy
        self.onListening = onListening
    }

    /// Sets the key by which the cluster's nodes sign their requests. Nothing is sent on before.
    public func setKey(_ key: [UInt8]) { forwarder.signer.set(key: key) }

    /// The key by which the services of this process know what its ports have checked.
    var key: String { forwarder.processKey }

    /// Serves until a graceful shutdown, at which held requests are still answered and event streams end.
    ///
    /// - Throws: when a port cannot be bound.
    public func run() async throws {
        try await withGracefulShutdownHandler {
            try await servePorts()
        } onGracefulShutdown: { [closing] in
            closing.raise()
        }
    }

    private func servePorts() async throws {
        do {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { [self] in try await serve(settings.port, as: .main) }
                if let port = settings.osmandPort {
                    group.addTask { [self] in try await serve(port, as: .osmand) }
                }
                if let port = peers?.port { group.addTask { [self] in try await serve(port, as: .peers) } }
                try await group.next()
                try await group.waitForAll()
            }
        } catch {
            await close()
            throw error
        }
        await close()
    }

    private func close() async {
        state.withLock { $0.gateway = nil }
        await forwarder.close()
    }

    /// Decodes locations; `nil` while the leader does, and before this node has tokens.
    var gateway: IngestGateway? { state.withLock { $0.gateway } }

    /// The port of the API; `nil` before it was bound.
    var port: Int? { state.withLock { $0.bound[.main] } }

    /// The port of the other nodes; `nil` before it was bound, and where they use that of the API.
    public var peerPort: Int? { state.withLock { $0.bound[.peers] } }

    private func bound(_ number: Int, as port: Port) async {
        let isLast = state.withLock { state in
            state.bound[port] = number
            return state.bound.count == ports.count
        }
        if isLast, let port = self.port { await onListening(port) }
    }

    private func serve(_ number: Int, as port: Port) async throws {
        try await listeners.serve(
            at: .hostname(settings.host, port: number), tls: port == .peers ? peers?.tls : nil,
            onRefusal: { [self] problem in refused(problem) },
            respond: { [self] request, channel in await respond(to: request, on: channel, from: port) },
            onRunning: { [self] channel in await bound(channel.localAddress?.port ?? number, as: port) })
    }

    /// Has one of the services behind the ports log a request that was refused.
    private func refused(_ problem: Problem) {
        partitions.parts.lazy.compactMap { [apis] in apis[$0] }.first(where: \.isAttached)?.refused(problem)
    }

    // MARK: - The services of the parts that this node leads

    /// The place of a part's service behind these ports.
    ///
    /// - Precondition: the cluster has the part.
    public func attachment(_ part: ClusterPartition) -> PartitionAttachment {
        precondition(apis[part] != nil, "the cluster has no such part")
        return PartitionAttachment(router: self, part: part)
    }

    /// The service of a part.
    func api(of part: ClusterPartition) -> AttachedAPI? { apis[part] }

    // MARK: - Requests

    private func respond(to request: Request, on channel: any Channel, from port: Port) async -> Response {
        let path = String((request.head.path ?? "/").prefix { $0 != "?" })
        let isOsmAnd = port == .osmand
        // With a port for nodes, nothing else comes there, and no node's requests come elsewhere.
        let verdict = port == (peers == nil ? .main : .peers) ? verdict(request) : .unsigned
        if port == .peers, verdict == .unsigned { return Self.response(.notFound("resource"), path) }
        switch verdict {
        case .unsigned:
            // A node of a version before signatures wants the answer of one part, and would get that of all.
            let isOlderNode = request.headers[Forwarding.name] != nil && request.headers[Forwarding.partName] != nil
            if isOlderNode, !isOsmAnd { return Self.unhandled(path) }
            let marked = Forwarding.marked(request, nil, key: key)
            return await respond(to: marked, on: channel, isOsmAnd: isOsmAnd, isFromNode: false)
        case .replayed:
            return Self.response(.forbidden("replayed_request", "The request was sent before."), path)
        case .otherSession(let session):
            var response = Self.unhandled(path)
            response.headers[NodeSignature.sessionName] = String(session, radix: 16)
            return response
        case .node(let signature):
            do {
                let hasBody = request.headers[.contentLength] != nil || request.headers[.transferEncoding] != nil
                let held = hasBody ? try await forwarder.bodies.read(request) : nil
                defer { withExtendedLifetime(held) {} }
                guard NodeSignature.hash(held?.bytes ?? []) == signature.bodyHash else {
                    throw Problem.forbidden("invalid_signature", "The body is not the one that was signed.")
                }
                var marked = Forwarding.marked(request, signature, key: key)
                if let held { marked.body = RequestBody(buffer: ByteBuffer(bytes: held.bytes)) }
                var response = await respond(to: marked, on: channel, isOsmAnd: false, isFromNode: true)
                response.headers[NodeSignature.acceptedName] = "1"
                return response
            } catch {
                return Self.response(Problem(unexpected: error), path)
            }
        }
    }

    private func verdict(_ request: Request) -> NodeVerifier.Verdict {
        guard let key = forwarder.signer.key else { return .unsigned }
        return verifier.verdict(
            request.headers[NodeSignature.name], method: request.method.rawValue, target: request.head.path ?? "/",
            key: key)
    }

    private func respond(
        to request: Request, on channel: any Channel, isOsmAnd: Bool, isFromNode: Bool
    ) async -> Response {
        if !isOsmAnd, Forwarding.isOwn(request.headers, key: key), let path = request.head.path,
            let part = CopyTransfer.part(ofTarget: path)
        {
            return await copy(of: part)
        }
        guard partitions.count == 1, let api = apis[partitions.configuration] else {
            return await respondAsPartition(request, channel, isOsmAnd: isOsmAnd, isFromNode: isFromNode)
        }
        if let response = await api.response(to: request, on: channel, isOsmAnd: isOsmAnd) { return response }
        return await standby(request, channel, api, isOsmAnd: isOsmAnd)
    }

    /// A copy of the database of a part, which any node of the cluster may ask any other for.
    private func copy(of part: ClusterPartition) async -> Response {
        guard apis[part] != nil else { return Self.response(.notFound("part"), CopyTransfer.path) }
        do {
            return try CopyTransfer.response(with: try await makeCopy(part))
        } catch {
            listeners.logger.warning(
                "another node gets no copy", metadata: ["part": "\(part)", "error": "\(error)"])
            return Self.response(.unavailable("A copy cannot be made."), CopyTransfer.path)
        }
    }

    /// The answer to another node that took this one for the leader.
    static func unhandled(_ path: String) -> Response {
        var response = response(.notLeading("This node does not lead."), path)
        response.headers[HTTPField.Name(literal: RequestForwarder.unhandled)] = "1"
        return response
    }

    private func standby(
        _ request: Request, _ channel: any Channel, _ api: AttachedAPI, isOsmAnd: Bool
    ) async -> Response {
        let target = request.head.path ?? "/"
        let mark = target.utf8.firstIndex(of: UInt8(ascii: "?")) ?? target.endIndex
        let path = isOsmAnd ? OsmAndRoute.path : String(target[..<mark])
        if !isOsmAnd, let response = own(path) { return response.encoded(isHead: request.method == .head) }
        guard path.hasPrefix("/") else { return Self.response(.pathWithoutSlash, path) }
        if Forwarding.client(request.headers, key: key) != nil { return Self.unhandled(path) }
        if let problem = upstream(partitions.configuration).problem { return Self.response(.notLeading(problem), path) }
        let route = API.outline.match(request.method, path)?.route
        let content = RequestForwarder.Content(
            request: request, target: path + target[mark...], client: channel.remoteAddress?.ipAddress ?? "",
            isRepeatable: Self.isRepeatable(request, route),
            hasClient: { [self] in
                // The ports close when all responses are written, and a stream has no end of its own.
                if closing.generation > 0 { false } else { await channel.hasClient() }
            })
        do {
            let held = try await forwarder.bodies.read(request)
            if route?.partition == .divided, route?.method == request.method,
                let response = await decoded(content, held, path: path, channel)
            {
                return response
            }
            switch try await forwarder.outcome(of: content, held, target: { [self] in self.target(.partition(0)) }) {
            case .answered(let response): return response
            case .handleHere(let request):
                return await api.response(to: request, on: channel, isOsmAnd: isOsmAnd)
                    ?? Self.response(.notLeading("The leader changes. Send the request again."), path)
            }
        } catch {
            return Self.response(Problem(unexpected: error), path)
        }
    }

    /// The response to locations that this node decodes; `nil` for a request that is sent on.
    private func decoded(
        _ content: RequestForwarder.Content, _ held: HeldBodies.Body, path: String, _ channel: any Channel
    ) async -> Response? {
        guard let gateway else { return nil }
        return await gateway.response(
            to: IngestGateway.Incoming(
                request: content.request, path: path, body: held.bytes, channel: channel, client: content.client))
    }

    /// Lets this node decode locations while it does not lead, and send the leader only what it has decoded.
    ///
    /// Limits of the rate count requests at the leader, so nothing is decoded here while there is one. In a cluster
    /// of several parts every node decodes all locations that it gets, also while it leads, and counts requests
    /// itself.
    ///
    /// - Parameters:
    ///   - tokens: the tokens of the node's copy of the configuration; `nil` ends it. Among several parts its answers are
    ///     final, so it has to have what any leader of the configuration has acknowledged.
    ///   - clock: the node's time.
    public func decode(with tokens: (any TokenSource)?, clock: ServiceClock) {
        guard partitions.count == 1 else {
            let gateway = tokens.map { [tracer] in IngestGateway(self, tokens: $0, clock: clock, tracer: tracer) }
            return state.withLock { $0.gateway = gateway }
        }
        let gateway = (settings.ingestRate == nil ? tokens : nil).map { tokens in
            let sender = SubmissionSender(
                forwarder, now: { clock.now() },
                onClockDifference: { [logger = listeners.logger] in
                    logger.warning("the leader's clock differs; it decodes the requests to this node itself")
                })
            return IngestGateway(
                settings, tokens: tokens, clock: clock, logger: listeners.logger, tracer: tracer,
                submit: { [self] entry in
                    await sender.submit(entry, target: { [self] in self.target(.partition(0)) }).receipt
                })
        }
        state.withLock { $0.gateway = gateway }
    }

    /// Forgets the tokens that this node has read. In a cluster of several parts, to be called when the node's copy
    /// of the configuration has changed ones.
    public func tokensDidChange() { gateway?.tokensDidChange() }

    /// Who handles requests about a part now.
    func target(_ part: ClusterPartition) -> RequestForwarder.Target {
        if apis[part]?.isAttached == true { return .here }
        guard let leader = upstream(part).leader, forwarder.signer.key != nil else { return .none }
        return .node(leader)
    }

    /// Whether a request may be sent twice: it changes nothing, or its repeat is known as such.
    static func isRepeatable(_ request: Request, _ route: Route?) -> Bool {
        request.method == .get || request.method == .head || request.headers[.idempotencyKey] != nil
            || route?.storesOnce == true || route?.onlyReads == true
    }

    static func response(_ problem: Problem, _ path: String) -> Response {
        RouteResponse(problem, instance: path).encoded()
    }

    // MARK: - What every node answers itself

    /// The response to a question about this node; `nil` for a request that the leader answers.
    func own(_ path: String) -> RouteResponse? {
        switch path {
        case "/healthz":
            RouteResponse { writer in
                writer.beginObject()
                writer.member("status", "ok")
                writer.endObject()
            }
        case "/metrics": RouteResponse(type: API.metricsType, text: metricsText())
        case "/readyz": readiness()
        default: nil
        }
    }

    /// Whether no leader of a part has been known for longer than requests are held.
    func isLeaderless(_ part: ClusterPartition, _ upstream: Upstream) -> Bool {
        let now = ContinuousClock.now
        let time = state.withLock { state in
            state.leaderless[part] = upstream.leader == nil ? state.leaderless[part] ?? now : nil
            return state.leaderless[part].map { now - $0 } ?? .zero
        }
        return time > holdTime
    }

    private func readiness() -> RouteResponse {
        let upstream = upstream(partitions.configuration)
        var problem = upstream.problem
        if isLeaderless(partitions.configuration, upstream), problem == nil {
            problem = "No node of the cluster leads."
        }
        return .readiness([(HealthCheck("cluster", problem: problem, warning: upstream.warning), upstream.detail)])
    }
}
