public import FencepostModel

/// The monitored regions and the settings, with the parts that every fix needs in compact tables.
///
/// Created once per change of either and shared by all devices. A class, so that passing it copies nothing.
public final class WatchRules: Sendable {
    /// The monitored regions.
    public let catalog: RegionCatalog
    /// The settings that all devices share.
    public let settings: MonitorSettings
    /// Whether any region has the mode.
    public let hasConfirmed, hasCoreLocation: Bool
    /// Whether every region has the mode `raw`, applies to all devices at all altitudes, and reports every entry and exit
    /// and nothing else. Then the regions that contain a fix decide alone.
    let isPlainRaw: Bool
    /// Whether events get a `why`. The events are the same otherwise.
    public let explains: Bool
    /// Whether an untracked region stays so on every fix outside of it: no region has the mode `coreLocation` or an
    /// altitude band.
    let ignoresNearFixes: Bool
    /// Whether locations are evaluated against alert rules or speed limits of regions.
    public let hasAlerts: Bool
    /// Whether any alert rule is about a time of day.
    let hasAppointments: Bool
    /// Whether any alert rule is about silence.
    let hasSilence: Bool
    /// The plans with what each fix needs of their regions; `nil` without plans.
    let plans: PlanTable?
    /// The rules that the speed limits of regions amount to.
    private let speedLimits: [RegionHandle: AlertRule]
    /// The regions that more than their traits are asked of, without their shapes, if the catalog reads them on demand.
    private let known: [RegionHandle: Region]
    let revision: UInt32
    @usableFromInline let traits: [RegionTraits]
    /// Indexed by handle. Entries of deleted regions have the value of another region.
    @usableFromInline let summaries: [RegionSummary]
    /// Milliseconds, since arithmetic on `Duration` needs 128-bit divisions.
    let staleAfter: Int64?

    /// Derives the rules from the regions and the settings. O(n) in the number of regions.
    ///
    /// - Parameters:
    ///   - catalog: the regions.
    ///   - settings: the settings that all devices share.
    ///   - explains: whether events get a `why`, which takes time even if nobody reads it.
    public init(_ catalog: RegionCatalog, _ settings: MonitorSettings, explains: Bool = true) {
        self.explains = explains
        self.catalog = catalog
        self.settings = settings
        revision = catalog.revision
        staleAfter = settings.staleAfter?.milliseconds
        var traits: [RegionTraits] = []
        var summaries: [RegionSummary] = []
        traits.reserveCapacity(catalog.handleCount)
        summaries.reserveCapacity(catalog.handleCount)
        var (hasConfirmed, hasCoreLocation, hasBand) = (false, false, false)
        var isPlainRaw = true
        var speedLimits: [RegionHandle: AlertRule] = [:]
        var known: [RegionHandle: Region] = [:]
        for (handle, region) in catalog.regionsWithoutShapes {
            let summary = RegionSummary(region)
            while traits.count < Int(handle.rawValue) {
                traits.append(.deleted)
                summaries.append(summary)
            }
            summaries.append(summary)
            let mode = region.crossing ?? settings.crossing
            traits.append(
                RegionTraits(
                    expires: region.expires ?? .distantFuture, added: catalog.revision(addedIn: handle), mode: mode,
                    exists: true, appliesToAll: region.devices == nil,
                    hasBand: region.minAltitude != nil || region.maxAltitude != nil, isPlain: region.isPlain))
            if region.minAltitude != nil || region.maxAltitude != nil { hasBand = true }
            if catalog.readsOnDemand, traits[traits.count - 1].needsRegion { known[handle] = region }
            if let limit = region.speedLimit {
                speedLimits[handle] = AlertRule(
                    id: Alert.regionRule, .speed(above: limit, tolerance: AlertRule.Condition.defaultTolerance))
            }
            if mode != .raw || !region.isPlain || region.devices != nil { isPlainRaw = false }
            switch mode {
            case .raw: break
            case .confirmed: hasConfirmed = true
            case .coreLocation: hasCoreLocation = true
            }
        }
        while traits.count < catalog.handleCount { traits.append(.deleted) }
        self.traits = traits
        self.known = known
        self.speedLimits = speedLimits
        hasAppointments = settings.alerts.contains { $0.condition.appointment != nil }
        hasSilence = settings.alerts.contains { $0.condition.kind == .silent }
        hasAlerts = !settings.alerts.isEmpty || !speedLimits.isEmpty
        plans = settings.plans.isEmpty ? nil : PlanTable(settings.plans, catalog)
        self.summaries = summaries
        (self.hasConfirmed, self.hasCoreLocation) = (hasConfirmed, hasCoreLocation)
        ignoresNearFixes = !hasCoreLocation && !hasBand
        self.isPlainRaw = isPlainRaw && !hasBand
    }

