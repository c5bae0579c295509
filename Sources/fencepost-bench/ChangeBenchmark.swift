import ArgumentParser
import FencepostGeometry
import FencepostModel
import FencepostRegions
import FencepostWorkload
import Foundation
import Synchronization

struct ChangeBenchmark: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "change",
        abstract: "Changes regions while a thread runs queries, and measures the longest pause of that thread.",
        discussion: """
            First single regions are moved, one after the other; then all regions at once, several times. The reader \
            switches to a new index between two queries.
            """)

    @Option(help: "The number of round polygons.") var regions = 100_000
    @Option(help: "The number of single changes.") var changes = 300
    @Option(help: "The number of replacements of all regions.") var replacements = 3
    @Option(help: "The seed of the random numbers.") var seed: UInt64 = 1
    @OptionGroup var report: ReportOptions

    func validate() throws {
        guard regions > 0 && changes >= 0 && replacements >= 0 else { throw ValidationError("too few") }
    }

    func run() throws {
        report.title("change: seed \(seed), \(regions) regions")
        let made = SyntheticRegions.round(regions, in: .country, seed: seed &+ 1000)
        var catalog = RegionCatalog(made)
        var index = RegionIndex(catalog)
        let exchange = Exchange(index)
        let reader = Reader(exchange, made, seed: seed)
        let thread = Thread { reader.run() }
        thread.stackSize = 1 << 22
        thread.start()
        defer { exchange.stop() }
        exchange.awaitReader()

        var random = SplitMix64(seed: seed &+ 5)
        let clock = ContinuousClock()
        var times: [Duration] = []
        for _ in 0..<changes {
            let changed = Int(random.next() % UInt64(made.count))
            let center = Coordinate(latitude: 45 + random.unit() * 10, longitude: 5 + random.unit() * 10)
            var region = made[changed]
            region.shape = SyntheticRegions.polygon(around: center, vertices: 16) { _ in 200 }
            times.append(
                clock.measure {
                    catalog.update([region])
                    index = index.updated(to: catalog, changed: [RegionHandle(UInt32(changed))])
                })
            exchange.offer(index)
        }
        try printResult("single changes", times, exchange.takePause())
        times = []
        for number in 0..<replacements {
            let next = SyntheticRegions.round(regions, in: .country, seed: seed &+ UInt64(number) &+ 1001)
            times.append(
                clock.measure {
                    catalog.update(next)
                    index = index.updated(to: catalog, changed: catalog.regions.map(\.handle))
                })
            exchange.offer(index)
        }
        try printResult("replacements of all", times, exchange.takePause())
    }

    private func printResult(_ name: String, _ times: [Duration], _ pause: Exchange.Pause) throws {
        guard !times.isEmpty else { return }
        let conditions = ["seed": Int(seed), "regions": regions]
        var measurement = Measurement(
            "change", "\(name): the next index", conditions, unit: "ms", times.map { $0 / .milliseconds(1) })
        measurement.details = ["changes": Double(times.count)]
        try report.write(measurement)
        measurement = Measurement(
            "change", "\(name): the reader's longest pause", conditions, unit: "ms by the clock",
            [pause.longest / .milliseconds(1)])
        measurement.details = [
            "ms of processor time": pause.longestOfProcessor / 1e6, "questions": Double(pause.questions),
        ]
        try report.write(measurement)
    }
}

/// Passes new indexes to the reader and collects its measurements.
private final class Exchange: Sendable {
    struct Pause {
        var questions = 0
        var longest = Duration.zero
        /// Processor time of the reader's thread in nanoseconds, which other programs do not affect.
        var longestOfProcessor = 0.0
    }

    struct State {
        var newest: RegionIndex
        /// The number of indexes offered to the reader, and the number of the one it has taken.
        var offered = 1
        var taken = 0
        var pause = Pause()
        var isStopped = false
    }

    private let state: Mutex<State>

    init(_ index: RegionIndex) { state = Mutex(State(newest: index)) }

    /// Returns after the reader has taken the index, so the previous one is destroyed on this thread.
    func offer(_ index: RegionIndex) {
        let before = state.withLock { state in
            defer {
                state.newest = index
                state.offered += 1
            }
            return state.newest
        }
        awaitReader()
        _ = consume before
    }

    func awaitReader() {
        while state.withLock({ $0.taken != $0.offered && !$0.isStopped }) { usleep(100) }
    }

    /// The newest index if the reader has an older one.
    func next(after taken: Int) -> (index: RegionIndex, number: Int)? {
        state.withLock { $0.offered == taken ? nil : ($0.newest, $0.offered) }
    }

    func took(_ number: Int) { state.withLock { $0.taken = number } }

    /// - Returns: whether the reader should continue.
    func record(_ pause: Pause) -> Bool {
        state.withLock { state in
            state.pause.questions += pause.questions
            state.pause.longest = max(state.pause.longest, pause.longest)
            state.pause.longestOfProcessor = max(state.pause.longestOfProcessor, pause.longestOfProcessor)
            return !state.isStopped
        }
    }

    func takePause() -> Pause {
        state.withLock { state in
            defer { state.pause = Pause() }
            return state.pause
        }
    }

    func stop() { state.withLock { $0.isStopped = true } }
}

/// Queries points in a loop and checks for a new index after every hundred.
private struct Reader: Sendable {
    private let exchange: Exchange
    private let points: [Coordinate]

    init(_ exchange: Exchange, _ regions: [Region], seed: UInt64) {
        self.exchange = exchange
        var source = LocatePoints(RegionCatalog(regions), seed: seed)
        points = (0..<100_000).map { _ in source.even() }
    }

    func run() {
        let clock = ContinuousClock()
        var taken = 0
        var query = RegionQuery(RegionIndex(RegionCatalog()))
        var answer: [RegionHandle] = []
        var next = 0
        var (last, lastOfProcessor) = (clock.now, ProcessorTime.now())
        while true {
            if let (index, number) = exchange.next(after: taken) {
                query = RegionQuery(index)
                taken = number
                exchange.took(number)
            }
            for _ in 0..<100 {
                next = next + 1 < points.count ? next + 1 : 0
                do { try query.covering(points[next], into: &answer) } catch { print("\(error)") }
            }
            let (now, nowOfProcessor) = (clock.now, ProcessorTime.now())
            let pause = Exchange.Pause(
                questions: 100, longest: now - last, longestOfProcessor: nowOfProcessor - lastOfProcessor)
            (last, lastOfProcessor) = (now, nowOfProcessor)
            guard exchange.record(pause) else { return }
        }
    }
}
