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
/// Being inside becomes a stay while the region is open; a stay is what is entered, dwelled in and exited.
struct RegionPresence: Hashable, Sendable, Codable {
    private struct Stay: Hashable, Codable {
        var entry: Timestamp
        /// How many of the region's dwells were told.
        var dwellsTold = 0
    }

    private var crossing: CrossingState
    private var stay: Stay?
    /// When the schedule opens or closes next; kept only while the device is inside.
    private var scheduleChange: Timestamp?
    /// The first moment at which something may happen without a fix; `nil` when nothing can.
    private(set) var deadline: Timestamp?

    init(_ mode: CrossingMode, knownOutsideSince moment: Timestamp?) {
        crossing = CrossingState(mode, knownOutsideSince: moment)
    }

    /// Whether the device is inside as far as events go: within the boundary while the region is open.
    var isStaying: Bool { stay != nil }

    /// Surely outside with nothing pending: the same as a pair that was never kept.
    var isAtRest: Bool { stay == nil && crossing.isAtRest }

    /// Whether the device is beyond the boundary for sure, whatever the schedule says.
    var isKnownOutside: Bool { crossing.isInside == false }

    /// Takes a fix; all deadlines up to its time have been taken before.
    ///
    /// - Parameter proximity: `nil` when the region is farther than bears on the answer.
    mutating func located(
        _ proximity: Proximity?, _ location: Location, _ evidence: FixEvidence, in region: Region,
        _ settings: MonitorSettings
    ) -> [RegionReport] {
        let mode = region.crossing ?? settings.crossing
        if crossing.mode != mode {
            // The region's mode was changed: what is known goes on under the new one.
            let isInside = crossing.isInside
            crossing = CrossingState(mode, isInside: isInside, at: location.timestamp)
        }
        guard let change = crossing.handle(proximity, location, evidence, settings) else {
            updateDeadline(region)
            return []
        }
        return take(change, in: region)
    }

    /// Takes the moment that `deadline` named.
    mutating func deadlineReached(_ now: Timestamp, in region: Region) -> [RegionReport] {
        var reports: [RegionReport] = []
        if let expires = region.expires, expires <= now {
            return leave(because: .expired, at: expires, in: region)
        }
        if let due = dwellDeadline(region), due <= now, let dwell = stay.map({ region.dwells[$0.dwellsTold] }) {
            stay?.dwellsTold += 1
            reports.append(
                RegionReport(
                    kind: .dwelled(dwell), timestamp: due, detectedAt: now,
                    why: Why(rule: "dwell_deadline")))
        }
        if let moment = scheduleChange, moment <= now, let schedule = region.schedule {
            scheduleChange = schedule.nextTransition(after: now)
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
        guard let stay else {
            deadline = nil
            return []
        }
        self.stay = nil
        deadline = nil
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
        scheduleChange = crossing.isInside == true ? region.schedule?.nextTransition(after: moment) : nil
        if let stay {
            // Dwells that were told are not told again; the list may be another now.
            let told = region.dwells.firstIndex { stay.entry + $0 > moment } ?? region.dwells.count
            self.stay?.dwellsTold = told
        }
        updateDeadline(region)
    }

    private mutating func take(_ change: PresenceChange, in region: Region) -> [RegionReport] {
        var reports: [RegionReport] = []
        if change.isInside {
            scheduleChange = region.schedule?.nextTransition(after: change.detectedAt)
            if region.schedule?.isOpen(at: change.detectedAt) ?? true {
                stay = Stay(entry: change.timestamp)
                let isSilent =
                    change.isInitial && (region.initialState == .silent || crossing.mode == .coreLocation)
                if !isSilent { append(RegionReport(.entered, change), to: &reports, in: region) }
            }
        } else {
            scheduleChange = nil
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
        guard let stay, stay.dwellsTold < region.dwells.count else { return nil }
        return stay.entry + region.dwells[stay.dwellsTold]
    }

    private mutating func updateDeadline(_ region: Region) {
        var candidates = [dwellDeadline(region), scheduleChange, crossing.deadline]
        if stay != nil || crossing.isInside == true { candidates.append(region.expires) }
        deadline = candidates.compactMap(\.self).min()
    }
}

extension RegionReport {
    fileprivate init(_ kind: Kind, _ change: PresenceChange) {
        self.init(
            kind: kind, timestamp: change.timestamp, detectedAt: change.detectedAt, confidence: change.confidence,
            why: change.why)
    }
}
