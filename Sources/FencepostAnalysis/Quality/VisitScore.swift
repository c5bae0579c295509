import FencepostGeometry
public import FencepostModel

/// How well told visits agree with the true stays.
///
/// A told visit matches a true one when the intersection of their times is at least half of their union and their centres
/// are within 500 m, the best first. Stays that are short or unseen may be told and need not be.
public struct VisitScore: Hashable, Sendable {
    public private(set) var devices = 0
    public private(set) var required = 0
    public private(set) var matched = 0
    public private(set) var spurious = 0
    public private(set) var optional = 0
    /// Pieces too many of one stay, and stays too many in one piece.
    public private(set) var splits = 0
    public private(set) var merges = 0
    /// Seconds, told less true.
    public private(set) var arrivalErrors: [Double] = []
    public private(set) var departureErrors: [Double] = []
    /// Metres.
    public private(set) var centerErrors: [Double] = []
    /// Matched visits whose arrival was told while they lasted, and the seconds that it took.
    public private(set) var announced = 0
    public private(set) var arrivalLatencies: [Double] = []
    public private(set) var departureLatencies: [Double] = []

    public var missed: Int { required - matched }
    public var precision: Double { Statistics.share(matched, of: matched + spurious) }
    public var recall: Double { Statistics.share(matched, of: required) }
    public var f1: Double { Statistics.f1(precision: precision, recall: recall) }

    public func arrivalError(_ share: Double) -> Double? { Statistics.quantile(share, of: arrivalErrors.map(abs)) }
    public func departureError(_ share: Double) -> Double? { Statistics.quantile(share, of: departureErrors.map(abs)) }
    public func centerError(_ share: Double) -> Double? { Statistics.quantile(share, of: centerErrors) }
    public func arrivalLatency(_ share: Double) -> Double? { Statistics.quantile(share, of: arrivalLatencies) }

    /// Scores the visits of a benchmark as a whole and by sampling profile.
    ///
    /// - Parameter events: each device's in the order in which they were told; all but visits are passed over. The last
    ///   event of a visit counts.
    public static func score(
        _ events: [Event], of benchmark: Benchmark
    ) -> (all: VisitScore, profiles: [String: VisitScore]) {
        var told: [DeviceID: [String: ToldVisit]] = [:]
        for event in events {
            switch event.occurrence {
            case .visitArrived(let visit):
                told[event.deviceID, default: [:]][visit.id, default: ToldVisit(visit)].arrived(
                    visit, at: event.detectedAt)
            case .visitDeparted(let visit):
                told[event.deviceID, default: [:]][visit.id, default: ToldVisit(visit)].departed(
                    visit, at: event.detectedAt)
            case .regionEntered, .regionExited, .regionDwelled, .deviceStale, .deviceRecovered, .appRelaunched: break
            }
        }
        let truth = Dictionary(grouping: benchmark.stays, by: \.device)
        var all = VisitScore()
        var profiles: [String: VisitScore] = [:]
        for stream in benchmark.streams {
            var score = VisitScore()
            score.devices = 1
            // By id: the order of a dictionary is another on every run.
            let visits = (told[stream.device] ?? [:]).values.sorted { $0.visit.id < $1.visit.id }
            score.add(visits, truth[stream.device] ?? [], in: stream)
            all.add(score)
            profiles[stream.profile, default: VisitScore()].add(score)
        }
        return (all, profiles)
    }

