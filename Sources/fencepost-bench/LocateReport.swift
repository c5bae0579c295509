import FencepostGEOS
import FencepostGeometry
import FencepostJSON
import FencepostModel
import FencepostRegions
import Foundation

extension LocateBenchmark {
    /// What came out for one sort of points.
    struct Report {
        let sort: String
        private let points: Int
        /// How often a region covers a point.
        private var found = 0
        private(set) var mismatches = 0
        /// Nanoseconds of processor time a point, for each time all points were gone through.
        private var single: [Double] = []
        private var many: [Double] = []
        private var geos: [Double] = []

        /// Asks each about every point, and compares.
        init(
            sort: String, _ coordinates: [Coordinate], _ catalog: RegionCatalog, _ query: inout RegionQuery,
            _ reference: inout LocateReference
        ) throws {
            self.sort = sort
            points = coordinates.count
            var answers = Coverings()
            try query.covering(coordinates, into: &answers)
            var (answer, wanted): ([RegionHandle], [RegionHandle]) = ([], [])
            for (place, coordinate) in coordinates.enumerated() {
                try query.covering(coordinate, into: &answer)
                try reference.covering(coordinate, into: &wanted)
                wanted.sort()
                found += wanted.count
                guard answer != wanted || !answers[place].elementsEqual(wanted) else { continue }
                mismatches += 1
                guard mismatches <= 10 else { continue }
                let names = { (handles: [RegionHandle]) in handles.compactMap { catalog[$0]?.id.rawValue } }
                print(
                    "\(coordinate): index \(names(answer)), at once \(names(Array(answers[place]))), GEOS \(names(wanted))"
                )
            }
        }

        mutating func time(
            _ coordinates: [Coordinate], _ repeats: Int, _ query: inout RegionQuery,
            _ reference: inout LocateReference
        ) throws {
            let slices = LocateBenchmark.slices(of: coordinates)
            for _ in 0..<repeats {
                let start = ProcessorTime.now()
                let singleSum = try LocateBenchmark.ask(&query, slices, .single)
                let afterSingle = ProcessorTime.now()
                let manySum = try LocateBenchmark.ask(&query, slices, .many)
                let afterMany = ProcessorTime.now()
                let geosSum = try LocateBenchmark.ask(&reference, slices)
                let end = ProcessorTime.now()
                // Never true where the lists are equal.
                if (singleSum, manySum) != (geosSum, geosSum), mismatches == 0 {
                    print("the timed answers differ: \(singleSum), \(manySum), \(geosSum)")
                    mismatches += 1
                }
                single.append((afterSingle - start) / Double(points))
                many.append((afterMany - afterSingle) / Double(points))
                geos.append((end - afterMany) / Double(points))
            }
        }

        /// How often as fast as GEOS, by the medians.
        private func ratio(_ times: [Double]) -> Double { Self.spread(geos)[1] / Self.spread(times)[1] }

        /// Minimum, median and maximum.
        private static func spread(_ times: [Double]) -> [Double] {
            let sorted = times.sorted()
            return [sorted[0], sorted[sorted.count / 2], sorted[sorted.count - 1]]
        }

        var text: String {
            func told(_ times: [Double]) -> String {
                Self.spread(times).map { String(format: "%.0f", $0) }.joined(separator: "/")
            }
            let (one, all) = (String(format: "%.1f", ratio(single)), String(format: "%.1f", ratio(many)))
            return """
                \(sort): \(points) points, \(found) times inside, \(mismatches) mismatches; ns of processor time a point \
                (min/median/max of \(geos.count)): GEOS \(told(geos)), index one by one \(told(single)), ratio \(one), \
                many at once \(told(many)), ratio \(all)
                """
        }

        func json(regions: Int, seed: UInt64, _ building: Duration, _ bytes: Int) -> String {
            var writer = JSONWriter()
            writer.beginObject()
            writer.name("points")
            writer.value(sort)
            writer.name("count")
            writer.value(points)
            writer.name("seed")
            writer.value(Int(seed))
            writer.name("regions")
            writer.value(regions)
            writer.name("indexingSeconds")
            writer.value(building / .seconds(1))
            writer.name("bytesPerRegion")
            writer.value(bytes)
            writer.name("found")
            writer.value(found)
            writer.name("mismatches")
            writer.value(mismatches)
            for (name, times) in [("geos", geos), ("single", single), ("many", many)] {
                writer.name(name)
                writer.beginObject()
                let spread = Self.spread(times)
                writer.name("minNanoseconds")
                writer.value(spread[0])
                writer.name("medianNanoseconds")
                writer.value(spread[1])
                writer.name("maxNanoseconds")
                writer.value(spread[2])
                if name != "geos" {
                    writer.name("ratio")
                    writer.value(ratio(times))
                }
                writer.endObject()
            }
            writer.endObject()
            return String(decoding: writer.bytes, as: UTF8.self)
        }
    }
}

/// Processor time of this thread: what else the machine does counts little.
enum ProcessorTime {
    /// Nanoseconds.
    static func now() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
    }
}
