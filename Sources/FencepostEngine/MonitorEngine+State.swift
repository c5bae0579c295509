public import FencepostModel
import FencepostMonitor

extension MonitorEngine {
    /// The state of one device, for a checkpoint.
    public struct DeviceState: Hashable, Sendable, Codable {
        let monitor: DeviceMonitor.Snapshot
        let buffer: ReorderBuffer
        let isLive: Bool

        /// The device.
        public var deviceID: DeviceID { monitor.deviceID }
    }

    /// The state of a device; `nil` when it is not known.
    public func state(of id: DeviceID) -> DeviceState? {
        guard let index = devices.index(of: id) else { return nil }
        let device = devices.list[index]
        return DeviceState(
            monitor: device.monitor.snapshot(in: catalog), buffer: device.buffer, isLive: device.isLive)
    }

    /// Adds a device with a state, or replaces its state.
    ///
    /// - Precondition: the state was taken under the same regions in the same revision.
    public mutating func restore(_ state: DeviceState) {
        let index = devices.set(
            DeviceTable.Device(
                DeviceMonitor(state.monitor, in: catalog, settings: settings), buffer: state.buffer,
                isLive: state.isLive))
        // Its repetition is a duplicate, also when the store has it no longer.
        if let last = state.monitor.lastLocation { memory.insert(last, of: state.deviceID.fingerprint) }
        guard state.isLive else { return }
        hasLiveDevices = true
        schedule(index)
    }

    /// Removes a device.
    ///
    /// - Returns: whether the device was known.
    @discardableResult
    public mutating func forget(_ id: DeviceID) -> Bool {
        guard let index = devices.remove(id) else { return false }
        if index < devices.count, devices.list[index].isLive {
            // The deadline queue holds the moved device under its old index.
            devices.list[index].wake = .distantFuture
            schedule(index)
        }
        return true
    }

    /// Every known device, in no particular order.
    public var deviceIDs: [DeviceID] { devices.list.map(\.monitor.deviceID) }
}
