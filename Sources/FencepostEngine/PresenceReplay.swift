package import FencepostGEOS
package import FencepostGeometry
package import FencepostModel
package import FencepostMonitor
import FencepostRegions

/// Finds when one device was in an area, by its stored fixes from the first one on.
///
/// It is the engine that monitors live fixes, with the area as its only region and without a clock. So the presences are those of
/// the events that a replay with this region gives.
package struct PresenceReplay: ~Copyable {
    /// The area, as the monitor needs it. Replays of any number of devices share it.
    package struct Area: Sendable {
        let index: RegionIndex
        let rules: WatchRules

        /// An area with the settings of the monitor.
        ///
        /// - Parameters:
        ///   - region: the area. Entries and exits of it must be reported.
        ///   - settings: those of the service; of them only those about crossings count.
        package init(_ region: Region, _ settings: MonitorSettings) {
            let catalog = RegionCatalog([region])
            var settings = settings
            (settings.staleAfter, settings.alerts, settings.reorderWindow) = (nil, [], .zero)
            settings.plans = []
            // In the other modes it depends on them whether fixes to which the device cannot have come are recognised.
            if region.crossing ?? settings.crossing == .confirmed { settings.visits = nil }
            index = RegionIndex(catalog, isConcurrent: false)
            rules = WatchRules(catalog, settings, explains: false)
        }

        /// Rectangles outside of which no fix matters.
        package var surroundings: [Envelope] { index.envelopes(within: rules.maximumSearchRadius) }
        /// The longest time between two fixes between which a device may pass through the area.
        package var longestInterval: Duration { WatchRules.longestTrackSegment }
    }

    /// How much earlier than the fix before it an entry may seem to be: the monitor has the time between both as a `Float`.
    private static let precision = Duration.seconds(60)

    private var engine: MonitorEngine
    private let deviceID: DeviceID
    private let span: (start: Timestamp, end: Timestamp)
    private var device: Int?
    private var entry: Event?
    private var found: [Presence] = []
    /// Fixes of one time, whose order must not depend on their arrival.
    private var pending: [Location] = []

    /// A replay that has not begun.
    ///
    /// - Parameters:
    ///   - deviceID: the device.
    ///   - area: the area.
    ///   - start: the first time that counts.
    ///   - end: the first time after those that count.
    package init(_ deviceID: DeviceID, in area: Area, from start: Timestamp, to end: Timestamp) {
        engine = MonitorEngine(area.index, rules: area.rules, memory: 16)
        self.deviceID = deviceID
        span = (start, end)
    }

    /// Takes the next fix.
    ///
    /// - Parameter location: the fix, which is not older than the one before.
    /// - Returns: whether later fixes matter: until the device is outside after the span, and no fix can change that.
    /// - Throws: when GEOS fails on the area.
    package mutating func take(_ location: Location) throws(GEOSError) -> Bool {
        if let first = pending.first, first.timestamp != location.timestamp { try evaluatePending() }
        pending.append(location)
        return !isOver
    }

    /// Whether no later fix can give a presence in the span.
    ///
    /// A device that is not tracked is outside, and enters after its last fix that was evaluated.
    private var isOver: Bool {
        guard let device, let last = engine.lastTime(at: device), last >= span.end + Self.precision else {
            return false
        }
        return !engine.tracksRegions(at: device)
    }

    /// Ends the replay after the last fix, or after one that `take` has answered with `false`.
    ///
    /// - Returns: the presences of which a part is in the span, in the order of time.
    /// - Throws: when GEOS fails on the area.
    package consuming func finish() throws(GEOSError) -> [Presence] {
        if !isOver { try evaluatePending() }
        if let entry { add(Presence(deviceID: deviceID, entry: entry, exit: nil)) }
        return found
    }

    private mutating func evaluatePending() throws(GEOSError) {
        if pending.count > 1 { pending.sort { ReorderBuffer.precedes($0, $1) } }
        var events: [Event] = []
        for location in pending { _ = try engine.accept(location, at: &device) { events.append($0) } }
        pending.removeAll(keepingCapacity: true)
        for event in events { follow(event) }
    }

    private mutating func follow(_ event: Event) {
        switch event.occurrence {
        case .regionEntered: entry = event
        case .regionExited:
            add(Presence(deviceID: deviceID, entry: entry, exit: event))
            entry = nil
        case .regionDwelled, .visitArrived, .visitDeparted, .deviceStale, .deviceRecovered, .appRelaunched, .alert,
            .fence, .proximity, .plan:
            break
        }
    }

    private mutating func add(_ presence: Presence) {
        if presence.overlaps(from: span.start, to: span.end) { found.append(presence) }
    }
}
