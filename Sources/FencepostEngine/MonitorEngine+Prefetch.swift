import CPrefetch
import FencepostModel
import FencepostMonitor
import FencepostRegions

/// Hints to the processor to load the state of the devices of later fixes, while earlier ones are evaluated. With
/// thousands of devices it is not in the cache, and waiting for it takes as long as the evaluation. They change no result.
extension MonitorEngine {
    /// Loads the state of a device. `ahead` is the index of the fix in the last `lookAhead`; `nil` without one.
    @inline(__always)
    func prefetchDevice(_ device: Int, ahead: Int?) {
        devices.prefetch(device)
        if let ahead { evaluator.prefetchSummaries(ahead: ahead) }
    }

    /// Loads what the state of a device points to, a few fixes after `prefetchDevice`.
    @inline(__always)
    func prefetchTracked(_ device: Int, ahead: Int?) {
        devices.prefetchTracked(device)
        if let ahead { evaluator.prefetchContents(ahead: ahead) }
    }
}

extension FixEvaluator {
    /// Loads the references to what the events of the regions around a fix carry.
    ///
    /// `index` is that of the fix in the last `lookAhead`.
    func prefetchSummaries(ahead index: Int) {
        for handle in aheadRegions(index) { rules.withSummaryAddress(of: handle) { fencepost_prefetch($0) } }
    }

    /// Loads what the events of the regions around a fix carry, a few fixes after `prefetchSummaries`.
    func prefetchContents(ahead index: Int) {
        for handle in aheadRegions(index) {
            rules.withSummaryAddress(of: handle) { address in
                // Read as an address, since a copy of the reference would count it.
                fencepost_prefetch(UnsafeRawPointer(bitPattern: address.load(as: UInt.self)))
            }
        }
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

    /// Where the reference to the tracked regions is in a device, in bytes.
    private static let trackedOffset = MemoryLayout<Device>.offset(of: \Device.monitor).flatMap { monitor in
        DeviceMonitor.trackedOffset.map { monitor + $0 }
    }

    @inline(__always)
    fileprivate func prefetchTracked(_ index: Int) {
        guard let offset = Self.trackedOffset else { return }
        list.withUnsafeBytes { list in
            // Read as an address, since reading the array would copy the monitor.
            let address = list.load(fromByteOffset: index * MemoryLayout<Device>.stride + offset, as: UInt.self)
            guard let tracked = UnsafeRawPointer(bitPattern: address) else { return }
            fencepost_prefetch(tracked)
            fencepost_prefetch(tracked + Self.cacheLine)
        }
    }
}
