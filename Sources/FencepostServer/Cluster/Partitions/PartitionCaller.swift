import FencepostModel
import HTTPTypes
import Hummingbird

/// Sends requests to the leaders of a cluster's parts, wherever these are.
protocol PartitionCaller: Sendable {
    /// The answer of a part's leader, whose body may be a stream. The request waits while no node leads the part.
    ///
    /// - Throws: a `Problem` when no leader has answered in the time allowed.
    func answer(to request: PartitionRequest, from part: ClusterPartition) async throws -> Response
}

/// A request to a part of a cluster, as a client sent it or made from one.
struct PartitionRequest: Sendable {
    var method: HTTPRequest.Method
    /// The path and the query, percent-encoded.
    var target: String
    /// The client's headers, with its credentials.
    var headers: HTTPFields
    var body: [UInt8] = []
    /// The client's address.
    var client: String
    /// Whether doing it twice is the same as doing it once.
    var isRepeatable: Bool
}
