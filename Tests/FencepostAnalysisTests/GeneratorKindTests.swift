import FencepostAnalysis
import FencepostGeometry
import FencepostModel
import Testing

@Suite("Generated kinds") struct GeneratorKindTests {
    /// The hash of locations: times in milliseconds, positions to 1e-6 degrees, accuracies and speeds to 0.1.
    static func hash(_ locations: [Location]) -> String {
        var identity = Identity()
        for location in locations {
            identity.add(location.deviceID.rawValue)
            identity.add(location.timestamp.milliseconds)
            identity.add(Int64((location.coordinate.latitude * 1e6).rounded()))
            identity.add(Int64((location.coordinate.longitude * 1e6).rounded()))
            identity.add(Int64(((location.horizontalAccuracy ?? -1) * 10).rounded()))
            identity.add(Int64(((location.speed ?? -1) * 10).rounded()))
        }
        return identity.text(prefix: "")
    }

    /// One device of a benchmark, with its locations in the order of delivery.
    struct Device {
        let stays: [Benchmark.Stay]
        let regions: [Region]
        let crossings: [Benchmark.Crossing]
        let fixes: [Location]

        /// The seconds and the metres from each fix to the next.
        var steps: [(seconds: Double, meters: Double)] {
            zip(fixes, fixes.dropFirst()).map {
                (($1.timestamp - $0.timestamp).seconds, Geodesic.distance($0.coordinate, $1.coordinate))
            }
        }
    }

    static func devices(_ kind: GeneratorKind) throws -> [Device] {
        let benchmark = try BenchmarkGenerator.kind(kind, seed: 2)
        return benchmark.streams.map { stream in
            Device(
                stays: benchmark.stays.filter { $0.device == stream.device },
                regions: benchmark.regions.filter { $0.id.rawValue.hasPrefix(stream.device.rawValue + "-") },
                crossings: benchmark.crossings.filter { $0.device == stream.device },
                fixes: benchmark.locations.filter { $0.deviceID == stream.device })
        }
    }

    @Test("leave the data of the other benchmarks as they are")
    func others() throws {
        #expect(Self.hash(try BenchmarkGenerator.crossings(seed: 3).locations) == "45m4hw4cd6wqs1be816ey7yzsj")
        #expect(Self.hash(BenchmarkGenerator.visits(seed: 3).locations) == "02dtx00m1b4xphd251s3rtqvet")
        #expect(Self.hash(try BenchmarkGenerator.plain(seed: 3).locations) == "2mfz0dmn1qf04pnqbta9j8qham")
        let trips = try TripBenchmark.outcomes(seed: 3)
        #expect(trips.reduce(0) { $0 + $1.distance }.rounded() == 26_984_564)
    }

    @Test(
        "give the same benchmark for the same seed, and another one for another seed", arguments: GeneratorKind.allCases
    )
    func seeds(kind: GeneratorKind) throws {
        let first = try BenchmarkGenerator.kind(kind, seed: 2)
        let again = try BenchmarkGenerator.kind(kind, seed: 2)
        #expect(first.locations == again.locations)
        #expect(first.stays == again.stays)
        #expect(first.crossings == again.crossings)
        #expect(first.streams.count == 6)
        #expect(try BenchmarkGenerator.kind(kind, seed: 3).locations != first.locations)
    }

    @Test("tunnel: no speeds, four silences of 5 to 15 minutes on the move, and no stay in them")
    func tunnel() throws {
        for device in try Self.devices(.tunnel) {
            #expect(device.fixes.allSatisfy { $0.speed == nil })
            var holes = 0
            for (index, step) in device.steps.enumerated() where step.meters > 4000 {
                holes += 1
                // Its ends are up to an interval and half a minute outside of the tunnel.
                #expect((300...1020).contains(step.seconds))
                let (begin, end) = (device.fixes[index], device.fixes[index + 1])
                #expect(!device.stays.contains { $0.arrival < end.timestamp && $0.departure > begin.timestamp })
                #expect(device.steps[index - 1].meters > 3 * device.steps[index - 1].seconds, "not in motion")
            }
            #expect(holes == 4)
            #expect(device.stays.count(where: \.isRequired) >= 4)
        }
    }

    @Test("sleeper: a fix in 5 minutes, or hours of sleep until it is some hundred metres away")
    func sleeper() throws {
        for device in try Self.devices(.sleeper) {
            #expect(device.steps.allSatisfy { $0.seconds >= 289 })
            #expect(device.steps.count { $0.seconds <= 311 } * 2 > device.steps.count)
            let sleeps = device.steps.filter { $0.seconds > 7200 }
            #expect(sleeps.count >= 3)
            #expect(sleeps.allSatisfy { (200...800).contains($0.meters) })
        }
    }

