#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// A point of a city's local plane, in metres.
struct PlanePoint {
    var east, north: Double

    func distance(to other: PlanePoint) -> Double {
        ((east - other.east) * (east - other.east) + (north - other.north) * (north - other.north)).squareRoot()
    }

    func moved(_ meters: Double, toward angle: Double) -> PlanePoint {
        PlanePoint(east: east + meters * cos(angle), north: north + meters * sin(angle))
    }
}

/// The true path of a person, and their stays.
struct GeneratorJourney {
    struct Site {
        var point: PlanePoint
        /// Radius in which people move around, in metres.
        var radius: Double
    }

    struct Stay {
        var site: Site
        /// Seconds since the start.
        var arrival, departure: Double
    }

    /// Vertices of the path, which is linear between them.
    private(set) var knots: [(time: Double, point: PlanePoint)] = []
    private(set) var stays: [Stay] = []
    private(set) var home, work: Site
    private var now = 0.0
    private(set) var here: PlanePoint
    private var random: GeneratorRandom
    /// The direction of the streets.
    private let grid: Double

    /// Generates days: nights at home, work with a lunch break, errands, friends, walks around the park.
    init(random: GeneratorRandom, hours: Double, startsAtNight: Bool) {
        var random = random
        grid = random.uniform(0...1.5)
        home = Site(point: PlanePoint(east: 0, north: 0), radius: random.uniform(5...12))
        let away = random.pick([900.0, 2500, 6000]) * random.uniform(0.7...1.4)
        work = Site(
            point: home.point.moved(away, toward: random.uniform(0...6.28)), radius: random.uniform(8...60))
        here = home.point
        self.random = random
        knots = [(0, here)]
        stay(at: home, seconds: startsAtNight ? self.random.uniform(2...6) * 3600 : self.random.uniform(10...50) * 60)
        while now < hours * 3600 { day(until: hours * 3600) }
        // The recording can end during any activity.
        let end = hours * 3600
        stays.removeAll { $0.arrival >= end }
        if let last = stays.indices.last { stays[last].departure = min(stays[last].departure, end) }
    }

    /// A journey that begins at home. What follows is added by `stay`, `go`, `street` and `run`.
    init(from home: Site, to work: Site, random: GeneratorRandom) {
        var random = random
        grid = random.uniform(0...1.5)
        self.home = home
        self.work = work
        here = home.point
        self.random = random
        knots = [(0, here)]
    }

    private mutating func day(until end: Double) {
        for _ in 0..<Int.random(in: 1...2, using: &random) where now < end {
            if random.chance(0.25) {
                go(to: errand(near: home), seconds: random.uniform(3...7) * 60)
            }
            go(to: work, seconds: random.uniform(2...4.5) * 3600)
            if random.chance(0.6) {
                go(to: errand(near: work), seconds: random.uniform(14...60) * 60)
                go(to: work, seconds: random.uniform(2...4) * 3600)
            }
            for _ in 0..<Int.random(in: 0...2, using: &random) {
                go(to: errand(near: random.chance(0.5) ? home : work), seconds: random.uniform(8...70) * 60)
            }
            if random.chance(0.3) { stroll() }
            go(to: home, seconds: random.uniform(1...3) * 3600)
        }
        if random.chance(0.3) {
            go(to: errand(near: home), seconds: random.uniform(1...4) * 3600)
        }
        go(to: home, seconds: random.uniform(6...10) * 3600)
    }

    private mutating func errand(near site: Site) -> Site {
        Site(
            point: site.point.moved(random.logNormal(700, spread: 0.7) + 180, toward: random.uniform(0...6.28)),
            radius: random.pick([5, 10, 15, 30, 60, 110]))
    }

    mutating func go(to site: Site, seconds: Double) {
        travel(to: site.point)
        stay(at: site, seconds: seconds)
    }

    mutating func stay(at site: Site, seconds: Double) {
        let start = now
        while now < start + seconds {
            let rest = min(random.exponential(1200) + 60, start + seconds - now)
            now += rest
            knots.append((now, here))
            if site.radius > 12, now < start + seconds - 120 {
                let next = site.point.moved(random.uniform(0...site.radius), toward: random.uniform(0...6.28))
                move(to: next, speed: 0.8)
            }
        }
        if let last = stays.indices.last, start - stays[last].departure < 60,
            stays[last].site.point.distance(to: site.point) < 1
        {
            stays[last].departure = now
        } else {
            stays.append(Stay(site: site, arrival: start, departure: now))
        }
    }

