internal import FencepostGeometry
public import FencepostJSON
public import FencepostModel

/// Which event another one replaces after late data.
public struct EventCorrection: Hashable, Sendable {
    /// Counts the events of the same cause, from 1; at least 2.
    public var revision: Int
    /// The id of the event that is replaced.
    public var supersedes: String

    public init(revision: Int, supersedes: String) {
        (self.revision, self.supersedes) = (revision, supersedes)
    }
}

extension JSONWriter {
    /// Writes an event as receivers get it.
    ///
    /// - Parameters:
    ///   - event: the event.
    ///   - apps: the delivery objects of the apps on the device.
    ///   - receivedAt: arrival of what settled the event; the service knows it.
    ///   - correction: which event it replaces; `nil` for none.
    public mutating func value(
        _ event: Event, apps: [JSONText] = [], receivedAt: Timestamp? = nil, correction: EventCorrection? = nil
    ) {
        beginObject()
        memberID(of: event)
        members(of: event, receivedAt: receivedAt)
        member(event.why)
        if let correction {
            field("revision", correction.revision)
            member("supersedes", correction.supersedes)
        }
        member(apps)
        endObject()
    }

    /// Writes an event of a stream: with its `why` only if `explains` is set.
    mutating func value(_ event: Event, apps: [JSONText], explains: Bool) {
        if !explains, apps.isEmpty, event.confidence?.isFinite ?? true, crossing(event) { return }
        beginObject()
        memberID(of: event)
        members(of: event, receivedAt: nil)
        if explains { member(event.why) }
        member(apps)
        endObject()
    }

    /// Writes an event as a GeoJSON feature at the location of the fix or of the visit; without a geometry if neither
    /// is known.
    ///
    /// - Parameters:
    ///   - event: the event.
    ///   - apps: the delivery objects of the apps on the device.
    ///   - explains: whether the feature has the event's `why`.
    public mutating func feature(_ event: Event, apps: [JSONText] = [], explains: Bool = true) {
        beginObject()
        member("type", "Feature")
        memberID(of: event)
        name("geometry")
        if let coordinate = event.coordinate {
            beginObject()
            member("type", "Point")
            name("coordinates")
            beginArray()
            value(coordinate.longitude)
            value(coordinate.latitude)
            endArray()
            endObject()
        } else {
            null()
        }
        name("properties")
        beginObject()
        members(of: event, receivedAt: nil)
        if explains { member(event.why) }
        member(apps)
        endObject()
        endObject()
    }

    private mutating func memberID(of event: Event) {
        guard let identity = event.identity else { return field("id", event.id) }
        let prefix = Event.idPrefix
        asciiField("id", most: prefix.utf8CodeUnitCount + Identity.length) { start in
            start.update(from: prefix.utf8Start, count: prefix.utf8CodeUnitCount)
            return prefix.utf8CodeUnitCount + identity.write(to: start + prefix.utf8CodeUnitCount)
        }
    }

    /// The members after the id, which a feature has at another level, and before `why`.
    private mutating func members(of event: Event, receivedAt: Timestamp?) {
        field("sequence", event.sequence)
        member("type", event.occurrence.type.rawValue)
        // Of most events all times are the same.
        let time = TimeText(event.timestamp)
        field("timestamp", time)
        field("detectedAt", event.detectedAt == time.timestamp ? time : TimeText(event.detectedAt))
        member("receivedAt", receivedAt)
        member("earliest", event.earliest)
        member("latest", event.latest)
        member("deviceId", event.deviceID.rawValue)
        var (reason, dwell): (String?, Duration?) = (nil, nil)
        switch event.occurrence {
        case .regionEntered(let region): member(region)
        case .regionExited(let region, let why):
            member(region)
            reason = why?.rawValue
        case .regionDwelled(let region, let span):
            member(region)
            dwell = span
        case .visitArrived(let visit), .visitDeparted(let visit): member(visit)
        case .appRelaunched(let app):
            name("app")
            value(app)
        case .alert(let alert):
            if let region = alert.region { member(region) }
            name("alert")
            value(alert)
        case .fence(let report):
            name("fence")
            value(report)
            reason = report.reason
        case .proximity(let report):
            name("proximity")
            value(report)
            (reason, dwell) = (report.reason, report.dwell)
        case .plan(let report):
            if let region = report.stop?.region { member(region) }
            name("plan")
            value(report)
        case .deviceStale, .deviceRecovered: break
        }
        if let location = event.location {
            beginObject("location")
            members(of: location, time: location.timestamp == time.timestamp ? time : TimeText(location.timestamp))
            endObject()
        }
        member("confidence", event.confidence.map { ($0 * 1000).rounded() / 1000 })
        member("reason", reason)
        member("dwell", dwell?.seconds)
    }

    private mutating func member(_ why: Why?) {
        guard let why else { return }
        name("why")
        value(why)
    }

