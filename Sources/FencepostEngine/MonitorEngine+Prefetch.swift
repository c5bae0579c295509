import CPrefetch
import FencepostModel
import FencepostMonitor
import FencepostRegions

/// Hints to the processor to load the state of the devices of later fixes, and what is known of the regions around them,
/// while earlier fixes are evaluated. With thousands of devices it is not in the cache, and waiting for it takes as long as
/// the evaluation. Each step reads what the one before it has loaded. They change no result.
extension MonitorEngine {
    /// Whether the regions of later fixes are loaded too, and not only the states of their devices.
    var prefetchesRegions: Bool { evaluator.prefetchesRegions }

    /// Loads the state of a device.
    @inline(__always)
    func prefetchDevice(_ device: Int) { devices.prefetch(device) }

    /// Loads what the state of a device points to, a few fixes after `prefetchDevice`.
    @inline(__always)
    func prefetchTracked(_ device: Int) { devices.prefetchTracked(device) }

    /// Loads what is known of the tracked regions of a device, a few fixes after `prefetchTracked`.
    @inline(__always)
    func prefetchTrackedRegions(_ device: Int) {
        devices.withMonitor(device) { monitor in
            DeviceMonitor.forEachTracked(at: monitor) { evaluator.prefetchRegion($0) }
        }
    }

    /// Loads the boundaries of the tracked regions of a device, a few fixes after `prefetchTrackedRegions`.
    @inline(__always)
    func prefetchTrackedBoundaries(_ device: Int) {
        devices.withMonitor(device) { monitor in
            DeviceMonitor.forEachTracked(at: monitor) { evaluator.prefetchBoundary(of: $0) }
        }
    }

    /// Whether a fix of the last `lookAhead` has the same regions as the one before, so that none needs to be loaded.
    @inline(__always)
    func hasSameRegions(ahead index: Int) -> Bool { evaluator.hasSameRegions(ahead: index) }

    /// Loads what the evaluation of a fix reads first of the regions around it.
    ///
    /// `index` is that of the fix in the last `lookAhead`.
    func prefetchRegions(ahead index: Int) { evaluator.prefetchRegions(ahead: index) }

    /// Loads what the events of the regions around a fix carry, or their boundaries, a few fixes after `prefetchRegions`.
    func prefetchContents(ahead index: Int) { evaluator.prefetchContents(ahead: index) }

    /// Loads what events carry of the regions that a device probably enters or exits with a fix.
    ///
    /// `device` is `nil` when the fix before is of the same device, and loaded.
    func prefetchCrossings(ahead index: Int, of device: Int?) {
        guard let device else { return evaluator.prefetchCrossings(ahead: index) }
        devices.withMonitor(device) { evaluator.prefetchCrossings(ahead: index, $0) }
    }
}

extension FixEvaluator {
    fileprivate func prefetchRegions(ahead index: Int) {
        forEachNewRegion(ahead: index) { handle in
            if prefetchesRegions {
                prefetchRegion(handle)
            } else {
                rules.withSummaryAddress(of: handle) { fencepost_prefetch($0) }
            }
        }
    }

    fileprivate func prefetchContents(ahead index: Int) {
        forEachNewRegion(ahead: index) { handle in
            if prefetchesRegions { prefetchBoundary(of: handle) } else { prefetchSummary(of: handle) }
        }
    }

    /// Loads what the events carry of the regions that a fix is in, or the device was in, but not both.
    ///
    /// `monitor` is the address of the device's monitor. Each summary has a page of its own, whose address takes long to
    /// look up, so those of other regions would cost more than they save.
    fileprivate func prefetchCrossings(ahead index: Int, _ monitor: UnsafeRawPointer) {
        DeviceMonitor.forEachTracked(at: monitor) { if !isIn($0, ahead: index) { prefetchSummary(of: $0) } }
        forEachRegion(ahead: index) { handle in
            var isTracked = false
            DeviceMonitor.forEachTracked(at: monitor) { if $0 == handle { isTracked = true } }
            if !isTracked { prefetchSummary(of: handle) }
        }
    }

    /// As `prefetchCrossings(ahead:_:)`, for a device that was where the fix before is.
    fileprivate func prefetchCrossings(ahead index: Int) {
        guard index > 0 else { return }
        forEachRegion(ahead: index - 1) { if !isIn($0, ahead: index) { prefetchSummary(of: $0) } }
        forEachRegion(ahead: index) { if !isIn($0, ahead: index - 1) { prefetchSummary(of: $0) } }
    }

    /// Calls `body` with the regions of a fix that are not those of the fix before, for which the same was done already.
    @inline(__always)
    private func forEachNewRegion(ahead index: Int, _ body: (RegionHandle) -> Void) {
        guard index > 0 else { return forEachRegion(ahead: index, body) }
        forEachRegion(ahead: index) { if !isIn($0, ahead: index - 1) { body($0) } }
    }

    /// Whether a region is one of a fix.
    @inline(__always)
    private func isIn(_ region: RegionHandle, ahead index: Int) -> Bool {
        var isIn = false
        forEachRegion(ahead: index) { if $0 == region { isIn = true } }
        return isIn
    }

    @inline(__always)
    private func prefetchSummary(of handle: RegionHandle) {
        rules.withSummaryAddress(of: handle) { address in
            // Read as an address, since a copy of the reference would count it.
            fencepost_prefetch(UnsafeRawPointer(bitPattern: address.load(as: UInt.self)))
        }
    }

    @inline(__always)
    fileprivate func prefetchRegion(_ handle: RegionHandle) {
        query.prefetchRecord(of: handle)
        rules.withSummaryAddress(of: handle) { fencepost_prefetch($0) }
        rules.withTraitsAddress(of: handle) { fencepost_prefetch($0) }
    }

    @inline(__always)
    fileprivate func prefetchBoundary(of handle: RegionHandle) { query.prefetchBoundary(of: handle) }
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

    /// Calls `body` with the address of the monitor of a device.
    @inline(__always)
    fileprivate func withMonitor(_ index: Int, _ body: (UnsafeRawPointer) -> Void) {
        guard let offset = MemoryLayout<Device>.offset(of: \Device.monitor) else { return }
        list.withUnsafeBytes { list in
            guard let start = list.baseAddress else { return }
            body(start + index * MemoryLayout<Device>.stride + offset)
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
            // The first two regions, wherever the block starts in a line.
            for line in 0..<3 { fencepost_prefetch(tracked + line * Self.cacheLine) }
        }
    }
}
