import FencepostAnalysis
import FencepostEngine
import FencepostFormats
import FencepostModel
import FencepostMonitor
import FencepostRegions
import FencepostTesting
import Foundation
import Testing

@Suite("A trip") struct TripTests {
    /// Figures of docs/quality.md with a margin. The printed tables are those of `fencepost score --trips`.
    @Test("has its length and mode on generated ways", arguments: [1, 7] as [UInt64]) func benchmark(seed: UInt64)
        throws
    {
        let outcomes = try TripBenchmark.outcomes(seed: seed)
        let score = TripScore(outcomes)
        #expect(score.all.found == outcomes.count)
        #expect(score.all.rightModes * 10 >= outcomes.count * 7)
        let dense = TripScore(outcomes.filter { $0.cell.interval <= 5 })
        #expect(dense.all.medianError <= 0.03)
        #expect(dense.all.rightModes * 100 >= dense.all.count * 85)
        for ride in TripBenchmark.Ride.allCases where ride != .train {
            let part = TripScore(outcomes.filter { $0.cell.ride == ride && $0.cell.interval <= 15 }).all
            // The worst is stop and go in a city, which is as slow as a bicycle.
            #expect(part.rightModes * 10 >= part.count * 7, "\(ride)")
        }
    }

    @Test("of a recorded track has its mode", .enabled(if: SharedData.isPresent, "no ../shared/data"))
    func recorded() throws {
        for (file, mode) in [
            ("hike-korita-zbevnica.gpx", TravelMode.walking),
            // Half of this bicycle ride is slower than 1.5 m/s. It is a known error.
            ("ride-lyon.gpx", .walking), ("car-munich.ndjson", .driving),
        ] {
            let trips = try Self.trips(in: SharedData.file("tracks/\(file)").path)
            let longest = try #require(trips.max { $0.distance < $1.distance }, "\(file)")
            #expect(longest.mode == mode, "\(file): \(longest.mode) \(longest.distance) m")
        }
    }

    private static func trips(in path: String) throws -> [Trip] {
        var reader = LocationReader(try ByteSource(path: path), options: .init(fileName: path))
        var engine = MonitorEngine(RegionIndex(RegionCatalog([])), settings: MonitorSettings())
        var recorder = DeviceRecorder(device: DeviceID("default"))
        while let records = try reader.next() {
            for case .location(let location, _) in records {
                if try engine.accept(location, emit: { recorder.add($0) }) == .accepted { recorder.add(location) }
            }
        }
        try engine.finish { recorder.add($0) }
        return recorder.finish().trips
    }
}
