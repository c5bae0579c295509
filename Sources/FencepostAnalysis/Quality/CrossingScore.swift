public import FencepostModel

/// How well told crossings agree with the true ones.
///
/// A required crossing is matched by the first told one of its kind from 60 s before it until 120 s after the next
/// required crossing; brief, shallow and unseen crossings may be told once and need not be; all else is false.
public struct CrossingScore: Hashable, Sendable {
    public private(set) var devices = 0
    public private(set) var hours = 0.0
    public private(set) var required = 0
    public private(set) var matched = 0
    public private(set) var falsely = 0
    /// Of the false ones, those that repeat the kind of the one before.
    public private(set) var duplicated = 0
    /// Of the false ones, those within 15 minutes of their opposite.
    public private(set) var flapping = 0
    /// Told crossings that count neither way.
    public private(set) var optional = 0
    /// Seconds from the true crossing, and from the first usable fix on the new side, until it was told.
    public private(set) var latencies: [Double] = []
    public private(set) var reactions: [Double] = []
    /// Seconds between the true time and the told one.
    public private(set) var timeErrors: [Double] = []
    public private(set) var calibration = Calibration()

    public var missed: Int { required - matched }
    public var precision: Double { Statistics.share(matched, of: matched + falsely) }
    public var recall: Double { Statistics.share(matched, of: required) }
    public var f1: Double { Statistics.f1(precision: precision, recall: recall) }
    public var falsePerDeviceDay: Double { hours > 0 ? Double(falsely) / hours * 24 : 0 }

    /// F1 where a match counts only if it was told so soon after the first usable fix on the new side.
    public func f1(within seconds: Double) -> Double {
        let prompt = reactions.count { $0 <= seconds }
        return Statistics.f1(
            precision: Statistics.share(prompt, of: matched + falsely), recall: Statistics.share(prompt, of: required))
    }

    public func latency(_ share: Double) -> Double? { Statistics.quantile(share, of: latencies) }
    public func reaction(_ share: Double) -> Double? { Statistics.quantile(share, of: reactions) }
    public func timeError(_ share: Double) -> Double? { Statistics.quantile(share, of: timeErrors) }

    /// Scores the events of a benchmark as a whole and by sampling profile.
    ///
    /// - Parameter events: each device's in the order in which they were told; all but entries and exits are passed over.
    public static func score(
        _ events: [Event], of benchmark: Benchmark
    ) -> (all: CrossingScore, profiles: [String: CrossingScore]) {
        var told: [Pair: [Told]] = [:]
        for event in events {
            switch event.occurrence {
            case .regionEntered(let region): told[Pair(event, region), default: []].append(Told(event, isEntry: true))
            case .regionExited(let region, _):
                told[Pair(event, region), default: []].append(Told(event, isEntry: false))
            case .regionDwelled, .visitArrived, .visitDeparted, .deviceStale, .deviceRecovered, .appRelaunched: break
            }
        }
        let truth = Dictionary(grouping: benchmark.crossings) { Pair(device: $0.device, region: $0.region) }
        var all = CrossingScore()
        var profiles: [String: CrossingScore] = [:]
        var profile: [DeviceID: String] = [:]
        for stream in benchmark.streams {
            profile[stream.device] = stream.profile
            all.add(stream)
            profiles[stream.profile, default: CrossingScore()].add(stream)
        }
        for pair in Set(told.keys).union(truth.keys) {
            let match = Match(told[pair] ?? [], truth[pair] ?? [])
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
        for told in match.told {
            switch told.verdict {
            case .matches(let crossing):
                matched += 1
                latencies.append((told.detectedAt - crossing.timestamp).seconds)
                timeErrors.append(abs((told.timestamp - crossing.timestamp).seconds))
                if let first = crossing.observableAt { reactions.append(max(0, (told.detectedAt - first).seconds)) }
            case .optional: optional += 1
            case .isFalse(let isRepeated, let isFlapping):
                falsely += 1
                if isRepeated { duplicated += 1 }
                if isFlapping { flapping += 1 }
            }
            calibration.add(told)
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

/// One told crossing and what it turned out to be.
struct Told: Hashable {
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
}

/// The told and the true crossings of one device and region, put side by side.
private struct Match {
    var told: [Told]
    let required: Int

    init(_ events: [Told], _ truth: [Benchmark.Crossing]) {
        // The sort is stable: of one moment, in the order in which they were told.
        told = events.sorted { $0.detectedAt < $1.detectedAt }
        let byTime = truth.sorted { $0.timestamp < $1.timestamp }
        required = byTime.count { $0.isRequired }
        var isUsed = [Bool](repeating: false, count: told.count)
        for crossing in byTime where crossing.isRequired {
            let window = Self.window(of: crossing)
            guard
                let place = told.indices.first(where: {
                    !isUsed[$0] && told[$0].isEntry == crossing.isEntry && window.contains(told[$0].detectedAt)
                })
            else { continue }
            isUsed[place] = true
            told[place].verdict = .matches(crossing)
        }
        var open = byTime.filter { !$0.isRequired }
        for place in told.indices where !isUsed[place] {
            guard
                let index = open.firstIndex(where: {
                    $0.isEntry == told[place].isEntry && Self.window(of: $0).contains(told[place].detectedAt)
                })
            else { continue }
            open.remove(at: index)
            isUsed[place] = true
            told[place].verdict = .optional
        }
        for place in told.indices where !isUsed[place] {
            let isRepeated = place > 0 && told[place - 1].isEntry == told[place].isEntry
            let isFlapping =
                !isRepeated
                && [place - 1, place + 1].contains { other in
                    told.indices.contains(other) && told[other].isEntry != told[place].isEntry
                        && abs((told[other].detectedAt - told[place].detectedAt).seconds) <= 900
                }
            told[place].verdict = .isFalse(isRepeated: isRepeated, isFlapping: isFlapping)
        }
    }

    /// When a crossing may be told.
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
