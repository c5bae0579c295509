import FencepostGeometry
import FencepostModel

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// Sampling profile of a phone.
enum GeneratorProfile: String, CaseIterable {
    case everySecond = "1s"
    case every5 = "5s"
    case every15 = "15s"
    case every30 = "30s"
    case every60 = "60s"
    case every5min = "5min"
    case dist25, pausing, canyon
    case continuous, distance50
    case pausingIOS = "pausing-ios"
    case pausingAndroid = "pausing-android"
    case significant, periodic15, batched60, hybrid
    case sleeper

    static let crossings: [GeneratorProfile] = [
        .everySecond, .every5, .every15, .every30, .every60, .every5min, .dist25, .pausing, .canyon,
    ]
    static let visits: [GeneratorProfile] = [
        .continuous, .distance50, .pausingIOS, .pausingAndroid, .significant, .periodic15, .batched60, .hybrid, .canyon,
    ]

    /// Seconds between fixes while moving and at rest, for profiles with a time interval.
    var interval: (moving: ClosedRange<Double>, resting: ClosedRange<Double>) {
        switch self {
        case .everySecond: (1...1.3, 1...5)
        case .every5: (4.3...6, 10...30)
        case .every15: (13...17, 20...60)
        case .every30, .pausingAndroid: (28...34, 30...60)
        case .every60, .batched60: (55...70, 60...110)
        case .every5min: (240...330, 280...420)
        case .sleeper: (290...310, 290...310)
        case .canyon: (8...20, 20...60)
        case .continuous: (3...8, 25...75)
        case .periodic15, .hybrid, .significant: (700...1150, 700...1300)
        case .dist25, .distance50, .pausing, .pausingIOS: (5...9, 300...1800)
        }
    }

    /// Metres between fixes, for profiles with a distance filter.
    var distance: ClosedRange<Double>? {
        switch self {
        case .dist25: 25...28
        case .distance50, .pausingIOS: 50...56
        case .pausing: 40...60
        case .significant, .hybrid: 500...1300
        case .continuous, .everySecond, .every5, .every15, .every30, .every60, .every5min, .batched60, .periodic15,
            .pausingAndroid, .canyon, .sleeper:
            nil
        }
    }

    /// Whether the phone sends no fixes at rest.
    var pauses: Bool {
        switch self {
        case .pausing, .pausingIOS, .pausingAndroid, .sleeper: true
        case .continuous, .everySecond, .every5, .every15, .every30, .every60, .every5min, .batched60, .periodic15,
            .dist25, .distance50, .canyon, .significant, .hybrid:
            false
        }
    }

    /// Seconds at rest after which a phone that pauses falls silent, and metres from its last fix at which it wakes.
    var pause: (after: ClosedRange<Double>, wakes: ClosedRange<Double>) {
        self == .sleeper ? (300...1200, 250...600) : (120...420, 90...200)
    }
}

/// A phone on a journey: its fixes, and the order in which they are delivered.
struct GeneratorPhone {
    private let profile: GeneratorProfile
    private let plane: LocalPlane
    private let device: DeviceID
    private let start: Timestamp
    private var random: GeneratorRandom
    /// Factor of error of the reported accuracies, and error of the clock in seconds.
    private let optimism, clock: Double
    /// Whether there are towers, reflections, gaps, wrong clocks, and trouble with the delivery.
    private let hasFaults: Bool
    // Drifting errors, in standard deviations.
    private var drift = (east: 0.0, north: 0.0)
    private var lastPoint: PlanePoint?
    private var lastTime = 0.0
    /// Network positions near the resting device, and the index of the present one.
    private var networkPositions: [(point: PlanePoint, accuracy: Double)] = []
    private var networkPositionsCenter: PlanePoint?
    private var tower: (point: PlanePoint, accuracy: Double, until: Double)?
    private var reflection: (factor: Double, until: Double)?

    /// More than five parameters, because a phone is one device in one city at one time.
    init(
        _ profile: GeneratorProfile, device: DeviceID, plane: LocalPlane, start: Timestamp, random: GeneratorRandom,
        hasFaults: Bool = true
    ) {
        self.profile = profile
        self.hasFaults = hasFaults
        self.device = device
        self.plane = plane
        self.start = start
        var random = random
        optimism = profile == .canyon ? random.uniform(1.1...2) : random.uniform(0.9...1.35)
        let error = random.chance(0.1) ? random.uniform(-40...40) : random.normal(2)
        clock = hasFaults ? error : 0
        self.random = random
    }

