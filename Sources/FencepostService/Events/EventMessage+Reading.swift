import FencepostFormats
import FencepostGeometry
public import FencepostJSON
public import FencepostModel
import FencepostSimulator

extension EventMessage {
    /// The event of a text as `JSONWriter` writes it, and as rows of earlier versions have it; `nil` for a text that is no event.
    ///
    /// - Parameters:
    ///   - body: the event without `why`.
    ///   - why: the explanation; `nil` for none.
    public init?(body: String, why: String?) {
        guard let root = (try? JSONDocument(parsing: body))?.root else { return nil }
        let reader = EventReader(root: root)
        guard let content = reader.content(why: why), let received = reader.time(.receivedAt) ?? reader.time(.timestamp)
        else { return nil }
        self.init(content, receivedAt: received)
        if let revision = reader[.revision]?.int, let former = reader[.supersedes]?.string {
            correction = EventCorrection(revision: revision, supersedes: former)
        }
    }
}

/// Reads the members of an event on the wire.
private struct EventReader {
    let root: JSONElement

    subscript(member: EventMember) -> JSONElement? { root[member.rawValue] }

    func text(_ member: EventMember) -> String? { self[member]?.string }

    func time(_ member: EventMember) -> Timestamp? { text(member).flatMap { Timestamp(rfc3339: $0) } }

    func content(why: String?) -> EventMessage.Content? {
        guard let id = text(.id), let type = text(.type), let timestamp = time(.timestamp) else { return nil }
        if let type = ServiceEventType(rawValue: type) {
            return notice(type).map { .notice(ServiceNotice(id: id, timestamp: timestamp, subject: $0)) }
        }
        guard let device = text(.device).map({ DeviceID($0) }) else { return nil }
        let sequence = self[.sequence]?.int ?? 0
        if type == Retraction.type {
            guard let retracts = text(.retracts), let retractedType = text(.retractedType) else { return nil }
            return .retraction(
                Retraction(
                    id: id, sequence: sequence, deviceID: device, timestamp: timestamp,
                    detectedAt: time(.detectedAt) ?? timestamp, retracts: retracts, retractedType: retractedType,
                    region: region, visit: visit, reason: text(.reason) ?? ""))
        }
        guard let occurrence = EventType(rawValue: type).flatMap(occurrence) else { return nil }
        var event = Event(
            id: id, sequence: sequence, deviceID: device, occurrence: occurrence, timestamp: timestamp,
            detectedAt: time(.detectedAt) ?? timestamp, earliest: time(.earliest), latest: time(.latest),
            location: self[.location].flatMap { location($0, of: device) }, confidence: self[.confidence]?.double,
            why: why.flatMap { explanation($0, of: device) })
        event.isCrossing = event.why?.rule.isCrossing ?? true
        return .occurrence(event, decisions: decisions)
    }

    private func occurrence(_ type: EventType) -> Occurrence? {
        switch type {
        case .regionEntered: region.map { .regionEntered($0) }
        case .regionExited:
            region.map { .regionExited($0, reason: text(.reason).flatMap(Occurrence.ExitReason.init)) }
        case .regionDwelled:
            region.map { .regionDwelled($0, dwell: duration(self[.dwell]) ?? .zero) }
        case .visitArrived: visit.map { .visitArrived($0) }
        case .visitDeparted: visit.map { .visitDeparted($0) }
        case .deviceStale: .deviceStale
        case .deviceRecovered: .deviceRecovered
        case .appRelaunched:
            self[.app].flatMap { app in
                app["id"]?.string.map { .appRelaunched(AppSummary(id: $0, name: app["name"]?.string)) }
            }
        case .alertSpeed, .alertBattery, .alertAccuracy, .alertJump, .alertUnplugged, .alertAbsent, .alertPresent,
            .alertSilent:
            Alert.Kind(type).flatMap(alert)
        case .fenceArmed: fence.map { .fence(FenceReport(.armed, $0)) }
        case .fenceBroken:
            fence.map { .fence(FenceReport(.broken(distance: self[.fence]?["distance"]?.double ?? 0), $0)) }
        case .fenceDisarmed:
            fence.flatMap { fence in
                text(.reason).flatMap(FenceReport.DisarmReason.init).map { .fence(FenceReport(.disarmed($0), fence)) }
            }
        case .proximityEntered: proximity(.entered)
        case .proximityExited: proximity(.exited(isClosed: text(.reason) == ProximityReport.closedReason))
        case .proximityDwelled: proximity(.dwelled(duration(self[.dwell]) ?? .zero))
        case .proximityUnaccompanied: proximity(.unaccompanied)
        case .planVisited, .planLate, .planMissed, .planCompleted: plan(type)
        }
    }