    /// A walk around the block or the park, which is not a visit.
    private mutating func stroll() {
        let start = here
        var angle = random.uniform(0...6.28)
        for _ in 0..<Int.random(in: 5...9, using: &random) {
            move(to: here.moved(random.uniform(80...250), toward: angle), speed: random.uniform(1...1.5))
            angle += random.uniform(0.5...1.2)
        }
        move(to: start, speed: 1.2)
    }

    private mutating func travel(to goal: PlanePoint) {
        let distance = here.distance(to: goal)
        if distance < 1200 {
            street(to: goal, speed: random.uniform(1.1...1.6), stops: 0.1)
        } else if distance < 4000, random.chance(0.3) {
            street(to: goal, speed: random.uniform(3.5...5.5), stops: 0.15)
        } else if random.chance(0.55) {
            street(to: goal, speed: random.uniform(7...14), stops: 0.3)
        } else {
            // A walk to a station, a wait, a ride with stops, and a walk.
            let station = here.moved(random.uniform(150...450), toward: random.uniform(0...6.28))
            let last = goal.moved(random.uniform(150...450), toward: random.uniform(0...6.28))
            street(to: station, speed: 1.3, stops: 0.05)
            stay(at: Site(point: station, radius: 5), seconds: random.uniform(60...480))
            let halts = max(1, Int(here.distance(to: last) / 1100))
            for halt in 1...halts {
                let share = 1 / Double(halts - halt + 1)
                let next = PlanePoint(
                    east: here.east + (last.east - here.east) * share,
                    north: here.north + (last.north - here.north) * share)
                move(to: next, speed: random.uniform(11...18))
                pause(random.uniform(20...40))
            }
            street(to: goal, speed: 1.3, stops: 0.05)
        }
    }

    /// Along a street grid, with waits at traffic lights and occasional traffic jams.
    mutating func street(to goal: PlanePoint, speed: Double, stops: Double) {
        while here.distance(to: goal) > 120 {
            let (dx, dy) = (goal.east - here.east, goal.north - here.north)
            let along = dx * cos(grid) + dy * sin(grid)
            let across = -dx * sin(grid) + dy * cos(grid)
            let block = random.uniform(60...180)
            let goesAlong = random.chance(abs(along) / (abs(along) + abs(across) + 1))
            let left = goesAlong ? along : across
            let step = min(abs(left), block) * (left < 0 ? -1 : 1)
            if abs(step) < 20 {
                move(to: goal, speed: speed)
                return
            }
            let isJam = speed > 6 && random.chance(0.02)
            move(to: here.moved(step, toward: goesAlong ? grid : grid + .pi / 2), speed: isJam ? 0.8 : speed)
            if random.chance(stops) { pause(random.uniform(8...60)) }
        }
        move(to: goal, speed: speed)
    }

    /// From stand to stand in a straight line.
    mutating func run(to goal: PlanePoint, by vehicle: GeneratorVehicle) {
        let (start, length) = (here, here.distance(to: goal))
        let direction = atan2(goal.north - start.north, goal.east - start.east)
        var done = 0.0
        for (meters, seconds) in vehicle.pieces(over: length) {
            done += meters
            now += seconds
            here = start.moved(done, toward: direction)
            knots.append((now, here))
        }
    }

    private mutating func move(to point: PlanePoint, speed: Double) {
        let distance = here.distance(to: point)
        guard distance > 0.5 else { return }
        now += distance / speed
        here = point
        knots.append((now, here))
    }

    mutating func pause(_ seconds: Double) {
        now += seconds
        knots.append((now, here))
    }
}

/// A position on a journey that moves forward in time.
struct JourneyCursor {
    private let knots: [(time: Double, point: PlanePoint)]
    private var index = 1

    init(_ journey: GeneratorJourney) { knots = journey.knots }

    var end: Double { knots.last?.time ?? 0 }

    /// The position and the speed at a number of seconds since the start, which is not less than in the previous call.
    mutating func at(_ time: Double) -> (point: PlanePoint, speed: Double) {
        while index < knots.count - 1, knots[index].time <= time { index += 1 }
        guard index < knots.count else { return (knots[0].point, 0) }
        let (a, b) = (knots[index - 1], knots[index])
        let share = min(max((time - a.time) / max(b.time - a.time, 1e-9), 0), 1)
        let point = PlanePoint(
            east: a.point.east + (b.point.east - a.point.east) * share,
            north: a.point.north + (b.point.north - a.point.north) * share)
        return (point, a.point.distance(to: b.point) / max(b.time - a.time, 1e-9))
    }

    /// The first time after `time` at which the speed changes.
    func nextChange(after time: Double) -> Double {
        knots[index...].first { $0.time > time }?.time ?? end
    }
}
