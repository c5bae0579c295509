public import FencepostGEOS
import FencepostGeometry
import FencepostModel
import FencepostRegions

/// Makes benchmarks from a seed: people on their ways through made-up cities, and phones that see them badly.
///
/// The phones have the faults of real ones: errors that drift, network positions that repeat to the last digit or
/// flip between a few spots, leaps to cell towers, reflections that last, holes, silence at rest, cached, repeated,
/// late and reordered fixes, and clocks that are wrong. `docs/quality.md` has the numbers. The same seed gives the
/// same benchmark.
public enum BenchmarkGenerator {
    /// Two devices of each sampling profile, with the crossings of the regions about their ways.
    public static func crossings(seed: UInt64) throws(GEOSError) -> Benchmark {
        var benchmark = Benchmark(name: "crossings, seed \(seed)")
        var random = GeneratorRandom(seed: seed)
        var journeys: [(journey: GeneratorJourney, truth: GeneratorTruth)] = []
        for profile in GeneratorProfile.crossings {
            for copy in 1...2 {
                let hours = profile == .everySecond ? 2.0 : 8
                let recording = record(
                    profile, name: "c\(seed)-\(profile.rawValue)-\(copy)", hours: hours, startsAtNight: false, &random,
                    into: &benchmark)
                var regions = GeneratorRegions(
                    plane: recording.truth.plane, prefix: recording.truth.device.rawValue, random: random.split())
                regions.make(for: recording.journey)
                benchmark.regions += regions.regions
                journeys.append(recording)
            }
        }
        var query = RegionQuery(RegionIndex(RegionCatalog(benchmark.regions)))
        for (journey, truth) in journeys { benchmark.crossings += try truth.crossings(of: journey, &query) }
        return benchmark
    }

    /// Two devices of each sampling profile for two days, with their stays.
    public static func visits(seed: UInt64) -> Benchmark {
        var benchmark = Benchmark(name: "visits, seed \(seed)")
        var random = GeneratorRandom(seed: seed ^ 0x5151)
        for profile in GeneratorProfile.visits {
            for copy in 1...2 {
                let recording = record(
                    profile, name: "v\(seed)-\(profile.rawValue)-\(copy)", hours: 44, startsAtNight: true, &random,
                    into: &benchmark)
                benchmark.stays += recording.truth.stays(of: recording.journey)
            }
        }
        return benchmark
    }

    private static func record(
        _ profile: GeneratorProfile, name: String, hours: Double, startsAtNight: Bool, _ random: inout GeneratorRandom,
        into benchmark: inout Benchmark
    ) -> (journey: GeneratorJourney, truth: GeneratorTruth) {
        let device = DeviceID(name)
        // Anywhere people live, but for the antimeridian, where polygons would have to be cut.
        let plane = LocalPlane(
            origin: Coordinate(latitude: random.uniform(-45...60), longitude: random.uniform(-170...170)))
        let start = Timestamp(seconds: 1_760_000_000 + Int64(random.uniform(0...8_000_000)))
        let end = hours * 3600
        let journey = GeneratorJourney(random: random.split(), hours: hours, startsAtNight: startsAtNight)
        var phone = GeneratorPhone(profile, device: device, plane: plane, start: start, random: random.split())
        let locations = phone.record(journey, until: end)
        benchmark.locations += locations
        benchmark.streams.append(
            Benchmark.Stream(
                device: device, profile: profile.rawValue, start: start, end: start + .milliseconds(Int64(end * 1000))))
        return (
            journey,
            GeneratorTruth(
                device: device, plane: plane, start: start, end: end,
                fixes: locations.sorted { $0.timestamp < $1.timestamp })
        )
    }
}
