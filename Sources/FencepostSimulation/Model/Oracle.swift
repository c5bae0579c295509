import FencepostEngine
import FencepostFormats
import FencepostJSON
package import FencepostModel
import FencepostMonitor
import FencepostRegionFiles
import FencepostRegions
package import FencepostService
import Foundation

/// The events that a fresh engine emits for a journal, without checkpoints, restarts, replays and queues.
package struct Oracle: ~Copyable {
    /// What an event has to agree in.
    package struct Emitted: Hashable, Sendable {
        package var id: String
        package var type: String
        package var deviceID: DeviceID
        package var regionID: RegionID?
        package var timestamp: Timestamp
        package var sequence: Int
        /// True time of the commit that holds it.
        package var time: Timestamp
        /// Position of that commit.
        package var position: LogPosition
        /// The other device of an event of a pair, which an erasure of that one takes too; `nil` for others.
        package var other: DeviceID?
        /// Whether receivers may not get it: it is of the past, or stored under the id of a further revision.
        package var isQuiet = false

        /// Whether a stored event is this one.
        package func agrees(with event: NewEvent) -> Bool {
            (other == nil ? id == event.id : type == "event.retracted" || id == event.cause ?? event.id)
                && type == event.type && deviceID == event.deviceID && regionID == event.regionID
                && timestamp == event.timestamp && event.message?.sequence == sequence
        }
    }

    private var engine: MonitorEngine
    private var pairs = PairOracle()
    /// The number of the last event of each device.
    private var sequences: [DeviceID: Int] = [:]
    /// The ids of events of pairs.
    private var pairIDs: Set<String> = []
    /// Entries of the journal that were evaluated.
    private var count = 0
    /// How often the journal was cut off before.
    private var truncations = 0
    /// All events so far.
    package private(set) var events: [Emitted] = []
    /// The last position at which a device was removed.
    package private(set) var removals: [DeviceID: LogPosition] = [:]

    package init() {
        engine = MonitorEngine(RegionIndex(RegionCatalog()), settings: MonitorSettings())
    }

    /// Evaluates the entries that are new since the last call, or all of them when some have gone.
    ///
    /// - Throws: when GEOS or a stored region fails.
    package mutating func follow(_ journal: Journal) throws {
        let entries = journal.entries
        if journal.truncations != truncations || entries.count < count {
            self = Oracle()
            truncations = journal.truncations
        }
        for entry in entries[count...] { try evaluate(entry) }
        count = entries.count
    }

    /// Takes the events of another oracle instead of evaluating the same journal again.
    package mutating func take(_ events: [Emitted]) { self.events = events }

    private mutating func evaluate(_ entry: Journal.Entry) throws {
        let commit = entry.commit
        var found: [Event] = []
        for stored in commit.locations {
            _ = try engine.accept(stored.location, now: commit.receivedAt) { found.append($0) }
            if !stored.isAhead { pairs.take(stored.location) }
        }
        if commit.advancesClock { try engine.advanceClock(to: commit.receivedAt) { found.append($0) } }
        if let change = entry.change { try apply(change, at: commit.receivedAt, position: commit.position, &found) }
        for event in found {
            events.append(
                Emitted(
                    id: event.id, type: event.occurrence.type.rawValue, deviceID: event.deviceID,
                    regionID: event.occurrence.region?.id, timestamp: event.timestamp,
                    sequence: nextSequence(of: event.deviceID), time: entry.time, position: commit.position))
        }
        var other: [PairOracle.Found] = []
        pairs.evaluate { other.append($0) }
        for item in other {
            let event = item.event
            let isNew = pairIDs.insert(event.id).inserted
            events.append(
                Emitted(
                    id: event.id, type: item.isRetraction ? "event.retracted" : event.occurrence.type.rawValue,
                    deviceID: event.deviceID, timestamp: event.timestamp, sequence: nextSequence(of: event.deviceID),
                    time: entry.time, position: commit.position, other: item.other,
                    isQuiet: item.isPast || item.isRetraction || !isNew))
        }
    }

    private mutating func nextSequence(of device: DeviceID) -> Int {
        let next = sequences[device, default: 0] + 1
        sequences[device] = next
        return next
    }

    private mutating func apply(
        _ change: WatchChange, at now: Timestamp, position: LogPosition, _ found: inout [Event]
    ) throws {
        if case .some(let text?) = change.sources["settings"] {
            let settings = try JSONDecoder().decode(MonitorSettings.self, from: Data(text.utf8))
            let hasOtherPairs = settings.proximity != engine.settings.proximity
            _ = engine.replaceAlerts(settings.alerts, plans: settings.plans)
            engine.replaceProximity(settings.proximity)
            if engine.settings != settings {
                let states = engine.deviceIDs.compactMap { engine.state(of: $0) }
                engine = MonitorEngine(engine.index, settings: settings)
                for state in states { engine.restore(state) }
            }
            if hasOtherPairs { pairs.replace(settings.proximity, devices: engine.deviceIDs) }
        }
        for device in change.removedDevices {
            engine.forget(device)
            pairs.forget(device)
            sequences[device] = nil
            removals[device] = position
        }
        guard change.regionRevision != engine.catalog.revision else { return }
        var catalog = engine.catalog
        let regions = try change.regions.map { stored in
            let reading = RegionFile.read(Array(stored.feature.utf8), options: .stored)
            guard let region = reading.regions.first else {
                throw Violation.unexpected("the stored region \(stored.id) cannot be read")
            }
            return region
        }
        catalog.update(regions, removing: change.removedRegions)
        guard catalog.revision == change.regionRevision else {
            throw Violation.unexpected("the regions have revision \(change.regionRevision), not \(catalog.revision)")
        }
        try engine.replace(RegionIndex(catalog), at: now) { found.append($0) }
    }
}
