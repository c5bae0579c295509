import FencepostGeometry
import FencepostModel
import Foundation

/// A generated round of one device: its plan, what it truly did at each place, and its fixes.
///
/// Five places of 100 m radius, 1.5 km apart, each with a window of 40 minutes and a stay of two minutes. The device parks between
/// them. Noise and gaps are those of `FenceNight`. The first fix is always sent: a device walks the rounds that begin after its first
/// one, and those that have sent nothing before walk none.
struct GeneratedRound {
    /// What the device does at a place.
    enum Behaviour: String, CaseIterable {
        /// It stays within the window.
        case visited
        /// It stays after the window, within the grace.
        case late
        /// It is not there.
        case missed
        /// It stays within the window, but in exchange with the next place: the order is not kept.
        case swapped
        /// It drives through, for less than the stay.
        case touched

        /// Whether the place is visited, late or missed by the plan.
        var verdict: PlanRound.StopState {
            switch self {
            case .visited, .swapped: .visited
            case .late: .late
            case .missed, .touched: .missed
            }
        }
    }

    static let places = 5
    static let radius = 100.0
    static let spacing = 1500.0
    static let stay = 120.0
    private static let window = 2400.0
    private static let pitch = 3000.0

    static let device = DeviceID("guard")
    static let plane = LocalPlane(origin: Coordinate(latitude: 38.71, longitude: -9.14))
    /// 2026-03-02, a Monday, 00:00 UTC.
    static let midnight = Timestamp(milliseconds: 20_514 * 86_400_000)
    private static let begin = 8 * 3600.0
    /// When all is decided: the end of the day after.
    var end: Timestamp { Self.midnight + .seconds(2 * 86_400) }

    let number: Int
    let behaviours: [Behaviour]
    let accuracy: Double
    let noise: FenceNight.Noise
    let interval: Double
    let plan: Plan
    /// The fixes, and where the device truly was.
    private(set) var fixes: [(location: Location, truth: PlanePoint)] = []

    /// The centre of a place in the plane.
    static func center(_ place: Int) -> PlanePoint { PlanePoint(east: Double(place) * spacing, north: 0) }

    static var regions: [Region] {
        (0..<places).map { place in
            Region(
                id: RegionID("place-\(place + 1)"),
                shape: .circle(Circle(center: plane.coordinate(center(place)), radius: radius)))
        }
    }

    /// A round. Equal numbers and random sources give equal rounds.
    init(_ number: Int, random source: GeneratorRandom) {
        var random = source
        self.number = number
        var night = FenceNight(number, random: random.split())
        (accuracy, noise, interval) = (night.accuracy, night.noise, night.interval)
        var behaviours: [Behaviour] = []
        while behaviours.count < Self.places {
            let next = Behaviour.allCases[(number + behaviours.count * 3) % 7 % Behaviour.allCases.count]
            if next == .swapped {
                behaviours += behaviours.count + 2 <= Self.places ? [.swapped, .swapped] : [.visited]
            } else {
                behaviours.append(next)
            }
        }
        self.behaviours = behaviours
        plan = Self.plan(behaviours)
        let track = Track(behaviours, random: &random, stay: max(Self.stay + 180, 4 * night.interval))
        var path = track.points
        var isFirst = true
        while true {
            let time = isFirst ? 0 : night.nextTime()
            isFirst = false
            guard time < track.end else { break }
            let truth = Track.position(&path, at: time)
            let fix = night.fix(at: truth.point, speed: truth.speed)
            var location = Location(
                deviceID: Self.device,
                timestamp: Self.midnight + .milliseconds(Int64((Self.begin - 1800 + time) * 1000)),
                coordinate: Self.plane.coordinate(fix.point), horizontalAccuracy: fix.accuracy)
            location.speed = fix.speed
            fixes.append((location, truth.point))
        }
    }

