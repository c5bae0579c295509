import FencepostHTTP
import FencepostJSON
import FencepostModel
public import FencepostService
import HTTPTypes
import Hummingbird
import NIOCore

/// Requests to a node of a cluster of several parts.
extension NodeRouter {
    /// Stores a submission of this node's own, such as messages of an MQTT broker, or one of a caller whose token was
    /// checked: divides it by device, and returns when all partitions have stored their share.
    ///
    /// - Parameters:
    ///   - submission: locations, reports and rejected records.
    ///   - tokenHash: SHA-256 of the caller's token, which each partition checks again; `nil` for the node itself.
    /// - Returns: the sum of the partitions' receipts.
    /// - Throws: when a partition has not stored its share in the time allowed; the sender may try again, and what is
    ///   stored already counts as duplicates then.
    public func submit(_ submission: Submission, as tokenHash: [UInt8]?) async throws -> SubmissionReceipt {
        guard let submitter = try await untilDecoding().submitter else { throw Problem.internalError }
        var (stored, clockLead): ([ClusterPartition: SubmissionReceipt], Int64) = ([:], 0)
        for _ in 0...partitions.count {
            do {
                return try await submitter.submit(
                    submission, as: tokenHash, clockLead: clockLead, besides: stored)
            } catch let incomplete as PartitionSubmitter.Incomplete {
                guard case .clockDiffers(let lead) = incomplete.reason else {
                    throw Problem.unauthorized("The token is unknown.", mayUseBasic: false)
                }
                // It was decoded elsewhere. Only times that its fixes did not have differ then.
                (stored, clockLead) = (incomplete.stored, lead)
            }
        }
        throw Problem.notLeading("The clocks of the nodes differ.")
    }

    /// Decodes locations, as soon as this node can.
    private func untilDecoding() async throws -> IngestGateway {
        let end = ContinuousClock.now + holdTime
        while true {
            if let gateway { return gateway }
            guard ContinuousClock.now < end else { throw Problem.notLeading("This node has no tokens yet.") }
            try await Task.sleep(for: .milliseconds(50))
        }
    }

    /// The response of a node of a cluster of several parts.
    ///
    /// - Parameters:
    ///   - request: the request.
    ///   - channel: the connection.
    ///   - isOsmAnd: whether it came to the port of OsmAnd.
    ///   - isFromNode: whether another node of the cluster sent it. Only then does it say itself which part it is about.
    /// - Returns: the response, also to a request that fails.
    func respondAsPartition(
        _ request: Request, _ channel: any Channel, isOsmAnd: Bool, isFromNode: Bool
    ) async -> Response {
        guard isFromNode else { return await respond(to: request, channel, isOsmAnd: isOsmAnd, isLocal: false) }
        guard let part = Forwarding.part(request.headers),
            let response = await api(of: part)?.response(to: request, on: channel, isOsmAnd: false)
        else { return Self.unhandled(String((request.head.path ?? "/").prefix { $0 != "?" })) }
        return response
    }

    /// The response to a command of this machine, which needs no token.
    func respondLocally(to request: Request, on channel: any Channel) async -> Response {
        await respond(to: request, channel, isOsmAnd: false, isLocal: true)
    }

    /// The response to a question of this node's own about any devices, such as a report that it sends.
    func respond(toOwn target: String, on channel: any Channel) async -> Response {
        let path = String(target.prefix { $0 != "?" })
        let sent = PartitionRequest(
            method: .get, target: target, headers: HTTPFields(), client: Forwarding.ownClient, isRepeatable: true)
        do {
            let caller = RouterCaller(router: self, channel: channel, authority: nil)
            guard let query = Query(target.dropFirst(path.count + 1)) else { throw Problem.invalidQuery }
            if case .device(let device) = PartitionRoutes.owner(of: .get, path, query) {
                return try await caller.answer(to: sent, from: partitions.part(of: device))
            }
            let fanOut = PartitionFanOut(partitions: partitions, caller: caller, key: key, now: listeners.now)
            guard let response = try await fanOut.answer(sent, path: path, query: query) else {
                throw Problem.notFound("resource")
            }
            return response
        } catch {
            return Self.response(Problem(unexpected: error), path)
        }
    }

    private func respond(
        to request: Request, _ channel: any Channel, isOsmAnd: Bool, isLocal: Bool
    ) async -> Response {
        let target = request.head.path ?? "/"
        let mark = target.utf8.firstIndex(of: UInt8(ascii: "?")) ?? target.endIndex
        let path = String(target[..<mark])
        do {
            return try await routed(
                request, channel, path, target[mark...].dropFirst(), isOsmAnd: isOsmAnd, isLocal: isLocal)
        } catch {
            return RouteResponse(Problem(unexpected: error), instance: path).encoded(isHead: request.method == .head)
        }
    }

