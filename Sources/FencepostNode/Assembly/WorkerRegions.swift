import FencepostModel
import FencepostRegions
import FencepostService
import Synchronization

/// The regions of a worker that is made later than who asks for them. Empty until then.
final class WorkerRegions: Sendable {
    /// Weak: the worker has the composer of messages, which asks here.
    private struct Reference { weak var worker: MonitorWorker? }

    private let reference = Mutex(Reference())

    /// The regions of now.
    var catalog: RegionCatalog { reference.withLock { $0.worker }?.regions().catalog ?? RegionCatalog() }

    /// From now on the regions are those of this worker.
    func attach(_ worker: MonitorWorker) { reference.withLock { $0.worker = worker } }
}
