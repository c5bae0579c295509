import FencepostHTTP
import FencepostModel
import HTTPTypes
import Hummingbird

/// Answers over all partitions of a cluster, made from the answers of their leaders.
///
/// When one partition does not answer, the request fails: results are never partial.
struct PartitionFanOut: Sendable {
    let partitions: Partitioning
    let caller: any PartitionCaller
    let now: @Sendable () -> Timestamp
    let sleep: @Sendable (Duration) async throws -> Void
    private let key: String
    private let requestIDs = RequestIDs(key: .random(in: .min ... .max))

    /// - Parameters:
    ///   - partitions: how the cluster divides its devices.
    ///   - caller: sends requests to the leaders.
    ///   - key: the key by which the services of this process know what its ports have checked.
    ///   - now: the time, at which a period without an end ends.
    ///   - sleep: waits, for the heartbeat of streams and before another attempt.
    init(
        partitions: Partitioning, caller: any PartitionCaller, key: String,
        now: @escaping @Sendable () -> Timestamp,
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) {
        (self.partitions, self.caller, self.key, self.now, self.sleep) = (partitions, caller, key, now, sleep)
    }

    /// The answer to a request that is about devices of several partitions.
    ///
    /// - Parameters:
    ///   - request: as the client sent it.
    ///   - path: its path, percent-encoded.
    ///   - query: its decoded query.
    ///   - reader: the connection of a stream's reader. With it the stream ends as soon as the reader leaves, and a reader that
    ///     takes nothing is disconnected.
    /// - Returns: `nil` for a request about one device, about the configuration or about the node, and in a cluster of one
    ///   partition.
    ///   A partition that does not answer, and a request that cannot be answered over all partitions, give a problem.
    /// - Throws: a `CancellationError` when the task is cancelled.
    func answer(
        _ request: PartitionRequest, path: String, query: Query, for reader: StreamConnection? = nil
    ) async throws -> Response? {
        guard partitions.count > 1, let rule = API.outline.match(request.method, path)?.route.partition else {
            return nil
        }
        let isHead = request.method == .head
        var request = request
        if isHead { request.method = .get }
        // What is merged is compared here, if at all.
        let known = request.headers[.ifNoneMatch]
        request.headers[.ifNoneMatch] = nil
        if RequestIDs.given(in: request.headers) == nil { request.headers[.requestID] = requestIDs.next() }
        let question = PartitionQuestion(
            request: request, path: path, query: query, partitions: partitions, caller: caller,
            mark: HTTPField(name: FanOutMark.name, value: key))
        do {
            let response = try await response(to: question, by: rule, ifNoneMatch: known, for: reader)
            guard isHead, let response else { return response }
            if response.body.contentLength == nil { await response.discard() }
            return response.createHeadResponse()
        } catch let refusal as PartitionRefusal {
            let response = refusal.answer.response
            return isHead ? response.createHeadResponse() : response
        } catch let error where !(error is CancellationError) {
            var problem = RouteResponse(Problem(unexpected: error), instance: path)
            problem.headers[.requestID] = request.headers[.requestID]
            return problem.encoded(isHead: isHead)
        }
    }

    /// The answer to a request with a query as it was sent; `nil` also for one that is not percent-encoded UTF-8, which the
    /// configuration refuses.
    func answer(
        _ request: PartitionRequest, path: String, query: Substring, for reader: StreamConnection? = nil
    ) async throws -> Response? {
        guard let query = Query(query.prefix { $0 != "#" }) else { return nil }
        return try await answer(request, path: path, query: query, for: reader)
    }

    private func response(
        to question: PartitionQuestion, by rule: PartitionRule, ifNoneMatch known: String?,
        for reader: StreamConnection?
    ) async throws -> Response? {
        // Its partition answers alone.
        if rule.isOfNamedDevice, PartitionRoutes.namedDevice(of: question.query) != nil { return nil }
        switch rule {
        case .pages(let order, let withConfiguration):
            return try await page(question, by: order, withConfiguration: withConfiguration).response
        case .list(let order): return try await list(question, by: order).response
        case .trips: return try await trips(question)
        case .visits: return try await visits(question)
        case .presences: return try await presences(question)
        case .rounds: return try await rounds(question)
        case .summaries: return try await summary(question)
        case .stream: return try await stream(question, for: reader)
        case .shared: return try await shared(question).response
        case .oneHasIt: return try await oneThatHasIt(question).response
        case .sum: return try await sum(question).response
        case .endpointHealth: return try await endpointHealth(question).response
        case .endpoints: return try await endpoints(question).response
        case .endpoint: return try await endpoint(question, ifNoneMatch: known)
        case .imports: return try await imports(question).response
        case .import: return try await self.import(question).response
        case .tokens: return try await tokens(question).response
        case .token: return try await token(question).response
        case .boundDevice where question.isOfPattern && question.path == "/v1/locations":
            return try await page(question, by: .device).response
        case .boundDevice: return try await answerAboutBoundDevice(question).response
        case .suggestions: return try await suggestions(question).response
        case .regionFromSuggestion: return try await regionFromSuggestion(question).response
        case .configuration, .device, .divided, .file, .node: return nil
        }
    }
}
