public import FencepostGEOS
import FencepostModel
import FencepostRegions

extension BenchmarkGenerator {
    /// Six devices over two days, with their visits, and their crossings where the kind has regions. The same seed gives the
    /// same benchmark.
    public static func kind(_ kind: GeneratorKind, seed: UInt64) throws(GEOSError) -> Benchmark {
        var benchmark = Benchmark(name: "\(kind.rawValue), seed \(seed)")
        var random = GeneratorRandom(seed: seed ^ kind.salt)
        var worlds: [GeneratorWorld] = []
        for index in kind.profiles.indices {
            worlds.append(world(kind, index, seed, random.split()))
        }
        benchmark.regions = worlds.flatMap(\.regions)
        var query = RegionQuery(RegionIndex(RegionCatalog(benchmark.regions)))
        for world in worlds {
            benchmark.locations += world.fixes
            benchmark.streams.append(world.stream)
            benchmark.stays += world.truth.stays(of: world.journey)
            if !world.regions.isEmpty { benchmark.crossings += try world.truth.crossings(of: world.journey, &query) }
        }
        return benchmark
    }

    private static func world(
        _ kind: GeneratorKind, _ index: Int, _ seed: UInt64, _ random: GeneratorRandom
    ) -> GeneratorWorld {
        var random = random
        let profile = kind.profiles[index]
        let name = "\(kind.rawValue)\(seed)-\(profile.rawValue)-\(index + 1)"
        let world = GeneratorWorld.Draft(name: name, profile: profile, &random)
        return switch kind {
        case .tunnel: .tunnel(world, isLong: index % 2 == 0, &random)
        case .sleeper: .days(world, &random)
        case .cells: .cells(world, &random)
        case .indoors: .indoors(world, &random)
        case .jam: .jam(world, &random)
        case .wrongClock: .wrongClock(world, GeneratorClock.allCases[index], &random)
        }
    }
}
