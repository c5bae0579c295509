import FencepostModel

/// An entry, an exit or a dwell of one device and one region, before it becomes an event.
struct RegionReport: Hashable, Sendable {
    enum Kind: Hashable, Sendable {
        case dwelled(Duration)
        case exited(Occurrence.ExitReason?)
        case entered
    }

    var kind: Kind
    var timestamp: Timestamp
    var detectedAt: Timestamp
    /// Bounds, if no fix lies near it in time.
    var earliest, latest: Timestamp?
    var confidence: Double?
    /// As in `Event`.
    var isCrossing = true
    var why: Why
}

/// One device and one region: where the device is, whether it counts as a stay, and since when.
///
/// A stay is the time inside while the region is open; it is what a device enters, dwells in and exits. A value of 56
/// bytes without references: `distantFuture` stands for an absent moment.
struct RegionPresence: Hashable, Sendable {
    private struct Stay {
        var entry: Timestamp
        /// The number of the region's dwell times that were reported.
        var dwellsReported: Int32 = 0
    }

    private(set) var crossing: CrossingState
    private var dwellsReported: Int32 = 0
    private var entry = Timestamp.distantFuture
    /// When the schedule opens or closes next; kept only while the device is inside.
    private var scheduleChange = Timestamp.distantFuture
    /// The first moment at which an event may be due without a fix; `distantFuture` if none.
    private(set) var deadline = Timestamp.distantFuture

    private var stay: Stay? {
        get { entry == .distantFuture ? nil : Stay(entry: entry, dwellsReported: dwellsReported) }
        set {
            entry = newValue?.entry ?? .distantFuture
            dwellsReported = newValue?.dwellsReported ?? 0
        }
    }

    /// The state of a region before its first fix. `moment` is the last fix, if the region was monitored then and the
    /// device was certainly outside; else `nil`.
    init(_ mode: CrossingMode, knownOutsideSince moment: Timestamp?) {
        crossing = CrossingState(mode, knownOutsideSince: moment)
    }

    /// The state after an entry into a region of mode `raw` that reports every entry and exit and nothing else.
    init(plainEntry entry: Timestamp) {
        crossing = .raw(isInside: true)
        self.entry = entry
    }

    /// When a fix at a moment outside of such a region ends the stay; `nil` if it ends none.
    func plainExit(at moment: Timestamp) -> Timestamp? { isStaying ? max(moment, entry) : nil }

    /// Whether the device is inside according to its events: within the boundary while the region is open.
    var isStaying: Bool { entry != .distantFuture }

    /// Since when the device is inside according to its events; `nil` if it is outside.
    var stayStart: Timestamp? { isStaying ? entry : nil }

    /// Whether the state may be dropped: the device is certainly outside and nothing is pending.
    var isUntracked: Bool { entry == .distantFuture && crossing.isUntracked }

    /// Whether the device is outside of the boundary, whatever the schedule says.
    var isKnownOutside: Bool { crossing.isInside == false }

    /// Takes a fix, after all deadlines up to its time.
    ///
    /// `proximity` is `nil` if the region is beyond the search radius. `change` is set to the change that the fix decides, if
    /// any, which `apply` turns into reports. Without one, only a `coreLocation` region can have a new deadline, and
    /// `updateDeadline` is due. It is no result, which would be copied. Six parameters, because `CrossingState` takes five.
    @inline(never)
    mutating func located(
        _ proximity: Proximity?, _ location: Location, _ evidence: FixEvidence?, _ mode: CrossingMode,
        _ settings: MonitorSettings, into change: inout PresenceChange?
    ) {
        if crossing.mode != mode {
            // The region's mode has changed: the known state is the start of the new mode.
            let isInside = crossing.isInside
            crossing = CrossingState(mode, isInside: isInside, at: location.timestamp)
        }
        crossing.handle(proximity, location, evidence, settings, into: &change)
    }

    /// Whether a fix so deep inside, in metres, only confirms that the device is inside, by mode `confirmed`.
    @inline(__always)
    func isConfirmedInside(signedDistance: Double, _ fix: ClearFix) -> Bool {
        guard case .confirmed(let presence) = crossing else { return false }
        return presence.isConfirmedInside(signedDistance: signedDistance, fix)
    }

