import FencepostGeometry
import FencepostModel

/// A generated run of two devices that meet and part, with the truth and the fixes of both.
///
/// They come to one point from different directions, stay there or go on together, and part, several times. In between each is
/// somewhere else. Who comes first waits.
struct ProximityRun {
    /// How the devices move.
    enum Motion: String, CaseIterable {
        /// People on foot, 1 to 1.7 m/s.
        case walk
        /// Vehicles, 6 to 20 m/s.
        case vehicle
    }

    static let accuracies = [5, 12, 25, 50]
    static let intervals = [10.0, 30, 60]
    static let lags = [0.0, 30, 300]

    /// A position that is sent, in metres.
    struct Fix {
        var isFirst: Bool
        /// Seconds since the start: when it was taken, and when it arrives.
        var time, arrival: Double
        var point: PlanePoint
        var accuracy: Double
        var speed: Double?
    }

    let motion: Motion
    /// True radius of 68 % of the errors, in metres.
    let accuracy: Double
    /// Seconds between fixes.
    let interval: Double
    /// Fixes arrive up to so many seconds late, those of each device in any order.
    let lag: Double
    /// Whether a device is silent for 5 to 20 minutes now and then.
    let hasSilence: Bool
    /// In order of arrival.
    private(set) var fixes: [Fix] = []
    /// When both are within 100 m of each other.
    private(set) var episodes: [ClosedRange<Double>] = []

    private typealias Path = [(time: Double, point: PlanePoint)]

    init(_ number: Int, random: GeneratorRandom) {
        var random = random
        motion = Motion.allCases[number % 2]
        accuracy = Double(Self.accuracies[number / 2 % 4])
        interval = Self.intervals[number / 8 % 3]
        lag = Self.lags[number / 24 % 3]
        hasSilence = number / 72 % 3 == 2
        let paths = Self.paths(motion, &random)
        let end = max(paths[0].last?.time ?? 0, paths[1].last?.time ?? 0)
        episodes = Self.episodes(paths, through: end)
        for device in 0..<2 {
            fixes += Self.fixes(
                paths[device], isFirst: device == 0, through: end, accuracy, interval, lag, hasSilence, &random)
        }
        fixes = fixes.enumerated().sorted { ($0.element.arrival, $0.offset) < ($1.element.arrival, $1.offset) }
            .map(\.element)
    }

    // MARK: Truth

    private static func paths(_ motion: Motion, _ random: inout GeneratorRandom) -> [Path] {
        let origin = PlanePoint(east: 0, north: 0)
        let far = motion == .walk ? 400.0...1500 : 1000...6000
        var paths: [Path] = [[], []]
        for device in 0..<2 {
            let start = origin.moved(random.uniform(far), toward: .pi * Double(device) + random.uniform(-0.6...0.6))
            paths[device] = [(0, start), (random.uniform(300...900), start)]
        }
        for _ in 0..<4 {
            let meeting = origin.moved(random.uniform(0...800), toward: random.uniform(0...2 * .pi))
            // They stand some metres from each other.
            let points = [meeting, meeting.moved(random.uniform(1...25), toward: random.uniform(0...2 * .pi))]
            for device in 0..<2 { move(&paths[device], to: points[device], motion, &random) }
            let met = max(paths[0][paths[0].count - 1].time, paths[1][paths[1].count - 1].time)
            var end = met + random.uniform(240...1500)
            for device in 0..<2 { paths[device].append((end, points[device])) }
            if random.chance(0.5) {
                let (distance, angle) = (random.uniform(far), random.uniform(0...2 * .pi))
                end += distance / speed(motion, &random)
                for device in 0..<2 { paths[device].append((end, points[device].moved(distance, toward: angle))) }
                end += random.uniform(60...600)
                for device in 0..<2 { paths[device].append((end, paths[device][paths[device].count - 1].point)) }
            }
            // One goes, or both in opposite directions.
            let angle = random.uniform(0...2 * .pi)
            for device in 0..<2 where device == 0 || random.chance(0.5) {
                let last = paths[device][paths[device].count - 1].point
                let away = last.moved(random.uniform(far), toward: angle + .pi * Double(device))
                move(&paths[device], to: away, motion, &random)
            }
            for device in 0..<2 {
                let last = paths[device][paths[device].count - 1]
                paths[device].append((last.time + random.uniform(300...1200), last.point))
            }
        }
        return paths
    }

