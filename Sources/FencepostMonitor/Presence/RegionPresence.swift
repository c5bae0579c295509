import FencepostModel

/// What is to be told about one device and one region.
struct RegionReport: Hashable, Sendable {
    enum Kind: Hashable, Sendable {
        case dwelled(Duration)
        case exited(Occurrence.ExitReason?)
        case entered
    }

    var kind: Kind
    var timestamp: Timestamp
    var detectedAt: Timestamp
    var confidence: Double?
    var why: Why
}

/// One device and one region: where the device is, whether that counts now, and how long it has been so.
///
/// Being inside becomes a stay while the region is open; a stay is what is entered, dwelled in and exited. A value of 48
/// bytes without a reference: `distantFuture` stands for a moment that there is not.
struct RegionPresence: Hashable, Sendable {
    private struct Stay {
        var entry: Timestamp
        /// How many of the region's dwells were told.
        var dwellsTold: Int32 = 0
    }

    private(set) var crossing: CrossingState
    private var dwellsTold: Int32 = 0
    private var entry = Timestamp.distantFuture
    /// When the schedule opens or closes next; kept only while the device is inside.
    private var scheduleChange = Timestamp.distantFuture
    /// The first moment at which something may happen without a fix; `distantFuture` when nothing can.
    private(set) var deadline = Timestamp.distantFuture

    private var stay: Stay? {
        get { entry == .distantFuture ? nil : Stay(entry: entry, dwellsTold: dwellsTold) }
        set {
            entry = newValue?.entry ?? .distantFuture
            dwellsTold = newValue?.dwellsTold ?? 0
        }
    }

    init(_ mode: CrossingMode, knownOutsideSince moment: Timestamp?) {
        crossing = CrossingState(mode, knownOutsideSince: moment)
    }

    /// Whether the device is inside as far as events go: within the boundary while the region is open.
    var isStaying: Bool { entry != .distantFuture }

    /// Surely outside with nothing pending: the same as a pair that was never kept.
    var isAtRest: Bool { entry == .distantFuture && crossing.isAtRest }

    /// Whether the device is beyond the boundary for sure, whatever the schedule says.
    var isKnownOutside: Bool { crossing.isInside == false }

    /// Takes a fix; all deadlines up to its time have been taken before.
    ///
    /// Without a change only `coreLocation` may have another deadline than before.
    ///
    /// - Parameter proximity: `nil` when the region is farther than bears on the answer.
    /// - Returns: a change, which `take` makes of reports.
    mutating func located(
        _ proximity: Proximity?, _ location: Location, _ evidence: FixEvidence?, _ mode: CrossingMode,
        _ settings: MonitorSettings
    ) -> PresenceChange? {
        if crossing.mode != mode {
            // The region's mode was changed: what is known goes on under the new one.
            let isInside = crossing.isInside
            crossing = CrossingState(mode, isInside: isInside, at: location.timestamp)
        }
        return crossing.handle(proximity, location, evidence, settings)
    }

    /// Takes the moment that `deadline` named.
    mutating func deadlineReached(_ now: Timestamp, in region: Region) -> [RegionReport] {
        var reports: [RegionReport] = []
        if let expires = region.expires, expires <= now {
            return leave(because: .expired, at: expires, in: region)
        }
        if let due = dwellDeadline(region), due <= now {
            let dwell = region.dwells[Int(dwellsTold)]
            dwellsTold += 1
            reports.append(
                RegionReport(
                    kind: .dwelled(dwell), timestamp: due, detectedAt: now,
                    why: Why(rule: "dwell_deadline")))
        }
        if scheduleChange <= now, let schedule = region.schedule {
            let moment = scheduleChange
            scheduleChange = schedule.nextTransition(after: now) ?? .distantFuture
            let isOpen = schedule.isOpen(at: now)
            if isOpen, stay == nil {
                stay = Stay(entry: moment)
                append(
                    RegionReport(
                        kind: .entered, timestamp: moment, detectedAt: now, why: Why(rule: "schedule_opened")),
                    to: &reports, in: region)
            } else if !isOpen, stay != nil {
                stay = nil
                append(
                    RegionReport(
                        kind: .exited(nil), timestamp: moment, detectedAt: now, why: Why(rule: "schedule_closed")),
                    to: &reports, in: region)
            }
        }
        if let change = crossing.deadlineReached(now) { reports += take(change, in: region) }
        updateDeadline(region)
        return reports
    }