    /// Both places of an exchange have one window.
    private static func plan(_ behaviours: [Behaviour]) -> Plan {
        var windows = (0..<places).map { (start: begin + Double($0) * pitch, end: begin + Double($0) * pitch + window) }
        var place = 0
        while place < places {
            if behaviours[place] == .swapped {
                windows[place].end = windows[place + 1].end
                windows[place + 1].start = windows[place].start
                place += 1
            }
            place += 1
        }
        let stops = windows.enumerated().map { index, window in
            Plan.Stop(
                region: RegionID("place-\(index + 1)"), start: Int(window.start / 60), end: Int(window.end / 60),
                stay: .seconds(Int64(stay)))
        }
        var plan = Plan(id: "round", stops, PlanCalendar(weekdays: [0]), timeZone: .gmt, since: midnight - .seconds(1))
        plan.isOrdered = true
        plan.devices = [GlobPattern(device.rawValue)]
        return plan
    }

    /// What the exact positions of the fixes show: the verdict of a place by the stay between its first and its last fix inside.
    func shown(_ place: Int) -> PlanRound.StopState {
        let window = plan.window(of: plan.stops[place], on: 20_514)
        func spans(_ from: Timestamp, _ to: Timestamp) -> Bool {
            let inside = fixes.filter {
                $0.truth.distance(to: Self.center(place)) < Self.radius && $0.location.timestamp >= from
                    && $0.location.timestamp <= to
            }
            guard let first = inside.first, let last = inside.last else { return false }
            return last.location.timestamp - first.location.timestamp >= plan.stops[place].stay
        }
        if spans(window.start, window.end) { return .visited }
        return spans(window.start, window.end + plan.grace) ? .late : .missed
    }

    /// The true track: points in time, between which the device moves in straight lines.
    private struct Track {
        private(set) var points: [(time: Double, point: PlanePoint)] = []
        private(set) var end = 0.0

        /// The start of a window is 1800 s after the start of the track.
        init(_ behaviours: [Behaviour], random: inout GeneratorRandom, stay: Double) {
            points = [(0, Self.parking(0))]
            var place = 0
            while place < places {
                let start = 1800 + Double(place) * pitch
                switch behaviours[place] {
                case .visited: visit(place, at: start + random.uniform(420...600), stay, &random)
                case .late: visit(place, at: start + window + random.uniform(30...120), stay + 60, &random)
                case .missed: break
                case .swapped:
                    visit(place + 1, at: start + random.uniform(420...600), stay, &random)
                    visit(place, at: start + pitch + random.uniform(0...300), stay, &random)
                    place += 1
                case .touched:
                    let at = max(start + random.uniform(420...900), (points.last?.time ?? 0) + 400)
                    wait(until: at - 200)
                    let center = GeneratedRound.center(place)
                    // Across the middle in 40 seconds.
                    points.append((at, PlanePoint(east: center.east, north: 500)))
                    points.append((at + 200, PlanePoint(east: center.east, north: -500)))
                    points.append((at + 300, Self.parking(place)))
                }
                place += 1
            }
            end = 1800 + Double(places - 1) * pitch + window + 3600
            wait(until: end)
        }

        /// Where the device waits between places: 600 m away from the nearest one.
        private static func parking(_ place: Int) -> PlanePoint {
            PlanePoint(east: GeneratedRound.center(place).east + 750, north: -600)
        }

        private mutating func wait(until time: Double) {
            guard let last = points.last, time > last.time else { return }
            points.append((time, last.point))
        }

        private mutating func visit(_ place: Int, at wanted: Double, _ stay: Double, _ random: inout GeneratorRandom) {
            guard let last = points.last else { return }
            let center = GeneratedRound.center(place)
                .moved(random.uniform(0...30), toward: random.uniform(0...2 * .pi))
            let travel = last.point.distance(to: center) / random.uniform(7...12)
            let arrival = max(wanted, last.time + travel)
            wait(until: arrival - travel)
            points.append((arrival, center))
            points.append((arrival + stay, center))
            points.append((arrival + stay + 120, Self.parking(place)))
        }

        /// The position at a time. The points before it are removed.
        static func position(
            _ points: inout [(time: Double, point: PlanePoint)], at time: Double
        ) -> (point: PlanePoint, speed: Double) {
            while points.count > 1, points[1].time <= time { points.removeFirst() }
            guard points.count > 1 else { return (points[0].point, 0) }
            let (from, to) = (points[0], points[1])
            let share = (time - from.time) / (to.time - from.time)
            let point = PlanePoint(
                east: from.point.east + (to.point.east - from.point.east) * share,
                north: from.point.north + (to.point.north - from.point.north) * share)
            return (point, from.point.distance(to: to.point) / (to.time - from.time))
        }
    }
}