    /// The fixes in the order of delivery.
    mutating func record(_ journey: GeneratorJourney, until end: Double) -> [Location] {
        var cursor = JourneyCursor(journey)
        var fixes: [Location] = []
        var time = random.uniform(0...30)
        var sampled: PlanePoint?
        var restingSince: Double?
        var hole = hasFaults ? random.exponential(4 * 3600) : .infinity
        var isSilent = false
        let maximumWait = random.uniform(profile.pause.after)
        while time < end {
            let (point, speed) = cursor.at(time)
            let isMoving = speed > 0.3
            if isMoving, speed > 0.9 { restingSince = nil } else if restingSince == nil { restingSince = time }
            if time > hole {
                time += random.uniform(180...1500)
                hole = time + random.exponential(4 * 3600)
                continue
            }
            if profile.pauses {
                if isSilent {
                    // The phone wakes up at some distance from its last fix.
                    guard let from = sampled, point.distance(to: from) > random.uniform(profile.pause.wakes) else {
                        time += isMoving ? 5 : max(1, min(60, cursor.nextChange(after: time) - time + 1))
                        continue
                    }
                    isSilent = false
                } else if let since = restingSince, time - since > maximumWait {
                    isSilent = true
                    sampled = point
                    continue
                }
            }
            if profile == .significant || profile == .hybrid, let last = sampled, let distance = profile.distance {
                let wakes = profile == .hybrid && random.chance(0.004)
                if point.distance(to: last) < random.uniform(distance), !wakes {
                    time += 30
                    continue
                }
            }
            sampled = point
            fixes.append(measure(point, speed: speed, at: time))
            if hasFaults, random.chance(0.004), isMoving, let old = fixes.dropLast().last {
                // A cached position with a new time.
                var again = old
                again.timestamp = fixes[fixes.count - 1].timestamp + .milliseconds(900)
                fixes.append(again)
            }
            time += step(isMoving: isMoving, speed: speed, cursor: cursor, at: time)
        }
        return hasFaults ? delivered(fixes) : fixes
    }

    private mutating func step(isMoving: Bool, speed: Double, cursor: JourneyCursor, at time: Double) -> Double {
        let interval = profile.interval
        switch profile {
        case .significant: return random.uniform(300...360)
        case .hybrid: return random.uniform(300...420)
        case .continuous, .everySecond, .every5, .every15, .every30, .every60, .every5min, .batched60, .periodic15,
            .dist25, .distance50, .pausing, .pausingIOS, .pausingAndroid, .canyon, .sleeper:
            break
        }
        if let distance = profile.distance {
            if isMoving { return max(random.uniform(distance) / speed, 3) }
            let rest = profile.pauses ? random.uniform(20...60) : random.uniform(interval.resting)
            return max(3, min(rest, cursor.nextChange(after: time) - time + random.uniform(3...20)))
        }
        return random.uniform(isMoving ? interval.moving : interval.resting)
    }

    // MARK: Measuring

    private mutating func measure(_ point: PlanePoint, speed: Double, at time: Double) -> Location {
        advance(to: point, at: time)
        if let current = tower, time >= current.until { tower = nil }
        let since = max(time - lastTime, 1)
        let rate = profile == .canyon ? since / 1500 : since / 15_000
        if hasFaults, tower == nil, random.chance(min(rate, 0.025)) {
            let isFar = random.chance(0.03)
            let distance =
                isFar ? random.uniform(20_000...100_000) : min(max(random.logNormal(1100, spread: 0.5), 500), 3000)
            let admits = random.chance(0.6)
            tower = (
                point.moved(distance, toward: random.uniform(0...6.28)),
                admits ? random.uniform(400...2500) : random.pick([10, 20, 65, 100, 165]), time + random.exponential(60)
            )
        }
        defer { lastTime = time }
        if let tower {
            let jitter = random.chance(0.7) ? 0 : 40.0
            let fix = location(
                PlanePoint(
                    east: tower.point.east + random.normal(jitter), north: tower.point.north + random.normal(jitter)),
                accuracy: tower.accuracy, speed: nil, at: time)
            return fix
        }
        let isResting = speed < 0.3
        let isNetwork = random.chance(isResting ? 0.85 : profile == .canyon ? 0.25 : 0.12)
        if isNetwork, isResting { return atNetworkPosition(point, time) }
        let accuracy =
            isNetwork
            ? min(random.logNormal(30, spread: 0.4), 120)
            : min(max(random.logNormal(profile == .canyon ? 15 : 8, spread: 0.55), 3), 80)
        let deviation = accuracy / 1.515 * optimism * (reflection?.factor ?? 1)
        let measured = PlanePoint(
            east: point.east + deviation * (0.8 * drift.east + 0.6 * random.normal()),
            north: point.north + deviation * (0.8 * drift.north + 0.6 * random.normal()))
        let knowsSpeed = !isNetwork && !random.chance(0.2)
        return location(
            measured, accuracy: (accuracy * 10).rounded() / 10,
            speed: knowsSpeed ? max(0, speed + random.normal(0.3)) : nil, at: time)
    }

