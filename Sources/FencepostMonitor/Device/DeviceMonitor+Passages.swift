public import FencepostGeometry
public import FencepostModel

/// When the way between two fixes is known well enough to tell what lay on it.
enum WayRule {
    /// Metres; a shorter step leads through no region that its ends do not show.
    static let shortest = 40.0
    /// Seconds; longer than that, a vehicle may have been anywhere between.
    static let longestInterval = 120.0
    /// Metres per second at both ends, so that both are satellite fixes of a moving device.
    static let leastSpeed = 2.0
    /// Metres.
    static let worstAccuracy = 40.0
    /// How much shorter than what the speeds make of it the straight way may be: a bend is longer than its chord.
    static let bend = 0.15
    /// How many accuracies deep a passage has to be.
    static let depth = 1.0
    /// What the benchmark says of such passages; their way was not seen.
    static let confidence = 0.9
}

extension DeviceMonitor {
    /// Where the straight way to a fix begins, when it is likely that the device took it: a device that was too fast to be
    /// seen in a region went through it nonetheless.
    ///
    /// Two good fixes of a moving device, not far apart in time, whose distance is what their speeds make of the time
    /// between them: on a way with bends it would be shorter.
    public func way(to location: Location, _ rules: WatchRules) -> Coordinate? {
        guard rules.hasConfirmed, hasFix, let start = last.knownSpeed, let end = location.speed,
            min(start, end) >= WayRule.leastSpeed, let accuracy = accuracyOfWay(to: location),
            accuracy <= WayRule.worstAccuracy
        else { return nil }
        let interval = Double(location.timestamp.milliseconds - last.time.milliseconds) / 1000
        guard interval > 0, interval <= WayRule.longestInterval else { return nil }
        let distance = LocalPlane(origin: last.coordinate).distance(to: location.coordinate)
        let expected = (start + end) / 2 * interval
        guard distance >= WayRule.shortest, abs(distance - expected) <= WayRule.bend * expected + accuracy / 2
        else { return nil }
        return last.coordinate
    }

    /// Tells of the regions that were passed through between the last fix and this one: in and out at once.
    mutating func pass(
        through passages: [Passage], to location: Location, _ rules: WatchRules, into events: inout [Event]
    ) {
        guard hasFix, let accuracy = accuracyOfWay(to: location) else { return }
        let interval = location.timestamp - last.time
        var entries = EventBatch()
        var exits = EventBatch()
        for passage in passages where passage.depth >= WayRule.depth * accuracy {
            guard rules[passage.region].mode == .confirmed, let region = rules.catalog[passage.region],
                region.isMeant(for: deviceID), isOutside(passage.region, rules)
            else { continue }
            let entry = last.time + .milliseconds(Int64(interval.seconds * 1000 * passage.entry))
            let exit = last.time + .milliseconds(Int64(interval.seconds * 1000 * passage.exit))
            guard region.schedule?.isOpen(at: entry) ?? true, region.expires.map({ exit < $0 }) ?? true,
                region.holds(last.altitude), region.holds(location.altitude)
            else { continue }
            let why = Why(
                rule: "passed_between_fixes", fix: location, distance: -passage.depth, accuracy: accuracy,
                heldBack: [last.time])
            for (kind, moment) in [(RegionReport.Kind.entered, entry), (.exited(nil), exit)] {
                guard kind == .entered ? region.notifyOnEntry : region.notifyOnExit else { continue }
                let report = RegionReport(
                    kind: kind, timestamp: moment, detectedAt: location.timestamp, confidence: WayRule.confidence,
                    why: why)
                if kind == .entered { entries.add([report], of: region) } else { exits.add([report], of: region) }
            }
        }
        // Here alone entries come first: each exit is from a region that was entered just before.
        if !entries.isEmpty { entries.close(of: deviceID, at: location, after: &sequence, into: &events) }
        if !exits.isEmpty { exits.close(of: deviceID, at: location, after: &sequence, into: &events) }
    }

    /// Metres, the worse of the last fix and this one; `nil` where one is unknown.
    private func accuracyOfWay(to location: Location) -> Double? {
        guard let first = last.horizontalAccuracy, let second = location.horizontalAccuracy else { return nil }
        return max(first, second, 5)
    }

    /// Whether the device is known to be outside of a region that was watched at the last fix.
    private func isOutside(_ handle: RegionHandle, _ rules: WatchRules) -> Bool {
        guard hasFix, seenRevision >= rules[handle].added else { return false }
        return pairs.first { $0.handle == handle }?.presence.isKnownOutside ?? true
    }
}

extension Region {
    /// Whether an altitude is within the region's band, where there is one.
    public func holds(_ altitude: Double?) -> Bool {
        guard minAltitude != nil || maxAltitude != nil else { return true }
        guard let altitude else { return false }
        return altitude >= minAltitude ?? -.infinity && altitude <= maxAltitude ?? .infinity
    }
}