    private mutating func member(_ apps: [JSONText]) {
        beginArray("apps")
        for app in apps { raw(app.rawValue) }
        endArray()
    }

    /// Writes a region as events have it.
    public mutating func value(_ region: RegionSummary) {
        beginObject()
        members(of: region)
        endObject()
    }

    private mutating func member(_ region: RegionSummary) {
        beginObject("region")
        members(of: region)
        endObject()
    }

    private mutating func members(of region: RegionSummary) {
        member("id", region.id.rawValue)
        member("name", region.name)
        beginArray("tags")
        for tag in region.tags { value(tag) }
        endArray()
        if let metadata = region.metadata {
            name("metadata")
            raw(metadata.rawValue)
        }
    }

    /// Writes the app that an event is about.
    public mutating func value(_ app: AppSummary) {
        beginObject()
        member("id", app.id)
        member("name", app.name)
        endObject()
    }

    /// Writes what an event says of an alert, without its region.
    public mutating func value(_ alert: Alert) {
        beginObject()
        member("rule", alert.rule)
        member("state", alert.state.rawValue)
        member("value", alert.value)
        member("limit", alert.limit)
        member("unit", alert.unit)
        member("distance", alert.distance)
        member("duration", alert.duration?.seconds)
        endObject()
    }

    /// Writes what an event says of a fence, without the reason for which it was disarmed.
    ///
    /// - Parameters:
    ///   - report: what happened.
    ///   - hasCenter: whether the receiver may know where the device stood.
    public mutating func value(_ report: FenceReport, hasCenter: Bool = true) {
        beginObject()
        members(of: report.fence, hasCenter: hasCenter)
        if case .broken(let distance) = report.kind { member("distance", distance) }
        endObject()
    }

    /// Writes what an event says of two devices, without a reason and a dwell.
    public mutating func value(_ report: ProximityReport) {
        beginObject()
        member("rule", report.rule)
        member("otherDeviceId", report.other.rawValue)
        member("distance", report.distance)
        member("uncertainty", report.uncertainty)
        member("limit", report.limit)
        endObject()
    }

    /// Writes the members of a fence: where and when it was armed, and for how long.
    ///
    /// - Parameters:
    ///   - fence: the fence.
    ///   - hasCenter: whether the centre is written, with its accuracy.
    public mutating func members(of fence: Fence, hasCenter: Bool = true) {
        if hasCenter {
            member("latitude", fence.center.latitude)
            member("longitude", fence.center.longitude)
            member("horizontalAccuracy", fence.horizontalAccuracy)
        }
        member("radius", fence.radius)
        member("armedAt", fence.armedAt)
        member("armedBy", fence.origin.rawValue)
        member("until", fence.until)
        member("owner", fence.owner?.rawValue)
    }

    private mutating func member(_ visit: Visit) {
        name("visit")
        value(visit)
    }

    /// Writes a visit as events and reports contain it.
    ///
    /// - Parameters:
    ///   - visit: the visit.
    ///   - hasCoordinate: whether it has its coordinates and their accuracy.
    ///   - hasRegions: whether it has its regions.
    public mutating func value(_ visit: Visit, hasCoordinate: Bool = true, hasRegions: Bool = true) {
        beginObject()
        member("id", visit.id)
        for (name, time) in [("arrival", visit.arrival), ("departure", visit.departure)] {
            self.name(name)
            if let time { value(time) } else { null() }
        }
        if hasCoordinate {
            member("latitude", visit.coordinate.latitude)
            member("longitude", visit.coordinate.longitude)
            member("horizontalAccuracy", visit.horizontalAccuracy)
        }
        if hasRegions {
            self.name("regions")
            beginArray()
            for region in visit.regions { value(region.rawValue) }
            endArray()
        }
        member("arrivalEarliest", visit.arrivalEarliest)
        member("arrivalLatest", visit.arrivalLatest)
        member("departureEarliest", visit.departureEarliest)
        member("departureLatest", visit.departureLatest)
        endObject()
    }

    /// Writes why an event was emitted.
    public mutating func value(_ why: Why) {
        beginObject()
        member("rule", why.rule.rawValue)
        if let fix = why.fix {
            name("fix")
            value(fix)
        }
        // Rounded to millimetres and thousandths; further digits are rounding noise.
        member("distance", why.distance.map { ($0 * 1000).rounded() / 1000 })
        member("accuracy", why.accuracy.map { ($0 * 1000).rounded() / 1000 })
        member("probability", why.probability.map { ($0 * 1000).rounded() / 1000 })
        beginArray("heldBack")
        for time in why.pendingFixes { value(time) }
        endArray()
        endObject()
    }
}

extension Event {
    fileprivate var coordinate: Coordinate? {
        occurrence.visit?.coordinate ?? location?.coordinate
    }
}
