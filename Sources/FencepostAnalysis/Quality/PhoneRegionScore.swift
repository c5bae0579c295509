import FencepostEngine
import FencepostFormats
public import FencepostGEOS
import FencepostGeometry
import FencepostModel
import FencepostRegions

/// How many of the regions that phones entered they had been sent before, of 500 in a square of 60 km (rule I18).
public struct PhoneRegionScore: Sendable {
    /// The entries of some phones.
    public struct Cell: Hashable, Sendable {
        /// Entries, and those of regions that the phone had.
        public var entries = 0, known = 0
        /// Hours of the phones, and messages with regions that they got.
        public var hours = 0.0, messages = 0.0

        /// The share of entries of regions that the phone had; 1 without entries.
        public var share: Double { entries == 0 ? 1 : Double(known) / Double(entries) }

        static func + (a: Cell, b: Cell) -> Cell {
            var sum = a
            sum.entries += b.entries
            sum.known += b.known
            sum.hours += b.hours
            sum.messages += b.messages
            return sum
        }
    }

    /// The phones of a benchmark: each combination of values eight times.
    public static let usualPhones = 128
    /// Length of the sides of the square in metres, regions in it, and how many of them phones come by.
    static let side = 60_000.0, regions = 500, regionsOnPaths = 200

    /// People's days, and three kinds of traffic without a rest.
    enum Motion: String, CaseIterable {
        case days, walk, city, country
    }

    /// The modes of the OwnTracks apps.
    enum Mode: String, CaseIterable {
        case move, significant
    }

    /// All phones but those on country roads.
    public private(set) var all = Cell()
    /// Those on country roads at 18 to 25 m/s, which are faster than a message in ten minutes can serve.
    public private(set) var fast = Cell()
    /// By the motion, the mode of the app, and whether regions are spread evenly or lie in towns.
    public private(set) var cells: [String: Cell] = [:]
    /// The most regions, circles among them, that a phone had at a time.
    public private(set) var mostOnPhone = 0

    /// Generates phones and counts their entries.
    ///
    /// - Parameters:
    ///   - count: the number of phones.
    ///   - seed: the same seed gives the same phones.
    /// - Throws: `GEOSError` if GEOS fails on a region.
    public init(phones count: Int, seed: UInt64) throws(GEOSError) {
        var random = GeneratorRandom(seed: seed)
        let plane = LocalPlane(origin: Coordinate(latitude: 48.1, longitude: 11.5))
        let journeys = (0..<count).map { Self.journey(Motion.allCases[$0 % 4], random.split()) }
        let worlds = [false, true].map { inTowns in
            let own = journeys.indices.filter { ($0 / 8 % 2 == 1) == inTowns }.map { journeys[$0] }
            return Self.index(plane, inTowns: inTowns, own, &random)
        }
        for (number, journey) in journeys.enumerated() {
            let motion = Motion.allCases[number % 4]
            let mode = Mode.allCases[number / 4 % 2]
            let isInTowns = number / 8 % 2 == 1
            var phone = SimulatedPhone(worlds[isInTowns ? 1 : 0], plane, journey, mode, random.split())
            try phone.run()
            if motion == .country { fast = fast + phone.cell } else { all = all + phone.cell }
            let label = "\(motion.rawValue), \(mode.rawValue), \(isInTowns ? "towns" : "even")"
            cells[label] = (cells[label] ?? Cell()) + phone.cell
            mostOnPhone = max(mostOnPhone, phone.mostWaypoints)
        }
    }

    /// The cell with the lowest share.
    public var worst: (label: String, cell: Cell)? {
        cells.min { ($0.value.share, $0.key) < ($1.value.share, $1.key) }.map { ($0.key, $0.value) }
    }

