import FencepostAnalysis
import FencepostGeometry
import FencepostModel
import FencepostRegions
import Testing

@Suite("Benchmark generator") struct BenchmarkGeneratorTests {
    @Test("gives the same benchmark for the same seed, and another one for another seed")
    func seeds() throws {
        let first = BenchmarkGenerator.visits(seed: 3)
        let again = BenchmarkGenerator.visits(seed: 3)
        #expect(first.locations == again.locations)
        #expect(first.stays == again.stays)
        #expect(BenchmarkGenerator.visits(seed: 4).locations != first.locations)
        let crossings = try BenchmarkGenerator.crossings(seed: 3)
        #expect(crossings.crossings == (try BenchmarkGenerator.crossings(seed: 3)).crossings)
    }

    @Test("gives stays of a device that are disjoint and within its recording", arguments: 1...3 as ClosedRange<UInt64>)
    func stays(seed: UInt64) throws {
        let benchmark = BenchmarkGenerator.visits(seed: seed)
        for stream in benchmark.streams {
            let stays = benchmark.stays.filter { $0.device == stream.device }
            #expect(stays.count >= 4)
            #expect(zip(stays, stays.dropFirst()).allSatisfy { $0.departure <= $1.arrival })
            #expect(stays.allSatisfy { $0.arrival >= stream.start && $0.departure <= stream.end })
            #expect(stays.allSatisfy { $0.arrival < $0.departure })
            #expect(stays.contains { $0.isRequired })
        }
    }

    @Test("alternates entries and exits of a region, and gives bounds for the required ones")
    func crossings() throws {
        let benchmark = try BenchmarkGenerator.crossings(seed: 1)
        var kinds: [String: Int] = [:]
        for (_, list) in Dictionary(grouping: benchmark.crossings, by: { "\($0.device) \($0.region)" }) {
            #expect(zip(list, list.dropFirst()).allSatisfy { $0.isEntry != $1.isEntry && $0.timestamp <= $1.timestamp })
            let required = list.filter(\.isRequired)
            #expect(zip(required, required.dropFirst()).allSatisfy { $0.isEntry != $1.isEntry })
            for crossing in required {
                let earliest = try #require(crossing.earliest)
                let until = try #require(crossing.until)
                #expect(earliest <= crossing.timestamp && crossing.timestamp < until)
                #expect(crossing.observableAt.map { $0 >= crossing.timestamp } == true)
                kinds[crossing.isEntry ? "entry" : "exit", default: 0] += 1
            }
        }
        #expect(kinds["entry", default: 0] > 100 && kinds["exit", default: 0] > 100)
        #expect(Set(benchmark.streams.map(\.profile)).count == 9)
    }

    /// The benchmark does not contain the true path. Accurate fixes long after a crossing are on the crossing's new
    /// side.
    @Test("agrees with accurate fixes about the side of a boundary")
    func truth() throws {
        let benchmark = try BenchmarkGenerator.crossings(seed: 2)
        var query = RegionQuery(RegionIndex(RegionCatalog(benchmark.regions)))
        let truth = Dictionary(grouping: benchmark.crossings, by: { "\($0.device) \($0.region)" })
        var (agree, disagree) = (0, 0)
        var near: [Proximity] = []
        for fix in benchmark.locations where (fix.horizontalAccuracy ?? 99) < 8 && fix.speed != nil {
            try query.near(fix.coordinate, within: 200, into: &near)
            for item in near where abs(item.signedDistance) > 80 {
                guard let region = query.index.catalog[item.region] else { continue }
                let last = truth["\(fix.deviceID) \(region.id)"]?.last { $0.timestamp <= fix.timestamp }
                if (last?.isEntry ?? false) == item.covers { agree += 1 } else { disagree += 1 }
            }
        }
        #expect(agree > 1000)
        // Wrong clocks and reflections are part of the benchmark.
        #expect(Double(disagree) < 0.05 * Double(agree + disagree))
    }
}
