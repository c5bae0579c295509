import FencepostEngine
import FencepostGeometry
import FencepostModel
import FencepostMonitor

/// Changes of fences. Each is written in one commit with its events, its record and a checkpoint of its device, so that the log
/// is never replayed across it.
extension MonitorSession {
    mutating func change(
        _ command: FenceCommand, of device: DeviceID, at now: Timestamp, _ batch: inout EvaluatedBatch
    ) throws -> FenceAnswer {
        if aside[device] != nil { return .setAside }
        guard let index = engine.deviceIndex(of: device) else { return .unknownDevice }
        let time = engine.fenceTime(of: device, at: now)
        let change: FenceChange
        switch command {
        case .arm(let settings, let until):
            switch engine.standingPosition(of: device, at: now) {
            case .failure(let obstacle): return .refused(obstacle, since: engine.lastTime(at: index))
            case .success(let position):
                let fence = Fence(
                    armedAt: time, center: position.coordinate, horizontalAccuracy: position.horizontalAccuracy,
                    settings,
                    until: until, origin: .caller)
                change = .arm(fence, settings, spread: position.spread)
            }
        case .schedule(let settings): change = .schedule(settings)
        case .disarm(let keepsSchedule):
            guard engine.fence(of: device) != nil else { return .absent }
            change = .disarm(.caller, keepsSchedule: keepsSchedule)
        }
        try take(FenceRecord(device, at: time, change), &batch)
        batch.commit.checkpoints = try takeCheckpoints(all: false, and: [device], at: now)
        batch.statusDelta = statusDelta(of: batch.commit)
        return .changed(engine.fence(of: device))
    }

    /// Takes a change in memory; the caller adds a checkpoint of its device.
    private mutating func take(_ record: FenceRecord, _ batch: inout EvaluatedBatch) throws {
        let device = record.deviceID
        beginWork(device)
        var events: [Event] = []
        try engine.changeFence(record) { events.append($0) }
        for event in events { add(roster.emit(event), to: &batch) }
        // What is being evaluated has not seen this change.
        history.follows[device] = nil
        fencesByOwner = nil
        batch.commit.fenceRecords.append(record)
        guard let index = engine.deviceIndex(of: device) else { return }
        // A location of before that comes later is out of order.
        tracker.noteFired(index, through: record.time)
        tracker.noteChange(of: index)
        tracker.markDirty(index, fixes: fixes, at: batch.commit.receivedAt)
    }

    // MARK: The device of the owner

    /// The fences that a device of an owner can disarm.
    struct OwnedFences {
        /// The devices that have them.
        var devices: [DeviceID]
        /// Where the device of the owner was so far; `nil` if that is not known.
        var before: Location?
    }

    /// The fences that the next location of a device may disarm; `nil` for nearly all.
    ///
    /// - Parameters:
    ///   - device: the device that may be one of an owner.
    ///   - index: that of the engine; `nil` for a new device.
    /// - Returns: the fences, and where the device was so far.
    mutating func ownedFences(of device: DeviceID, at index: Int?) -> OwnedFences? {
        if fencesByOwner == nil { fencesByOwner = engine.fencesByOwner }
        guard let known = fencesByOwner, !known.isEmpty, let devices = known[device] else { return nil }
        return OwnedFences(devices: devices, before: index.flatMap { engine.status(at: $0).lastLocation })
    }

    /// Disarms the fences to which the device of the owner has come.
    ///
    /// It must have been away since the fence was armed, so that who arms a fence next to the device does not disarm it with the
    /// next location.
    ///
    /// - Parameters:
    ///   - location: an accepted location of the device of the owner.
    ///   - owned: the fences.
    ///   - batch: gets the changes.
    /// - Returns: the devices whose fence has changed.
    /// - Throws: when GEOS fails on a region.
    mutating func ownerCame(
        _ location: Location, to owned: OwnedFences, _ batch: inout EvaluatedBatch
    ) throws -> [DeviceID] {
        let now = batch.commit.receivedAt
        guard location.timestamp + MonitorEngine.liveness >= now else { return [] }
        var changed: [DeviceID] = []
        for device in owned.devices where aside[device] == nil && device != location.deviceID {
            guard let fence = engine.fence(of: device)?.fence, location.timestamp >= fence.armedAt else { continue }
            let owner = OwnerDistance(fence)
            var wasAway = engine.isFenceOwnerAway(of: device)
            func record(_ change: FenceChange) -> FenceRecord {
                FenceRecord(device, at: engine.fenceTime(of: device, at: now), change)
            }
            if !wasAway, owner.isAway(location) || owned.before.map(owner.isAway) ?? false {
                try take(record(.ownerAway), &batch)
                wasAway = true
                changed.append(device)
            }
            guard wasAway, owner.isNear(location) else { continue }
            try take(record(.disarm(.owner, keepsSchedule: true)), &batch)
            changed.append(device)
        }
        return changed
    }
}

/// How far the device of the owner is from a fence.
private struct OwnerDistance {
    /// A location with a worse accuracy shows nothing, in metres.
    private static let worstAccuracy = 50.0
    private static let defaultAccuracy = 30.0
    /// Metres from the centre within which the owner is near, besides the accuracies of both; and beyond which he is away.
    private static let nearby = 50.0
    private static let away = 100.0

    private let fence: Fence

    init(_ fence: Fence) { self.fence = fence }

    func isNear(_ location: Location) -> Bool {
        let (distance, uncertainty) = distance(to: location)
        return (location.horizontalAccuracy ?? Self.defaultAccuracy) <= Self.worstAccuracy
            && distance <= Self.nearby + uncertainty
    }

    func isAway(_ location: Location) -> Bool {
        let (distance, uncertainty) = distance(to: location)
        return distance - 2 * uncertainty > Self.away
    }

    private func distance(to location: Location) -> (metres: Double, uncertainty: Double) {
        let accuracy = location.horizontalAccuracy ?? Self.defaultAccuracy
        let uncertainty = (accuracy * accuracy + fence.horizontalAccuracy * fence.horizontalAccuracy).squareRoot()
        return (Geodesic.distance(fence.center, location.coordinate), uncertainty)
    }
}
