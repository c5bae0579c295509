import HTTPTypes
import Metrics

/// Counts requests by route and class of status (rule O6).
///
/// All counters exist from the start, so that the first failure of a route is a change from 0 and not a new series.
struct RequestCounters: Sendable {
    /// Classes of statuses. A request that is answered has one of them.
    private static let classes = ["2xx", "3xx", "4xx", "5xx"]

    /// One counter per class.
    private let counters: [String: [Counter]]
    private let others: [Counter]

    /// Counters of these routes, and one set for requests that match no route.
    init(_ routes: [Route]) {
        counters = Dictionary(uniqueKeysWithValues: routes.map { ($0.name, Self.make($0.method.rawValue, $0.path)) })
        others = Self.make("", "none")
    }

    private static func make(_ method: String, _ path: String) -> [Counter] {
        classes.map { status in
            Counter(
                label: "fencepost_http_requests_total",
                dimensions: [("method", method), ("route", path), ("status", status)])
        }
    }

    /// Counts one request; the name of the route is `nil` when it matched none.
    func count(_ route: String?, _ status: HTTPResponse.Status) {
        let index = min(max(Int(status.code) / 100 - 2, 0), Self.classes.count - 1)
        (route.flatMap { counters[$0] } ?? others)[index].increment()
    }
}