    private static func speed(_ motion: Motion, _ random: inout GeneratorRandom) -> Double {
        motion == .walk ? random.uniform(1...1.7) : random.uniform(6...20)
    }

    private static func move(
        _ path: inout Path, to point: PlanePoint, _ motion: Motion, _ random: inout GeneratorRandom
    ) {
        let last = path[path.count - 1]
        // By a corner, since no road is straight.
        let corner = PlanePoint(
            east: (last.point.east + point.east) / 2, north: (last.point.north + point.north) / 2
        ).moved(last.point.distance(to: point) * random.uniform(0...0.3), toward: random.uniform(0...2 * .pi))
        let pace = speed(motion, &random)
        let middle = last.time + last.point.distance(to: corner) / pace
        path.append((middle, corner))
        path.append((middle + corner.distance(to: point) / pace, point))
    }

    private static func position(_ path: Path, at time: Double) -> (point: PlanePoint, speed: Double) {
        guard let next = path.firstIndex(where: { $0.time > time }), next > 0 else {
            return (time < path[0].time ? path[0].point : path[path.count - 1].point, 0)
        }
        let (a, b) = (path[next - 1], path[next])
        let part = (time - a.time) / (b.time - a.time)
        return (
            PlanePoint(
                east: a.point.east + part * (b.point.east - a.point.east),
                north: a.point.north + part * (b.point.north - a.point.north)),
            a.point.distance(to: b.point) / (b.time - a.time)
        )
    }

    private static func episodes(_ paths: [Path], through end: Double) -> [ClosedRange<Double>] {
        var found: [ClosedRange<Double>] = []
        var start: Double?
        for second in stride(from: 0, through: end, by: 1) {
            let isNear = position(paths[0], at: second).point.distance(to: position(paths[1], at: second).point) <= 100
            if isNear, start == nil { start = second }
            if !isNear, let begin = start {
                found.append(begin...second)
                start = nil
            }
        }
        if let start { found.append(start...end) }
        return found
    }

    // MARK: Fixes

    /// Eight parameters, because each is a property of the run.
    private static func fixes(
        _ path: Path, isFirst: Bool, through end: Double, _ accuracy: Double, _ interval: Double, _ lag: Double,
        _ hasSilence: Bool, _ random: inout GeneratorRandom
    ) -> [Fix] {
        var fixes: [Fix] = []
        var time = random.uniform(0...interval)
        var drift = PlanePoint(east: 0, north: 0)
        let deviation = accuracy / 1.515
        let (driftTime, statesSpeed) = (random.uniform(60...600), random.chance(0.5))
        while time <= end {
            let truth = position(path, at: time)
            // Half of the variance decorrelates within minutes, as errors of receivers do.
            let keep = 1 - min(1, interval / driftTime)
            let fresh = ((1 - keep * keep) / 2).squareRoot() * deviation
            drift = PlanePoint(
                east: drift.east * keep + random.normal(fresh), north: drift.north * keep + random.normal(fresh))
            let white = deviation * 0.5.squareRoot()
            var point = PlanePoint(
                east: truth.point.east + drift.east + random.normal(white),
                north: truth.point.north + drift.north + random.normal(white))
            if random.chance(0.01) {
                point = point.moved(random.uniform(300...2000), toward: random.uniform(0...2 * .pi))
            }
            fixes.append(
                Fix(
                    isFirst: isFirst, time: (time * 1000).rounded() / 1000,
                    arrival: time + (lag > 0 ? random.uniform(0...lag) : 0), point: point,
                    accuracy: (accuracy * random.uniform(0.85...1.15) * 10).rounded() / 10,
                    speed: statesSpeed ? truth.speed : nil))
            time += interval * random.uniform(0.9...1.1)
            if hasSilence, random.chance(interval / 3600) { time += random.uniform(300...1200) }
        }
        return fixes
    }
}
