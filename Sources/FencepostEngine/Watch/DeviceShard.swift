import FencepostFormats
import FencepostGEOS
import FencepostGeometry
import FencepostJSON
import FencepostModel
import FencepostMonitor
import FencepostSimulator
import Synchronization

/// A shard of the devices with their state. One thread at a time works on it.
final class DeviceShard: Sendable {
    fileprivate struct State: ~Copyable {
        var engine: MonitorEngine
        var roster: AppRoster
        /// An empty one; `nil` when events are delivered without encoding.
        let encoder: EventEncoder?
        let explains: Bool
        /// By reader, in the order in which the reader met the devices of this shard.
        var devices: [[KnownDevice]] = []
        /// The device of records that name none.
        var defaultDevice: KnownDevice?
        /// Whether the regions of all fixes of a block are looked up at once: if most fixes of the block before needed
        /// theirs, and no fix is buffered.
        var looksAhead = true
        /// Of the block that is evaluated, one for each fix.
        var changes: [Changes] = []
        /// Kept to reuse its storage.
        var coordinates: [Coordinate] = []
    }

    /// The differences between a fix and the fix before it; only their data is prefetched.
    fileprivate struct Changes: OptionSet {
        let rawValue: UInt8

        static let device = Changes(rawValue: 1)
        /// The regions that contain the fix, if they were looked up; always for another device, which tracks others.
        static let regions = Changes(rawValue: 2)
    }

    fileprivate struct KnownDevice: Sendable {
        let id: DeviceID
        /// The engine's index; `nil` before the first fix.
        var index: Int?
    }

    private let number: Int
    private let state: Mutex<State>
    /// Encoders of outputs that are no longer needed.
    private let encoders = Mutex<[EventEncoder]>([])

    /// A shard without devices; the rules are derived from the catalog of the options' index.
    init(_ number: Int, of watch: FileWatch.Options, _ rules: WatchRules) {
        self.number = number
        state = Mutex(
            State(
                engine: MonitorEngine(
                    watch.index, rules: rules, explains: watch.explains,
                    memory: FixMemory.defaultCapacity / FileWatch.shardCount, holdsLeaps: true),
                roster: AppRoster(watch.apps),
                encoder: watch.format.map { EventEncoder($0) }, explains: watch.explains,
                defaultDevice: watch.rules.defaultDevice.map { KnownDevice(id: $0) }))
    }

    /// Evaluates the fixes of its devices in a block, in the order of their records.
    func evaluate(_ block: ShardedBlock) throws(GEOSError) -> ShardOutput {
        try state.withLock { state throws(GEOSError) in
            while state.devices.count <= block.reader { state.devices.append([]) }
            for (device, shard) in zip(block.lines.newDevices, block.newShards) where shard == number {
                state.devices[block.reader].append(KnownDevice(id: device))
            }
            var emission = Emission(
                ShardOutput(encoder: encoders.withLock { $0.popLast() } ?? state.encoder), explains: state.explains)
            let entries = block.entries(of: number)
            let looksAhead = try state.lookAhead(entries, block)
            state.setChanges(entries, looksAhead)
            let coveringCount = state.engine.coveringCount
            // Taken out of the state, so that they are changed in place.
            var devices: [KnownDevice] = []
            swap(&devices, &state.devices[block.reader])
            defer { swap(&devices, &state.devices[block.reader]) }
            var position = entries.startIndex
            while position < entries.endIndex {
                let device = entries[position].device
                let known = device < 0 ? state.defaultDevice : devices[Int(device)]
                guard let known else { preconditionFailure("a fix is in the wrong shard") }
                // Another reader may have met the device before, and numbers it differently.
                var index = known.index ?? state.engine.devices.index(of: known.id)
                repeat {
                    state.prefetch(entries, position, devices, block)
                    let fix = block.lines.fixes[Int(entries[position].fix)]
                    try Self.accept(
                        block.lines.location(fix, of: known.id), at: &index,
                        ahead: looksAhead ? position - entries.startIndex : nil, record: fix.record, &state, &emission)
                    position += 1
                } while position < entries.endIndex && entries[position].device == device
                guard known.index == nil else { continue }
                if device < 0 {
                    state.defaultDevice?.index = index
                } else {
                    devices[Int(device)].index = index
                }
            }
            state.looksAhead = 2 * (state.engine.coveringCount - coveringCount) > entries.count
            return emission.output
        }
    }

    /// Takes back an output that is no longer needed, for its memory.
    func reuse(_ output: consuming ShardOutput) {
        guard var encoder = output.encoder else { return }
        encoder.removeBytes()
        encoders.withLock { $0.append(encoder) }
    }

    /// Evaluates a fix. Six parameters, because each of them is changed or read for every fix, and none belongs to another.
    private static func accept(
        _ location: Location, at index: inout Int?, ahead: Int?, record: Int32, _ state: inout State,
        _ emission: inout Emission
    ) throws(GEOSError) {
        guard !state.roster.isEmpty else {
            if let ahead {
                _ = try state.engine.accept(location, at: &index, ahead: ahead) { emission.append($0, record: record) }
                return
            }
            _ = try state.engine.accept(location, at: &index) { emission.append($0, record: record) }
            return
        }
        // Most fixes emit nothing, and an empty array allocates nothing.
        var events: [Event] = []
        let verdict = try state.engine.accept(location, at: &index) { events.append($0) }
        for event in events { emission.append(state.roster.emit(event), record: record) }
        guard verdict == .accepted else { return }
        for fix in state.engine.released.isEmpty ? [location] : state.engine.released {
            emission.append(state.roster.moved(fix), record: record)
        }
    }

