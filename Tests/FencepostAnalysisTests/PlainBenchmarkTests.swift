import FencepostModel
import FencepostMonitor
import Testing

@testable import FencepostAnalysis

@Suite("Plain benchmark") struct PlainBenchmarkTests {
    @Test("is the same for the same seed, and another one for another seed")
    func seeds() throws {
        let first = try BenchmarkGenerator.plain(seed: 3)
        let again = try BenchmarkGenerator.plain(seed: 3)
        #expect(first.locations == again.locations)
        #expect(first.regions == again.regions)
        #expect(first.crossings == again.crossings)
        #expect(try BenchmarkGenerator.plain(seed: 4).locations != first.locations)
    }

    @Test("has every value of the grid")
    func grid() throws {
        let benchmark = PlainBenchmark("both", merging: try (1...3).map { try BenchmarkGenerator.plain(seed: $0) })
        let values = Dictionary(grouping: Set(benchmark.streams.flatMap(\.cell)), by: \.dimension).mapValues(\.count)
        #expect(
            values == [
                "interval": 8, "accuracy": 6, "field": 4, "speed": 5, "radius": 5, "shape": 4, "motion": 4, "place": 2,
                "outliers": 3, "rest": 2, "drift": 2, "stay": 4, "silence": 2,
            ])
        #expect(Set(benchmark.crossings.map(\.reason)) == ["clear", "single", "silent", "unseen", "not asked for"])
        #expect(!benchmark.insideAtStart.isEmpty)
    }

    @Test("alternates entries and exits, and gives bounds for the required ones")
    func bounds() throws {
        let benchmark = try BenchmarkGenerator.plain(seed: 1)
        for (_, list) in Dictionary(grouping: benchmark.crossings, by: \.device) {
            #expect(zip(list, list.dropFirst()).allSatisfy { $0.isEntry != $1.isEntry && $0.timestamp <= $1.timestamp })
            let required = list.filter(\.isRequired)
            #expect(zip(required, required.dropFirst()).allSatisfy { $0.isEntry != $1.isEntry })
            for crossing in required {
                let earliest = try #require(crossing.earliest)
                let clear = try #require(crossing.clear)
                let due = try #require(crossing.due)
                #expect(earliest < crossing.timestamp && crossing.timestamp <= clear)
                #expect(clear + .seconds(30) <= due)
                #expect(crossing.until.map { due <= $0 } != false)
            }
            #expect(required.last?.until == nil)
        }
        #expect(benchmark.crossings.count(where: \.isRequired) > 300)
        #expect(benchmark.crossings.allSatisfy { $0.region.rawValue.hasSuffix("visited") })
        #expect(benchmark.regions.count { $0.id.rawValue.hasSuffix("passed") } > 80)
    }

    /// A clear fix is on the true side, so a detector that takes each fix at its word reports it at once.
    @Test("asks only for crossings that a change of containment shows", arguments: 1...3 as ClosedRange<UInt64>)
    func raw(seed: UInt64) throws {
        let benchmark = try BenchmarkGenerator.plain(seed: seed)
        var settings = MonitorSettings()
        settings.crossing = .raw
        let score = PlainScore(try benchmark.events(settings), of: benchmark)
        #expect(score.all.missed == 0)
        #expect(score.all.late == 0)
        #expect(score.dominance == 1)
        #expect(score.all.reported(within: 0) == 1)
        // Noise at a boundary and outliers make it report what is not there.
        #expect(score.all.falsePerHundred > 10)
    }
}

/// Depths of fixes along the way of a device with an accuracy of 10 m, and what follows from the definition of a clear
/// fix by hand.
@Suite("The truth of a plain benchmark") struct PlainTruthTests {
    private static let start = Timestamp(seconds: 1_770_000_000)

