public import FencepostModel

extension DeviceMonitor {
    /// All that a device monitor knows, in a form that outlives the process: regions by id, not by handle.
    public struct Snapshot: Hashable, Sendable, Codable {
        struct Pair: Hashable, Codable {
            var region: RegionID
            var presence: RegionPresence
        }

        public let deviceID: DeviceID
        let pairs: [Pair]
        let seenRevision: UInt32?
        let lastFix: Location?
        let isStale: Bool
        let judge: FixJudge?
        let visits: VisitDetector?
        let sequence: Int
    }

    /// - Parameter catalog: the one of the last input.
    public func snapshot(in catalog: RegionCatalog) -> Snapshot {
        Snapshot(
            deviceID: deviceID,
            pairs: pairs.compactMap { pair in
                catalog[pair.handle].map { Snapshot.Pair(region: $0.id, presence: pair.presence) }
            },
            seenRevision: hasFix ? seenRevision : nil, lastFix: lastLocation, isStale: isStale,
            judge: trust.hasBegun ? FixJudge(trust, last: last.mark) : nil, visits: visits.value,
            sequence: Int(sequence))
    }

    /// Goes on where the snapshot was taken.
    ///
    /// - Parameter catalog: the same regions in the same revision; handles may differ.
    public init(_ snapshot: Snapshot, in catalog: RegionCatalog, settings: MonitorSettings) {
        self.init(deviceID: snapshot.deviceID, settings: settings)
        // Nothing is known of where the last fix lay, so that the next one is looked up.
        pairs = snapshot.pairs.compactMap { pair in
            catalog.handle(for: pair.region).map { Pair(presence: pair.presence, handle: $0) }
        }
        pairs.sort { $0.handle < $1.handle }
        if let fix = snapshot.lastFix, let revision = snapshot.seenRevision {
            last.set(fix)
            seenRevision = revision
            hasFix = true
        }
        isStale = snapshot.isStale
        if let known = snapshot.judge { trust = known.trust }
        if let settings = settings.visits, var known = snapshot.visits {
            known.settings = settings
            visits.set(known)
        }
        sequence = UInt32(clamping: snapshot.sequence)
        updateWake()
    }
}
