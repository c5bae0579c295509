public import FencepostModel

extension DeviceMonitor {
    /// The state of a device monitor in the form that is stored: regions by id instead of handle.
    ///
    /// The keys are part of stored states and must not change.
    public struct Snapshot: Hashable, Sendable, Codable {
        struct Pair: Hashable, Codable {
            var region: RegionID
            var presence: RegionPresence
        }

        /// The device whose state it is.
        public let deviceID: DeviceID
        let pairs: [Pair]
        let lastRevision: UInt32?
        let lastFix: Location?
        let isStale: Bool
        let trust: TrustEvaluator?
        let motion: MotionLimit?
        let secondPhone: SecondPhone?
        let visits: VisitDetector?
        var alerts: AlertState?
        let fence: FenceState?
        let plans: PlanState?
        let sequence: Int

        private enum CodingKeys: String, CodingKey {
            case deviceID, pairs
            case lastRevision = "seenRevision"
            case lastFix, isStale
            case trust = "judge"
            case motion, secondPhone
            case visits, alerts, fence, plans, sequence
        }

        /// The time of the last evaluated fix; `nil` before it.
        public var lastTime: Timestamp? { lastFix?.timestamp }

        /// The last evaluated fix; `nil` before it.
        package var lastLocation: Location? { lastFix }

        /// The sequence number of the last event.
        public var lastSequence: Int { sequence }

        /// Whether both states give the same events from here on, apart from sequence numbers.
        ///
        /// Counters of flagged fixes, a second phone and the revision of the regions decide nothing and are not compared.
        public func isEquivalent(to other: Snapshot) -> Bool {
            func key(_ pairs: [Pair]) -> [Pair] { pairs.sorted { $0.region < $1.region } }
            func uncounted(_ trust: TrustEvaluator?) -> TrustEvaluator? {
                var trust = trust
                trust?.trust.flagCounts = FlagCounts()
                return trust
            }
            return deviceID == other.deviceID && isStale == other.isStale && lastFix == other.lastFix
                && (motion ?? .supported).isEquivalent(to: other.motion ?? .supported) && visits == other.visits
                && alerts == other.alerts && fence == other.fence && plans == other.plans
                && key(pairs) == key(other.pairs)
                && uncounted(trust) == uncounted(other.trust)
        }

        /// The state with what a monitor of the device has learned of late locations: it was reported silent, and then
        /// sent what it had taken meanwhile. Locations in time order do not show that.
        package func keepingLateSilence(of monitor: DeviceMonitor) -> Snapshot {
            guard let late = monitor.rare.read({ $0.alerts?.rhythm?.late }) ?? nil else { return self }
            var copy = self
            copy.alerts?.rhythm?.keep(late)
            return copy
        }
    }

    /// The sequence number of the last event.
    public var lastSequence: Int { Int(sequence) }

    /// The state to restore the monitor from, with region ids in place of handles.
    ///
    /// - Parameter catalog: that of the last input.
    /// - Returns: a snapshot that is valid for any catalog with the same regions in the same revision.
    public func snapshot(in catalog: RegionCatalog) -> Snapshot {
        Snapshot(
            deviceID: deviceID,
            pairs: pairs.compactMap { pair in
                catalog[pair.handle].map { Snapshot.Pair(region: $0.id, presence: pair.presence) }
            },
            lastRevision: hasFix ? lastRevision : nil, lastFix: lastLocation, isStale: isStale,
            trust: trust.hasBegun ? TrustEvaluator(trust, last: last.summary) : nil,
            motion: motion == .supported || !hasFix ? nil : motion, secondPhone: rare.read { $0.secondPhone } ?? nil,
            visits: visits.value,
            alerts: alerts?.withoutDeadlines, fence: rare.read { $0.fence?.withoutDeadlines } ?? nil,
            plans: rare.read { $0.plans?.withoutDeadlines } ?? nil, sequence: Int(sequence))
    }

    /// Restores the monitor of a snapshot.
    ///
    /// - Parameters:
    ///   - snapshot: the state at the last input.
    ///   - catalog: the same regions in the same revision; the handles may differ.
    ///   - settings: those of the monitor from now on.
    public init(_ snapshot: Snapshot, in catalog: RegionCatalog, settings: MonitorSettings) {
        self.init(deviceID: snapshot.deviceID, settings: settings)
        // No safe region is cached and the steady state is unknown, so the next fix needs a query.
        pairs = snapshot.pairs.compactMap { pair in
            catalog.handle(for: pair.region).map { Pair(presence: pair.presence, handle: $0) }
        }
        pairs.sort { $0.handle < $1.handle }
        if let fix = snapshot.lastFix, let revision = snapshot.lastRevision {
            last.set(fix)
            lastRevision = revision
            hasFix = true
        }
        isStale = snapshot.isStale
        if let known = snapshot.trust { trust = known.trust }
        if hasFix { motion = snapshot.motion ?? .supported }
        if let known = snapshot.secondPhone { changeRare { $0.secondPhone = known } }
        if let settings = settings.visits, var known = snapshot.visits {
            known.settings = settings
            visits.set(known)
        }
        if var known = snapshot.alerts {
            setDue(&known, settings)
            changeRare { [known] in $0.alerts = known }
        }
        if var known = snapshot.fence {
            known.restoreDeadlines()
            setFence(known)
        }
        restorePlans(snapshot.plans, settings)
        sequence = UInt32(clamping: snapshot.sequence)
        updateNextDeadline()
    }
}
