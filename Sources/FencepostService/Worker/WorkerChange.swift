import FencepostEngine
import FencepostModel
import FencepostRegions
import FencepostSimulator

/// A change of regions, apps or devices. It is a barrier between submissions: those received before it are evaluated
/// without it, those received after it with it.
struct WorkerChange: Sendable {
    enum Work: Sendable {
        case regions(@Sendable (RegionCatalog) throws -> RegionEdit, sources: [String: String?])
        case apps(@Sendable ([WatchedApp]) throws -> AppEdit, sources: [String: String?])
        case steps([AppStep], app: String)
        case forget(DeviceID)
        /// The store has other alert rules, or other groups.
        case alerts
    }

    enum Answer: Sendable {
        case regions(RegionCatalog)
        /// `nil` when there is no such app.
        case steps([StepReport]?)
        /// Whether the device was known.
        case forgotten(Bool)
        case done
    }

    var work: Work
    var answer: @Sendable (Result<Answer, any Error>) -> Void

    /// Whether a new index must be built before the change can be applied.
    var needsIndexBuild: Bool {
        switch work {
        case .regions: true
        case .apps, .steps, .forget, .alerts: false
        }
    }
}

/// The result of an index build, which runs concurrently with the worker.
enum IndexBuild: Sendable {
    case built(RegionReplacement, WatchChange)
    /// The edit changes nothing; the regions as they are.
    case unchanged(RegionCatalog)
    /// The edit threw.
    case rejected(any Error)
    /// The regions could not be staged in the store.
    case stagingFailed(any Error)
}
