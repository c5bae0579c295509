import FencepostGeometry
public import FencepostModel

/// Agreement of detected visits with the true ones.
///
/// A detected visit matches a true one when the intersection of their times is at least half of their union, and their
/// centres are within 500 m. The best pairs match first. Short visits and visits without fixes are optional.
public struct VisitScore: Hashable, Sendable {
    /// Number of devices.
    public private(set) var devices = 0
    /// Number of required visits.
    public private(set) var required = 0
    /// Number of required visits that were detected.
    public private(set) var matched = 0
    /// Number of false detections.
    public private(set) var spurious = 0
    /// Number of detected optional visits.
    public private(set) var optional = 0
    /// Number of surplus detected visits per true one.
    public private(set) var splits = 0
    /// Number of surplus true visits per detected one.
    public private(set) var merges = 0
    /// Reported minus true time of the arrivals, in seconds.
    public private(set) var arrivalErrors: [Double] = []
    /// Reported minus true time of the departures, in seconds.
    public private(set) var departureErrors: [Double] = []
    /// Metres.
    public private(set) var centerErrors: [Double] = []
    /// Number of matched visits whose arrival was detected before their departure.
    public private(set) var announced = 0
    /// Seconds from the arrivals to their detection, of the visits in `announced`.
    public private(set) var arrivalLatencies: [Double] = []
    /// Seconds from the departures to their detection.
    public private(set) var departureLatencies: [Double] = []

    /// Number of required visits that were not detected.
    public var missed: Int { required - matched }
    /// Fraction of detections that are correct, without optional ones.
    public var precision: Double { Statistics.fraction(matched, of: matched + spurious) }
    /// Fraction of required visits that were detected.
    public var recall: Double { Statistics.fraction(matched, of: required) }
    /// Harmonic mean of precision and recall.
    public var f1: Double { Statistics.f1(precision: precision, recall: recall) }

    /// Number of detected required visits whose departure is further than these seconds from the true one.
    public func departures(laterThan seconds: Double) -> Int { departureErrors.count { abs($0) > seconds } }

    /// F1 of the visits whose departure is within these seconds of the true one; the others are false, and missed.
    public func f1(departureWithin seconds: Double) -> Double {
        let found = matched - departures(laterThan: seconds)
        return Statistics.f1(
            precision: Statistics.fraction(found, of: matched + spurious),
            recall: Statistics.fraction(found, of: required))
    }

    /// Quantile of the absolute error of the arrival in seconds; `nil` without matches.
    public func arrivalError(_ fraction: Double) -> Double? {
        Statistics.quantile(fraction, of: arrivalErrors.map(abs))
    }
    /// Quantile of the absolute error of the departure in seconds; `nil` without matches.
    public func departureError(_ fraction: Double) -> Double? {
        Statistics.quantile(fraction, of: departureErrors.map(abs))
    }
    /// Quantile of the distance between the centres in metres; `nil` without matches.
    public func centerError(_ fraction: Double) -> Double? { Statistics.quantile(fraction, of: centerErrors) }
    /// Quantile of the seconds from an arrival to its detection; `nil` without matches.
    public func arrivalLatency(_ fraction: Double) -> Double? { Statistics.quantile(fraction, of: arrivalLatencies) }

    /// Scores the visits of a benchmark as a whole and by sampling profile.
    ///
    /// - Parameters:
    ///   - events: those of a device in the order of their detection. Only visits count, by their last event.
    ///   - benchmark: the truth.
    ///   - optionalWithin: metres from an optional visit within which a detected one in its time is optional as well.
    /// - Returns: the score of all devices, and that of each profile.
    public static func score(
        _ events: [Event], of benchmark: Benchmark, optionalWithin: Double = .infinity
    ) -> (all: VisitScore, profiles: [String: VisitScore]) {
        var detected: [DeviceID: [String: DetectedVisit]] = [:]
        for event in events {
            switch event.occurrence {
            case .visitArrived(let visit):
                detected[event.deviceID, default: [:]][visit.id, default: DetectedVisit(visit)].arrived(
                    visit, at: event.detectedAt)
            case .visitDeparted(let visit):
                detected[event.deviceID, default: [:]][visit.id, default: DetectedVisit(visit)].departed(
                    visit, at: event.detectedAt)
            case .regionEntered, .regionExited, .regionDwelled, .deviceStale, .deviceRecovered, .appRelaunched, .alert,
                .fence, .proximity, .plan:
                break
            }
        }
        let truth = Dictionary(grouping: benchmark.stays, by: \.device)
        var all = VisitScore()
        var profiles: [String: VisitScore] = [:]
        for stream in benchmark.streams {
            var score = VisitScore()
            score.devices = 1
            // Sorted by id, because the order of a dictionary differs between runs.
            let visits = (detected[stream.device] ?? [:]).values.sorted { $0.visit.id < $1.visit.id }
            score.add(visits, truth[stream.device] ?? [], in: stream, optionalWithin: optionalWithin)
            all.add(score)
            profiles[stream.profile, default: VisitScore()].add(score)
        }
        return (all, profiles)
    }

    private mutating func add(
        _ visits: [DetectedVisit], _ stays: [Benchmark.Stay], in stream: Benchmark.Stream, optionalWithin: Double
    ) {
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
                    && (optionalWithin == .infinity
                        || Geodesic.distance(stays[$0].coordinate, visits[v].visit.coordinate) <= optionalWithin)
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

    private mutating func add(_ visit: DetectedVisit, _ span: Span, _ stay: Benchmark.Stay) {
        matched += 1
        if !stay.isOpenAtStart { arrivalErrors.append((span.start - stay.arrival).seconds) }
        if !stay.isOpenAtEnd { departureErrors.append((span.end - stay.departure).seconds) }
        centerErrors.append(Geodesic.distance(stay.coordinate, visit.visit.coordinate))
        if let arrivalDetected = visit.arrivalDetected, arrivalDetected <= stay.departure {
            announced += 1
            if !stay.isOpenAtStart { arrivalLatencies.append((arrivalDetected - stay.arrival).seconds) }
        }
        if let departureDetected = visit.departureDetected, !stay.isOpenAtEnd {
            departureLatencies.append((departureDetected - stay.departure).seconds)
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

/// A detected visit and the times of its detection.
private struct DetectedVisit {
    var visit: Visit
    var arrivalDetected: Timestamp?
    var departureDetected: Timestamp?

    init(_ visit: Visit) {
        self.visit = visit
    }

    mutating func arrived(_ visit: Visit, at moment: Timestamp) {
        self.visit = visit
        arrivalDetected = arrivalDetected ?? moment
    }

    mutating func departed(_ visit: Visit, at moment: Timestamp) {
        self.visit = visit
        departureDetected = moment
    }
}

/// A span of time.
private struct Span {
    let start, end: Timestamp

    var seconds: Double { (end - start).seconds }

    /// Common seconds; negative when there is a gap between the spans.
    func intersection(_ other: Span) -> Double { (min(end, other.end) - max(start, other.start)).seconds }

    func intersectionOverUnion(_ other: Span) -> Double {
        let common = intersection(other)
        guard common > 0 else { return 0 }
        return common / (max(end, other.end) - min(start, other.start)).seconds
    }
}
