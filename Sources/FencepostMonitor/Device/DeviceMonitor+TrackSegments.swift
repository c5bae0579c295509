import FencepostGeometry
public import FencepostModel

/// The parameters of track segments: when the path between two fixes is known well enough to report pass-throughs.
enum SegmentRule {
    /// Metres. A shorter segment passes through no region that its ends do not show.
    static let shortest = 40.0
    /// Seconds. In a longer interval a vehicle may have taken any path.
    static let longestInterval = 120.0
    /// Metres per second at both ends, so that both are satellite fixes of a moving device.
    static let leastSpeed = 2.0
    /// Metres.
    static let worstAccuracy = 40.0
    /// How much the straight distance may differ from the product of speed and time: a bend is longer than its chord.
    static let bend = 0.15
    /// The least depth of a pass-through, in accuracies.
    static let depth = 1.0
    /// The share of true ones among such pass-throughs, in the benchmark of `docs/quality.md`.
    static let confidence = 0.98
}

extension DeviceMonitor {
    /// The start of the straight track segment to a fix, if the device has probably taken it; else `nil`.
    ///
    /// A fast device can pass through a region between two fixes. The path is probably straight between two accurate
    /// fixes of a moving device, close in time, whose distance agrees with their speeds.
    ///
    /// `plane` is replaced if it is needed and is not that around the last fix. Inlined, since a call copies the monitor.
    @inline(__always)
    func segmentStart(to location: Location, _ plane: inout LocalPlane) -> Coordinate? {
        guard hasFix, let start = last.knownSpeed, let end = location.speed,
            min(start, end) >= SegmentRule.leastSpeed, let accuracy = segmentAccuracy(to: location),
            accuracy <= SegmentRule.worstAccuracy
        else { return nil }
        let interval = Double(location.timestamp.milliseconds - last.time.milliseconds) / 1000
        guard interval > 0, interval <= SegmentRule.longestInterval else { return nil }
        if plane.origin != last.coordinate { plane = LocalPlane(origin: last.coordinate) }
        let distance = plane.distance(to: location.coordinate)
        let expected = (start + end) / 2 * interval
        guard distance >= SegmentRule.shortest,
            abs(distance - expected) <= SegmentRule.bend * expected + accuracy / 2
        else { return nil }
        return last.coordinate
    }

    /// The least depth in metres of a pass-through that is reported between the last fix and this one.
    public func leastDepth(to location: Location) -> Double {
        segmentAccuracy(to: location).map { SegmentRule.depth * $0 } ?? 0
    }

    /// Emits an entry and an exit for each region that the device passed through between the last fix and this one.
    mutating func emit(
        _ passThroughs: [PassThrough], to location: Location, _ rules: WatchRules, into events: inout [Event]
    ) {
        guard hasFix, let accuracy = segmentAccuracy(to: location) else { return }
        let interval = location.timestamp - last.time
        var entries = EventBatch(rules)
        var exits = EventBatch(rules)
        for passThrough in passThroughs where passThrough.depth >= SegmentRule.depth * accuracy {
            let traits = rules[passThrough.region]
            guard traits.mode == .confirmed, traits.exists, isKnownOutside(of: passThrough.region, rules) else {
                continue
            }
            let entry = last.time.after(Int64(clamped: interval.seconds * 1000 * passThrough.entry))
            let exit = last.time.after(Int64(clamped: interval.seconds * 1000 * passThrough.exit))
            // A copy of a region takes longer than the rest, and most need none.
            let region = traits.needsRegion ? rules.region(passThrough.region) : nil
            if let region {
                guard region.applies(to: deviceID), region.schedule?.isOpen(at: entry) ?? true,
                    region.expires.map({ exit < $0 }) ?? true,
                    region.contains(altitude: last.altitude), region.contains(altitude: location.altitude)
                else { continue }
            }
            let summary = rules.summary(of: passThrough.region)
            let why = Why(
                rule: .passedBetweenFixes, fix: location, distance: -passThrough.depth, accuracy: accuracy,
                pendingFixes: [last.time])
            for (kind, moment) in [(RegionReport.Kind.entered, entry), (.exited(nil), exit)] {
                if let region, !(kind == .entered ? region.notifyOnEntry : region.notifyOnExit) { continue }
                let report = RegionReport(
                    kind: kind, timestamp: moment, detectedAt: location.timestamp, confidence: SegmentRule.confidence,
                    why: why)
                if kind == .entered { entries.add(report, of: summary) } else { exits.add(report, of: summary) }
            }
        }
        // Elsewhere exits come first. Here each exit leaves a region that was entered just before.
        if !entries.isEmpty { entries.close(of: deviceID, at: location, after: &sequence, into: &events) }
        if !exits.isEmpty { exits.close(of: deviceID, at: location, after: &sequence, into: &events) }
    }

    /// The worse accuracy of the last fix and this one, in metres; `nil` if one is unknown.
    @inline(__always)
    private func segmentAccuracy(to location: Location) -> Double? {
        guard let first = last.horizontalAccuracy, let second = location.horizontalAccuracy else { return nil }
        return max(first, second, 5)
    }

    /// Whether the device is known to be outside of a region that was monitored at the last fix.
    private func isKnownOutside(of handle: RegionHandle, _ rules: WatchRules) -> Bool {
        guard hasFix, lastRevision >= rules[handle].added else { return false }
        return pairs.first { $0.handle == handle }?.presence.isKnownOutside ?? true
    }
}