    subscript(handle: RegionHandle) -> RegionTraits { traits[Int(handle.rawValue)] }

    /// Whether any region has a speed limit.
    var hasSpeedLimits: Bool { !speedLimits.isEmpty }

    /// The alert rule with an id; `nil` if there is none.
    func rule(_ id: String) -> AlertRule? { settings.alerts.first { $0.id == id } }

    /// The rule of a region's speed limit; `nil` if it has none.
    func speedLimit(of handle: RegionHandle) -> AlertRule? { speedLimits[handle] }

    /// The members of a region besides its shape, which may be missing; `nil` if it was deleted.
    func region(_ handle: RegionHandle) -> Region? {
        known.isEmpty ? catalog[handle] : known[handle] ?? catalog[handle]
    }

    /// The part of a region that its events carry. The region is not deleted.
    func summary(of handle: RegionHandle) -> RegionSummary { summaries[Int(handle.rawValue)] }

    /// Calls `body` with the address of the reference to the part of a region that its events carry, to load it ahead. It
    /// does nothing for an unknown handle.
    @inlinable @inline(__always)
    public func withSummaryAddress(of handle: RegionHandle, _ body: (UnsafeRawPointer) -> Void) {
        let offset = Int(handle.rawValue) * MemoryLayout<RegionSummary>.stride
        unsafe summaries.withUnsafeBytes { bytes in
            guard offset < bytes.count, let start = bytes.baseAddress else { return }
            unsafe body(start + offset)
        }
    }

    /// Calls `body` with the address of the members of a region that every fix near it needs, to load them ahead. It does
    /// nothing for an unknown handle.
    @inlinable @inline(__always)
    public func withTraitsAddress(of handle: RegionHandle, _ body: (UnsafeRawPointer) -> Void) {
        let offset = Int(handle.rawValue) * MemoryLayout<RegionTraits>.stride
        unsafe traits.withUnsafeBytes { bytes in
            guard offset < bytes.count, let start = bytes.baseAddress else { return }
            unsafe body(start + offset)
        }
    }

    /// Whether a region is not deleted, and a position at an altitude, in metres, may be in it.
    public func monitors(_ handle: RegionHandle, at altitude: Double?) -> Bool {
        guard self[handle].exists else { return false }
        return !self[handle].hasBand || region(handle)?.contains(altitude: altitude) ?? false
    }

    /// Metres around a fix within which distances to boundaries matter for any device, and within which events state
    /// them; 0 if none do.
    public func searchRadius(for location: Location) -> Double {
        var meters = 0.0
        if hasConfirmed { meters = TrustEvaluator.maximumSearchRadius(for: location) }
        if hasCoreLocation { meters = max(meters, settings.cushion + 1) }
        return meters
    }

    /// Metres around a region beyond which no fix matters for it, whatever its accuracy.
    public var maximumSearchRadius: Double {
        max(hasConfirmed ? FixRule.mostSearchRadius : 0, hasCoreLocation ? settings.cushion + 1 : 0)
    }

    /// The longest time between two fixes whose track segment may pass through a region.
    public static let longestTrackSegment = Duration.seconds(SegmentRule.longestInterval)
}

/// The members of a region that every fix near it needs.
@usableFromInline
struct RegionTraits: Sendable {
    /// `distantFuture` if it does not expire.
    var expires: Timestamp
    /// The revision of the catalog that added it.
    var added: UInt32
    var mode: CrossingMode
    /// Whether it is not deleted.
    var exists: Bool
    /// Whether it applies to all devices.
    var appliesToAll: Bool
    /// Whether it has an altitude band.
    var hasBand: Bool
    /// Whether it reports every entry and exit and nothing else.
    var isPlain: Bool

    /// Whether the other members do not say all that a fix needs.
    var needsRegion: Bool { !appliesToAll || hasBand || !isPlain }

    static let deleted = RegionTraits(
        expires: .distantFuture, added: 0, mode: .raw, exists: false, appliesToAll: true, hasBand: false,
        isPlain: true)
}

extension Region {
    /// Whether it reports every entry and exit and nothing else: it has no schedule, dwells, or expiry.
    fileprivate var isPlain: Bool {
        notifyOnEntry && notifyOnExit && dwells.isEmpty && schedule == nil && expires == nil
            && initialState == .report
    }
}
