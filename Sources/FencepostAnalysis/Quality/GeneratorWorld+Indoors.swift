import FencepostModel

extension GeneratorWorld {
    /// Two days with eight buildings, each in a circle of 60 to 120 m: outside good positions, inside two to four of ±65 m in
    /// the first minutes, then silence until the phone is outside again.
    ///
    /// Phones state ±65 m for positions by Wi-Fi; their error here has a 68 % radius of 35 m. What would lie outside of the
    /// building's circle is drawn again: the kind is about fixes that are all inside.
    static func indoors(_ draft: Draft, _ random: inout GeneratorRandom) -> GeneratorWorld {
        let home = GeneratorJourney.Site(point: PlanePoint(east: 0, north: 0), radius: random.uniform(5...12))
        var journey = GeneratorJourney(from: home, to: home, random: random.split())
        var buildings: [(site: GeneratorJourney.Site, radius: Double)] = []
        journey.stay(at: home, seconds: random.uniform(6...7.5) * 3600)
        for night in [random.uniform(9...11), 1] {
            for _ in 1...4 {
                var point = home.point
                while ([home] + buildings.map(\.site)).contains(where: { $0.point.distance(to: point) < 400 }) {
                    point = journey.here.moved(random.uniform(700...3000), toward: random.uniform(0...6.28))
                }
                let site = GeneratorJourney.Site(point: point, radius: random.uniform(5...30))
                buildings.append((site, random.uniform(60...120)))
                journey.go(to: site, seconds: random.uniform(1...3) * 3600)
            }
            journey.go(to: home, seconds: night * 3600)
        }
        var world = GeneratorWorld(draft, journey, &random)
        let points = world.path(at: world.fixes.map(world.time)).map(\.point)
        world.fixes = zip(world.fixes, points).filter { _, point in
            !buildings.contains { $0.site.point.distance(to: point) <= $0.radius }
        }.map(\.0)
        for (site, radius) in buildings {
            world.addCircle("building", site.point, radius: radius)
            guard let stay = journey.stays.first(where: { $0.site.point.distance(to: site.point) < 1 }) else {
                continue
            }
            var time = stay.arrival + random.uniform(10...60)
            for _ in 1...Int.random(in: 2...4, using: &random) {
                var point = site.point
                repeat {
                    point = PlanePoint(
                        east: site.point.east + random.normal(35 / 1.515),
                        north: site.point.north + random.normal(35 / 1.515))
                } while point.distance(to: site.point) > radius - 1
                world.fixes.append(world.fix(point, accuracy: 65, at: time))
                time += random.uniform(30...180)
            }
        }
        world.fixes.sort { $0.timestamp < $1.timestamp }
        world.shown = world.fixes
        return world
    }
}