    /// Regions spread evenly or in towns, and some about places of the journeys, as people make them for where they go.
    private static func index(
        _ plane: LocalPlane, inTowns: Bool, _ journeys: [(GeneratorJourney, PlanePoint)],
        _ random: inout GeneratorRandom
    ) -> RegionIndex {
        func anywhere(_ random: inout GeneratorRandom) -> PlanePoint {
            PlanePoint(east: random.uniform(-side / 2...side / 2), north: random.uniform(-side / 2...side / 2))
        }
        let towns = (0..<25).map { _ in anywhere(&random) }
        let all = (0..<regions).map { number in
            var center = anywhere(&random)
            if number < regionsOnPaths, !journeys.isEmpty {
                let (journey, home) = random.pick(journeys)
                let point = random.pick(journey.knots).point
                center = PlanePoint(east: home.east + point.east, north: home.north + point.north)
            } else if inTowns {
                center = PlanePoint(
                    east: towns[number % 25].east + random.normal(1500),
                    north: towns[number % 25].north + random.normal(1500))
            }
            let radius = min(max(random.logNormal(150, spread: 0.5), 60), 600)
            let position = plane.unproject(east: center.east, north: center.north)
            guard number % 4 == 0 else {
                return Region(id: RegionID("r\(number)"), shape: .circle(Circle(center: position, radius: radius)))
            }
            let corners = [(-1.0, -1.0), (1, -1), (1, 1), (-1, 1), (-1, -1)].map {
                plane.unproject(east: center.east + $0.0 * radius, north: center.north + $0.1 * radius)
            }
            return Region(
                id: RegionID("r\(number)"),
                shape: .polygons(MultiPolygon([Polygon(exterior: LinearRing(corners))])))
        }
        return RegionIndex(RegionCatalog(all))
    }

    /// A journey around a home in the middle half of the square: a day, or four hours of traffic.
    private static func journey(_ motion: Motion, _ random: GeneratorRandom) -> (GeneratorJourney, PlanePoint) {
        var random = random
        let home = PlanePoint(
            east: random.uniform(-side / 4...side / 4), north: random.uniform(-side / 4...side / 4))
        guard motion != .days else {
            return (GeneratorJourney(random: random.split(), hours: 24, startsAtNight: false), home)
        }
        let site = GeneratorJourney.Site(point: PlanePoint(east: 0, north: 0), radius: 5)
        var journey = GeneratorJourney(from: site, to: site, random: random.split())
        let (speeds, far, stops) =
            switch motion {
            case .walk: (1.1...1.6, 4000.0, 0.1)
            case .city: (7.0...14, 8000, 0.3)
            case .days, .country: (18.0...25, 20_000, 0.02)
            }
        while journey.knots.last.map({ $0.time < 4 * 3600 }) ?? true {
            let goal = site.point.moved(random.uniform(0.2 * far...far), toward: random.uniform(0...2 * .pi))
            journey.street(to: goal, speed: random.uniform(speeds), stops: stops)
        }
        return (journey, home)
    }
}

/// A phone with the OwnTracks app, which reports its position and keeps the regions that it is sent.
private struct SimulatedPhone: ~Copyable {
    private(set) var cell = PhoneRegionScore.Cell()
    private(set) var mostWaypoints = 0
    private let index: RegionIndex
    private let plane: LocalPlane
    private let home: PlanePoint
    private let mode: PhoneRegionScore.Mode
    private var cursor: JourneyCursor
    private var random: GeneratorRandom
    private var query: RegionQuery
    private var service = PhoneRegions()
    private var waypoints: [Int: OwnTracksWaypoint] = [:]
    private var inside: Set<RegionHandle>?
    private var lastReport: (time: Double, position: Coordinate)?
    /// The seconds in which the system notices that a region was entered or left, and its margin in metres.
    private let delay = 20.0, margin = RegionBudget().margin
    private var reportDue: Double?
    private var circlesInside: Set<Int> = []

    init(
        _ index: RegionIndex, _ plane: LocalPlane, _ journey: (GeneratorJourney, PlanePoint),
        _ mode: PhoneRegionScore.Mode, _ random: GeneratorRandom
    ) {
        (self.index, self.plane, self.mode, self.random) = (index, plane, mode, random)
        (cursor, home) = (JourneyCursor(journey.0), journey.1)
        query = RegionQuery(index)
    }

