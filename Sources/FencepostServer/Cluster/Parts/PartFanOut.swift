import FencepostModel
import HTTPTypes
import Hummingbird

/// Answers requests that are about several partitions.
struct PartFanOut: Sendable {
    let partitions: Partitioning
    let caller: any PartCaller

    init(partitions: Partitioning, caller: any PartCaller) {
        (self.partitions, self.caller) = (partitions, caller)
    }

    /// Answers a request.
    ///
    /// - Parameters:
    ///   - request: the request.
    ///   - path: its path as it was sent, without the query.
    ///   - query: its decoded query.
    /// - Returns: the answer; `nil` for a path that it does not know, which is the configuration's to answer.
    /// - Throws: a `Problem`.
    func answer(_ request: PartRequest, path: String, query: Query) async throws -> Response? {
        let names = path.split(separator: "/")
        guard names.first == "v1", let name = names.dropFirst().first else { return nil }
        let isAll =
            [
                "locations", "events", "visits", "reports", "timeline", "trips", "summaries", "places", "devices",
                "quarantine", "deliveries", "imports", "stream", "shared", "profiles",
            ].contains(name) || name == "regions" && names.count == 4
        guard isAll else { return nil }
        throw Problem.notImplemented("Lists of all devices are not there yet in a cluster of several partitions.")
    }
}
