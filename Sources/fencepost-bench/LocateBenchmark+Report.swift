import FencepostGEOS
import FencepostGeometry
import FencepostModel
import FencepostRegions
import Foundation

extension LocateBenchmark {
    /// The results for one kind of points.
    struct Report {
        let kind: String
        private let points: Int
        /// The number of pairs of a point and a region that covers it.
        private(set) var found = 0
        private(set) var mismatches = 0
        /// Nanoseconds of processor time per point, for each repetition.
        private var single: [Double] = []
        private var many: [Double] = []
        private var geos: [Double] = []

        /// Compares the answers for every point.
        init(
            kind: String, _ coordinates: [Coordinate], _ catalog: RegionCatalog, _ query: inout RegionQuery,
            _ reference: inout LocateReference
        ) throws {
            self.kind = kind
            points = coordinates.count
            var answers = Coverings()
            try query.covering(coordinates, into: &answers)
            var (answer, wanted): ([RegionHandle], [RegionHandle]) = ([], [])
            for (index, coordinate) in coordinates.enumerated() {
                try query.covering(coordinate, into: &answer)
                try reference.covering(coordinate, into: &wanted)
                wanted.sort()
                found += wanted.count
                guard answer != wanted || !answers[index].elementsEqual(wanted) else { continue }
                mismatches += 1
                guard mismatches <= 10 else { continue }
                let names = { (handles: [RegionHandle]) in handles.compactMap { catalog[$0]?.id.rawValue } }
                print(
                    "\(coordinate): index \(names(answer)), at once \(names(Array(answers[index]))), GEOS \(names(wanted))"
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
                // Cannot happen if the lists are equal.
                if (singleSum, manySum) != (geosSum, geosSum), mismatches == 0 {
                    print("the timed answers differ: \(singleSum), \(manySum), \(geosSum)")
                    mismatches += 1
                }
                single.append((afterSingle - start) / Double(points))
                many.append((afterMany - afterSingle) / Double(points))
                geos.append((end - afterMany) / Double(points))
            }
        }

        /// The measurements of both variants; `peers` has the times of other programs over the same points, by name.
        func measurements(_ conditions: [String: Int], peers: [(name: String, times: [Double])]) -> [Measurement] {
            [("one at a time", single), ("many at once", many)].map { variant, times in
                var measurement = Measurement(
                    "locate", "\(kind) points, \(variant)", conditions, unit: "ns/point", times)
                measurement.compare(with: "GEOS", geos)
                for peer in peers { measurement.compare(with: peer.name, peer.times) }
                measurement.details = ["times inside": Double(found), "mismatches": Double(mismatches)]
                return measurement
            }
        }
    }
}