    /// Ends the stay because there is no region any more; the pair is to be forgotten.
    mutating func leave(
        because reason: Occurrence.ExitReason, at moment: Timestamp, in region: Region
    ) -> [RegionReport] {
        deadline = .distantFuture
        guard let stay else { return [] }
        self.stay = nil
        var reports: [RegionReport] = []
        let timestamp = max(moment, stay.entry)
        append(
            RegionReport(
                kind: .exited(reason), timestamp: timestamp, detectedAt: timestamp,
                why: Why(rule: "region_\(reason.rawValue)")),
            to: &reports, in: region)
        return reports
    }

    /// Reckons the deadline anew; to be called when the region was replaced.
    mutating func regionChanged(to region: Region, at moment: Timestamp) {
        scheduleChange =
            (crossing.isInside == true ? region.schedule?.nextTransition(after: moment) : nil) ?? .distantFuture
        if let stay {
            // Dwells that were told are not told again; the list may be another now.
            let told = region.dwells.firstIndex { stay.entry + $0 > moment } ?? region.dwells.count
            dwellsTold = Int32(told)
        }
        updateDeadline(region)
    }

    /// Makes reports of what a fix or a deadline has changed.
    mutating func take(_ change: PresenceChange, in region: Region) -> [RegionReport] {
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
                var report = RegionReport(.exited(nil), change)
                // A stay that began when the schedule opened cannot end before.
                report.timestamp = max(report.timestamp, stay.entry)
                append(report, to: &reports, in: region)
            }
        }
        updateDeadline(region)
        return reports
    }

    private func append(_ report: RegionReport, to reports: inout [RegionReport], in region: Region) {
        switch report.kind {
        case .entered: if region.notifyOnEntry { reports.append(report) }
        case .exited: if region.notifyOnExit { reports.append(report) }
        case .dwelled: reports.append(report)
        }
    }

    private func dwellDeadline(_ region: Region) -> Timestamp? {
        guard let stay, Int(stay.dwellsTold) < region.dwells.count else { return nil }
        return stay.entry + region.dwells[Int(stay.dwellsTold)]
    }

    /// To be called when something changed that a deadline follows from.
    mutating func updateDeadline(_ region: Region) {
        deadline = scheduleChange
        for moment in [dwellDeadline(region), crossing.deadline] { deadline = min(deadline, moment ?? .distantFuture) }
        if stay != nil || crossing.isInside == true { deadline = min(deadline, region.expires ?? .distantFuture) }
    }
}

extension RegionReport {
    fileprivate init(_ kind: Kind, _ change: PresenceChange) {
        self.init(
            kind: kind, timestamp: change.timestamp, detectedAt: change.detectedAt, confidence: change.confidence,
            why: change.why)
    }
}

extension RegionPresence: Codable {
    private enum CodingKeys: CodingKey { case crossing, stay, scheduleChange, deadline }
    private enum StayKeys: CodingKey { case entry, dwellsTold }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        crossing = try container.decode(CrossingState.self, forKey: .crossing)
        if container.contains(.stay) {
            let stay = try container.nestedContainer(keyedBy: StayKeys.self, forKey: .stay)
            entry = try stay.decode(Timestamp.self, forKey: .entry)
            dwellsTold = try stay.decode(Int32.self, forKey: .dwellsTold)
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
            try stay.encode(dwellsTold, forKey: .dwellsTold)
        }
        if scheduleChange != .distantFuture { try container.encode(scheduleChange, forKey: .scheduleChange) }
        if deadline != .distantFuture { try container.encode(deadline, forKey: .deadline) }
    }
}
