internal import FencepostGeometry
public import FencepostModel
import FencepostMonitor

/// The indices of devices. A caller that keeps data per device looks up the name once and uses the index for both.
///
/// A new device gets the next index, from 0. When a device is removed, the last one gets its index.
extension MonitorEngine {
    /// The index of a device; `nil` when it is not known.
    public func deviceIndex(of id: DeviceID) -> Int? { devices.index(of: id) }

    /// The device with an index.
    public func deviceID(at index: Int) -> DeviceID { with(index) { $0.monitor.deviceID } }

    /// Where a device is according to its evaluated fixes, without its visit.
    public func status(at index: Int) -> DeviceStatus {
        with(index) { device in
            var status = DeviceStatus(deviceID: device.monitor.deviceID)
            status.lastLocation = device.monitor.lastLocation
            status.regions = device.monitor.occupiedRegions.compactMap { catalog[$0]?.id }.sorted()
            status.isStale = device.monitor.isStale
            status.clockOffset = device.buffer.clockOffset
            status.secondPhone = device.monitor.otherPhone
            status.alerts = device.monitor.activeAlerts
            status.fence = device.monitor.fence
            status.walksRounds = device.monitor.hasPlans
            return status
        }
    }

    /// Whether the fixes of a device come from two phones.
    public func hasSecondPhone(at index: Int) -> Bool { with(index) { $0.monitor.otherPhone != nil } }

    /// A hash of `status(at:)` without its location: it shows cheaply whether the rest of the status has changed.
    public func statusHash(at index: Int) -> UInt64 {
        with(index) { device in
            var sum: UInt64 = device.monitor.isStale ? 1 : 0
            if let offset = device.buffer.clockOffset { sum = WordHash.combine(sum, UInt64(offset.magnitude)) }
            if let other = device.monitor.otherPhone {
                sum = WordHash.combine(sum, other.latitude.bitPattern)
                sum = WordHash.combine(sum, other.longitude.bitPattern)
            }
            for alert in device.monitor.activeAlerts {
                sum = WordHash.combine(sum, UInt64(bitPattern: alert.since.milliseconds))
                sum = WordHash.combine(sum, UInt64(alert.rule.utf8.count) &+ 3)
            }
            if let fence = device.monitor.fence { sum = WordHash.combine(sum, fence.changeHash) }
            guard device.monitor.tracksRegions else { return sum }
            for handle in device.monitor.occupiedRegions {
                sum = WordHash.combine(sum, UInt64(handle.rawValue) &+ 2)
            }
            return sum
        }
    }

    /// Borrows a device without copying it.
    ///
    /// - Precondition: the index is that of a device.
    func with<Value>(_ index: Int, _ body: (borrowing DeviceTable.Device) -> Value) -> Value {
        devices.list.withUnsafeBufferPointer { list in
            guard let start = list.baseAddress, list.indices.contains(index) else {
                preconditionFailure("There is no device \(index).")
            }
            // The subscript of the buffer would copy it.
            return body(start[index])
        }
    }
}

extension FenceStatus {
    /// Differs between any two states that follow each other: a location arms or breaks a fence, or changes why it waits. All
    /// else is a change, whose status is published anyway.
    fileprivate var changeHash: UInt64 {
        let number = (FenceObstacle.allCases.firstIndex { $0 == obstacle } ?? 15) + 1
        let since = (brokenAt ?? fence?.armedAt)?.milliseconds ?? 0
        return WordHash.combine(UInt64(number), UInt64(bitPattern: since) ^ (brokenAt == nil ? 0 : 1 << 63))
    }
}
