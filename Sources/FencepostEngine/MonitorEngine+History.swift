package import FencepostGEOS
package import FencepostModel
package import FencepostMonitor

/// What the evaluation of late fixes reads and replaces in a running engine.
extension MonitorEngine {
    /// The fixes of a device that wait in the reorder window, and the time of the newest evaluated one.
    package func buffer(of id: DeviceID) -> ReorderBuffer {
        devices.index(of: id).map { devices.list[$0].buffer } ?? ReorderBuffer()
    }

    /// Whether a fix has the time of the newest evaluated one of its device but belongs before it.
    package func isMisordered(_ location: Location, at device: Int) -> Bool {
        guard devices.list[device].buffer.releasedThrough == location.timestamp,
            let last = devices.list[device].monitor.lastLocation
        else { return false }
        return ReorderBuffer.precedes(location, last)
    }

    /// The time of the last evaluated fix; `nil` before it.
    package func lastTime(at device: Int) -> Timestamp? { with(device) { $0.monitor.lastTime } }

    /// Whether a device is in a region, or may be about to enter one.
    package func tracksRegions(at device: Int) -> Bool { with(device) { $0.monitor.tracksRegions } }

    /// Sequence number of the monitor's last event of a device; 0 for an unknown one.
    package func monitorSequence(of id: DeviceID) -> Int {
        devices.index(of: id).map { devices.list[$0].monitor.lastSequence } ?? 0
    }

    /// Replaces the state of a device by one that was computed from its stored fixes, or adds the device.
    ///
    /// The device stays live if it was.
    ///
    /// - Parameters:
    ///   - state: computed under the same regions in the same revision.
    ///   - buffer: fixes that are newer than the state.
    package mutating func adopt(_ state: DeviceState, buffer: ReorderBuffer) {
        let known = devices.index(of: state.deviceID).map { devices.list[$0] }
        restore(
            DeviceState(
                monitor: known.map { state.monitor.keepingLateSilence(of: $0.monitor) } ?? state.monitor,
                buffer: buffer,
                isLive: known?.isLive ?? false))
    }

    /// Fires the deadlines of a live device up to a moment. Those of other devices are due by their fixes.
    ///
    /// - Returns: whether a deadline was due.
    package mutating func fireDeadlines(
        of id: DeviceID, through moment: Timestamp, emit: (Event) -> Void
    ) throws(GEOSError) -> Bool {
        guard let device = devices.index(of: id), devices.list[device].isLive,
            let deadline = devices.list[device].monitor.deadline(evaluator.rules), deadline <= moment
        else { return false }
        try evaluator.handle(.clock(moment), &devices.list[device].monitor, emit)
        schedule(device)
        return true
    }

    /// Whether the deadlines of a device are due by the clock.
    package func isLive(_ id: DeviceID) -> Bool { devices.index(of: id).map { devices.list[$0].isLive } ?? false }
}

extension MonitorEngine.DeviceState {
    /// The time of the last evaluated fix; `nil` before it.
    package var lastTime: Timestamp? { monitor.lastTime }

    /// The state without buffered fixes, of a device that is not live: as it is after its fixes up to `lastTime`.
    package var detached: MonitorEngine.DeviceState {
        MonitorEngine.DeviceState(monitor: monitor, buffer: buffer.emptied, isLive: false)
    }

    /// Whether both states give the same events from here on, apart from sequence numbers.
    package func isEquivalent(to other: MonitorEngine.DeviceState) -> Bool { monitor.isEquivalent(to: other.monitor) }
}
