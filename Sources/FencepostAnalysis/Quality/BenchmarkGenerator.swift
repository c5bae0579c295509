public import FencepostGEOS
import FencepostGeometry
import FencepostModel
import FencepostRegions

/// Generates benchmarks from a seed: journeys of people through generated cities, recorded by inaccurate phones.
///
/// The phones have the errors of real ones: drift, network positions that repeat exactly or alternate between a few
/// positions, jumps to cell towers, lasting reflections, gaps, no fixes at rest, cached, duplicate, late and reordered
/// fixes, and wrong clocks. `docs/quality.md` contains the parameters. The same seed gives the same benchmark.
public enum BenchmarkGenerator {
    /// Two devices per sampling profile, with the crossings of regions near their journeys.
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

    /// Two devices per sampling profile over two days, with their visits.
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

    /// Adds the recording of one device to a benchmark.
    ///
    /// More than five parameters, because both kinds of benchmark choose each of them.
    private static func record(
        _ profile: GeneratorProfile, name: String, hours: Double, startsAtNight: Bool, _ random: inout GeneratorRandom,
        into benchmark: inout Benchmark
    ) -> (journey: GeneratorJourney, truth: GeneratorTruth) {
        let device = DeviceID(name)
        // Inhabited latitudes, and not near the antimeridian, where polygons would have to be split.
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
