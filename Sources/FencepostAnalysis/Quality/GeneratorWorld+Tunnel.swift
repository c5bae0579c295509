import FencepostModel

/// A railway line with one tunnel, in a straight line.
private struct TunnelLine {
    let start: PlanePoint
    let direction: Double
    let train: GeneratorVehicle
    /// Where trains halt, in metres from the start; the line ends at the last.
    private(set) var stops = [0.0]
    /// The two ends of the tunnel, in metres from the start.
    private(set) var tunnel = 0.0...0.0

    /// A base tunnel without halts (the Gotthard's takes 17 minutes at 55 m/s, the Lötschberg's 12), or one of rapid transit
    /// under a city with halts every 0.9 to 1.8 km (8 to 10 minutes under Munich or Frankfurt). Both take 6 to 13 minutes here.
    init(from start: PlanePoint, isLong: Bool, _ random: inout GeneratorRandom) {
        self.start = start
        direction = random.uniform(0...6.28)
        let seconds = random.uniform(380...760)
        if isLong {
            train = GeneratorVehicle(
                topSpeed: random.uniform(35...50), acceleration: random.uniform(0.4...0.6),
                braking: random.uniform(0.4...0.7))
        } else {
            train = GeneratorVehicle(
                topSpeed: random.uniform(19...25), acceleration: random.uniform(0.8...1.1),
                braking: random.uniform(0.8...1.1))
        }
        stops.append(random.uniform(4000...9000))
        // The train has left its last halt in the open for 0.8 to 3 km: the last fix is in full motion.
        let portal = stops[1] + (isLong ? random.uniform(1800...3000) : random.uniform(800...1200))
        if isLong {
            tunnel = portal...(portal + seconds * train.topSpeed)
        } else {
            var (last, left) = (portal + random.uniform(500...900), seconds)
            while left > 0 {
                stops.append(last)
                let next = random.uniform(900...1800)
                left -= next / train.topSpeed + train.topSpeed / train.acceleration + 32
                last += next
            }
            tunnel = portal...(stops[stops.count - 1] + random.uniform(500...900))
        }
        stops.append(tunnel.upperBound + random.uniform(1500...3000))
        stops.append(stops[stops.count - 1] + random.uniform(3000...8000))
    }

    func point(_ meters: Double) -> PlanePoint { start.moved(meters, toward: direction) }
    var terminus: PlanePoint { point(stops[stops.count - 1]) }
}

extension GeneratorWorld {
    /// Two days between home and office by train, without speeds. In the tunnel the phone sends nothing, and then for up to
    /// half a minute more, as receivers do that have lost all satellites.
    static func tunnel(_ draft: Draft, isLong: Bool, _ random: inout GeneratorRandom) -> GeneratorWorld {
        let home = GeneratorJourney.Site(point: PlanePoint(east: 0, north: 0), radius: random.uniform(5...12))
        let line = TunnelLine(
            from: home.point.moved(random.uniform(300...700), toward: random.uniform(0...6.28)), isLong: isLong, &random
        )
        let office = GeneratorJourney.Site(
            point: line.terminus.moved(random.uniform(300...700), toward: random.uniform(0...6.28)),
            radius: random.uniform(8...40))
        var journey = GeneratorJourney(from: home, to: office, random: random.split())
        var holes: [ClosedRange<Double>] = []
        journey.stay(at: home, seconds: random.uniform(6...7.5) * 3600)
        for night in [random.uniform(12...14), 2] {
            holes.append(journey.ride(line, &random))
            journey.go(to: office, seconds: random.uniform(7...9) * 3600)
            holes.append(journey.ride(line, isBack: true, &random))
            journey.go(to: home, seconds: night * 3600)
        }
        var world = GeneratorWorld(draft, journey, &random)
        world.removeFixes(during: holes.map { $0.lowerBound...($0.upperBound + random.uniform(0...30)) })
        for index in world.fixes.indices { world.fixes[index].speed = nil }
        world.shown = world.fixes
        return world
    }
}

extension GeneratorJourney {
    /// Goes to the station, waits for the train there, and rides; the time in the tunnel, in seconds since the start.
    fileprivate mutating func ride(
        _ line: TunnelLine, isBack: Bool = false, _ random: inout GeneratorRandom
    ) -> ClosedRange<Double> {
        let stops = (isBack ? line.stops.reversed() : line.stops).map(line.point)
        street(to: stops[0], speed: random.uniform(1.2...1.5), stops: 0.05)
        stay(at: Site(point: stops[0], radius: 5), seconds: random.uniform(90...420))
        let first = knots.count
        for stop in stops.dropFirst() {
            run(to: stop, by: line.train)
            if stop.distance(to: stops[stops.count - 1]) > 1 { pause(random.uniform(20...60)) }
        }
        let hidden = knots[first...].filter { line.tunnel.contains($0.point.distance(to: line.start)) }.map(\.time)
        return (hidden.first ?? 0)...(hidden.last ?? 0)
    }
}