    /// Takes a fix for which `isConfirmedInside` is true, as `located` does.
    @inline(__always)
    mutating func stayInside(signedDistance: Double, _ fix: ClearFix) {
        guard case .confirmed(var presence) = crossing else { return }
        presence.stayInside(signedDistance: signedDistance, fix)
        crossing = .confirmed(presence)
    }

    /// Takes what the fix after an untrusted one shows, before `located` takes it.
    ///
    /// `isConfirmed` is whether the untrusted fix was right, and `untrusted` is its time.
    ///
    /// - Returns: a change, which `apply` turns into reports.
    mutating func untrustedFixEnds(isConfirmed: Bool, untrusted: Timestamp, _ location: Location) -> PresenceChange? {
        crossing.untrustedFixEnds(isConfirmed: isConfirmed, untrusted: untrusted, location)
    }

    /// Takes the passing of the moment that `deadline` names; `now` is that moment or a later one.
    mutating func deadlineReached(_ now: Timestamp, in region: Region) -> [RegionReport] {
        var reports: [RegionReport] = []
        if let expires = region.expires, expires <= now {
            return leave(because: .expired, at: expires, in: region)
        }
        if let due = dwellDeadline(region), due <= now {
            let dwell = region.dwells[Int(dwellsReported)]
            dwellsReported += 1
            reports.append(
                RegionReport(kind: .dwelled(dwell), timestamp: due, detectedAt: now, why: Why(rule: .dwellDeadline)))
        }
        if scheduleChange <= now, let schedule = region.schedule {
            let moment = scheduleChange
            scheduleChange = schedule.nextTransition(after: now) ?? .distantFuture
            let isOpen = schedule.isOpen(at: now)
            if isOpen, stay == nil {
                stay = Stay(entry: moment)
                append(
                    RegionReport(
                        kind: .entered, timestamp: moment, detectedAt: now, isCrossing: false,
                        why: Why(rule: .scheduleOpened)),
                    to: &reports, in: region)
            } else if !isOpen, stay != nil {
                stay = nil
                append(
                    RegionReport(
                        kind: .exited(nil), timestamp: moment, detectedAt: now, isCrossing: false,
                        why: Why(rule: .scheduleClosed)),
                    to: &reports, in: region)
            }
        }
        if let change = crossing.deadlineReached(now) { reports += apply(change, in: region) }
        updateDeadline(region)
        return reports
    }

    /// Ends the stay because the region is gone. The caller drops the state.
    mutating func leave(
        because reason: Occurrence.ExitReason, at moment: Timestamp, in region: Region
    ) -> [RegionReport] {
        deadline = .distantFuture
        guard let stay else { return [] }
        self.stay = nil
        var reports: [RegionReport] = []
        let timestamp = max(moment, stay.entry)
        let rule: Why.Rule =
            switch reason {
            case .expired: .regionExpired
            case .deleted: .regionDeleted
            }
        append(
            RegionReport(
                kind: .exited(reason), timestamp: timestamp, detectedAt: timestamp, isCrossing: false,
                why: Why(rule: rule)),
            to: &reports, in: region)
        return reports
    }

    /// Adapts the deadlines to a replaced region.
    mutating func regionChanged(to region: Region, at moment: Timestamp) {
        scheduleChange =
            (crossing.isInside == true ? region.schedule?.nextTransition(after: moment) : nil) ?? .distantFuture
        if let stay {
            // The list of dwell times may be another one; those that have passed are not reported again.
            let passed = region.dwells.firstIndex { stay.entry + $0 > moment } ?? region.dwells.count
            dwellsReported = Int32(passed)
        }
        updateDeadline(region)
    }

