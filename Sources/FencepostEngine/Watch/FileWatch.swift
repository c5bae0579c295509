public import FencepostFormats
import FencepostGEOS
import FencepostModel
public import FencepostMonitor
public import FencepostRegions
import Foundation
import Synchronization

/// Evaluates recorded files on several threads. The events and their order do not depend on the number of threads.
///
/// The files are split into blocks. Any thread reads a block and groups its fixes by shard, a fixed part of the devices,
/// and by device. Each shard evaluates the blocks in order, device by device. The calling thread merges the events of the
/// shards in the order of the records.
public final class FileWatch: Sendable {
    /// What to evaluate and how.
    public struct Options: Sendable {
        /// The index over the regions to monitor.
        public var index: RegionIndex
        /// The settings of the evaluation.
        public var settings: MonitorSettings
        /// Simulated apps that receive the events.
        public var apps: [App] = []
        /// Whether events have a `why`.
        public var explains = false
        /// The encoding of the events; `nil` delivers them without encoding.
        public var format: EventEncoder.Format?
        /// Which fixes are accepted.
        public var rules: FixRules
        /// Number of threads including the calling one, at least 1.
        public var jobs = 1
        /// Size of a block in bytes. Larger ones have more fixes of each device, which are evaluated together; smaller ones
        /// fit into the cache that the cores of a processor share.
        public var blockSize = 1 << 23

        /// Options for one thread, without apps.
        public init(_ index: RegionIndex, settings: MonitorSettings, rules: FixRules) {
            self.index = index
            self.settings = settings
            self.rules = rules
        }
    }

    /// A file, or the reason why it cannot be read.
    public typealias File = Result<LineFile, UnreadableFile>

    /// A file that cannot be read.
    public struct UnreadableFile: Error, Sendable {
        /// `nil` for standard input.
        public var name: String?
        /// The failed operation.
        public var reason: ByteSourceError

        /// An error for a file.
        public init(name: String?, reason: ByteSourceError) {
            self.name = name
            self.reason = reason
        }
    }

    /// Sums over all blocks.
    public struct Totals: Sendable {
        /// Fixes by verdict, events by type.
        public var counts = MonitorCounts()
        /// Relaunches of apps.
        public var relaunches = 0
        /// Fixes that were trusted less than their accuracy says, by reason.
        public var flagCounts = FlagCounts()
        /// Number of devices.
        public var devices = 0

        /// All zero.
        public init() {}
    }

    /// Number of shards. It does not depend on the number of threads, so that no result does. It is larger than the usual
    /// number of threads, so that threads rarely wait for each other.
    static let shardCount = 16

    private struct Block {
        var file: Int
        var byteRange: Range<Int>
    }

    private let options: Options
    private let files: [File]
    private let blocks: [Block]
    private let shards: [DeviceShard]
    private let schedule: BlockSchedule

    /// A watch over files in their order.
    public init(_ files: [File], _ options: Options) {
        precondition(
            options.jobs > 0 && options.blockSize > 0,
            "a watch needs at least one thread and blocks of at least one byte")
        self.options = options
        self.files = files
        var blocks: [Block] = []
        for (number, file) in files.enumerated() {
            switch file {
            case .failure: blocks.append(Block(file: number, byteRange: 0..<0))
            case .success(let file):
                for start in stride(from: file.bounds.lowerBound, to: file.bounds.upperBound, by: options.blockSize) {
                    let end = min(start + options.blockSize, file.bounds.upperBound)
                    blocks.append(Block(file: number, byteRange: start..<end))
                }
            }
        }
        self.blocks = blocks
        // Events that are not encoded keep their `why`, since the caller may read it.
        let rules = WatchRules(
            options.index.catalog, options.settings, explains: options.explains || options.format == nil)
        shards = (0..<Self.shardCount).map { DeviceShard($0, of: options, rules) }
        schedule = BlockSchedule(
            blocks: blocks.count, shards: Self.shardCount, window: options.jobs == 1 ? 1 : options.jobs + 4)
    }

    /// Evaluates all files.
    ///
    /// - Parameter take: called with the report of each block, in order, on the calling thread. It returns whether to
    ///   continue; after `false`, blocks that are started are still evaluated and reported.
    /// - Throws: what `take` throws, and errors of GEOS.
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
                for (shard, output) in zip(shards, outcome.outputs) { shard.reuse(output) }
                schedule.delivered(number)
            case .read, .evaluate: perform(job, by: &reader)
            }
        }
    }

    /// Evaluates the buffered fixes at the end of the input.
    ///
    /// - Throws: when GEOS fails on a region.
    public func finish() throws -> [EmittedEvent] {
        let events = try shards.flatMap { try $0.finish() }
        return events.sorted { $0.event.deviceID.rawValue < $1.event.deviceID.rawValue }
    }

    /// Sums over what was evaluated so far.
    public var totals: Totals { shards.reduce(into: Totals()) { $0.add($1.totals) } }

    /// The loop of a helper thread.
    private func work(reader number: Int) {
        var reader = BlockReader(number, options)
        while let job = schedule.next(delivers: false) { perform(job, by: &reader) }
    }

    private func perform(_ job: BlockSchedule.Job, by reader: inout BlockReader) {
        switch job {
        case .read(let number):
            do {
                let file = try files[blocks[number].file].get()
                schedule.read(number, .success(try reader.read(blocks[number].byteRange, of: file)))
            } catch {
                schedule.read(number, .failure(error))
            }
        case .evaluate(let number, let shard, let block):
            do {
                schedule.evaluated(number, shard: shard, .success(try shards[shard].evaluate(block)))
            } catch {
                schedule.evaluated(number, shard: shard, .failure(error))
            }
        case .deliver: preconditionFailure("only the calling thread delivers")
        }
    }

    private func report(on number: Int, _ outcome: BlockOutcome, firstLine: Int) throws -> BlockReport {
        let block = blocks[number]
        var report = BlockReport(bytes: block.byteRange.count)
        switch outcome.result {
        case .failure(let error as UnreadableFile): report.unreadable = error
        case .failure(let error as ByteSourceError):
            report.unreadable = UnreadableFile(name: try files[block.file].get().name, reason: error)
        case .failure(let error): throw error
        case .success(let lines):
            report.records = lines.recordCount
            report.dropped = lines.dropped
            report.rejected = lines.rejected.map { rejected in
                var diagnostic = rejected.diagnostic
                if case .line(let line) = diagnostic.position { diagnostic.position = .line(firstLine + line) }
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
        counts.ahead += other.counts.ahead
        counts.events.merge(other.counts.events, uniquingKeysWith: +)
        relaunches += other.relaunches
        flagCounts = flagCounts + other.flagCounts
        devices += other.devices
    }
}

/// Reads blocks on one thread, and groups their fixes by shard.
private struct BlockReader: ~Copyable {
    private let number: Int
    private var lines: LineBlockReader
    private var assignment: ShardAssignment

    init(_ number: Int, _ options: FileWatch.Options) {
        self.number = number
        lines = LineBlockReader(rules: options.rules)
        assignment = ShardAssignment(defaultDevice: options.rules.defaultDevice)
    }

    mutating func read(_ byteRange: Range<Int>, of file: LineFile) throws(ByteSourceError) -> ShardedBlock {
        let block = try lines.read(byteRange, of: file)
        for device in block.newDevices { assignment.add(device) }
        return ShardedBlock(block, reader: number, assignment)
    }
}
