import FencepostModel

/// The states of visit detection for one device, from one stay to the next.
///
/// A pure state machine: `handle` takes an input, changes the state and appends the reports that follow. It knows nothing
/// of how stays are found in fixes; that is the job of `VisitDetector`.
///
///     searching ── stayFound ──► arriving ── present for the minimum stay ──► visiting
///         ▲                         │                                            │
///         └───────── left ──────────┴────────────────── left ────────────────────┘
///
/// A reported stay is never shorter than the minimum: its departure is no earlier than that.
///
/// A stay that was left becomes the previous stay. It continues, without a report, if the device returns in time.
enum VisitState: Hashable, Sendable {
    /// There is no stay.
    case searching(previous: PreviousStay)
    /// There is a stay that is not yet as long as the minimum. It is not reported.
    case arriving(Boxed<VisitStay>, previous: PreviousStay)
    /// There is a stay, and its arrival is reported.
    case visiting(Boxed<VisitStay>)

    /// The stay before, as long as it may continue.
    enum PreviousStay: Hashable, Sendable {
        case none
        /// It was shorter than the minimum and is not reported.
        case unreported(Boxed<VisitStay>)
        /// Its arrival is reported; its departure is delayed by `VisitSettings.departureHold`.
        case departurePending(Boxed<PendingDeparture>)
    }

    struct PendingDeparture: Hashable, Sendable {
        var stay: VisitStay
        /// When the departure was detected.
        var detectedAt: Timestamp
    }

    /// The estimated end of a stay.
    struct Departure: Hashable, Sendable {
        var time: Timestamp
        /// Bounds, if no fix lies near the end.
        var earliest, latest: Timestamp?
    }

    enum Input: Hashable, Sendable {
        /// Fixes, a gap or a silence show a stay. Valid while searching.
        case stayFound(VisitStay, firstFix: VisitFix)
        /// The device is at the place of the stay.
        case present(at: Timestamp)
        /// The device has left the stay, or no fix has come for too long.
        case left(Departure, detectedAt: Timestamp, rule: Why.Rule)
        /// The time has come.
        case clock(Timestamp)
    }

    /// Takes an input, in time order.
    mutating func handle(_ input: Input, _ limits: VisitLimits, into reports: inout [VisitReport]) {
        switch (self, input) {
        case (.searching(let previous), .stayFound(let found, let firstFix)):
            self = Self.merging(previous, found, firstFix, limits)

        case (.arriving(let stay, let previous), .present(let now)):
            guard now >= stay.content.start.after(limits.minimumStay) else { return }
            previous.reportDeparture(at: now, .nextStay, into: &reports)
            reports.append(stay.content.arrivalReport(at: now))
            self = .visiting(stay)

        case (.arriving(var stay, let previous), .left(let departure, let now, let rule)):
            self = .searching(previous: .none)
            stay.update { $0.end(departure) }
            previous.reportDeparture(at: now, .nextStay, into: &reports)
            if departure.time >= stay.content.start.after(limits.minimumStay) {
                reports.append(stay.content.arrivalReport(at: now))
                leave(stay.content, at: now, rule, limits, into: &reports)
            } else {
                self = .searching(previous: .unreported(stay))
            }

        case (.visiting(var stay), .left(let departure, let now, let rule))
        where rule == .departure && stay.content.isRefuted(by: departure, limits):
            stay.update { $0.end(VisitState.Departure(time: $0.start.after(limits.minimumStay))) }
            reports.append(stay.content.refutation(at: now))
            self = .searching(previous: .none)

        case (.visiting(var stay), .left(var departure, let now, let rule)):
            departure.time = max(departure.time, earliestDeparture(limits) ?? departure.time)
            self = .searching(previous: .none)
            stay.update { $0.end(departure) }
            leave(stay.content, at: now, rule, limits, into: &reports)

        case (.searching(let previous), .clock(let now)):
            guard let due = previous.departureDue(limits), now >= due else { return }
            previous.reportDeparture(at: now, .pendingDeparture, into: &reports)
            self = .searching(previous: .none)

        case (.arriving(let stay, let previous), .clock(let now)):
            guard let due = previous.departureDue(limits), now >= due else { return }
            previous.reportDeparture(at: now, .pendingDeparture, into: &reports)
            self = .arriving(stay, previous: .none)

        case (.visiting, .present), (.visiting, .clock):
            break  // The arrival is reported, and nothing is pending.

        case (.searching, .present), (.searching, .left), (.arriving, .stayFound), (.visiting, .stayFound):
            break  // Not valid in this state.
        }
    }