    /// Turns a change of the crossing state into reports.
    mutating func apply(_ change: PresenceChange, in region: Region) -> [RegionReport] {
        var reports: [RegionReport] = []
        if change.isInside {
            scheduleChange = region.schedule?.nextTransition(after: change.detectedAt) ?? .distantFuture
            if region.schedule?.isOpen(at: change.detectedAt) ?? true {
                stay = Stay(entry: change.timestamp)
                let isSilent =
                    change.isInitial && (region.initialState == .silent || crossing.mode == .coreLocation)
                if !isSilent { append(RegionReport(.entered, change), to: &reports, in: region) }
            }
        } else {
            scheduleChange = .distantFuture
            if let stay {
                self.stay = nil
                // A stay that began when the schedule opened cannot end before.
                append(RegionReport(.exited(nil), change, notBefore: stay.entry), to: &reports, in: region)
            }
        }
        updateDeadline(region)
        return reports
    }

    /// As `apply`, for a region that reports every entry and exit and nothing else.
    mutating func apply(plain change: PresenceChange) -> RegionReport? {
        scheduleChange = .distantFuture
        updatePlainDeadline()
        if change.isInside {
            stay = Stay(entry: change.timestamp)
            return change.isInitial && crossing.mode == .coreLocation ? nil : RegionReport(.entered, change)
        }
        guard let stay else { return nil }
        self.stay = nil
        return RegionReport(.exited(nil), change, notBefore: stay.entry)
    }

    /// As `updateDeadline`, for a region that reports every entry and exit and nothing else.
    mutating func updatePlainDeadline() { deadline = crossing.deadline ?? .distantFuture }

    private func append(_ report: RegionReport, to reports: inout [RegionReport], in region: Region) {
        switch report.kind {
        case .entered: if region.notifyOnEntry { reports.append(report) }
        case .exited: if region.notifyOnExit { reports.append(report) }
        case .dwelled: reports.append(report)
        }
    }

    private func dwellDeadline(_ region: Region) -> Timestamp? {
        guard let stay, Int(stay.dwellsReported) < region.dwells.count else { return nil }
        return stay.entry + region.dwells[Int(stay.dwellsReported)]
    }

    /// Computes `deadline` again, after a change of anything that it depends on.
    mutating func updateDeadline(_ region: Region) {
        deadline = scheduleChange
        for moment in [dwellDeadline(region), crossing.deadline] { deadline = min(deadline, moment ?? .distantFuture) }
        if stay != nil || crossing.isInside == true { deadline = min(deadline, region.expires ?? .distantFuture) }
    }
}

extension RegionReport {
    fileprivate init(_ kind: Kind, _ change: PresenceChange) {
        self.init(
            kind: kind, timestamp: change.timestamp, detectedAt: change.detectedAt, earliest: change.earliest,
            latest: change.latest, confidence: change.confidence, isCrossing: !change.isInitial,
            why: change.why)
    }

    fileprivate init(_ kind: Kind, _ change: PresenceChange, notBefore entry: Timestamp) {
        self.init(kind, change)
        timestamp = max(timestamp, entry)
        earliest = earliest.map { max($0, entry) }
        latest = latest.map { max($0, entry) }
    }
}

// The keys are part of stored states and must not change.
extension RegionPresence: Codable {
    private enum CodingKeys: CodingKey { case crossing, stay, scheduleChange, deadline }
    private enum StayKeys: String, CodingKey { case entry, dwellsReported = "dwellsTold" }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        crossing = try container.decode(CrossingState.self, forKey: .crossing)
        if container.contains(.stay) {
            let stay = try container.nestedContainer(keyedBy: StayKeys.self, forKey: .stay)
            entry = try stay.decode(Timestamp.self, forKey: .entry)
            dwellsReported = try stay.decode(Int32.self, forKey: .dwellsReported)
        }
        scheduleChange = try container.decodeIfPresent(Timestamp.self, forKey: .scheduleChange) ?? .distantFuture
        deadline = try container.decodeIfPresent(Timestamp.self, forKey: .deadline) ?? .distantFuture
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(crossing, forKey: .crossing)
        if isStaying {
            var stay = container.nestedContainer(keyedBy: StayKeys.self, forKey: .stay)
            try stay.encode(entry, forKey: .entry)
            try stay.encode(dwellsReported, forKey: .dwellsReported)
        }
        if scheduleChange != .distantFuture { try container.encode(scheduleChange, forKey: .scheduleChange) }
        if deadline != .distantFuture { try container.encode(deadline, forKey: .deadline) }
    }
}
