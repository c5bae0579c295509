import FencepostGeometry
import FencepostModel

/// One device of a kind: its journey, what its phone sends of it, and the regions about it.
struct GeneratorWorld {
    /// What is known before the journey.
    struct Draft {
        let name: String
        let profile: GeneratorProfile
        let plane: LocalPlane
        let start: Timestamp

        init(name: String, profile: GeneratorProfile, _ random: inout GeneratorRandom) {
            self.name = name
            self.profile = profile
            // As for the other benchmarks: inhabited latitudes, and not near the antimeridian.
            plane = LocalPlane(
                origin: Coordinate(latitude: random.uniform(-45...58), longitude: random.uniform(-160...160)))
            start = Timestamp(seconds: 1_770_000_000 + Int64(random.uniform(0...8_000_000)))
        }
    }

    private let draft: Draft
    let journey: GeneratorJourney
    /// Seconds from the start to the end of the recording.
    let end: Double
    /// In the order of delivery.
    var fixes: [Location]
    /// The fixes that show where the device is, at their true times, in time order. They decide what is required.
    var shown: [Location]
    var regions: [Region] = []

    /// The recording of a phone without the faults of other benchmarks, so that a kind has its own alone.
    init(_ draft: Draft, _ journey: GeneratorJourney, _ random: inout GeneratorRandom, until end: Double? = nil) {
        self.draft = draft
        self.journey = journey
        self.end = end ?? journey.knots[journey.knots.count - 1].time
        var phone = GeneratorPhone(
            draft.profile, device: DeviceID(draft.name), plane: draft.plane, start: draft.start,
            random: random.split(), hasFaults: false)
        fixes = phone.record(journey, until: self.end)
        shown = fixes
    }

    /// Days between home, work and errands.
    static func days(_ draft: Draft, _ random: inout GeneratorRandom) -> GeneratorWorld {
        let hours = 44.0
        let journey = GeneratorJourney(random: random.split(), hours: hours, startsAtNight: true)
        return GeneratorWorld(draft, journey, &random, until: hours * 3600)
    }

    var device: DeviceID { DeviceID(draft.name) }

    var stream: Benchmark.Stream {
        Benchmark.Stream(device: device, profile: draft.profile.rawValue, start: draft.start, end: moment(end))
    }

    var truth: GeneratorTruth {
        GeneratorTruth(device: device, plane: draft.plane, start: draft.start, end: end, fixes: shown)
    }

    func moment(_ seconds: Double) -> Timestamp { draft.start + .milliseconds(Int64(seconds * 1000)) }

    /// Seconds since the start.
    func time(of fix: Location) -> Double { (fix.timestamp - draft.start).seconds }

    /// A fix at a point; `time` in seconds since the start, `accuracy` in metres.
    func fix(_ point: PlanePoint, accuracy: Double, speed: Double? = nil, at time: Double) -> Location {
        var fix = Location(
            deviceID: device, timestamp: moment(time), coordinate: draft.plane.microdegrees(point),
            horizontalAccuracy: accuracy)
        fix.speed = speed
        return fix
    }

    /// The true position and speed at ascending times.
    func path(at times: [Double]) -> [(point: PlanePoint, speed: Double)] {
        var cursor = JourneyCursor(journey)
        return times.map { cursor.at($0) }
    }

    /// Times of independent events in seconds since the start; `mean` is the mean of the seconds between them.
    func events(every mean: Double, _ random: inout GeneratorRandom) -> [Double] {
        var times: [Double] = []
        var time = random.exponential(mean)
        while time < end {
            times.append(time)
            time += random.exponential(mean)
        }
        return times
    }

    /// Removes the fixes of spans in seconds since the start.
    mutating func removeFixes(during spans: [ClosedRange<Double>]) {
        fixes = fixes.filter { fix in !spans.contains { $0.contains(time(of: fix)) } }
    }

    // MARK: Regions

    mutating func addCircle(_ name: String, _ center: PlanePoint, radius: Double) {
        let coordinate = draft.plane.unproject(east: center.east, north: center.north)
        regions.append(
            Region(
                id: RegionID("\(draft.name)-\(name)-\(regions.count + 1)"),
                shape: .circle(Circle(center: coordinate, radius: radius.rounded()))))
    }

    /// Circles of 100 to 200 m about at most eight sites that are small enough for them.
    mutating func addCirclesAboutSites(_ random: inout GeneratorRandom) {
        var sites: [PlanePoint] = []
        for stay in journey.stays where stay.site.radius <= 60 && stay.departure - stay.arrival >= 600 {
            guard !sites.contains(where: { $0.distance(to: stay.site.point) < 50 }) else { continue }
            sites.append(stay.site.point)
        }
        for site in sites.prefix(8) {
            let center = site.moved(random.uniform(0...30), toward: random.uniform(0...6.28))
            addCircle("site", center, radius: random.uniform(100...200))
        }
    }
}
