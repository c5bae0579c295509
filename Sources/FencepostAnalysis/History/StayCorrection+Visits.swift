public import FencepostModel

extension StayCorrection {
    /// A visit of which a correction leaves less is not shown: the correction was meant to be of all of it.
    public static let shortestRest = Duration.seconds(300)

    /// The visits of a device with what its user states about them: visits are cut to the time of which nothing is stated, and
    /// the stays that are stated are visits with the ids of the corrections.
    ///
    /// - Parameters:
    ///   - corrections: those of the device.
    ///   - visits: in the order of their starts.
    /// - Returns: visits in the order of their starts.
    public static func apply(_ corrections: [StayCorrection], to visits: [Visit]) -> [Visit] {
        guard !corrections.isEmpty else { return visits }
        let spans = corrections.map { TimeSpan($0.arrival, $0.departure) }
        let stated = corrections.compactMap { correction in
            correction.site.map { site in
                Visit(
                    id: correction.id, arrival: correction.arrival, departure: correction.departure,
                    coordinate: site.coordinate, horizontalAccuracy: 0, regions: site.regions)
            }
        }
        return (visits.flatMap { parts(of: $0, without: spans) } + stated).sorted {
            ($0.arrival ?? $0.arrivalLatest ?? .distantPast, $0.id)
                < ($1.arrival ?? $1.arrivalLatest ?? .distantPast, $1.id)
        }
    }

    private static func parts(of visit: Visit, without spans: [TimeSpan]) -> [Visit] {
        let whole = TimeSpan(visit.arrival ?? visit.arrivalLatest ?? .distantPast, visit.departure ?? .distantFuture)
        let rests = spans.gaps(in: whole)
        guard rests != [whole] else { return [visit] }
        return rests.filter { $0.end - $0.start >= shortestRest }.enumerated().map { index, rest in
            var part = visit
            if index > 0 { part.id += "~\(index + 1)" }
            if rest.start != whole.start {
                part.arrival = rest.start
                (part.arrivalEarliest, part.arrivalLatest) = (nil, nil)
            }
            if rest.end != whole.end {
                part.departure = rest.end
                (part.departureEarliest, part.departureLatest) = (nil, nil)
            }
            return part
        }
    }
}
