import FencepostGEOS
import FencepostGeometry
import FencepostModel
import FencepostRegions
import Foundation

extension LocateBenchmark {
    /// What came out for one sort of points.
    struct Report {
        let sort: String
        private let points: Int
        /// How often a region covers a point.
        private(set) var found = 0
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

        /// - Parameter peers: times of others over the same points, by name.
        func measurements(_ conditions: [String: Int], peers: [(name: String, times: [Double])]) -> [Measurement] {
            [("one at a time", single), ("many at once", many)].map { way, times in
                var measurement = Measurement("locate", "\(sort) points, \(way)", conditions, unit: "ns/point", times)
                measurement.compare(with: "GEOS", geos)
                for peer in peers { measurement.compare(with: peer.name, peer.times) }
                measurement.details = ["times inside": Double(found), "mismatches": Double(mismatches)]
                return measurement
            }
        }
    }
}
