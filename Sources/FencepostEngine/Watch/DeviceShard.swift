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
        /// `nil` when events are delivered without encoding.
        var encoder: EventEncoder?
        let explains: Bool
        /// By reader, in the order in which the reader met the devices of this shard.
        var devices: [[KnownDevice]] = []
        /// The device of records that name none.
        var defaultDevice: KnownDevice?
        /// Whether the regions of all fixes of a block are looked up at once: if most fixes of the block before needed
        /// theirs, and no fix is buffered.
        var looksAhead = true
        /// Kept to reuse its storage.
        var coordinates: [Coordinate] = []
    }

    fileprivate struct KnownDevice: Sendable {
        let id: DeviceID
        /// The engine's index; `nil` before the first fix.
        var index: Int?
    }

    private let number: Int
    private let state: Mutex<State>

    /// A shard without devices; the rules are derived from the catalog of the options' index.
    init(_ number: Int, of watch: FileWatch.Options, _ rules: WatchRules) {
        self.number = number
        state = Mutex(
            State(
                engine: MonitorEngine(
                    watch.index, rules: rules, explains: watch.explains,
                    memory: FixMemory.defaultCapacity / FileWatch.shardCount),
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
            // The encoder is taken out of the state, so that events can be encoded while the engine emits them.
            var emission = Emission(encoder: state.encoder, explains: state.explains)
            state.encoder = nil
            defer { state.encoder = emission.encoder }
            let entries = block.entries(of: number)
            let looksAhead = try state.lookAhead(entries, block)
            let coveringCount = state.engine.coveringCount
            for position in entries.indices {
                state.prefetch(entries, position, block, looksAhead)
                let entry = entries[position]
                let fix = block.lines.fixes[Int(entry.fix)]
                let known = entry.device < 0 ? state.defaultDevice : state.devices[block.reader][Int(entry.device)]
                guard let known else { preconditionFailure("a fix is in the wrong shard") }
                // Another reader may have met the device before, and numbers it differently.
                var index = known.index ?? state.engine.devices.index(of: known.id)
                try Self.accept(
                    block.lines.location(fix, of: known.id), at: &index,
                    ahead: looksAhead ? position - entries.startIndex : nil, record: fix.record, &state, &emission)
                guard known.index == nil else { continue }
                if entry.device < 0 {
                    state.defaultDevice?.index = index
                } else {
                    state.devices[block.reader][Int(entry.device)].index = index
                }
            }
            state.looksAhead = 2 * (state.engine.coveringCount - coveringCount) > entries.count
            if let bytes = emission.encoder?.takeBytes() { emission.output.bytes = bytes }
            return emission.output
        }
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
        if verdict == .accepted { emission.append(state.roster.moved(location), record: record) }
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
        for entry in entries {
            let fix = block.lines.fixes[Int(entry.fix)]
            coordinates.append(Coordinate(latitude: fix.latitude, longitude: fix.longitude))
        }
        try engine.lookAhead(coordinates)
        return true
    }

    /// Loads the state of the devices of later fixes, in steps, since each reads what the one before has loaded.
    @inline(__always)
    fileprivate func prefetch(
        _ entries: ArraySlice<ShardedBlock.Entry>, _ position: Int, _ block: ShardedBlock, _ looksAhead: Bool
    ) {
        let (zeroth, first, second, third, fourth) = (
            position + 16, position + 12, position + 8, position + 5, position + 2
        )
        if zeroth < entries.endIndex { block.prefetchFix(entries[zeroth]) }
        if first < entries.endIndex, let device = index(entries[first], block) {
            engine.prefetchDevice(device, ahead: looksAhead ? first - entries.startIndex : nil)
        }
        if second < entries.endIndex, let device = index(entries[second], block) {
            engine.prefetchTracked(device, ahead: looksAhead ? second - entries.startIndex : nil)
        }
        guard engine.prefetchesRegions else { return }
        if third < entries.endIndex, let device = index(entries[third], block) { engine.prefetchTrackedRegions(device) }
        if fourth < entries.endIndex, let device = index(entries[fourth], block) {
            engine.prefetchTrackedBoundaries(device, ahead: looksAhead ? fourth - entries.startIndex : nil)
        }
    }

    /// The engine's index of the device of a fix; `nil` for a device without a fix before.
    @inline(__always)
    private func index(_ entry: ShardedBlock.Entry, _ block: ShardedBlock) -> Int? {
        entry.device >= 0 ? devices[block.reader][Int(entry.device)].index : nil
    }
}

/// The events that a shard emits while it evaluates a block.
private struct Emission {
    var output = ShardOutput()
    /// `nil` when events are delivered without encoding.
    var encoder: EventEncoder?
    let explains: Bool

    init(encoder: EventEncoder?, explains: Bool) {
        (self.encoder, self.explains) = (encoder, explains)
    }

    /// Takes an event that no app receives.
    mutating func append(_ event: Event, record: Int32) {
        guard encoder != nil else { return append([EmittedEvent(event: event, deliveries: [])], record: record) }
        encoder?.encodePiece(event, explains: explains)
        output.marks.append(ShardOutput.Mark(record: record, end: encoder?.count ?? 0))
    }

    mutating func append(_ events: [EmittedEvent], record: Int32) {
        for item in events {
            if encoder != nil {
                encoder?.encodePiece(item, explains: explains)
                output.marks.append(ShardOutput.Mark(record: record, end: encoder?.count ?? 0))
            } else {
                output.events.append(item)
                output.marks.append(ShardOutput.Mark(record: record, end: output.events.count))
            }
        }
    }
}

/// The events of one shard from one block.
struct ShardOutput: Sendable {
    struct Mark: Sendable {
        /// The record that caused the event.
        var record: Int32
        /// The event's end in `bytes` or `events`. It starts at the end of the one before.
        var end: Int
    }

    /// One per event.
    var marks: [Mark] = []
    /// The encoded events, when they are encoded.
    var bytes: [UInt8] = []
    /// The events, when they are not encoded.
    var events: [EmittedEvent] = []
}
