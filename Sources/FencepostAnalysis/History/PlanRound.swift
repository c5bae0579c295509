public import FencepostModel

/// A round of one device on one date, with what is known of each place.
public struct PlanRound: Hashable, Sendable {
    /// How far a round is. The raw values are on the wire.
    public enum State: String, Hashable, Sendable, CaseIterable {
        /// Its first window has not begun.
        case upcoming
        /// Places can still change.
        case running
        /// All places are decided.
        case completed
        /// The plan was changed or ended before the round was.
        case cancelled
    }

    /// How far a place is. The raw values are on the wire.
    public enum StopState: String, Hashable, Sendable, CaseIterable {
        /// Its window has not begun.
        case upcoming
        /// Its window has begun, and no verdict is known yet.
        case open
        case visited
        case late
        case missed
        /// The window is over without a verdict: the device had sent no location before the round began, or the plan was changed.
        case unknown
    }

    /// A place of the round.
    public struct Stop: Hashable, Sendable {
        /// The number of the place in the plan, from 1.
        public var number: Int
        /// The region.
        public var region: RegionID
        /// The window.
        public var start, end: Timestamp
        /// How far it is.
        public var state: StopState
        /// When the stay was long enough; `nil` if it was not.
        public var time: Timestamp?
        /// When the device came; `nil` if it did not.
        public var arrival: Timestamp?
        /// How sure the verdict is, 0 to 1.
        public var confidence: Double?
        /// As in `PlanReport.Stop`.
        public var isInOrder: Bool?
        /// The id of the event that decided it.
        public var event: String?
    }

    /// A verdict that was stored.
    public struct Verdict: Hashable, Sendable {
        /// The id of the event.
        public var id: String
        /// The device.
        public var deviceID: DeviceID
        /// The time of the event.
        public var time: Timestamp
        /// 0 to 1.
        public var confidence: Double?
        /// What happened.
        public var report: PlanReport

        /// The verdict of an event; `nil` for one that is not of a round.
        public init?(_ event: Event) {
            guard case .plan(let report) = event.occurrence else { return nil }
            (id, deviceID, time, confidence) = (event.id, event.deviceID, event.timestamp, event.confidence)
            self.report = report
        }
    }

    /// The plan.
    public var plan: String
    /// The name of the plan.
    public var name: String?
    /// The device.
    public var deviceID: DeviceID
    /// The date, in days since 1970-01-01.
    public var day: Int
    /// When the first window begins, and the last one ends.
    public var start, end: Timestamp
    /// How far it is.
    public var state: State
    /// The places, in the order of the plan.
    public var stops: [Stop]
    /// Whether the order was kept; `nil` in plans without one, and until it is completed.
    public var isInOrder: Bool?

    /// Places with a state.
    public func count(_ state: StopState) -> Int { stops.reduce(0) { $0 + ($1.state == state ? 1 : 0) } }

    /// The rounds of a plan.
    ///
    /// - Parameters:
    ///   - versions: the versions of the plan, without groups, the oldest first.
    ///   - days: the dates, in days since 1970-01-01.
    ///   - devices: the devices that are asked about; those to which the plan does not apply have no rounds, unless they have
    ///     verdicts.
    ///   - verdicts: the stored verdicts of the devices that hold.
    ///   - now: the current time.
    /// - Returns: the rounds, by date and device.
    public static func rounds(
        of versions: [Plan], on days: ClosedRange<Int>, _ devices: [DeviceID], _ verdicts: [Verdict], at now: Timestamp
    ) -> [PlanRound] {
        var known: [Key: [Verdict]] = [:]
        for verdict in verdicts {
            known[Key(device: verdict.deviceID, day: verdict.report.day), default: []].append(verdict)
        }
        var rounds: [PlanRound] = []
        for day in days {
            for plan in versions where plan.calendar.includes(day) {
                let start = plan.start(on: day)
                guard start >= plan.since, start < plan.until ?? .distantFuture else { continue }
                for device in devices {
                    let own = known[Key(device: device, day: day)] ?? []
                    guard plan.applies(to: device) || !own.isEmpty else { continue }
                    rounds.append(PlanRound(plan, day, device, own, at: now))
                }
            }
        }
        return rounds
    }

    private struct Key: Hashable {
        var device: DeviceID
        var day: Int
    }

    private init(_ plan: Plan, _ day: Int, _ device: DeviceID, _ verdicts: [Verdict], at now: Timestamp) {
        (self.plan, name, deviceID, self.day) = (plan.id, plan.name, device, day)
        start = plan.start(on: day)
        stops = plan.stops.enumerated().map { index, stop in
            let window = plan.window(of: stop, on: day)
            let state: StopState =
                now < window.start ? .upcoming : now <= window.end + Plan.settling ? .open : .unknown
            return Stop(number: index + 1, region: stop.region, start: window.start, end: window.end, state: state)
        }
        end = stops.map(\.end).max() ?? start
        var summary: PlanSummary?
        for verdict in verdicts {
            let next: StopState
            switch verdict.report.kind {
            case .visited: next = .visited
            case .late: next = .late
            case .missed: next = .missed
            case .completed(let result):
                summary = result
                continue
            }
            // A visit that was found later goes before a missed place.
            guard let found = verdict.report.stop, stops.indices.contains(found.number - 1),
                !stops[found.number - 1].isVisited || next == .visited
            else { continue }
            stops[found.number - 1].take(verdict, found, next)
        }
        isInOrder = summary?.isInOrder
        let isCut = (plan.until ?? .distantFuture) <= min(now, plan.end(on: day))
        state =
            summary != nil
            ? .completed
            : isCut
                ? .cancelled
                : now < start
                    ? .upcoming
                    : now < plan.end(on: day) ? .running : .completed
    }
}

extension PlanRound.Stop {
    fileprivate var isVisited: Bool { state == .visited || state == .late }

    fileprivate mutating func take(
        _ verdict: PlanRound.Verdict, _ found: PlanReport.Stop, _ next: PlanRound.StopState
    ) {
        (state, event, confidence) = (next, verdict.id, verdict.confidence)
        (arrival, isInOrder) = (found.arrival, found.isInOrder)
        time = next == .missed ? nil : verdict.time
    }
}
