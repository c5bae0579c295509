import FencepostModel

extension GeneratorWorld {
    /// Days with jammed satellites every 2.5 hours, and a leap as often.
    ///
    /// Jammed receivers agree on one false position, such as that of an airport: one to five fixes within some 8 m, 50 to
    /// 500 km away and 5 s to a minute after each other, in place of the good ones. They state a good accuracy, and half of
    /// the groups a speed. A leap is a single fix 400 to 500 m off between two good ones 10 s apart.
    static func jam(_ draft: Draft, _ random: inout GeneratorRandom) -> GeneratorWorld {
        var world = days(draft, &random)
        world.addCirclesAboutSites(&random)
        let jams = world.events(every: 2.5 * 3600, &random)
        var jammed: [Location] = []
        for (begin, position) in zip(jams, world.path(at: jams)) {
            let center = position.point.moved(random.uniform(50_000...500_000), toward: random.uniform(0...6.28))
            let accuracy = random.uniform(4...30).rounded()
            let speed: Double? = random.chance(0.5) ? random.uniform(0...1.5) : nil
            var time = begin
            for number in 1...Int.random(in: 1...5, using: &random) {
                if number > 1 { time += random.uniform(5...60) }
                let point = PlanePoint(east: center.east + random.normal(8), north: center.north + random.normal(8))
                jammed.append(world.fix(point, accuracy: accuracy, speed: speed, at: time))
            }
            world.removeFixes(during: [begin...time])
            // Nobody is there: nothing may enter these.
            if begin == jams.first || begin == jams.last { world.addCircle("jammed", center, radius: 1000) }
        }
        let leaps = world.events(every: 2.5 * 3600, &random)
        for (time, position) in zip(leaps, world.path(at: leaps)) {
            func good(_ time: Double, _ random: inout GeneratorRandom) -> Location {
                let accuracy = random.uniform(5...12)
                let deviation = accuracy / 1.515
                let point = PlanePoint(
                    east: position.point.east + random.normal(deviation),
                    north: position.point.north + random.normal(deviation))
                return world.fix(point, accuracy: accuracy.rounded(), at: time)
            }
            world.fixes.append(good(time - 5, &random))
            world.fixes.append(good(time + 5, &random))
            let point = position.point.moved(random.uniform(400...500), toward: random.uniform(0...6.28))
            jammed.append(world.fix(point, accuracy: random.uniform(10...65).rounded(), at: time))
        }
        world.fixes.sort { $0.timestamp < $1.timestamp }
        world.shown = world.fixes
        world.fixes = (world.fixes + jammed).sorted { $0.timestamp < $1.timestamp }
        return world
    }
}
