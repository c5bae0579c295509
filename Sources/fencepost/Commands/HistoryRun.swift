import FencepostAnalysis
import FencepostAppCommands
import FencepostEngine
import FencepostFormats
import FencepostGEOS
import FencepostModel
import FencepostMonitor
import FencepostOperation
import FencepostRegionFiles
import FencepostRegions
import FencepostService

/// Evaluates the locations of a command and records the history of each device.
struct HistoryRun {
    /// The rejected records and the exit code of unreadable files.
    let reader: InputReader
    let index: RegionIndex
    /// By device: its timeline, its trips, and how far the locations of its visits are from their centres.
    let devices: [(timeline: DeviceTimeline, trips: [Trip], extents: [String: Double])]
    let quality: [DeviceID: TrackQuality]

    /// `needsVisits`: whether visits are detected also where the configuration turns them off.
    init(_ setup: MonitorSetup, _ monitor: MonitorArguments, _ input: InputArguments, needsVisits: Bool) throws {
        var settings = setup.configuration.monitor
        monitor.apply(to: &settings)
        settings.staleAfter = nil
        if needsVisits, settings.visits == nil { settings.visits = VisitSettings() }
        let index = RegionIndex(TimeReport.catalog(for: setup.catalog))
        var engine = MonitorEngine(index, settings: settings)
        var recorders: [DeviceID: DeviceRecorder] = [:]
        var quality: [DeviceID: TrackQuality] = [:]
        func record(_ event: Event) {
            recorders[event.deviceID, default: DeviceRecorder(device: event.deviceID)].add(event)
        }
        func evaluate(_ location: Location) throws {
            let verdict = try engine.accept(location) { record($0) }
            quality[location.deviceID, default: TrackQuality()].add(location, .init(verdict))
            guard verdict == .accepted else { return }
            recorders[location.deviceID, default: DeviceRecorder(device: location.deviceID)].add(location)
        }
        var reader = InputReader(input)
        var leaps = LeapFilter()
        if Self.isInOrder(input, settings.reorderWindow) {
            try reader.run { location, _, _ in for fix in leaps.take(location) { try evaluate(fix) } }
            for fix in leaps.finish() { try evaluate(fix) }
        } else {
            // A history is evaluated in the order of time, as the service evaluates late locations.
            var locations: [Location] = []
            var newest: [DeviceID: Timestamp] = [:]
            func take(_ location: Location) {
                let last = newest[location.deviceID] ?? location.timestamp
                newest[location.deviceID] = max(last, location.timestamp)
                if location.timestamp < last { quality[location.deviceID, default: TrackQuality()].countLate() }
                locations.append(location)
            }
            try reader.run { location, _, _ in leaps.take(location).forEach(take) }
            leaps.finish().forEach(take)
            for index in locations.indices.sorted(by: { (locations[$0].timestamp, $0) < (locations[$1].timestamp, $1) })
            {
                try evaluate(locations[index])
            }
        }
        for fix in leaps.ahead { quality[fix.deviceID, default: TrackQuality()].add(fix, .ahead) }
        try engine.finish { record($0) }
        for stay in reader.statedStays {
            recorders[stay.device]?.add(statedStay: TimeSpan(stay.arrival, stay.departure))
        }
        self.reader = reader
        self.index = index
        self.quality = quality
        devices = recorders.keys.sorted { $0.rawValue < $1.rawValue }.compactMap { device in
            guard var recorder = recorders[device] else { return nil }
            let (timeline, trips) = recorder.finish()
            return (timeline, trips, recorder.extents)
        }
    }

    /// Whether the locations of each device are in the order of time. Then they are streamed, not kept in memory to sort them.
    ///
    /// Exports often begin with the newest location. Standard input can be read only once, and is taken as it comes.
    private static func isInOrder(_ input: InputArguments, _ window: Duration) -> Bool {
        var newest: [DeviceID: Timestamp] = [:]
        var leaps = LeapFilter()
        func isInOrder(_ location: Location) -> Bool {
            let last = newest[location.deviceID] ?? location.timestamp
            newest[location.deviceID] = max(last, location.timestamp)
            return location.timestamp + window >= last
        }
        for file in input.files where file != "-" {
            // A file that cannot be read is reported when it is evaluated.
            guard let source = try? ByteSource(path: file) else { continue }
            var reader = LocationReader(
                source,
                options: .init(
                    format: input.format, fileName: file,
                    rules: FixRules(defaultDevice: DeviceID(input.device), now: WallClock.now)))
            while let records = try? reader.next() {
                for case .location(let location, _) in records {
                    guard leaps.take(location).allSatisfy(isInOrder) else { return false }
                }
            }
        }
        return true
    }

    /// Ends the command with the exit code for what could not be read.
    func finish(_ input: InputArguments) throws {
        if Interrupt.isRequested { throw ExitStatus.interrupted.exit }
        if let failure = reader.failure { throw failure.exit }
        if input.strict, reader.rejected > 0 { throw ExitStatus.badData.exit }
    }
}

extension TrackQuality.Verdict {
    init(_ verdict: ReorderBuffer.Verdict) {
        self =
            switch verdict {
            case .accepted, .held: .accepted
            case .ahead: .ahead
            case .late: .late
            case .duplicate: .duplicate
            }
    }
}
