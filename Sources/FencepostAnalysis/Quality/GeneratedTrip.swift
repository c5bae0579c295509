import FencepostGeometry
import FencepostModel

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// A generated way between two stays of 25 minutes, and its recording.
struct GeneratedTrip {
    private(set) var knots: [(time: Double, point: PlanePoint)] = [(0, PlanePoint(east: 0, north: 0))]
    private(set) var distance = 0.0
    private(set) var movingSeconds = 0.0
    private var speeds: [(speed: Double, seconds: Double)] = []
    private let plane: LocalPlane
    private let start: Timestamp
    private(set) var now = 0.0
    private var here = PlanePoint(east: 0, north: 0)
    private var heading: Double
    /// Seconds of the stays before and after the way.
    private static let stay = 1500.0
    private(set) var end = 0.0
    /// The parts of a trip with changes of the mode, in the order of time.
    private(set) var legs: [Leg] = []
    /// Spans without locations, in seconds.
    private var hidden: [ClosedRange<Double>] = []

    var departure: Timestamp { time(Self.stay) }
    var arrival: Timestamp { time(end) }

    private func time(_ seconds: Double) -> Timestamp { start + .milliseconds(Int64(seconds * 1000)) }

    /// The speed that is not exceeded for 95 % of the time in motion.
    var topSpeed: Double {
        let total = movingSeconds * 0.95
        var sum = 0.0
        for (speed, seconds) in speeds.sorted(by: { $0.speed < $1.speed }) {
            sum += seconds
            if sum >= total { return speed }
        }
        return 0
    }

    /// The first stay.
    private init(_ random: inout GeneratorRandom) {
        plane = LocalPlane(
            origin: Coordinate(latitude: random.uniform(-50...60), longitude: random.uniform(-170...170)))
        start = Timestamp(seconds: 1_770_000_000 + Int64(random.uniform(0...8_000_000)))
        heading = random.uniform(0...6.28)
        pause(Self.stay)
    }

    init(_ ride: TripBenchmark.Ride, _ random: inout GeneratorRandom) {
        self.init(&random)
        switch ride {
        case .walkGrid: streets(random.uniform(700...3000), 1.0...1.7, blocks: 60...180, stops: 0.1, &random)
        case .walkPath: curves(random.uniform(1500...8000), 0.9...1.6, pieces: 20...80, bend: 0.5, &random)
        case .bicycle: streets(random.uniform(2000...9000), 3.5...6.5, blocks: 80...300, stops: 0.15, &random)
        case .city: streets(random.uniform(3000...12000), 7...14, blocks: 80...300, stops: 0.3, &random)
        case .motorway:
            streets(random.uniform(800...2500), 8...13, blocks: 100...300, stops: 0.3, &random)
            curves(random.uniform(15_000...60_000), 25...36, pieces: 300...900, bend: 0.12, &random)
            streets(random.uniform(800...2500), 8...13, blocks: 100...300, stops: 0.3, &random)
        case .train:
            for _ in 0..<Int.random(in: 3...7, using: &random) {
                curves(random.uniform(3000...15_000), 18...40, pieces: 400...1000, bend: 0.1, &random)
                pause(random.uniform(40...110))
            }
        case .flight: curves(random.uniform(300_000...900_000), 190...250, pieces: 20_000...60_000, bend: 0.05, &random)
        }
        end = now
        pause(Self.stay)
    }

    /// A way with changes of the mode.
    init(_ parts: [Part], _ random: inout GeneratorRandom) {
        self.init(&random)
        for part in parts {
            let begin = now
            add(part, &random)
            if let mode = part.mode { legs.append(Leg(mode: mode, span: TimeSpan(time(begin), time(now)))) }
        }
        end = now
        pause(Self.stay)
    }

    /// Along a grid of streets, with right and left turns and stops at corners.
    mutating func streets(
        _ length: Double, _ pace: ClosedRange<Double>, blocks: ClosedRange<Double>, stops: Double,
        _ random: inout GeneratorRandom
    ) {
        let speed = random.uniform(pace)
        let goal = distance + length
        let grid = heading
        var side = 0.0
        while distance < goal {
            move(random.uniform(blocks), speed * random.uniform(0.8...1.15), toward: grid + side)
            if random.chance(0.45) { side = side == 0 ? (random.chance(0.5) ? .pi / 2 : -.pi / 2) : 0 }
            if random.chance(stops) { pause(random.uniform(8...60)) }
        }
    }

    /// Along a curve of short straight pieces.
    private mutating func curves(
        _ length: Double, _ pace: ClosedRange<Double>, pieces: ClosedRange<Double>, bend: Double,
        _ random: inout GeneratorRandom
    ) {
        let speed = random.uniform(pace)
        let goal = distance + length
        while distance < goal {
            heading += random.normal(bend)
            move(random.uniform(pieces), speed * random.uniform(0.85...1.1), toward: heading)
        }
    }

    /// Moves on in the present direction; metres, and metres per second.
    mutating func move(_ meters: Double, _ speed: Double) { move(meters, speed, toward: heading) }

    mutating func bend(by radians: Double) { heading += radians }

    mutating func hide(_ span: ClosedRange<Double>) { hidden.append(span) }

    private mutating func move(_ meters: Double, _ speed: Double, toward angle: Double) {
        here = here.moved(meters, toward: angle)
        now += meters / speed
        distance += meters
        movingSeconds += meters / speed
        speeds.append((speed, meters / speed))
        knots.append((now, here))
    }

    mutating func pause(_ seconds: Double) {
        now += seconds
        knots.append((now, here))
    }

    /// Locations at the interval of the sampling, at rest at most one in 30 s, with errors that drift.
    func record(_ sampling: Sampling, device: DeviceID, _ random: inout GeneratorRandom) -> [Location] {
        var fixes: [Location] = []
        var error = (east: random.normal(), north: random.normal())
        var (time, index, last) = (random.uniform(0...sampling.interval), 1, -1e9)
        let deviation = sampling.accuracy / 1.515
        while time < now {
            while index < knots.count - 1, knots[index].time <= time { index += 1 }
            let (a, b) = (knots[index - 1], knots[index])
            let share = min(max((time - a.time) / max(b.time - a.time, 1e-9), 0), 1)
            let decay = sampling.drift > 0 ? exp(-(time - last) / sampling.drift) : 0
            let fresh = max(0, 1 - decay * decay).squareRoot()
            error.east = error.east * decay + random.normal() * fresh
            error.north = error.north * decay + random.normal() * fresh
            last = time
            let coordinate = plane.unproject(
                east: a.point.east + (b.point.east - a.point.east) * share + error.east * deviation,
                north: a.point.north + (b.point.north - a.point.north) * share + error.north * deviation)
            if !hidden.contains(where: { $0.contains(time) }) {
                fixes.append(
                    Location(
                        deviceID: device, timestamp: self.time(time), coordinate: coordinate,
                        horizontalAccuracy: sampling.accuracy))
            }
            let isResting = time < Self.stay || time > end
            time += max(sampling.interval, isResting ? 30 : 0) * random.uniform(0.95...1.05)
        }
        return fixes
    }
}
