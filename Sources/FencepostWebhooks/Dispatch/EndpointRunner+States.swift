import FencepostModel
import FencepostService

/// The settings of the runner, and the states of its parts: what it knows, what it reads, what it sends.
extension EndpointRunner {
    /// Limits of one endpoint.
    struct Settings: Hashable, Sendable {
        /// Maximum number of concurrent attempts.
        var maximumInFlight = 4
        /// Maximum number of deliveries per read, and of deliveries in memory that wait for their attempt; two messages of an
        /// endpoint with larger batches.
        var window = 32
        /// Maximum number of finished attempts whose result is not on disk. Above it the store is in trouble, and the
        /// endpoint waits for it.
        var maximumUnwritten = 1000
        /// When messages come without rows; `nil` for never.
        var direct: DirectRoute.Settings?
    }

    /// How much is known about the endpoint since the program started.
    enum Startup: Hashable {
        /// Nothing. The first read brings the health.
        case healthUnknown
        /// Due times may still be beyond what any retry schedule produces (rule D5).
        case dueTimesUnchecked(EndpointHealth)
        case complete(EndpointHealth)

        var health: EndpointHealth? {
            switch self {
            case .healthUnknown: nil
            case .dueTimesUnchecked(let health), .complete(let health): health
            }
        }

        mutating func setHealth(_ health: EndpointHealth) {
            switch self {
            case .healthUnknown, .dueTimesUnchecked: self = .dueTimesUnchecked(health)
            case .complete: self = .complete(health)
            }
        }
    }

    /// Deliveries in the outbox that are not in memory.
    enum Unread: Hashable {
        case none
        /// Some may be due now.
        case due
        /// The first is due at this time.
        case later(Timestamp)

        mutating func add(dueAt time: Timestamp) {
            switch self {
            case .none: self = .later(time)
            case .due: break
            case .later(let first): self = .later(min(first, time))
            }
        }
    }

    enum Reading: Hashable {
        case idle(Unread)
        /// A read of due deliveries runs. `isOutdated`: deliveries were added since it started, and it may have missed
        /// them.
        case due(limit: Int, isOutdated: Bool)
        /// A read of all pending deliveries runs.
        case all(unread: Unread)
        /// A read of pending deliveries runs that are to be tried before they are due.
        case early(limit: Int, unread: Unread)
    }

    /// Whether an attempt may start.
    enum Sending: Hashable {
        case open
        case paused(until: Timestamp)
        /// As many attempts as are allowed are in flight, or too many results are not on disk.
        case full
    }

    /// What happens to a delivery when the settlement of its last attempt is on disk.
    enum Unwritten: Hashable {
        case finished
        case retry(at: Timestamp)
    }
}
