public import FencepostModel

/// Agreement of detected crossings with the true ones.
///
/// A required crossing is matched by the first detected one of its kind from 60 s before it until 120 s after the next
/// required crossing. Optional crossings (brief, shallow, or without fixes) may be detected once. All others are false.
public struct CrossingScore: Hashable, Sendable {
    /// Number of devices.
    public private(set) var devices = 0
    /// Total duration of the recordings in hours.
    public private(set) var hours = 0.0
    /// Number of required crossings.
    public private(set) var required = 0
    /// Number of required crossings that were detected.
    public private(set) var matched = 0
    /// Number of false detections.
    public private(set) var falsePositives = 0
    /// False positives that repeat the kind of the previous crossing.
    public private(set) var duplicated = 0
    /// False positives within 15 minutes of their opposite.
    public private(set) var flapping = 0
    /// Detected optional crossings.
    public private(set) var optional = 0
    /// Seconds from the true crossing until its detection.
    public private(set) var latencies: [Double] = []
    /// Seconds from the first usable fix on the new side until the detection of the crossing.
    public private(set) var reactions: [Double] = []
    /// Seconds between the true and the reported time.
    public private(set) var timeErrors: [Double] = []
    /// Correct detections by confidence.
    public private(set) var calibration = Calibration()

    /// Number of required crossings that were not detected.
    public var missed: Int { required - matched }
    /// Fraction of detections that are correct, without optional ones.
    public var precision: Double { Statistics.fraction(matched, of: matched + falsePositives) }
    /// Fraction of required crossings that were detected.
    public var recall: Double { Statistics.fraction(matched, of: required) }
    /// Harmonic mean of precision and recall.
    public var f1: Double { Statistics.f1(precision: precision, recall: recall) }
    /// False detections per device and day.
    public var falsePerDeviceDay: Double { hours > 0 ? Double(falsePositives) / hours * 24 : 0 }

    /// F1 of matches that were detected within these seconds after the first usable fix on the new side.
    public func f1(within seconds: Double) -> Double {
        let prompt = reactions.count { $0 <= seconds }
        return Statistics.f1(
            precision: Statistics.fraction(prompt, of: matched + falsePositives),
            recall: Statistics.fraction(prompt, of: required))
    }

    /// Quantile of the seconds from the crossing to its detection; `nil` without matches.
    public func latency(_ fraction: Double) -> Double? { Statistics.quantile(fraction, of: latencies) }
    /// Quantile of the seconds from the first usable fix to the detection; `nil` without matches.
    public func reaction(_ fraction: Double) -> Double? { Statistics.quantile(fraction, of: reactions) }
    /// Quantile of the error of the reported time in seconds; `nil` without matches.
    public func timeError(_ fraction: Double) -> Double? { Statistics.quantile(fraction, of: timeErrors) }

    /// Scores the events of a benchmark as a whole and by sampling profile.
    ///
    /// - Parameters:
    ///   - events: those of a device in the order of their detection. Only entries and exits count.
    ///   - benchmark: the truth.
    /// - Returns: the score of all devices, and that of each profile.
    public static func score(
        _ events: [Event], of benchmark: Benchmark
    ) -> (all: CrossingScore, profiles: [String: CrossingScore]) {
        let detected = ScoredCrossing.byPair(events)
        let truth = Dictionary(grouping: benchmark.crossings) { Pair(device: $0.device, region: $0.region) }
        var all = CrossingScore()
        var profiles: [String: CrossingScore] = [:]
        var profile: [DeviceID: String] = [:]
        for stream in benchmark.streams {
            profile[stream.device] = stream.profile
            all.add(stream)
            profiles[stream.profile, default: CrossingScore()].add(stream)
        }
        for pair in Set(detected.keys).union(truth.keys) {
            let match = Match(detected[pair] ?? [], truth[pair] ?? [])
            all.add(match)
            profiles[profile[pair.device] ?? "", default: CrossingScore()].add(match)
        }
        return (all, profiles)
    }

    private mutating func add(_ stream: Benchmark.Stream) {
        devices += 1
        hours += (stream.end - stream.start).seconds / 3600
    }

    private mutating func add(_ match: Match) {
        required += match.required
        for detected in match.detected {
            switch detected.verdict {
            case .matches(let crossing):
                matched += 1
                latencies.append((detected.detectedAt - crossing.timestamp).seconds)
                timeErrors.append(abs((detected.timestamp - crossing.timestamp).seconds))
                if let first = crossing.observableAt { reactions.append(max(0, (detected.detectedAt - first).seconds)) }
            case .optional: optional += 1
            case .isFalse(let isRepeated, let isFlapping):
                falsePositives += 1
                if isRepeated { duplicated += 1 }
                if isFlapping { flapping += 1 }
            }
            calibration.add(detected)
        }
    }

