import FencepostHTTP
import FencepostModel
import FencepostService
import HTTPTypes

/// A client's request about devices of several partitions, and what the leaders are asked for it.
struct PartitionQuestion: Sendable {
    let request: PartitionRequest
    /// The path as it was sent.
    let path: String
    let query: Query
    let partitions: Partitioning
    let caller: any PartitionCaller
    /// Marks a request as part of this one.
    let mark: HTTPField

    /// In which order rows are wanted; partitions refuse any other word.
    var order: HistoryOrder { query["order"].flatMap(HistoryOrder.init(rawValue:)) ?? .ascending }

    /// Whether it is about the devices that a pattern matches.
    var isOfPattern: Bool { query["deviceId"].map(DeviceChoice.isPattern) ?? false }

    /// The request to a part.
    ///
    /// - Parameters:
    ///   - names: query parameters of the client that are left out.
    ///   - items: query parameters that are added.
    ///   - isMarked: whether the leader answers for this node, which takes its answer apart.
    /// - Returns: the client's request with these parameters.
    func asked(
        without names: Set<String> = [], adding items: [(name: String, value: String)] = [], isMarked: Bool = false
    ) -> PartitionRequest {
        var request = request
        let kept = query.items.filter { !names.contains($0.name) } + items
        request.target =
            kept.isEmpty
            ? path
            : path + "?" + kept.map { "\($0.name.percentEncoded)=\($0.value.percentEncoded)" }.joined(separator: "&")
        if isMarked { request.headers[mark.name] = mark.value }
        return request
    }

    /// The whole answer of a part.
    func answer(to request: PartitionRequest, from part: ClusterPartition) async throws -> PartitionAnswer {
        try await PartitionAnswer(try await caller.answer(to: request, from: part))
    }

    /// The answers of some of several parts, each with the index of its part.
    ///
    /// - Throws: a `PartitionRefusal` with the first answer that is no success, or the first error.
    func answers(
        from chosen: [Int], of parts: [ClusterPartition],
        _ request: @escaping @Sendable (_ index: Int) -> PartitionRequest
    ) async throws -> [(index: Int, answer: PartitionAnswer)] {
        try await withThrowingTaskGroup(of: (Int, PartitionAnswer).self) { group in
            for index in chosen {
                group.addTask { (index, try await answer(to: request(index), from: parts[index])) }
            }
            var found: [(index: Int, answer: PartitionAnswer)] = []
            for try await (index, answer) in group {
                guard answer.isSuccess else { throw PartitionRefusal(answer: answer) }
                found.append((index, answer))
            }
            return found.sorted { $0.index < $1.index }
        }
    }

    /// The answers of all partitions to one request.
    func answers(to request: PartitionRequest) async throws -> [PartitionAnswer] {
        try await answers(from: Array(0..<partitions.count), of: partitions.devices) { _ in request }.map(\.answer)
    }

    /// The answer of a partition to a request that none accepts, so that it is the API's own; should the partition accept
    /// it, the problem is thrown.
    func refusal(of request: PartitionRequest, otherwise problem: Problem) async throws -> PartitionAnswer {
        let answer = try await answer(to: request, from: .partition(0))
        guard !answer.isSuccess else { throw problem }
        return answer
    }

    /// The device to which the caller's token is bound; `nil` for none, and for a caller who may not read.
    func boundDevice() async throws -> DeviceID? {
        var request = asked(isMarked: true)
        (request.method, request.body, request.target) = (.get, [], "/v1/devices?limit=1")
        let answer = try await answer(to: request, from: .partition(0))
        return answer.headers[FanOutMark.device].flatMap { String(percentEncoded: $0) }.map { DeviceID($0) }
    }
}
