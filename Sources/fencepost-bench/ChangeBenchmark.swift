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
        abstract: "Changes regions while a thread asks about points, and says how long that thread ever paused.",
        discussion: """
            First single regions are moved, one after the other; then all regions at once, several times. The reader \
            takes a new index over between two questions.
            """)

    @Option(help: "How many round polygons.") var regions = 100_000
    @Option(help: "How many single changes.") var changes = 300
    @Option(help: "How often all regions are replaced.") var replacements = 3
    @Option(help: "Where the random numbers start.") var seed: UInt64 = 1
    @OptionGroup var report: ReportOptions

    func validate() throws {
        guard regions > 0 && changes >= 0 && replacements >= 0 else { throw ValidationError("too few") }
    }

    func run() throws {
        report.title("change: seed \(seed), \(regions) regions")
        let made = MadeUpRegions.round(regions, vertices: 16, seed: seed)
        var catalog = RegionCatalog(made)
        var index = RegionIndex(catalog)
        let exchange = Exchange(index)
        let reader = Reader(exchange, made, seed: seed)
        let thread = Thread { reader.run() }
        thread.stackSize = 1 << 22
        thread.start()
        defer { exchange.stop() }
        exchange.awaitReader()

        var random = SplitMix(seed: seed &+ 5)
        let clock = ContinuousClock()
        var times: [Duration] = []
        for _ in 0..<changes {
            let place = Int(random.next() % UInt64(made.count))
            let center = Coordinate(latitude: 45 + random.unit() * 10, longitude: 5 + random.unit() * 10)
            var region = made[place]
            region.shape = MadeUpRegions.around(center, radius: 200, vertices: 16)
            times.append(
                clock.measure {
                    catalog.update([region])
                    index = index.updated(to: catalog, changed: [RegionHandle(UInt32(place))])
                })
            exchange.offer(index)
        }
        try tell("single changes", times, exchange.takePause())
        times = []
        for number in 0..<replacements {
            let next = MadeUpRegions.round(regions, vertices: 16, seed: seed &+ UInt64(number) &+ 1)
            times.append(
                clock.measure {
                    catalog.update(next)
                    index = index.updated(to: catalog, changed: catalog.regions.map(\.handle))
                })
            exchange.offer(index)
        }
        try tell("replacements of all", times, exchange.takePause())
    }

    private func tell(_ name: String, _ times: [Duration], _ pause: Exchange.Pause) throws {
        guard !times.isEmpty else { return }
        let conditions = ["seed": Int(seed), "regions": regions]
        var measurement = Measurement(
            "change", "\(name): the next index", conditions, unit: "ms", times.map { $0 / .milliseconds(1) })
        measurement.details = ["changes": Double(times.count)]
        try report.tell(measurement)
        measurement = Measurement(
            "change", "\(name): the reader's longest pause", conditions, unit: "ms by the clock",
            [pause.longest / .milliseconds(1)])
        measurement.details = [
            "ms of processor time": pause.longestOfProcessor / 1e6, "questions": Double(pause.questions),
        ]
        try report.tell(measurement)
    }
}

/// Where the newest index lies for the reader, and what the reader tells of itself.
private final class Exchange: Sendable {
    struct Pause {
        var questions = 0
        var longest = Duration.zero
        /// Nanoseconds: of the work of the reader's own thread, which other programs cannot lengthen.
        var longestOfProcessor = 0.0
    }

    struct State {
        var newest: RegionIndex
        /// How many the reader has been offered, and which of them it has.
        var offered = 1
        var taken = 0
        var pause = Pause()
        var isStopped = false
    }

    private let state: Mutex<State>

    init(_ index: RegionIndex) { state = Mutex(State(newest: index)) }

    /// Returns when the reader has taken it, so that the one before it ends here and not on the reader's time.
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

    /// The newest index if the reader has another, and whether it is to stop.
    func next(after taken: Int) -> (index: RegionIndex, number: Int)? {
        state.withLock { $0.offered == taken ? nil : ($0.newest, $0.offered) }
    }

    func took(_ number: Int) { state.withLock { $0.taken = number } }

    /// - Returns: whether to go on.
    func tell(_ pause: Pause) -> Bool {
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

/// Asks about points in turn, a hundred and then looks whether there is another index.
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
        var place = 0
        var (last, lastOfProcessor) = (clock.now, ProcessorTime.now())
        while true {
            if let (index, number) = exchange.next(after: taken) {
                query = RegionQuery(index)
                taken = number
                exchange.took(number)
            }
            for _ in 0..<100 {
                place = place + 1 < points.count ? place + 1 : 0
                do { try query.covering(points[place], into: &answer) } catch { print("\(error)") }
            }
            let (now, nowOfProcessor) = (clock.now, ProcessorTime.now())
            let pause = Exchange.Pause(
                questions: 100, longest: now - last, longestOfProcessor: nowOfProcessor - lastOfProcessor)
            (last, lastOfProcessor) = (now, nowOfProcessor)
            guard exchange.tell(pause) else { return }
        }
    }
}