    /// The state after a stay was found: a new stay, or the previous one if the device has returned to it in time.
    private static func merging(
        _ previous: PreviousStay, _ found: VisitStay, _ firstFix: VisitFix, _ limits: VisitLimits
    ) -> VisitState {
        let earlier: VisitStay
        let isReported: Bool
        switch previous {
        case .none:
            return .arriving(Boxed(found), previous: .none)
        case .unreported(let stay):
            earlier = stay.content
            isReported = false
            guard found.start - (earlier.departure ?? earlier.start) <= .seconds(VisitRule.reunionSpan) else {
                return .arriving(Boxed(found), previous: previous)
            }
        case .departurePending(let pending):
            earlier = pending.content.stay
            isReported = true
        }
        guard earlier.centroid.distance(to: firstFix) < VisitRule.reunionRadii * limits.radius else {
            return .arriving(Boxed(found), previous: previous)
        }
        var merged = found
        merged.identity = earlier.identity
        (merged.arrival, merged.arrivalEarliest) = (earlier.arrival, earlier.arrivalEarliest)
        merged.firstInside = earlier.firstInside
        return isReported ? .visiting(Boxed(merged)) : .arriving(Boxed(merged), previous: .none)
    }

    /// Ends a reported stay: reports the departure, or delays the report.
    private mutating func leave(
        _ stay: VisitStay, at now: Timestamp, _ rule: Why.Rule, _ limits: VisitLimits,
        into reports: inout [VisitReport]
    ) {
        if limits.departureHold == 0 {
            reports.append(stay.departureReport(at: now, rule))
            self = .searching(previous: .none)
        } else {
            self = .searching(previous: .departurePending(Boxed(PendingDeparture(stay: stay, detectedAt: now))))
        }
    }
}

// MARK: - Queries

extension VisitState {
    var isSearching: Bool {
        switch self {
        case .searching: true
        case .arriving, .visiting: false
        }
    }

    /// The current stay.
    var stay: VisitStay? {
        switch self {
        case .searching: nil
        case .arriving(let stay, _), .visiting(let stay): stay.content
        }
    }

    /// The centre of the current stay.
    @inline(__always)
    var centroid: VisitCentroid? {
        switch self {
        case .searching: nil
        case .arriving(let stay, _), .visiting(let stay): stay.content.centroid
        }
    }

    /// Changes the current stay in place, if there is one.
    @inline(__always) @discardableResult
    mutating func updateStay<Result>(_ body: (inout VisitStay) -> Result) -> Result? {
        // The state must not share the storage of the stay while it changes, or the storage would be copied.
        switch self {
        case .searching:
            return nil
        case .arriving(var stay, let previous):
            self = .searching(previous: .none)
            defer { self = .arriving(stay, previous: previous) }
            return stay.update(body)
        case .visiting(var stay):
            self = .searching(previous: .none)
            defer { self = .visiting(stay) }
            return stay.update(body)
        }
    }

    var previous: PreviousStay {
        switch self {
        case .searching(let previous), .arriving(_, let previous): previous
        case .visiting: .none
        }
    }

    /// When a stay that is not yet reported is as long as the minimum; `nil` in the other states.
    @inline(__always)
    func arrivalDue(_ limits: VisitLimits) -> Timestamp? {
        switch self {
        case .arriving(let stay, _): stay.content.start.after(limits.minimumStay)
        case .searching, .visiting: nil
        }
    }

    /// The earliest departure of a reported stay; `nil` in the other states.
    func earliestDeparture(_ limits: VisitLimits) -> Timestamp? {
        switch self {
        case .visiting(let stay): stay.content.start.after(limits.minimumStay)
        case .searching, .arriving: nil
        }
    }

    /// When a delayed departure is reported; `nil` if none is pending.
    @inline(__always)
    func departureDue(_ limits: VisitLimits) -> Timestamp? {
        switch self {
        case .searching(let previous), .arriving(_, let previous): previous.departureDue(limits)
        case .visiting: nil
        }
    }

    /// The size of its heap blocks, in bytes.
    var heapByteCount: Int {
        let current =
            switch self {
            case .searching: 0
            case .arriving(let stay, _), .visiting(let stay): stay.heapByteCount
            }
        return switch previous {
        case .none: current
        case .unreported(let stay): current + stay.heapByteCount
        case .departurePending(let pending): current + pending.heapByteCount
        }
    }
}

extension VisitState.PreviousStay {
    @inline(__always)
    fileprivate func departureDue(_ limits: VisitLimits) -> Timestamp? {
        switch self {
        case .none, .unreported: nil
        case .departurePending(let pending): pending.content.detectedAt.after(limits.departureHold)
        }
    }

    /// Reports the pending departure, if there is one.
    fileprivate func reportDeparture(at now: Timestamp, _ rule: Why.Rule, into reports: inout [VisitReport]) {
        switch self {
        case .none, .unreported: break
        case .departurePending(let pending): reports.append(pending.content.stay.departureReport(at: now, rule))
        }
    }
}

extension VisitStay {
    /// Whether it is too short, and no fix at the place shows otherwise: it was reported in a silence, and the fix after that
    /// is too far away.
    func isRefuted(by departure: VisitState.Departure, _ limits: VisitLimits) -> Bool {
        let shortest = start.after(limits.minimumStay)
        return departure.time < shortest && lastInside.time < shortest
    }

    fileprivate mutating func end(_ departure: VisitState.Departure) {
        self.departure = departure.time
        (departureEarliest, departureLatest) = (departure.earliest, departure.latest)
    }
}