    struct Pair: Hashable {
        let device: DeviceID
        let region: RegionID

        init(device: DeviceID, region: RegionID) {
            self.device = device
            self.region = region
        }

        init(_ event: Event, _ region: RegionSummary) {
            self.init(device: event.deviceID, region: region.id)
        }
    }
}

/// A detected crossing and its result.
struct ScoredCrossing: Hashable {
    enum Verdict: Hashable {
        case matches(Benchmark.Crossing)
        case optional
        case isFalse(isRepeated: Bool, isFlapping: Bool)
    }

    let isEntry: Bool
    let timestamp, detectedAt: Timestamp
    let confidence: Double?
    var verdict = Verdict.isFalse(isRepeated: false, isFlapping: false)

    init(_ event: Event, isEntry: Bool) {
        self.isEntry = isEntry
        timestamp = event.timestamp
        detectedAt = event.detectedAt
        confidence = event.confidence
    }

    /// The entries and exits of events by device and region.
    static func byPair(_ events: [Event]) -> [CrossingScore.Pair: [ScoredCrossing]] {
        var crossings: [CrossingScore.Pair: [ScoredCrossing]] = [:]
        for event in events {
            switch event.occurrence {
            case .regionEntered(let region):
                crossings[.init(event, region), default: []].append(ScoredCrossing(event, isEntry: true))
            case .regionExited(let region, _):
                crossings[.init(event, region), default: []].append(ScoredCrossing(event, isEntry: false))
            case .regionDwelled, .visitArrived, .visitDeparted, .deviceStale, .deviceRecovered, .appRelaunched, .alert,
                .fence, .proximity, .plan:
                break
            }
        }
        return crossings
    }
}

/// Matches the detected crossings of a device and region with the true ones.
private struct Match {
    var detected: [ScoredCrossing]
    let required: Int

    init(_ events: [ScoredCrossing], _ truth: [Benchmark.Crossing]) {
        // The sort is stable: crossings of one moment stay in the order of their detection.
        detected = events.sorted { $0.detectedAt < $1.detectedAt }
        let byTime = truth.sorted { $0.timestamp < $1.timestamp }
        required = byTime.count { $0.isRequired }
        var isUsed = [Bool](repeating: false, count: detected.count)
        for crossing in byTime where crossing.isRequired {
            let window = Self.window(of: crossing)
            guard
                let match = detected.indices.first(where: {
                    !isUsed[$0] && detected[$0].isEntry == crossing.isEntry && window.contains(detected[$0].detectedAt)
                })
            else { continue }
            isUsed[match] = true
            detected[match].verdict = .matches(crossing)
        }
        var open = byTime.filter { !$0.isRequired }
        for index in detected.indices where !isUsed[index] {
            guard
                let optional = open.firstIndex(where: {
                    $0.isEntry == detected[index].isEntry && Self.window(of: $0).contains(detected[index].detectedAt)
                })
            else { continue }
            open.remove(at: optional)
            isUsed[index] = true
            detected[index].verdict = .optional
        }
        for index in detected.indices where !isUsed[index] {
            let isRepeated = index > 0 && detected[index - 1].isEntry == detected[index].isEntry
            let isFlapping =
                !isRepeated
                && [index - 1, index + 1].contains { other in
                    detected.indices.contains(other) && detected[other].isEntry != detected[index].isEntry
                        && abs((detected[other].detectedAt - detected[index].detectedAt).seconds) <= 900
                }
            detected[index].verdict = .isFalse(isRepeated: isRepeated, isFlapping: isFlapping)
        }
    }

    /// The time in which a detection matches the crossing.
    private static func window(of crossing: Benchmark.Crossing) -> ClosedRange<Timestamp> {
        let afterNext = crossing.until.map { $0 + .seconds(120) }
        if crossing.isRequired {
            let first = (crossing.earliest ?? crossing.timestamp) - .seconds(60)
            return first...max(first, afterNext ?? .distantFuture)
        }
        let tenMinutes = crossing.timestamp + .seconds(600)
        return (crossing.timestamp - .seconds(60))...max(tenMinutes, afterNext ?? tenMinutes)
    }
}
