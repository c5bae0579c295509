import FencepostFormats
import FencepostGEOS
import FencepostJSON
import FencepostModel
import FencepostMonitor
import FencepostSimulator
import Synchronization

/// A share of the devices, with all that is known of them: what one thread at a time works on.
final class DeviceShard: Sendable {
    fileprivate struct State: ~Copyable {
        var engine: MonitorEngine
        var roster: AppRoster
        /// `nil` where events are handed on as they are.
        var encoder: EventEncoder?
        let explains: Bool
        /// By the reader that met it, in the order in which this one met the devices of the share.
        var devices: [[Known]] = []
        /// The device of records that name none.
        var defaultDevice: Known?
    }

    fileprivate struct Known {
        let id: DeviceID
        /// Where the engine has it; `nil` before its first fix.
        var place: Int?
    }

    private let number: Int
    private let state: Mutex<State>

    /// - Parameter rules: made of the catalog of the regions that are watched.
    init(_ number: Int, of watch: FileWatch.Options, _ rules: WatchRules) {
        self.number = number
        state = Mutex(
            State(
                engine: MonitorEngine(
                    watch.index, rules: rules, explains: watch.explains,
                    memory: FixMemory.usual / FileWatch.shareCount),
                roster: AppRoster(watch.apps),
                encoder: watch.format.map { EventEncoder($0) }, explains: watch.explains,
                defaultDevice: watch.rules.defaultDevice.map { Known(id: $0) }))
    }

    /// Takes the fixes of its devices, in the order of their records.
    func evaluate(_ block: SharedBlock) throws(GEOSError) -> ShardOutput {
        try state.withLock { state throws(GEOSError) in
            while state.devices.count <= block.reader { state.devices.append([]) }
            for (device, share) in zip(block.lines.newDevices, block.newShares) where share == number {
                state.devices[block.reader].append(Known(id: device))
            }
            var output = ShardOutput()
            for entry in block.entries(of: number) {
                let fix = block.lines.fixes[Int(entry.fix)]
                let known = entry.device < 0 ? state.defaultDevice : state.devices[block.reader][Int(entry.device)]
                guard let known else { preconditionFailure("a fix came to the wrong share") }
                // Another reader may have met the device before, under a number of its own.
                var place = known.place ?? state.engine.devices.place(of: known.id)
                try Self.take(block.lines.location(fix, of: known.id), at: &place, record: fix.record, &state, &output)
                guard known.place == nil else { continue }
                if entry.device < 0 {
                    state.defaultDevice?.place = place
                } else {
                    state.devices[block.reader][Int(entry.device)].place = place
                }
            }
            if let bytes = state.encoder?.takeBytes() { output.bytes = bytes }
            return output
        }
    }

    private static func take(
        _ location: Location, at place: inout Int?, record: Int32, _ state: inout State, _ output: inout ShardOutput
    ) throws(GEOSError) {
        // Nearly always none, for which an array needs no memory.
        var events: [Event] = []
        let verdict = try state.engine.accept(location, at: &place) { events.append($0) }
        guard !events.isEmpty || !state.roster.isEmpty else { return }
        for event in events { state.tell(state.roster.tell(event), record: record, into: &output) }
        if verdict == .accepted, !state.roster.isEmpty {
            state.tell(state.roster.moved(location), record: record, into: &output)
        }
    }

    /// What is told at the end, when nothing more will come.
    func finish() throws(GEOSError) -> [AppRoster.Told] {
        try state.withLock { state throws(GEOSError) in
            var events: [Event] = []
            try state.engine.finish { events.append($0) }
            return events.flatMap { state.roster.tell($0) }
        }
    }

    var totals: FileWatch.Totals {
        state.withLock { state in
            var totals = FileWatch.Totals()
            totals.counts = state.engine.counts
            totals.relaunches = state.roster.relaunchCount
            totals.doubts = state.engine.doubts
            totals.devices = state.engine.deviceCount
            return totals
        }
    }
}

extension DeviceShard.State {
    fileprivate mutating func tell(_ told: [AppRoster.Told], record: Int32, into output: inout ShardOutput) {
        for item in told {
            if encoder != nil {
                encoder?.encodePiece(item, explains: explains)
                output.marks.append(ShardOutput.Mark(record: record, end: encoder?.count ?? 0))
            } else {
                output.told.append(item)
                output.marks.append(ShardOutput.Mark(record: record, end: output.told.count))
            }
        }
    }
}

/// What a share of the devices told of one block.
struct ShardOutput: Sendable {
    struct Mark: Sendable {
        /// Of the fix that it was told of.
        var record: Int32
        /// Where it ends among `bytes` or `told`; it begins where the one before ends.
        var end: Int
    }

    var marks: [Mark] = []
    var bytes: [UInt8] = []
    var told: [AppRoster.Told] = []
}
