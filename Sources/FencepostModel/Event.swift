public import FencepostGeometry

/// An event of one device, as the monitor emits it.
public struct Event: Hashable, Sendable {
    /// Its text is made when it is first asked for; an encoder writes the identity without a string.
    @usableFromInline var identifier: Identifier
    /// Rises by one per device, from 1.
    public var sequence: Int
    /// The device that the event is about.
    public var deviceID: DeviceID
    /// What happened, with the region, visit or app concerned.
    public var occurrence: Occurrence
    /// The best estimate of when it happened.
    public var timestamp: Timestamp
    /// The time of the fix or of the deadline that decided the event.
    public var detectedAt: Timestamp
    /// The fixes around a crossing, if they lie more than a minute apart; `timestamp` lies between them.
    public var earliest, latest: Timestamp?
    /// The fix that decided the event, or the last fix before the deadline that did.
    public var location: Location?
    /// Estimated probability that the event is true, 0 to 1; `nil` if the deciding rule estimates none.
    public var confidence: Double?
    /// Whether an entry or exit means that the device crossed the boundary. Otherwise it was inside when it was first known,
    /// or the region opened, closed, expired or was deleted around it. Not on the wire; texts for people need it.
    public var isCrossing = true
    /// On the heap, since it is large and few readers of events need it.
    @usableFromInline var explanation: Explanation?

    /// An event with its facts, one parameter for each property because each is set by a different step.
    @inlinable
    public init(
        id: String, sequence: Int, deviceID: DeviceID, occurrence: Occurrence, timestamp: Timestamp,
        detectedAt: Timestamp, earliest: Timestamp? = nil, latest: Timestamp? = nil, location: Location? = nil,
        confidence: Double? = nil, why: Why? = nil
    ) {
        identifier = .text(id)
        self.sequence = sequence
        self.deviceID = deviceID
        self.occurrence = occurrence
        self.timestamp = timestamp
        self.detectedAt = detectedAt
        (self.earliest, self.latest) = (earliest, latest)
        self.location = location
        self.confidence = confidence
        explanation = why.map { Explanation($0) }
    }

    /// Derived from the content of the event, so the same input gives the same id whenever it is computed.
    public var id: String {
        get { identifier.text }
        set { identifier = .text(newValue) }
    }

    /// The hash of the content that the id is made of; `nil` if the id was set as a text.
    public var identity: Identity? {
        get { if case .identity(let identity) = identifier { identity } else { nil } }
        set { identifier = newValue.map { .identity($0) } ?? .text("") }
    }

    /// The rule that decided the event and the values that it used; `nil` for events of the device itself and of apps,
    /// and for events whose rules are not explained.
    public var why: Why? {
        get { explanation?.why }
        set { explanation = newValue.map { Explanation($0) } }
    }

    /// Sets the fix of the explanation, if there is an explanation that has none.
    package mutating func setMissingFix(_ fix: Location?) {
        guard let explanation, !explanation.why.hasFix, let fix else { return }
        why?.fix = fix
    }

    /// The prefix of the ids of events.
    public static let idPrefix: StaticString = "evt_"

    /// The id of an event, as a text or as what the text is made of.
    @usableFromInline
    enum Identifier: Hashable, Sendable {
        case text(String)
        case identity(Identity)

        var text: String {
            switch self {
            case .text(let text): text
            case .identity(let identity): identity.text(prefix: "evt_")
            }
        }

        @usableFromInline
        static func == (a: Identifier, b: Identifier) -> Bool {
            if case .identity(let a) = a, case .identity(let b) = b { return a == b }
            return a.text == b.text
        }

        @usableFromInline
        func hash(into hasher: inout Hasher) { hasher.combine(text) }
    }

    @usableFromInline
    final class Explanation: Hashable, Sendable {
        let why: Why

        @usableFromInline
        init(_ why: Why) { self.why = why }

        @usableFromInline
        static func == (a: Explanation, b: Explanation) -> Bool { a.why == b.why }

        @usableFromInline
        func hash(into hasher: inout Hasher) { hasher.combine(why) }
    }
}

