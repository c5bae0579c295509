public import FencepostModel

/// What is watched, and how: the regions and the settings, and what of them bears on every fix put where it is quickly
/// looked up. Made once for each change of either, and shared by all devices: an object, so that nothing of it is copied.
public final class WatchRules: Sendable {
    public let catalog: RegionCatalog
    public let settings: MonitorSettings
    /// Whether any region is watched in the mode.
    public let hasConfirmed, hasCoreLocation: Bool
    /// Whether no region is watched in the mode `coreLocation`, and none bounded in altitude.
    let isPlain: Bool
    let revision: UInt32
    private let traits: [RegionTraits]
    /// Spans in milliseconds: a `Duration` takes long divisions to be added.
    let staleAfter: Int64?

    public init(_ catalog: RegionCatalog, _ settings: MonitorSettings) {
        self.catalog = catalog
        self.settings = settings
        revision = catalog.revision
        staleAfter = settings.staleAfter?.milliseconds
        var traits: [RegionTraits] = []
        traits.reserveCapacity(catalog.handleCount)
        var (hasConfirmed, hasCoreLocation, hasBand) = (false, false, false)
        for (handle, region) in catalog.regions {
            while traits.count < Int(handle.rawValue) { traits.append(.gone) }
            let mode = region.crossing ?? settings.crossing
            traits.append(
                RegionTraits(
                    expires: region.expires ?? .distantFuture, added: catalog.revision(addedIn: handle), mode: mode,
                    isThere: true, isForAll: region.devices == nil,
                    hasBand: region.minAltitude != nil || region.maxAltitude != nil))
            if region.minAltitude != nil || region.maxAltitude != nil { hasBand = true }
            switch mode {
            case .raw: break
            case .confirmed: hasConfirmed = true
            case .coreLocation: hasCoreLocation = true
            }
        }
        while traits.count < catalog.handleCount { traits.append(.gone) }
        self.traits = traits
        (self.hasConfirmed, self.hasCoreLocation) = (hasConfirmed, hasCoreLocation)
        isPlain = !hasCoreLocation && !hasBand
    }

    subscript(handle: RegionHandle) -> RegionTraits { traits[Int(handle.rawValue)] }

    /// Metres around a fix within which distances to boundaries may bear on the answer of some device, and within which
    /// they are told with events; 0 where none does.
    public func reach(of location: Location) -> Double {
        var meters = 0.0
        if hasConfirmed { meters = FixJudge.reach(for: location) }
        if hasCoreLocation { meters = max(meters, settings.cushion + 1) }
        return meters
    }
}

/// What has to be known of a region near which a fix is, before anything happens there.
struct RegionTraits: Sendable {
    /// `distantFuture` where it does not.
    var expires: Timestamp
    /// The catalog's revision in which it came.
    var added: UInt32
    var mode: CrossingMode
    var isThere: Bool
    var isForAll: Bool
    /// Whether it is bounded in altitude.
    var hasBand: Bool

    static let gone = RegionTraits(
        expires: .distantFuture, added: 0, mode: .raw, isThere: false, isForAll: true, hasBand: false)
}
