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
        let judge: FixJudge
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
            seenRevision: seenRevision, lastFix: lastFix, isStale: isStale, judge: judge, visits: visits,
            sequence: sequence)
    }

    /// Goes on where the snapshot was taken.
    ///
    /// - Parameter catalog: the same regions in the same revision; handles may differ.
    public init(_ snapshot: Snapshot, in catalog: RegionCatalog, settings: MonitorSettings) {
        self.init(deviceID: snapshot.deviceID, settings: settings)
        pairs = snapshot.pairs.compactMap { pair in
            catalog.handle(for: pair.region).map { Pair(handle: $0, presence: pair.presence) }
        }
        pairs.sort { $0.handle < $1.handle }
        seenRevision = snapshot.seenRevision
        lastFix = snapshot.lastFix
        isStale = snapshot.isStale
        judge = snapshot.judge
        if let settings = settings.visits, let known = snapshot.visits {
            visits = known
            visits?.settings = settings
        }
        sequence = snapshot.sequence
    }
}
