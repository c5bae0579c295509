public import FencepostFormats
import FencepostGEOS
import FencepostModel
public import FencepostMonitor
public import FencepostRegions
import Foundation
import Synchronization

/// Recorded files, watched by several threads: what is told is the same, in the same order, for any number of them.
///
/// The files are cut into blocks. A thread reads a block and shares its fixes out by device; each share of the devices
/// takes the blocks in their order, whichever thread works on it; the calling thread puts together what the shares told.
public final class FileWatch: Sendable {
    public struct Options: Sendable {
        public var index: RegionIndex
        public var settings: MonitorSettings
        public var apps: [App] = []
        /// Whether events say why they were told.
        public var explains = false
        /// How events are written; `nil` hands them on as they are.
        public var format: EventEncoder.Format?
        /// Which fixes are taken.
        public var rules: FixRules
        /// How many threads work, the calling one among them, at least 1.
        public var jobs = 1
        /// How many bytes of a file one block has.
        public var blockSize = 1 << 19

        public init(_ index: RegionIndex, settings: MonitorSettings, rules: FixRules) {
            self.index = index
            self.settings = settings
            self.rules = rules
        }
    }

    /// A file, or why it cannot be read.
    public typealias File = Result<LineFile, UnreadableFile>

    public struct UnreadableFile: Error, Sendable {
        /// `nil` for standard input.
        public var name: String?
        public var reason: ByteSourceError

        public init(name: String?, reason: ByteSourceError) {
            self.name = name
            self.reason = reason
        }
    }

    /// What came of all that was read.
    public struct Totals: Sendable {
        public var counts = MonitorCounts()
        public var relaunches = 0
        public var doubts = DoubtCounts()
        public var devices = 0

        public init() {}
    }

    /// How many shares the devices are cut into. Always as many, so that nothing can depend on the number of threads; more
    /// than threads, so that none waits long for another one.
    static let shareCount = 16

    private struct Block {
        var file: Int
        var stretch: Range<Int>
    }

    private let options: Options
    private let files: [File]
    private let blocks: [Block]
    private let shards: [DeviceShard]
    private let schedule: BlockSchedule

    public init(_ files: [File], _ options: Options) {
        precondition(options.jobs > 0 && options.blockSize > 0, "a watch needs a thread and blocks")
        self.options = options
        self.files = files
        var blocks: [Block] = []
        for (number, file) in files.enumerated() {
            switch file {
            case .failure: blocks.append(Block(file: number, stretch: 0..<0))
            case .success(let file):
                for start in stride(from: file.bounds.lowerBound, to: file.bounds.upperBound, by: options.blockSize) {
                    let end = min(start + options.blockSize, file.bounds.upperBound)
                    blocks.append(Block(file: number, stretch: start..<end))
                }
            }
        }
        self.blocks = blocks
        let rules = WatchRules(options.index.catalog, options.settings)
        shards = (0..<Self.shareCount).map { DeviceShard($0, of: options, rules) }
        schedule = BlockSchedule(
            blocks: blocks.count, shares: Self.shareCount, window: options.jobs == 1 ? 1 : options.jobs * 2 + 2)
    }

    /// Watches all files.
    ///
    /// - Parameter take: gets what came of each block, in order, on the calling thread. It says whether to go on; where
    ///   it does not, only what has been begun is brought to its end.
    /// - Throws: what `take` throws, and what GEOS says of a region.
    public func run(take: (BlockReport) throws -> Bool) throws {
        let done = DispatchSemaphore(value: 0)
        for reader in 1..<max(options.jobs, 1) {
            let thread = Thread { [self] in
                work(reader: reader)
                done.signal()
            }
            thread.stackSize = 1 << 23
            thread.start()
        }
        defer {
            schedule.stop()
            for _ in 1..<max(options.jobs, 1) { done.wait() }
        }
        var reader = BlockReader(0, options)
        var firstLine = 0
        var file = -1
        while let job = schedule.next(delivers: true) {
            switch job {
            case .deliver(let number, let outcome):
                if blocks[number].file != file {
                    file = blocks[number].file
                    firstLine = 0
                }
                let report = try report(on: number, outcome, firstLine: firstLine)
                firstLine += outcome.lines?.lineCount ?? 0
                if try !take(report) { schedule.cut() }
                schedule.delivered(number)
            case .read, .evaluate: perform(job, by: &reader)
            }
        }
    }

    /// What is told at the end, when nothing more will come.
    public func finish() throws -> [AppRoster.Told] {
        let told = try shards.flatMap { try $0.finish() }
        return told.sorted { $0.event.deviceID.rawValue < $1.event.deviceID.rawValue }
    }

    public var totals: Totals { shards.reduce(into: Totals()) { $0.add($1.totals) } }

    /// What every thread but the calling one does.
    private func work(reader number: Int) {
        var reader = BlockReader(number, options)
        while let job = schedule.next(delivers: false) { perform(job, by: &reader) }
    }

    private func perform(_ job: BlockSchedule.Job, by reader: inout BlockReader) {
        switch job {
        case .read(let number):
            do {
                let file = try files[blocks[number].file].get()
                schedule.read(number, .success(try reader.read(blocks[number].stretch, of: file)))
            } catch {
                schedule.read(number, .failure(error))
            }
        case .evaluate(let number, let share, let block):
            do {
                schedule.evaluated(number, share: share, .success(try shards[share].evaluate(block)))
            } catch {
                schedule.evaluated(number, share: share, .failure(error))
            }
        case .deliver: preconditionFailure("only the calling thread delivers")
        }
    }

    private func report(on number: Int, _ outcome: BlockOutcome, firstLine: Int) throws -> BlockReport {
        let block = blocks[number]
        var report = BlockReport(bytes: block.stretch.count)
        switch outcome.result {
        case .failure(let error as UnreadableFile): report.unreadable = error
        case .failure(let error as ByteSourceError):
            report.unreadable = UnreadableFile(name: try files[block.file].get().name, reason: error)
        case .failure(let error): throw error
        case .success(let lines):
            report.records = lines.recordCount
            report.rejected = lines.rejected.map { rejected in
                var diagnostic = rejected.diagnostic
                if case .line(let line) = diagnostic.place { diagnostic.place = .line(firstLine + line) }
                return diagnostic
            }
            report.outputs = outcome.outputs
        }
        return report
    }
}

extension FileWatch.Totals {
    fileprivate mutating func add(_ other: FileWatch.Totals) {
        counts.accepted += other.counts.accepted
        counts.late += other.counts.late
        counts.duplicates += other.counts.duplicates
        counts.events.merge(other.counts.events, uniquingKeysWith: +)
        relaunches += other.relaunches
        doubts = doubts + other.doubts
        devices += other.devices
    }
}

/// Reads blocks on one thread, and shares out what is in them.
private struct BlockReader: ~Copyable {
    private let number: Int
    private var lines: LineBlockReader
    private var plan: SharePlan

    init(_ number: Int, _ options: FileWatch.Options) {
        self.number = number
        lines = LineBlockReader(rules: options.rules)
        plan = SharePlan(defaultDevice: options.rules.defaultDevice)
    }

    mutating func read(_ stretch: Range<Int>, of file: LineFile) throws(ByteSourceError) -> SharedBlock {
        let block = try lines.read(stretch, of: file)
        for device in block.newDevices { plan.add(device) }
        return SharedBlock(block, reader: number, plan)
    }
}