    /// A device that crosses at some times, with a fix every minute at these depths.
    private func truth(
        _ depths: [Double], crossings: [Double], startsInside: Bool = false, outliers: [Int] = [], silent: Bool = false
    ) -> [PlainBenchmark.Crossing] {
        var random = GeneratorRandom(seed: 1)
        var cell = PlainCell(interval: 45, &random)
        cell.accuracy = 10
        cell.outliers = outliers.isEmpty ? 0 : 0.04
        cell.isSilent = silent
        let fixes = depths.enumerated().map { index, depth in
            var fix = PlainFix(time: Double(index) * 60, point: PlanePoint(east: depth, north: 0), stated: 12)
            fix.depth = depth
            let before = crossings.count { $0 <= fix.time }
            fix.trueDepth = (before % 2 == 0) == startsInside ? 50 : -50
            fix.isOutlier = outliers.contains(index)
            return fix
        }
        return PlainTruth(cell: cell, fixes: fixes, startsInside: startsInside, crossingTimes: crossings)
            .crossings(of: .init(device: DeviceID("d"), region: RegionID("r")), start: Self.start)
    }

    private func seconds(_ time: Timestamp?) -> Double? { time.map { ($0 - Self.start).seconds } }

    @Test("needs a fix beyond twice the larger of the stated and the true accuracy")
    func clear() throws {
        // 24 m is not more than twice 12 m.
        let crossing = try #require(truth([-90, -90, 24, 25, 24, 60], crossings: [90]).first)
        #expect(crossing.isRequired && crossing.isEntry)
        #expect(seconds(crossing.timestamp) == 90)
        #expect(seconds(crossing.earliest) == 60)
        #expect(seconds(crossing.clear) == 180)
        #expect(seconds(crossing.due) == 300)
        #expect(crossing.until == nil)
        #expect(crossing.fixesAfter == [60, 120])
        let unseen = try #require(truth([-90, -90, 24, 24, 24], crossings: [90]).first)
        #expect(!unseen.isRequired && unseen.reason == "unseen")
    }

    @Test("does not require what only the last fix shows")
    func last() {
        #expect(truth([-90, -90, 90], crossings: [90]).map(\.isRequired) == [false])
    }

    @Test("does not require the return to a side that no clear fix left")
    func again() {
        let crossings = truth([-90, -90, 10, -90, -90], crossings: [90, 150])
        #expect(crossings.map(\.reason) == ["unseen", "not asked for"])
        #expect(seconds(crossings[0].until) == 240)
    }

    @Test("requires a single fix on the way, by the second fix after it")
    func single() {
        let crossings = truth([-90, -40, 60, -40, -90, -90], crossings: [90, 150])
        // Between the same two positions there is no way through.
        #expect(crossings.map(\.isRequired) == [false, false])
        var onTheWay = truth([-90, -60, 30, 90, 90], crossings: [90, 150], startsInside: false)
        #expect(onTheWay.map(\.reason) == ["single", "unseen"])
        #expect(seconds(onTheWay.removeFirst().due) == 240)
    }

    @Test("asks for two clear fixes where there are outliers, and waits for a third behind one")
    func outliers() {
        #expect(truth([-90, -90, 90, 10, 10, -500], crossings: [90], outliers: [5]).map(\.isRequired) == [false])
        let crossings = truth([-90, -90, 90, -500, 90, 90, 90], crossings: [90], outliers: [3])
        #expect(crossings.map(\.isRequired) == [true])
        #expect(seconds(crossings[0].due) == 300)
    }

    @Test("gives a silent device twenty minutes")
    func silent() {
        let crossings = truth([-90, -90, 90, 90], crossings: [90], silent: true)
        #expect(crossings.map(\.reason) == ["silent"])
        #expect(seconds(crossings[0].due) == 1320)
    }

    @Test("ends the time of a crossing two fixes after the next one is clear")
    func until() {
        let crossings = truth(
            [90, 90, -90, -90, -90, 90, 90, 90, 90], crossings: [90, 270], startsInside: true)
        #expect(crossings.map(\.isEntry) == [false, true])
        #expect(seconds(crossings[0].until) == 420)
        #expect(crossings[1].until == nil)
    }
}
