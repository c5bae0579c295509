package import FencepostGEOS
package import FencepostModel
package import FencepostMonitor

/// Fences about where devices stand.
extension MonitorEngine {
    /// Where a device stands, or why that is not known.
    ///
    /// - Parameters:
    ///   - id: the device.
    ///   - now: the time at which it is asked for.
    /// - Returns: the position, or the reason.
    package func standingPosition(of id: DeviceID, at now: Timestamp) -> Result<StandingPosition, FenceObstacle> {
        guard let device = devices.index(of: id) else { return .failure(.noPosition) }
        return devices.list[device].monitor.standingPosition(at: now)
    }

    /// The earliest time that a change of a device's fence may have: later than all that was evaluated.
    ///
    /// - Parameters:
    ///   - id: the device.
    ///   - now: the current time.
    /// - Returns: the current time, if it is late enough.
    package func fenceTime(of id: DeviceID, at now: Timestamp) -> Timestamp {
        guard let device = devices.index(of: id) else { return now }
        return max(now, devices.list[device].buffer.releasedThrough.after(1))
    }

    /// Changes the fence of a device, which is added if it is new. What is buffered up to then and its deadlines come before.
    ///
    /// - Parameters:
    ///   - record: the change, whose time is that of `fenceTime(of:at:)` or later.
    ///   - emit: called with each event.
    /// - Throws: when GEOS fails on a region.
    package mutating func changeFence(_ record: FenceRecord, emit: (Event) -> Void) throws(GEOSError) {
        let device =
            devices.index(of: record.deviceID)
            ?? devices.add(DeviceTable.Device(DeviceMonitor(deviceID: record.deviceID, settings: settings)))
        var buffered: [Location] = []
        devices.list[device].buffer.release(through: record.time) { buffered.append($0) }
        for location in buffered { try evaluator.evaluate(location, &devices.list[device].monitor, emit) }
        try evaluator.handle(
            .fence(record.change, at: record.time), &devices.list[device].monitor, emit)
        if devices.list[device].isLive { schedule(device) }
    }

    /// The fence of a device; `nil` without one.
    package func fence(of id: DeviceID) -> FenceStatus? {
        devices.index(of: id).flatMap { index in with(index) { $0.monitor.fence } }
    }

    /// Whether the device of the owner was away since the fence of a device was armed.
    package func isFenceOwnerAway(of id: DeviceID) -> Bool {
        devices.index(of: id).map { index in with(index) { $0.monitor.isFenceOwnerAway } } ?? false
    }

    /// The devices that have a fence, by the device of its owner.
    package var fencesByOwner: [DeviceID: [DeviceID]] {
        var found: [DeviceID: [DeviceID]] = [:]
        for device in devices.list.indices where devices.list[device].monitor.hasFence {
            guard let owner = devices.list[device].monitor.fence?.settings.owner else { continue }
            found[owner, default: []].append(devices.list[device].monitor.deviceID)
        }
        return found
    }
}