    private mutating func add(_ visits: [ToldVisit], _ stays: [Benchmark.Stay], in stream: Benchmark.Stream) {
        let spans = visits.map { visit in
            let start = visit.visit.arrival ?? stream.start
            return Span(start: start, end: max(start, visit.visit.departure ?? stream.end))
        }
        let truth = stays.map { Span(start: $0.arrival, end: $0.departure) }
        var candidates: [(isRequired: Bool, overlap: Double, stay: Int, visit: Int)] = []
        for (s, stay) in stays.enumerated() {
            for (v, visit) in visits.enumerated() {
                let overlap = truth[s].intersectionOverUnion(spans[v])
                guard overlap >= 0.5, Geodesic.distance(stay.coordinate, visit.visit.coordinate) <= 500 else {
                    continue
                }
                candidates.append((stay.isRequired, overlap, s, v))
            }
        }
        candidates.sort { a, b in
            (a.isRequired ? 1 : 0, a.overlap, a.stay, a.visit) > (b.isRequired ? 1 : 0, b.overlap, b.stay, b.visit)
        }
        var visitOfStay: [Int: Int] = [:]
        var stayOfVisit: [Int: Int] = [:]
        for candidate in candidates where visitOfStay[candidate.stay] == nil && stayOfVisit[candidate.visit] == nil {
            visitOfStay[candidate.stay] = candidate.visit
            stayOfVisit[candidate.visit] = candidate.stay
            if stays[candidate.stay].isRequired {
                add(visits[candidate.visit], spans[candidate.visit], stays[candidate.stay])
            }
        }
        required += stays.count { $0.isRequired }
        for (v, span) in spans.enumerated() {
            if let stay = stayOfVisit[v] {
                if !stays[stay].isRequired { optional += 1 }
            } else if stays.indices.contains(where: {
                !stays[$0].isRequired && truth[$0].intersection(span) >= 0.5 * max(1, span.seconds)
            }) {
                optional += 1
            } else {
                spurious += 1
            }
            let covered = stays.indices.count {
                stays[$0].isRequired && truth[$0].intersection(span) >= 0.5 * truth[$0].seconds
            }
            merges += max(0, covered - 1)
        }
        for (s, stay) in stays.enumerated() where stay.isRequired {
            let pieces = spans.count { truth[s].intersection($0) >= 0.5 * max(1, $0.seconds) }
            splits += max(0, pieces - 1)
        }
    }

    private mutating func add(_ visit: ToldVisit, _ span: Span, _ stay: Benchmark.Stay) {
        matched += 1
        if !stay.isOpenAtStart { arrivalErrors.append((span.start - stay.arrival).seconds) }
        if !stay.isOpenAtEnd { departureErrors.append((span.end - stay.departure).seconds) }
        centerErrors.append(Geodesic.distance(stay.coordinate, visit.visit.coordinate))
        if let arrivalTold = visit.arrivalTold, arrivalTold <= stay.departure {
            announced += 1
            if !stay.isOpenAtStart { arrivalLatencies.append((arrivalTold - stay.arrival).seconds) }
        }
        if let departureTold = visit.departureTold, !stay.isOpenAtEnd {
            departureLatencies.append((departureTold - stay.departure).seconds)
        }
    }

    private mutating func add(_ other: VisitScore) {
        devices += other.devices
        required += other.required
        matched += other.matched
        spurious += other.spurious
        optional += other.optional
        splits += other.splits
        merges += other.merges
        announced += other.announced
        arrivalErrors += other.arrivalErrors
        departureErrors += other.departureErrors
        centerErrors += other.centerErrors
        arrivalLatencies += other.arrivalLatencies
        departureLatencies += other.departureLatencies
    }
}

/// A visit as it was told, and when.
private struct ToldVisit {
    var visit: Visit
    var arrivalTold: Timestamp?
    var departureTold: Timestamp?

    init(_ visit: Visit) {
        self.visit = visit
    }

    mutating func arrived(_ visit: Visit, at moment: Timestamp) {
        self.visit = visit
        arrivalTold = arrivalTold ?? moment
    }

    mutating func departed(_ visit: Visit, at moment: Timestamp) {
        self.visit = visit
        departureTold = moment
    }
}

/// A span of time.
private struct Span {
    let start, end: Timestamp

    var seconds: Double { (end - start).seconds }

    /// Seconds in common; negative where there is a hole between them.
    func intersection(_ other: Span) -> Double { (min(end, other.end) - max(start, other.start)).seconds }

    func intersectionOverUnion(_ other: Span) -> Double {
        let common = intersection(other)
        guard common > 0 else { return 0 }
        return common / (max(end, other.end) - min(start, other.start)).seconds
    }
}
