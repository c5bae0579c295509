import CPrefetch
import FencepostGeometry
import FencepostModel
import FencepostMonitor
import FencepostRegions

/// Hints to the processor to load what a later fix reads, while earlier ones are evaluated. With thousands of devices
/// and regions none of it is in the cache, and waiting for it takes longer than the evaluation. They change no result.
extension MonitorEngine {
    /// Loads the state of a device and the cell of its fix.
    @inline(__always)
    func prefetchDevice(_ device: Int, at coordinate: Coordinate) {
        devices.prefetch(device)
        evaluator.prefetchCell(of: coordinate)
    }

    /// Loads what the state of a device and the cell of its fix point to, a few fixes after `prefetchDevice`.
    @inline(__always)
    func prefetchTracked(_ device: Int, at coordinate: Coordinate) {
        devices.prefetchTracked(device)
        evaluator.prefetchSplits(of: coordinate)
    }
}

extension DeviceTable {
    private static let cacheLine = 64

    @inline(__always)
    fileprivate func prefetch(_ index: Int) {
        list.withUnsafeBufferPointer { list in
            guard let start = list.baseAddress else { return }
            let device = UnsafeRawPointer(start + index)
            for offset in stride(from: 0, to: MemoryLayout<Device>.stride, by: Self.cacheLine) {
                fencepost_prefetch(device + offset)
            }
        }
    }

    @inline(__always)
    fileprivate func prefetchTracked(_ index: Int) {
        list.withUnsafeBufferPointer { list in
            guard let tracked = list[index].monitor.trackedAddress else { return }
            // The header of the array is before its elements.
            fencepost_prefetch(tracked - Self.cacheLine / 2)
            fencepost_prefetch(tracked + Self.cacheLine / 2)
        }
    }
}

extension FixEvaluator {
    @inline(__always)
    fileprivate func prefetchCell(of coordinate: Coordinate) { query.prefetchCell(of: coordinate) }

    @inline(__always)
    fileprivate func prefetchSplits(of coordinate: Coordinate) { query.prefetchSplits(of: coordinate) }
}