    /// A network position: exactly the same until another of a few replaces it.
    private mutating func atNetworkPosition(_ point: PlanePoint, _ time: Double) -> Location {
        if networkPositionsCenter.map({ $0.distance(to: point) > 25 }) ?? true {
            networkPositionsCenter = point
            // The access points of some buildings have wrong positions in the network's database.
            let wrong = hasFaults && random.chance(0.06) ? 2.5 : profile == .canyon ? 1.2 : 0.7
            networkPositions = (0..<Int.random(in: 1...4, using: &random)).map { _ in
                let accuracy = random.pick([15.0, 20, 25, 30, 35, 40, 50, 65])
                let deviation = accuracy / 1.515 * wrong
                return (
                    PlanePoint(
                        east: point.east + random.normal(deviation), north: point.north + random.normal(deviation)),
                    accuracy
                )
            }
        }
        if random.chance(0.12) {
            let accuracy = random.uniform(20...90)
            return location(
                PlanePoint(
                    east: point.east + random.normal(accuracy / 1.5), north: point.north + random.normal(accuracy / 1.5)
                ),
                accuracy: (accuracy * 10).rounded() / 10, speed: nil, at: time)
        }
        if networkPositions.count > 1, random.chance(0.08) { networkPositions.append(networkPositions.removeFirst()) }
        return location(
            networkPositions[0].point, accuracy: networkPositions[0].accuracy, speed: random.chance(0.3) ? 0 : nil,
            at: time)
    }

    /// Advances the drift of the errors: over a minute at rest, over a few steps while moving.
    private mutating func advance(to point: PlanePoint, at time: Double) {
        let moved = lastPoint.map { point.distance(to: $0) } ?? 1000
        let keep = exp(-(time - lastTime) / 70 - moved / 30)
        let fresh = (1 - keep * keep).squareRoot()
        drift.east = drift.east * keep + random.normal(fresh)
        drift.north = drift.north * keep + random.normal(fresh)
        lastPoint = point
        if let current = reflection, time > current.until { reflection = nil }
        let rate = (time - lastTime) / (profile == .canyon ? 300 : 2000)
        if hasFaults, reflection == nil, random.chance(min(rate, profile == .canyon ? 0.05 : 0.01)) {
            reflection = (random.uniform(2...5), time + random.exponential(15))
        }
    }

    private func location(_ point: PlanePoint, accuracy: Double, speed: Double?, at time: Double) -> Location {
        var fix = Location(
            deviceID: device, timestamp: start + .milliseconds(Int64((time + clock) * 1000)),
            coordinate: plane.microdegrees(point), horizontalAccuracy: accuracy)
        fix.speed = speed
        return fix
    }

    // MARK: Delivery

    /// Duplicates some fixes, delays some, and adds uploads after an offline time with the newest fix first.
    private mutating func delivered(_ fixes: [Location]) -> [Location] {
        var keyed: [(key: Double, fix: Location)] = []
        for (index, fix) in fixes.enumerated() {
            keyed.append((Double(index), fix))
            if random.chance(0.01) { keyed.append((Double(index) + random.uniform(0.1...6), fix)) }
            if random.chance(0.015) { keyed[keyed.count - 1].key += random.uniform(1...8) }
        }
        if profile == .batched60 {
            var next = 0
            while next < keyed.count {
                let last = min(next + Int.random(in: 20...80, using: &random), keyed.count) - 1
                if last > next, random.chance(0.15) { keyed[last].key = keyed[next].key - 0.5 }
                next = last + 1
            }
        }
        return keyed.enumerated().sorted { ($0.element.key, $0.offset) < ($1.element.key, $1.offset) }.map(
            \.element.fix)
    }
}

extension LocalPlane {
    /// A position with six decimals of a degree, as most phones send them.
    func microdegrees(_ point: PlanePoint) -> Coordinate {
        var coordinate = unproject(east: point.east, north: point.north)
        coordinate.latitude = (coordinate.latitude * 1e6).rounded() / 1e6
        coordinate.longitude = (coordinate.longitude * 1e6).rounded() / 1e6
        return coordinate
    }
}