    private func proximity(_ kind: ProximityReport.Kind) -> Occurrence? {
        guard let object = self[.proximity], let rule = object["rule"]?.string,
            let other = object["otherDeviceId"]?.string
        else { return nil }
        return .proximity(
            ProximityReport(
                kind, rule: rule, other: DeviceID(other), distance: object["distance"]?.double ?? 0,
                uncertainty: object["uncertainty"]?.double ?? 0, limit: object["limit"]?.double ?? 0))
    }

    private func plan(_ type: EventType) -> Occurrence? {
        self[.plan].flatMap { PlanReport(json: $0, type, region: region) }.map { .plan($0) }
    }

    private var fence: Fence? {
        guard let object = self[.fence], let latitude = object["latitude"]?.double,
            let longitude = object["longitude"]?.double, let armedAt = time("armedAt", in: object),
            let origin = object["armedBy"]?.string.flatMap(Fence.Origin.init)
        else { return nil }
        return Fence(
            armedAt: armedAt, center: Coordinate(latitude: latitude, longitude: longitude),
            horizontalAccuracy: object["horizontalAccuracy"]?.double ?? 0, radius: object["radius"]?.double ?? 0,
            until: time("until", in: object), owner: object["owner"]?.string.map { DeviceID($0) }, origin: origin)
    }

    private func time(_ name: String, in object: JSONElement) -> Timestamp? {
        object[name]?.string.flatMap { Timestamp(rfc3339: $0) }
    }

    private func alert(_ kind: Alert.Kind) -> Occurrence? {
        guard let object = self[.alert], let rule = object["rule"]?.string,
            let state = object["state"]?.string.flatMap(Alert.State.init)
        else { return nil }
        var alert = Alert(kind: kind, rule: rule, state: state, region: region)
        (alert.value, alert.limit) = (object["value"]?.double, object["limit"]?.double)
        (alert.unit, alert.distance) = (object["unit"]?.string, object["distance"]?.double)
        alert.duration = duration(object["duration"])
        return .alert(alert)
    }

    private var region: RegionSummary? {
        guard let object = self[.region], let id = object["id"]?.string else { return nil }
        return RegionSummary(
            id: RegionID(id), name: object["name"]?.string, tags: object["tags"]?.array?.compactMap(\.string) ?? [],
            metadata: object["metadata"].map { JSONText($0.text) })
    }

    private var visit: Visit? { self[.visit].flatMap { Visit(json: $0) } }

    private var decisions: [AppDecision] {
        (self[.apps]?.array.map(Array.init) ?? []).map {
            AppDecision(
                app: $0["app"]?.string, outcome: $0["delivery"]?.string ?? "",
                isRelaunched: $0["relaunch"]?.bool == true, text: JSONText($0.text))
        }
    }

    private func notice(_ type: ServiceEventType) -> ServiceNotice.Subject? {
        let endpoint = self[.endpoint].flatMap { object in
            object["id"]?.string.map {
                ServiceNotice.EndpointSummary(id: $0, description: object["description"]?.string)
            }
        }
        switch type {
        case .endpointDisabled: return endpoint.map { .disabled($0, reason: text(.reason) ?? "") }
        case .webhookTest: return endpoint.map { .test($0) }
        case .deliveryExhausted:
            guard let endpoint, let object = self[.delivery], let id = object["id"]?.string,
                let event = object["eventId"]?.string, let type = object["eventType"]?.string
            else { return nil }
            return .exhausted(
                endpoint,
                ServiceNotice.DeliverySummary(
                    id: id, eventID: event, eventType: type, attempts: object["attempts"]?.int ?? 0))
        case .reportReady:
            guard let schedule = self[.schedule], let report = self[.report], let id = schedule["id"]?.string else {
                return nil
            }
            func member(_ name: String) -> String { report[name]?.string ?? "" }
            return .report(
                ServiceNotice.ScheduleSummary(id: id, name: schedule["name"]?.string ?? id),
                ServiceNotice.ReportSummary(
                    kind: member("kind"), format: member("format"), from: member("from"), to: member("to"),
                    timeZone: member("timeZone"), firstDate: member("firstDate"), lastDate: member("lastDate"),
                    path: member("path")),
                recipients: self[.recipients]?.array?.compactMap(\.string) ?? [])
        }
    }

