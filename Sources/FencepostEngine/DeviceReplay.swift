package import FencepostGEOS
package import FencepostModel
package import FencepostMonitor
package import FencepostRegions

/// Evaluates the stored fixes of one device in time order, from a state on, in parallel with the running engine.
///
/// The same engine as for live fixes, without a clock: deadlines fire before the first later fix.
package struct DeviceReplay: ~Copyable {
    private var engine: MonitorEngine
    private let id: DeviceID
    private var visit: Visit?

    /// `record`: the state after all fixes before the ones to come; `nil` before the first fix.
    /// `rules`: of the index's catalog, without a reorder window.
    package init(_ id: DeviceID, from record: DeviceRecord?, _ index: RegionIndex, rules: WatchRules) {
        precondition(rules.settings.reorderWindow == .zero, "stored fixes are in order")
        self.id = id
        engine = MonitorEngine(index, rules: rules, explains: true, memory: 16)
        visit = record?.visit
        if let record { engine.restore(record.engine.detached) }
    }

    /// The state after the fixes so far. Before the first one it is that of a new device.
    package var record: DeviceRecord {
        let state =
            engine.state(of: id)
            ?? MonitorEngine.DeviceState(
                monitor: DeviceMonitor(deviceID: id, settings: engine.settings).snapshot(in: engine.catalog),
                buffer: ReorderBuffer(), isLive: false)
        return DeviceRecord(engine: state, visit: visit)
    }

    /// The revision of the regions.
    package var revision: UInt32 { engine.catalog.revision }

    /// Evaluates the next fix.
    ///
    /// - Precondition: it is not older than the one before.
    package mutating func take(_ location: Location, emit: (Event) -> Void) throws(GEOSError) {
        var current = visit
        _ = try engine.accept(location) { event in
            current.follow(event)
            emit(event)
        }
        visit = current
    }

    /// Changes the fence.
    package mutating func take(_ record: FenceRecord, emit: (Event) -> Void) throws(GEOSError) {
        var current = visit
        try engine.changeFence(record) { event in
            current.follow(event)
            emit(event)
        }
        visit = current
    }

    /// Replaces the regions.
    package mutating func replace(
        _ replacement: RegionReplacement, at moment: Timestamp, emit: (Event) -> Void
    ) throws(GEOSError) {
        var current = visit
        _ = try engine.replace(replacement, at: moment) { event in
            current.follow(event)
            emit(event)
        }
        visit = current
    }
}

extension Visit? {
    /// Updates the current visit of a device by its next event.
    package mutating func follow(_ event: Event) {
        switch event.occurrence {
        case .visitArrived(let visit): self = visit
        case .visitDeparted: self = nil
        case .regionEntered, .regionExited, .regionDwelled, .deviceStale, .deviceRecovered, .appRelaunched, .alert,
            .fence, .proximity, .plan:
            break
        }
    }
}