    /// Evaluates the buffered fixes at the end of the input.
    func finish() throws(GEOSError) -> [EmittedEvent] {
        try state.withLock { state throws(GEOSError) in
            var events: [Event] = []
            try state.engine.finish { events.append($0) }
            return events.flatMap { state.roster.emit($0) }
        }
    }

    var totals: FileWatch.Totals {
        state.withLock { state in
            var totals = FileWatch.Totals()
            totals.counts = state.engine.counts
            totals.relaunches = state.roster.relaunchCount
            totals.flagCounts = state.engine.flagCounts
            totals.devices = state.engine.deviceCount
            return totals
        }
    }
}

extension DeviceShard.State {
    /// Looks up the regions of all fixes, if that is worth it.
    ///
    /// - Returns: whether it did.
    fileprivate mutating func lookAhead(
        _ entries: ArraySlice<ShardedBlock.Entry>, _ block: ShardedBlock
    ) throws(GEOSError) -> Bool {
        guard looksAhead, roster.isEmpty, engine.settings.reorderWindow == .zero else { return false }
        coordinates.removeAll(keepingCapacity: true)
        for position in entries.indices {
            if position + 16 < entries.endIndex { block.prefetchFix(entries[position + 16]) }
            let fix = block.lines.fixes[Int(entries[position].fix)]
            coordinates.append(Coordinate(latitude: fix.latitude, longitude: fix.longitude))
        }
        try engine.lookAhead(coordinates)
        return true
    }

    /// Compares each fix with the one before.
    fileprivate mutating func setChanges(_ entries: ArraySlice<ShardedBlock.Entry>, _ looksAhead: Bool) {
        changes.removeAll(keepingCapacity: true)
        var device: Int32?
        for (offset, entry) in entries.enumerated() {
            var found: DeviceShard.Changes = []
            if entry.device != device { found.insert(.device) }
            if looksAhead, entry.device != device || !engine.hasSameRegions(ahead: offset) { found.insert(.regions) }
            changes.append(found)
            device = entry.device
        }
    }

    /// Loads what later fixes need, in steps, since each reads what the one before has loaded. Most fixes have the device and
    /// the regions of the fix before, which are loaded already.
    @inline(__always)
    fileprivate func prefetch(
        _ entries: ArraySlice<ShardedBlock.Entry>, _ position: Int, _ devices: [DeviceShard.KnownDevice],
        _ block: ShardedBlock
    ) {
        if position + 16 < entries.endIndex { block.prefetchFix(entries[position + 16]) }
        let index = position - entries.startIndex
        let (first, second, third, fourth) = (index + 12, index + 8, index + 5, index + 2)
        if first < changes.count, !changes[first].isEmpty {
            if let device = newDevice(at: first, entries, devices) { engine.prefetchDevice(device) }
            if changes[first].contains(.regions) { engine.prefetchRegions(ahead: first) }
        }
        if second < changes.count, !changes[second].isEmpty {
            if let device = newDevice(at: second, entries, devices) { engine.prefetchTracked(device) }
            if changes[second].contains(.regions) { engine.prefetchContents(ahead: second) }
        }
        guard engine.prefetchesRegions else { return }
        if third < changes.count, !changes[third].isEmpty, let device = newDevice(at: third, entries, devices) {
            engine.prefetchTrackedRegions(device)
        }
        if fourth < changes.count, !changes[fourth].isEmpty {
            let device = newDevice(at: fourth, entries, devices)
            if let device { engine.prefetchTrackedBoundaries(device) }
            if changes[fourth].contains(.regions) { engine.prefetchCrossings(ahead: fourth, of: device) }
        }
    }

    /// The engine's index of the device of the fix at an index, if the fix before is of another device; `nil` for a device
    /// without a fix in an earlier block.
    @inline(__always)
    private func newDevice(
        at index: Int, _ entries: ArraySlice<ShardedBlock.Entry>, _ devices: [DeviceShard.KnownDevice]
    ) -> Int? {
        guard changes[index].contains(.device) else { return nil }
        let device = entries[entries.startIndex + index].device
        return device < 0 ? nil : devices[Int(device)].index
    }
}

/// The events that a shard emits while it evaluates a block.
private struct Emission {
    var output: ShardOutput
    let explains: Bool

    init(_ output: ShardOutput, explains: Bool) {
        (self.output, self.explains) = (output, explains)
    }

    /// Takes an event that no app receives.
    mutating func append(_ event: Event, record: Int32) {
        guard output.encoder != nil else {
            return append([EmittedEvent(event: event, deliveries: [])], record: record)
        }
        output.encoder?.encodePiece(event, explains: explains)
        output.mark(record)
    }

    mutating func append(_ events: [EmittedEvent], record: Int32) {
        for item in events {
            if output.encoder != nil {
                output.encoder?.encodePiece(item, explains: explains)
            } else {
                output.events.append(item)
            }
            output.mark(record)
        }
    }
}

/// The events of one shard from one block.
struct ShardOutput: Sendable {
    struct Mark: Sendable {
        /// The record that caused the event.
        var record: Int32
        /// The event's end in `encoder` or `events`. It starts at the end of the one before.
        var end: Int
    }

    /// One for each event, in the order of evaluation. Those of a record are adjacent.
    private(set) var marks: [Mark] = []
    /// Has the encoded events; `nil` when they are not encoded.
    var encoder: EventEncoder?
    /// The events, when they are not encoded.
    var events: [EmittedEvent] = []

    init(encoder: EventEncoder? = nil) { self.encoder = encoder }

    /// Notes that the event that was added last was caused by a record.
    mutating func mark(_ record: Int32) {
        marks.append(Mark(record: record, end: encoder?.count ?? events.count))
    }
}
