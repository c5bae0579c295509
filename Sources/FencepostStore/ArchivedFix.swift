import FencepostModel
import FencepostService

/// A stored fix with its arrival time.
struct ArchivedFix: Hashable, Sendable {
    var stored: StoredLocation
    var receivedAt: Timestamp

    var location: Location { stored.location }
}