/// What happened.
///
/// Visits and apps are on the heap, so that the far more frequent crossings stay small.
public enum Occurrence: Hashable, Sendable {
    /// The device entered a region.
    case regionEntered(RegionSummary)
    /// The device left a region; the reason is `nil` if it moved.
    case regionExited(RegionSummary, reason: ExitReason?)
    /// The device has been in a region for one of its dwell times.
    case regionDwelled(RegionSummary, dwell: Duration)
    /// The device began a stay that is long enough for a visit.
    indirect case visitArrived(Visit)
    /// The device ended a visit.
    indirect case visitDeparted(Visit)
    /// The device has sent nothing for `MonitorSettings.staleAfter`.
    case deviceStale
    /// A stale device has sent a fix.
    case deviceRecovered
    /// The event before this one launched a terminated app in the background.
    indirect case appRelaunched(AppSummary)
    /// The condition of an alert rule began or ended.
    indirect case alert(Alert)
    /// A fence was armed, broken or disarmed.
    indirect case fence(FenceReport)
    /// Two devices came near each other, stayed so, or parted.
    indirect case proximity(ProximityReport)
    /// A place of a round was visited or not, or the round is over.
    indirect case plan(PlanReport)

    /// Why a device exits a region without having moved.
    public enum ExitReason: String, Hashable, Sendable { case expired, deleted }

    /// The type on the wire.
    public var type: EventType {
        switch self {
        case .regionEntered: .regionEntered
        case .regionExited: .regionExited
        case .regionDwelled: .regionDwelled
        case .visitArrived: .visitArrived
        case .visitDeparted: .visitDeparted
        case .deviceStale: .deviceStale
        case .deviceRecovered: .deviceRecovered
        case .appRelaunched: .appRelaunched
        case .alert(let alert): alert.kind.type
        case .fence(let report): report.kind.type
        case .proximity(let report): report.kind.type
        case .plan(let report): report.kind.type
        }
    }

    /// The region of an entry, an exit, a dwell, an alert about its limit or a place of a round; `nil` for all others.
    public var region: RegionSummary? {
        switch self {
        case .regionEntered(let region), .regionExited(let region, _), .regionDwelled(let region, _): region
        case .alert(let alert): alert.region
        case .plan(let report): report.stop?.region
        case .visitArrived, .visitDeparted, .deviceStale, .deviceRecovered, .appRelaunched, .fence, .proximity: nil
        }
    }

    /// The visit of an arrival or a departure; `nil` for all others.
    ///
    /// Only the visit of an arrival or a departure can be replaced; setting it on another occurrence is a programming
    /// error.
    public var visit: Visit? {
        get {
            switch self {
            case .visitArrived(let visit), .visitDeparted(let visit): visit
            case .regionEntered, .regionExited, .regionDwelled, .deviceStale, .deviceRecovered, .appRelaunched, .alert,
                .fence, .proximity, .plan:
                nil
            }
        }
        set {
            switch (self, newValue) {
            case (.visitArrived, let visit?): self = .visitArrived(visit)
            case (.visitDeparted, let visit?): self = .visitDeparted(visit)
            case (.visitArrived, nil), (.visitDeparted, nil), (.regionEntered, _), (.regionExited, _),
                (.regionDwelled, _),
                (.deviceStale, _), (.deviceRecovered, _), (.appRelaunched, _), (.alert, _), (.fence, _),
                (.proximity, _), (.plan, _):
                preconditionFailure("an occurrence keeps its type")
            }
        }
    }
}

/// The names of event types on the wire.
public enum EventType: String, Hashable, Sendable, CaseIterable {
    /// An entry into a region.
    case regionEntered = "region.entered"
    /// An exit from a region.
    case regionExited = "region.exited"
    /// A dwell in a region.
    case regionDwelled = "region.dwelled"
    /// The arrival of a visit.
    case visitArrived = "visit.arrived"
    /// The departure of a visit.
    case visitDeparted = "visit.departed"
    /// Silence of a device.
    case deviceStale = "device.stale"
    /// The end of a device's silence.
    case deviceRecovered = "device.recovered"
    /// The launch of an app in the background.
    case appRelaunched = "app.relaunched"
    /// A speed above a limit, or its end.
    case alertSpeed = "alert.speed"
    /// A low battery, or its end.
    case alertBattery = "alert.battery"
    /// A bad accuracy for long, or its end.
    case alertAccuracy = "alert.accuracy"
    /// A sudden jump.
    case alertJump = "alert.jump"
    /// The loss of external power, or its return.
    case alertUnplugged = "alert.unplugged"
    /// A device that is not in a region by a time of day, or its arrival.
    case alertAbsent = "alert.absent"
    /// A device that is still in a region at a time of day, or its departure.
    case alertPresent = "alert.present"
    /// A device that has sent no location for long, or its next one.
    case alertSilent = "alert.silent"
    /// A fence about where a device stands was armed.
    case fenceArmed = "fence.armed"
    /// A device has left its fence.
    case fenceBroken = "fence.broken"
    /// A fence was disarmed.
    case fenceDisarmed = "fence.disarmed"
    /// Two devices are near each other.
    case proximityEntered = "proximity.entered"
    /// Two devices are apart again.
    case proximityExited = "proximity.exited"
    /// Two devices have been near each other for long.
    case proximityDwelled = "proximity.dwelled"
    /// A device has moved away from another one, which stays.
    case proximityUnaccompanied = "proximity.unaccompanied"
    /// A place of a round was visited within its window.
    case planVisited = "plan.visited"
    /// A place of a round was visited after its window.
    case planLate = "plan.late"
    /// A place of a round was not visited within its window.
    case planMissed = "plan.missed"
    /// A round is over.
    case planCompleted = "plan.completed"

