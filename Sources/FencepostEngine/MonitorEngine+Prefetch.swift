import CPrefetch
import FencepostMonitor

/// Hints to the processor to load the state of the devices of later fixes, while earlier ones are evaluated. With
/// thousands of devices it is not in the cache, and waiting for it takes as long as the evaluation. They change no result.
extension MonitorEngine {
    /// Loads the state of a device.
    @inline(__always)
    func prefetchDevice(_ device: Int) { devices.prefetch(device) }

    /// Loads what the state of a device points to, a few fixes after `prefetchDevice`.
    @inline(__always)
    func prefetchTracked(_ device: Int) { devices.prefetchTracked(device) }
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
