import FencepostHTTP
import FencepostModel
import HTTPTypes
import Hummingbird
import NIOCore

/// Sends the requests of one client to the leaders of parts: in this process where this node leads, else to another node.
struct RouterCaller: PartitionCaller {
    /// Between attempts.
    private static let pause = Duration.milliseconds(50)

    let router: NodeRouter
    /// The client's connection.
    let channel: any Channel
    /// The host that the client's request names; `nil` for none.
    let authority: String?

    /// The answer of a part's leader. After a request that may have changed the configuration it comes when the leaders of
    /// all partitions have the change.
    ///
    /// - Throws: a `Problem` when no leader has answered in the time allowed.
    func answer(to request: PartitionRequest, from part: ClusterPartition) async throws -> Response {
        var response = try await handled(request, by: part)
        let position = response.headers[Forwarding.positionName].flatMap { UInt64($0) }
        response.headers[Forwarding.positionName] = nil
        if part == router.partitions.configuration, let position { try await untilMirrored(position) }
        return response
    }

    /// The answer of a part's leader as it is.
    private func handled(_ request: PartitionRequest, by part: ClusterPartition) async throws -> Response {
        if let problem = router.upstream(part).problem { throw Problem.notLeading(problem) }
        // No other machine takes a node's word for it that a command needs no token.
        if request.client == Forwarding.localClient, router.target(part) != .here { throw Problem.ledElsewhere }
        let end = ContinuousClock.now + router.holdTime
        let made = self.request(request, for: part)
        let content = RequestForwarder.Content(
            request: made, target: request.target, client: request.client, isRepeatable: request.isRepeatable,
            part: part)
        let body = ByteBuffer(bytes: request.body)
        while true {
            let outcome = try await router.forwarder.outcome(of: content, body, target: { router.target(part) })
            switch outcome {
            case .answered(let response): return response
            case .handleHere(let request):
                let response = await router.api(of: part)?
                    .response(to: request, on: channel, isOsmAnd: false, isInProcess: true)
                if let response { return response }
            }
            // The leader changes at this moment.
            guard ContinuousClock.now < end else {
                throw Problem.notLeading("The leader changes. Send the request again.")
            }
            try await Task.sleep(for: Self.pause)
        }
    }

    private func request(_ request: PartitionRequest, for part: ClusterPartition) -> Request {
        var headers = request.headers
        let hasBody =
            !request.body.isEmpty || headers[.contentLength] != nil || headers[.transferEncoding] != nil
        headers[.transferEncoding] = nil
        headers[.contentLength] = hasBody ? String(request.body.count) : nil
        headers[Forwarding.name] = Forwarding.value(key: router.key, client: request.client)
        headers[Forwarding.partName] = "\(part)"
        return Request(
            head: HTTPRequest(
                method: request.method, scheme: "http", authority: authority, path: request.target,
                headerFields: headers), body: RequestBody(buffer: ByteBuffer(bytes: request.body)))
    }

    /// Returns when the leaders of all partitions have the configuration as of a position.
    ///
    /// - Throws: a `Problem` when one of them does not have it in the time allowed.
    private func untilMirrored(_ position: UInt64) async throws {
        let isDone = await withTaskGroup(of: Bool?.self) { group in
            for part in router.partitions.devices {
                group.addTask { await isMirrored(position, by: part) }
            }
            group.addTask {
                try? await Task.sleep(for: router.mirrorTime)
                return nil
            }
            defer { group.cancelAll() }
            var missing = router.partitions.count
            while missing > 0, let answer = await group.next() {
                guard answer == true else { return false }
                missing -= 1
            }
            return true
        }
        guard isDone else { throw Problem.notEverywhere }
    }

    /// Asks a partition's leader again and again; false only when the task is cancelled.
    private func isMirrored(_ position: UInt64, by part: ClusterPartition) async -> Bool {
        let question = PartitionRequest(
            method: .post, target: "\(PartitionPaths.configuration)?position=\(position)", headers: HTTPFields(),
            client: Forwarding.ownClient, isRepeatable: true)
        while !Task.isCancelled {
            if let response = try? await handled(question, by: part), response.status == .noContent { return true }
            try? await Task.sleep(for: Self.pause)
        }
        return false
    }
}