    /// The response to a client's request. More than five parameters, because each is another property of it.
    private func routed(
        _ request: Request, _ channel: any Channel, _ path: String, _ queryText: Substring, isOsmAnd: Bool,
        isLocal: Bool
    ) async throws -> Response {
        let query = Query(queryText.prefix { $0 != "#" })
        let match = API.outline.match(request.method, path)
        func named(bound: DeviceID?) -> PartitionRoutes.Owner {
            match.map { PartitionRoutes.owner(of: $0.route, $0.parameters, query, bound: bound) } ?? .configuration
        }
        var owner = isOsmAnd ? .ingest : named(bound: nil)
        if owner == .node { return await own(request, channel, path).encoded(isHead: request.method == .head) }
        guard isOsmAnd || path.hasPrefix("/") else { throw Problem.pathWithoutSlash }
        let client = isLocal ? Forwarding.localClient : channel.remoteAddress?.ipAddress ?? ""
        let caller = RouterCaller(router: self, channel: channel, authority: request.head.authority)
        if owner == .ingest {
            let held = try await forwarder.bodies.read(request, limit: settings.bodyLimit)
            defer { withExtendedLifetime(held) {} }
            let response = try await untilDecoding().response(
                to: IngestGateway.Incoming(
                    request: request, path: isOsmAnd ? OsmAndRoute.path : nil, body: held.bytes, channel: channel,
                    client: client))
            guard let response else { throw Problem.internalError }
            return response
        }
        // To notice that the client of a stream has gone, its connection is read further; only one task may do that.
        let isStream =
            match?.route.partition == .stream && request.method == .get && request.headers[.contentLength] == nil
            && request.headers[.transferEncoding] == nil
        let held = isStream ? nil : try await forwarder.bodies.read(request)
        defer { withExtendedLifetime(held) {} }
        if owner == .partitions || owner == .importFile, let device = await gateway?.boundDevice(request.headers) {
            owner = named(bound: device)
        }
        var headers = request.headers
        headers[Forwarding.name] = nil
        headers[Forwarding.partName] = nil
        headers[PartitionImport.name] = nil
        let sent = PartitionRequest(
            method: request.method, target: request.head.path ?? "/", headers: headers, body: held?.bytes ?? [],
            client: client, isRepeatable: Self.isRepeatable(request, match?.route))
        // Before any of them does its share.
        if isLocal, owner == .importFile || owner == .partitions,
            partitions.parts.contains(where: { target($0) != .here })
        {
            throw Problem.ledElsewhere
        }
        switch owner {
        case .device(let device):
            let answer = try await caller.answer(to: sent, from: partitions.part(of: device))
            if request.method == .delete, query?["erase"].map({ $0 != "false" }) ?? false {
                try await eraseEverywhere(sent, after: answer, caller)
            }
            return answer
        case .importFile:
            return try await PartitionImport(partitions: partitions, caller: caller).answer(sent)
        case .partitions:
            let fanOut = PartitionFanOut(
                partitions: partitions, caller: caller, key: key, now: listeners.now)
            if let query,
                let response = try await fanOut.answer(
                    sent, path: path, query: query,
                    for: StreamConnection(channel: channel, body: isStream ? request.body : nil, closing: closing))
            {
                return response
            }
        case .node, .configuration, .ingest: break
        }
        return try await caller.answer(to: sent, from: partitions.configuration)
    }

    /// Erases what the configuration has of a device that its partition has erased, such as its share links, and then what all
    /// partitions had of that: each has a copy of it, and traces of it in its files and its log.
    private func eraseEverywhere(
        _ request: PartitionRequest, after answer: Response, _ caller: RouterCaller
    ) async throws {
        // Also after a request that came this far before.
        guard answer.status == .noContent || answer.status == .notFound else { return }
        var request = request
        request.headers[.ifMatch] = nil
        let erased = try await caller.answer(to: request, from: partitions.configuration)
        guard erased.status.kind != .serverError else { throw Problem.notEverywhere }
        try await withThrowingTaskGroup(of: Void.self) { [request] group in
            for part in partitions.devices {
                group.addTask {
                    let erased = try await caller.answer(to: request, from: part)
                    guard erased.status.kind != .serverError else { throw Problem.notEverywhere }
                }
            }
            try await group.waitForAll()
        }
    }

    // MARK: - What the node answers itself

    private func own(_ request: Request, _ channel: any Channel, _ path: String) async -> RouteResponse {
        guard request.method == .get || request.method == .head else {
            return RouteResponse(Problem.methodNotAllowed([.get, .head]), instance: path)
        }
        let name = String(percentEncoded: path) ?? path
        if name == "/readyz" { return await readiness(channel) }
        return own(name) ?? RouteResponse(Problem.notFound("resource"), instance: path)
    }

    /// Whether the node can have requests about all parts answered, here or elsewhere.
    private func readiness(_ channel: any Channel) async -> RouteResponse {
        var checks: [(check: HealthCheck, detail: String?)] = []
        for part in partitions.parts { checks.append(await check(part, channel)) }
        return .readiness(checks)
    }

    private func check(
        _ part: ClusterPartition, _ channel: any Channel
    ) async -> (check: HealthCheck, detail: String?) {
        let name = part == .configuration ? "configuration" : "partition\(part)"
        let question = Request(
            head: HTTPRequest(method: .get, scheme: "http", authority: nil, path: "/readyz"),
            body: RequestBody(buffer: ByteBuffer()))
        let answer = await api(of: part)?.response(to: question, on: channel, isOsmAnd: false, isInProcess: true)
        if let answer {
            let problem = answer.status == .ok ? nil : "It is led here, and not ready."
            return (HealthCheck(name, problem: problem), "It is led here.")
        }
        let upstream = upstream(part)
        let problem = upstream.problem ?? (isLeaderless(part, upstream) ? "No node leads it." : nil)
        return (HealthCheck(name, problem: problem, warning: upstream.warning), upstream.detail)
    }
}
