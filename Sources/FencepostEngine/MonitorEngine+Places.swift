public import FencepostModel
import FencepostMonitor

/// Where a device stands among those that are known, for whoever keeps something beside each: one lookup by its name does
/// for all.
///
/// A new device gets the next place, from 0. When a device is forgotten the last one gets its place.
extension MonitorEngine {
    /// `nil` when nothing is known of the device.
    public func place(of id: DeviceID) -> Int? { devices.place(of: id) }

    public func deviceID(at place: Int) -> DeviceID { with(place) { $0.monitor.deviceID } }

    /// As `status(of:)`.
    public func status(at place: Int) -> DeviceStatus {
        with(place) { device in
            var status = DeviceStatus(deviceID: device.monitor.deviceID)
            status.lastLocation = device.monitor.lastLocation
            status.regions = device.monitor.staying.compactMap { catalog[$0]?.id }.sorted()
            status.isStale = device.monitor.isStale
            return status
        }
    }

    /// What `status(at:)` says beside the last location, as a number: another one when that changes.
    public func condition(at place: Int) -> UInt64 {
        with(place) { device in
            var sum: UInt64 = device.monitor.isStale ? 1 : 0
            guard device.monitor.knowsRegions else { return sum }
            for handle in device.monitor.staying {
                let product = (sum ^ UInt64(handle.rawValue) &+ 2).multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
                sum = product.high ^ product.low
            }
            return sum
        }
    }

    /// Looks at a device without copying it.
    private func with<Value>(_ place: Int, _ body: (borrowing DeviceTable.Device) -> Value) -> Value {
        devices.list.withUnsafeBufferPointer { body($0[place]) }
    }
}
