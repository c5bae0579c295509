import FencepostModel

/// A cell tower as the database of a network knows it.
private struct CellTower {
    let point: PlanePoint
    /// What its positions state, in metres.
    let accuracy: Double
}

extension GeneratorWorld {
    /// Days whose phone knows cell towers alone for 1 to 4 hours, then good positions for as long: no satellites, no Wi-Fi
    /// (switched off, or low power mode), as in the country.
    ///
    /// A position is that of the tower itself, to the last digit, every 2 to 10 minutes. Towers are 3 to 7 km apart and state
    /// 500 to 4,000 m. The phone is not always at the nearest one, and changes between three of them also at rest.
    static func cells(_ draft: Draft, _ random: inout GeneratorRandom) -> GeneratorWorld {
        var world = days(draft, &random)
        let towers = towers(about: world.journey, &random)
        var coarse: [ClosedRange<Double>] = []
        var time = random.uniform(1...4) * 3600
        while time < world.end {
            let end = min(time + random.uniform(1...4) * 3600, world.end)
            coarse.append(time...end)
            time = end + random.uniform(1...4) * 3600
        }
        world.removeFixes(during: coarse)
        world.shown = world.fixes
        var times: [Double] = []
        for span in coarse {
            var time = span.lowerBound + random.uniform(0...120)
            while time < span.upperBound {
                times.append(time)
                time += random.uniform(120...600)
            }
        }
        var used: [CellTower] = []
        for (time, position) in zip(times, world.path(at: times)) {
            let nearest = towers.sorted {
                $0.point.distance(to: position.point) < $1.point.distance(to: position.point)
            }
            let tower = nearest[random.pick([0, 0, 0, 0, 0, 0, 0, 1, 1, 2])]
            used.append(tower)
            world.fixes.append(world.fix(tower.point, accuracy: tower.accuracy, at: time))
        }
        world.fixes.sort { $0.timestamp < $1.timestamp }
        world.addCirclesAboutSites(&random)
        // The phone is not there: nothing may enter these.
        for tower in [used.first, used.last].compactMap({ $0 }) {
            world.addCircle("tower", tower.point, radius: random.uniform(100...200))
        }
        return world
    }

    /// Towers on a grid with random offsets, none within 600 m of home or work, over all of the journey and 15 km around.
    private static func towers(about journey: GeneratorJourney, _ random: inout GeneratorRandom) -> [CellTower] {
        let spacing = random.uniform(3000...7000)
        let points = journey.knots.map(\.point)
        let farthest = 15_000 + (points.map { max(abs($0.east), abs($0.north)) }.max() ?? 0)
        let count = Int(farthest / spacing)
        var towers: [CellTower] = []
        for east in -count...count {
            for north in -count...count {
                let point = PlanePoint(
                    east: (Double(east) + random.uniform(-0.35...0.35)) * spacing,
                    north: (Double(north) + random.uniform(-0.35...0.35)) * spacing)
                let accuracy = min(max(spacing * random.uniform(0.15...0.8), 500), 4000).rounded()
                guard point.distance(to: journey.home.point) > 600, point.distance(to: journey.work.point) > 600
                else { continue }
                towers.append(CellTower(point: point, accuracy: accuracy))
            }
        }
        return towers
    }
}