    /// Whether it is about two devices, so that the history of one alone does not decide it.
    public var isOfPair: Bool { rawValue.hasPrefix("proximity.") }
}

/// The part of an app that its events carry.
public struct AppSummary: Hashable, Sendable {
    /// The id of the app, as the scenario or the registration names it.
    public var id: String
    /// The name for people; `nil` if the app has none.
    public var name: String?

    /// A summary of the app with this id.
    public init(id: String, name: String? = nil) {
        self.id = id
        self.name = name
    }
}

/// The part of a region that its events carry.
///
/// All events of a region share one object, so that an event copies a reference only.
public struct RegionSummary: Hashable, Sendable {
    @usableFromInline let content: Content

    @usableFromInline
    final class Content: Sendable {
        @usableFromInline let id: RegionID
        @usableFromInline let name: String?
        @usableFromInline let tags: [String]
        @usableFromInline let metadata: JSONText?

        init(_ id: RegionID, _ name: String?, _ tags: [String], _ metadata: JSONText?) {
            (self.id, self.name, self.tags, self.metadata) = (id, name, tags, metadata)
        }
    }

    /// The id, name, tags and metadata of a region at the time of the event.
    public init(_ region: Region) {
        content = Content(region.id, region.name, region.tags, region.metadata)
    }

    /// A region as an event has it that was stored.
    public init(id: RegionID, name: String?, tags: [String], metadata: JSONText?) {
        content = Content(id, name, tags, metadata)
    }

    /// The id of the region.
    @inlinable public var id: RegionID { content.id }
    /// The name for people; `nil` if the region file has none.
    @inlinable public var name: String? { content.name }
    /// The tags of the region, in the order of the region file.
    @inlinable public var tags: [String] { content.tags }
    /// The `metadata` of the region file, unchanged; `nil` if it has none.
    @inlinable public var metadata: JSONText? { content.metadata }

    /// Compares all members.
    public static func == (a: RegionSummary, b: RegionSummary) -> Bool {
        a.content === b.content
            || (a.id == b.id && a.name == b.name && a.tags == b.tags && a.metadata == b.metadata)
    }

    /// Adds the id alone, which nearly always decides.
    public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

/// A stay at one place, in the terms of Core Location's `CLVisit`.
public struct Visit: Hashable, Sendable, Codable {
    /// `vis_…`; the same in the arrival and in the departure.
    public var id: String
    /// `nil` if the stay began before the first fix of the device.
    public var arrival: Timestamp?
    /// `nil` until the departure is reported.
    public var departure: Timestamp?
    /// The centre of the stay: the mean of its fixes, weighted by accuracy.
    public var coordinate: Coordinate
    /// Radius of 68 % confidence around the centre, in metres.
    public var horizontalAccuracy: Double
    /// The regions that contain the centre, sorted by the bytes of their ids.
    public var regions: [RegionID]
    /// Bounds of the arrival; set if no fix lies near it in time.
    public var arrivalEarliest, arrivalLatest: Timestamp?
    /// Bounds of the departure; set if no fix lies near it in time.
    public var departureEarliest, departureLatest: Timestamp?
    /// Whether a departure ends a stay that has not been: it was reported in a silence, and the fix after it shows that the device
    /// travelled. An evaluation of the fixes that knows them all has no such visit. It is not stored.
    public var isRefuted = false

    private enum CodingKeys: String, CodingKey {
        case id, arrival, departure, coordinate, horizontalAccuracy, regions
        case arrivalEarliest, arrivalLatest, departureEarliest, departureLatest
    }

    /// A visit without bounds, one parameter for each property because they have no order of their own.
    public init(
        id: String, arrival: Timestamp?, departure: Timestamp? = nil, coordinate: Coordinate,
        horizontalAccuracy: Double, regions: [RegionID] = []
    ) {
        self.id = id
        self.arrival = arrival
        self.departure = departure
        self.coordinate = coordinate
        self.horizontalAccuracy = horizontalAccuracy
        self.regions = regions
    }
}