    @Test("cells: towers kilometres off for hours, and good positions else")
    func cells() throws {
        for device in try Self.devices(.cells) {
            let coarse = device.fixes.filter { ($0.horizontalAccuracy ?? 0) >= 500 }
            #expect(coarse.allSatisfy { ($0.horizontalAccuracy ?? 0) <= 4000 && $0.speed == nil })
            #expect(coarse.count >= 60)
            #expect(device.fixes.count - coarse.count >= 60)
            var distances: [Double] = []
            for fix in coarse {
                for stay in device.stays where (stay.arrival...stay.departure).contains(fix.timestamp) {
                    distances.append(Geodesic.distance(stay.coordinate, fix.coordinate))
                }
            }
            #expect(distances.sorted()[distances.count / 2] > 1000)
            let entered = device.crossings.filter { $0.region.rawValue.contains("tower") && $0.isRequired }
            #expect(entered.isEmpty)
        }
    }

    @Test("indoors: two to four fixes of 65 m in each building, then silence, and an entry that is required")
    func indoors() throws {
        for device in try Self.devices(.indoors) {
            #expect(device.regions.count == 8)
            for region in device.regions {
                guard case .circle(let circle) = region.shape else {
                    Issue.record("no circle")
                    continue
                }
                #expect((60...120).contains(circle.radius))
                let stay = try #require(
                    device.stays.first { Geodesic.distance($0.coordinate, circle.center) < 1 })
                let inside = device.fixes.indices.filter {
                    (stay.arrival...stay.departure).contains(device.fixes[$0].timestamp)
                }
                #expect((2...4).contains(inside.count))
                for fix in inside.map({ device.fixes[$0] }) {
                    #expect(fix.horizontalAccuracy == 65)
                    #expect(Geodesic.distance(fix.coordinate, circle.center) <= circle.radius)
                }
                #expect(try device.steps[#require(inside.last)].seconds > 1200)
                #expect(device.crossings.contains { $0.region == region.id && $0.isEntry && $0.isRequired })
            }
        }
    }

    @Test("jam: groups of one to five fixes 50 to 500 km away, and leaps of 450 m there and back in 10 s")
    func jam() throws {
        for device in try Self.devices(.jam) {
            let origin = try #require(device.fixes.first).coordinate
            var groups: [[Location]] = []
            for fix in device.fixes {
                let distance = Geodesic.distance(fix.coordinate, origin)
                guard distance > 40_000 else { continue }
                #expect(distance < 520_000)
                if let last = groups.last?.last, Geodesic.distance(last.coordinate, fix.coordinate) < 100 {
                    groups[groups.count - 1].append(fix)
                } else {
                    groups.append([fix])
                }
            }
            #expect(groups.count >= 5)
            #expect(groups.allSatisfy { $0.count <= 5 })
            #expect(groups.contains { $0.count > 1 })
            let steps = device.steps
            let leaps = zip(steps, steps.dropFirst()).filter { there, back in
                there.seconds + back.seconds <= 10.1 && (350...550).contains(there.meters)
                    && (350...550).contains(back.meters)
            }
            #expect(leaps.count >= 3)
        }
    }

    @Test("wrongClock: stamps hours ahead or behind, and network positions off by a constant")
    func wrongClock() throws {
        let devices = try Self.devices(.wrongClock)
        let hours = devices.map { device in
            (
                ahead: device.steps.count { $0.seconds < -1800 && $0.meters < 50_000 },
                behind: device.steps.count { $0.seconds < -3600 }
            )
        }
        // The step after a stamp ahead, or to one behind, goes back in time.
        #expect(hours.prefix(4).allSatisfy { $0.ahead >= 4 || $0.behind >= 4 })
        #expect(hours[4].ahead == 0)
        #expect(devices[4].steps.contains { (-130 ... -10).contains($0.seconds) })
        for device in devices.prefix(4) { #expect(device.fixes.count > 200) }
    }

    @Test("changeMode and railLegs: the modes in their order, and as many of each")
    func legs() throws {
        let changes = try TripBenchmark.changes(seed: 2)
        #expect(Set(changes.map(\.device)).count == 18)
        #expect(Set(changes.map(\.mode)) == [.walking, .cycling, .driving, .rail])
        let rides = try TripBenchmark.rides(seed: 2)
        #expect(rides.count == 36)
        #expect(rides.count { $0.mode == .rail } == 18)
        #expect(rides.count { $0.mode == .driving } == 18)
    }
}
