package import Logging
import Metrics
import Synchronization

/// Reports numbers of responses that JSON cannot hold (NaN, infinite): a fault of the program, which costs no response.
///
/// All are counted, and the first is logged.
package final class UnwritableNumbers: Sendable {
    private let counter = Counter(label: "fencepost_unwritable_numbers_total")
    private let isLogged = Atomic(false)

    package init() {}

    package func report(_ count: Int, route: String, _ logger: Logger) {
        counter.increment(by: count)
        guard !isLogged.exchange(true, ordering: .relaxed) else { return }
        logger.error(
            "A number of a response is not finite, and null is in its place. This is logged once; see the metric fencepost_unwritable_numbers_total.",
            metadata: ["route": "\(route)", "count": "\(count)"])
    }
}
