import FencepostEngine
import FencepostFiles
import FencepostFormats
import FencepostModel
import FencepostMonitor
import FencepostRegionFiles
import FencepostRegions
import FencepostSavedIndex
import Foundation

/// Watches a file of locations as `fencepost watch` does, on one thread, with the processor time of each part.
///
/// It counts instructions or time on any regions and locations, apart from loading the regions.
struct FileWatchRun {
    private enum Mode: String { case raw, confirmed, visits }

    private let mode: Mode
    private let regions, file: String
    private let savedIndex: String?

    /// - Parameter arguments: the mode (`raw`, `confirmed`, or `visits` for confirmed with visits), a region file, a file
    ///   of lines, and optionally the file of a saved index, which is written if it does not exist. `nil` for others.
    init?(_ arguments: ArraySlice<String>) {
        let arguments = Array(arguments)
        guard arguments.count == 3 || arguments.count == 4, let mode = Mode(rawValue: arguments[0]) else { return nil }
        self.mode = mode
        (regions, file) = (arguments[1], arguments[2])
        savedIndex = arguments.count == 4 ? arguments[3] : nil
    }

    /// The index, after the processor time at which its regions were read.
    private func load() throws -> (read: Double, index: RegionIndex) {
        if let savedIndex, access(savedIndex, F_OK) == 0 {
            let saved = try SavedIndex(path: savedIndex)
            let opened = Self.processorTime
            try saved.check(paths: [regions], options: RegionOptions())
            return (opened, saved.index)
        }
        let sources = [RegionSourceFile(regions)].compactMap { $0 }
        let set = RegionSet.load(paths: [regions])
        let read = Self.processorTime
        let index = RegionIndex(RegionCatalog(set.regions))
        if let savedIndex {
            try SavedIndex.write(set, index, sources: sources, options: RegionOptions(), to: OutputFile(savedIndex))
        }
        return (read, index)
    }

    /// Writes the events to standard output, and the processor time to standard error.
    func run(_ measure: (() throws -> Int) throws -> Int) throws {
        var settings = MonitorSettings()
        settings.crossing = mode == .raw ? .raw : .confirmed
        if mode != .visits { settings.visits = nil }
        let (begin, start) = (ContinuousClock.now, Self.processorTime)
        let (read, index) = try load()
        let (loaded, elapsed) = (Self.processorTime, ContinuousClock.now - begin)
        guard let lines = try LineFile.find(path: file, format: .ndjson) else {
            FileHandle.standardError.write(Data("\(file) cannot be read in blocks of lines\n".utf8))
            exit(66)
        }
        var options = FileWatch.Options(
            index, settings: settings, rules: FixRules(defaultDevice: DeviceID("default")))
        options.format = .ndjson
        let watch = FileWatch([.success(lines)], options)
        var records = 0
        let bytes = try measure {
            var encoder = EventEncoder(.ndjson)
            var bytes = 0
            try watch.run { report in
                records += report.records
                try report.write(to: &encoder) { encoder in
                    bytes += encoder.count
                    try encoder.withBytes { bytes in
                        guard let start = UnsafeMutableRawPointer(mutating: bytes.baseAddress) else { return }
                        // Not a copy of the bytes.
                        try FileHandle.standardOutput.write(
                            contentsOf: Data(bytesNoCopy: start, count: bytes.count, deallocator: .none))
                    }
                    encoder.removeBytes()
                }
                return true
            }
            for event in try watch.finish() { encoder.encode(event, explains: false) }
            FileHandle.standardOutput.write(Data(encoder.takeBytes()))
            return bytes
        }
        let done = Self.processorTime
        FileHandle.standardError.write(
            Data(
                """
                \(index.catalog.count) regions read in \(read - start) s, indexed in \(loaded - read) s, elapsed \(elapsed), \
                \(index.byteCount / max(index.catalog.count, 1)) bytes each; \(records) records in \(done - loaded) s, \
                \(Double(records) / (done - loaded) / 1e6) M/s of processor time; \(bytes) bytes of events

                """.utf8))
    }

    /// Seconds of all threads.
    private static var processorTime: Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