    private func duration(_ seconds: JSONElement?) -> Duration? {
        seconds?.double.map { .milliseconds(Int64(clamped: ($0 * 1000).rounded())) }
    }

    private func location(_ object: JSONElement, of device: DeviceID) -> Location? {
        guard let latitude = object["latitude"]?.double, let longitude = object["longitude"]?.double,
            let time = object["timestamp"]?.string.flatMap({ Timestamp(rfc3339: $0) })
        else { return nil }
        var location = Location(
            deviceID: object["deviceId"]?.string.map { DeviceID($0) } ?? device, timestamp: time,
            coordinate: Coordinate(latitude: latitude, longitude: longitude),
            horizontalAccuracy: object["horizontalAccuracy"]?.double)
        location.altitude = object["altitude"]?.double
        location.verticalAccuracy = object["verticalAccuracy"]?.double
        location.speed = object["speed"]?.double
        location.course = object["course"]?.double
        location.floor = object["floor"]?.int
        location.batteryLevel = object["batteryLevel"]?.double
        location.batteryState = object["batteryState"]?.string.flatMap(Location.BatteryState.init)
        location.isSimulated = object["isSimulated"]?.bool
        location.source = object["source"]?.string
        location.trigger = object["trigger"]?.string
        return location
    }

    private func explanation(_ text: String, of device: DeviceID) -> Why? {
        guard let object = (try? JSONDocument(parsing: text))?.root,
            let rule = object["rule"]?.string.flatMap(Why.Rule.init)
        else { return nil }
        return Why(
            rule: rule, fix: object["fix"].flatMap { location($0, of: device) }, distance: object["distance"]?.double,
            accuracy: object["accuracy"]?.double, probability: object["probability"]?.double,
            pendingFixes: object["heldBack"]?.array?.compactMap { $0.string.flatMap { Timestamp(rfc3339: $0) } } ?? [])
    }
}

extension JSONElement {
    /// The element as compact JSON.
    fileprivate var text: String {
        var writer = JSONWriter()
        writer.value(self)
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}

extension Visit {
    /// A visit as events and stored visits have it; `nil` for anything else.
    public init?(json object: JSONElement) {
        guard let id = object["id"]?.string, let latitude = object["latitude"]?.double,
            let longitude = object["longitude"]?.double
        else { return nil }
        func time(_ name: String) -> Timestamp? { object[name]?.string.flatMap { Timestamp(rfc3339: $0) } }
        self.init(
            id: id, arrival: time("arrival"), departure: time("departure"),
            coordinate: Coordinate(latitude: latitude, longitude: longitude),
            horizontalAccuracy: object["horizontalAccuracy"]?.double ?? 0,
            regions: object["regions"]?.array?.compactMap { $0.string.map { RegionID($0) } } ?? [])
        (arrivalEarliest, arrivalLatest) = (time("arrivalEarliest"), time("arrivalLatest"))
        (departureEarliest, departureLatest) = (time("departureEarliest"), time("departureLatest"))
    }
}

extension Why.Rule {
    /// Whether an entry or exit that it decided is a crossing. It does not say whether a device was inside from its first location on.
    var isCrossing: Bool {
        switch self {
        case .initialState, .scheduleOpened, .scheduleClosed, .regionDeleted, .regionExpired: false
        case .containment, .clearFix, .fixesAgree, .noFurtherFix, .passedBetweenFixes, .cushionAndStay, .dwellDeadline,
            .fixes, .gap, .silence, .departure, .pendingDeparture, .nextStay, .maximumGap, .refuted, .conditionMet,
            .conditionEnded, .positionsAgree, .positionHeld,
            .visitInWindow, .visitAfterWindow, .noVisitInWindow, .roundOver:
            true
        }
    }
}
