public import FencepostModel
import FencepostMonitor

extension MonitorEngine {
    /// All that the engine knows of one device, in a form that outlives the process.
    public struct DeviceState: Hashable, Sendable, Codable {
        let monitor: DeviceMonitor.Snapshot
        let buffer: ReorderBuffer
        let isLive: Bool

        public var deviceID: DeviceID { monitor.deviceID }
    }

    /// What is known of a device; `nil` when nothing is.
    public func state(of id: DeviceID) -> DeviceState? {
        guard let place = devices.place(of: id) else { return nil }
        let device = devices.list[place]
        return DeviceState(
            monitor: device.monitor.snapshot(in: catalog), buffer: device.buffer, isLive: device.isLive)
    }

    /// Goes on with a device where a state was taken, under the same regions in the same revision.
    public mutating func restore(_ state: DeviceState) {
        let place = devices.set(
            DeviceTable.Device(
                DeviceMonitor(state.monitor, in: catalog, settings: settings), buffer: state.buffer,
                isLive: state.isLive))
        guard state.isLive else { return }
        hasLiveDevices = true
        schedule(place)
    }

    /// - Returns: whether the device was known.
    @discardableResult
    public mutating func forget(_ id: DeviceID) -> Bool {
        guard let place = devices.remove(id) else { return false }
        if place < devices.count, devices.list[place].isLive {
            // The clock's queue has it by another place.
            devices.list[place].wake = .distantFuture
            schedule(place)
        }
        return true
    }

    /// Where a device is, as far as its evaluated fixes say; without its visit.
    public func status(of id: DeviceID) -> DeviceStatus? {
        devices.place(of: id).map { status(at: $0) }
    }

    /// Every device that is known, in no order.
    public var deviceIDs: [DeviceID] { devices.list.map(\.monitor.deviceID) }
}