    mutating func run() throws(GEOSError) {
        var time = 0.0
        while time < cursor.end {
            let (point, speed) = cursor.at(time)
            let position = plane.unproject(east: home.east + point.east, north: home.north + point.north)
            try look(at: position)
            noticeBoundaries(at: position, time)
            if isDue(at: position, time, isMoving: speed > 0.3) { try report(position, time) }
            // Who stands crosses nothing, and only the report of a boundary can be outstanding.
            let next = speed > 0 ? time + 2 : max(min(cursor.nextChange(after: time), reportDue ?? .infinity), time + 2)
            time = min(next, cursor.end)
        }
        cell.hours = cursor.end / 3600
    }

    /// Counts the regions that were entered since the step before.
    private mutating func look(at position: Coordinate) throws(GEOSError) {
        var covering: [RegionHandle] = []
        try query.covering(position, into: &covering)
        let now = Set(covering)
        if let inside {
            let known = Set(waypoints.values.map(\.name))
            for entered in now.subtracting(inside) {
                cell.entries += 1
                if let id = index.catalog[entered]?.id, known.contains(id.rawValue) { cell.known += 1 }
            }
        }
        inside = now
    }

    private mutating func noticeBoundaries(at position: Coordinate, _ time: Double) {
        for (number, waypoint) in waypoints {
            guard let circle = waypoint.circle else { continue }
            let distance = Geodesic.distance(circle.center, position) - circle.radius
            let wasInside = circlesInside.contains(number)
            if distance <= 0, !wasInside {
                circlesInside.insert(number)
                reportDue = min(reportDue ?? .infinity, time + delay)
            } else if distance >= margin, wasInside {
                circlesInside.remove(number)
                reportDue = min(reportDue ?? .infinity, time + delay)
            }
        }
    }

    private func isDue(at position: Coordinate, _ time: Double, isMoving: Bool) -> Bool {
        guard let lastReport else { return true }
        if let reportDue, time >= reportDue { return true }
        let (seconds, meters) = (time - lastReport.time, Geodesic.distance(lastReport.position, position))
        return switch mode {
        case .move: isMoving && seconds >= 30 && meters >= 50
        case .significant: seconds >= 300 && meters >= 500
        }
    }

    private mutating func report(_ position: Coordinate, _ time: Double) throws(GEOSError) {
        (lastReport, reportDue) = ((time, position), nil)
        let near = LocalPlane(origin: position)
        let location = Location(
            deviceID: DeviceID("phone"), timestamp: Timestamp(milliseconds: 1_772_352_000_000 + Int64(time * 1000)),
            coordinate: near.unproject(east: random.normal(10), north: random.normal(10)), horizontalAccuracy: 15)
        let changes = try service.answer(
            to: location, index, limit: RegionBudget().limit, now: location.timestamp)
        guard !changes.isEmpty else { return }
        cell.messages += 1
        for change in changes {
            waypoints[change.number] = change.circle == nil ? nil : change
            let isInside = change.circle.map { Geodesic.distance($0.center, position) <= $0.radius } ?? false
            if isInside { circlesInside.insert(change.number) } else { circlesInside.remove(change.number) }
            mostWaypoints = max(mostWaypoints, waypoints.count)
        }
    }
}

extension Scoreboard {
    /// Adds a table of regions on phones: all phones, then one row per cell.
    public mutating func addPhoneRegions(_ title: String, _ score: PhoneRegionScore) {
        text += "\n\(title)\n\n"
        addTable(
            ["phones", "entries", "on the phone", "share", "messages per hour"],
            [Self.row("all but country", score.all), Self.row("country", score.fast)]
                + score.cells.sorted { $0.key < $1.key }.map { Self.row($0.key, $0.value) })
    }

    private static func row(_ name: String, _ cell: PhoneRegionScore.Cell) -> [String] {
        [
            name, String(cell.entries), String(cell.known), decimal(cell.share),
            decimal(cell.hours == 0 ? 0 : cell.messages / cell.hours),
        ]
    }
}

extension QualityFigures {
    /// Adds the share of entered regions that phones had, of all phones and of each cell.
    public mutating func add(_ score: PhoneRegionScore) {
        self["phone regions all"] = score.all.share
        self["phone regions country"] = score.fast.share
        for (label, cell) in score.cells { self["phone regions \(label)"] = cell.share }
    }
}
