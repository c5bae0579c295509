import FencepostJSON
import FencepostModel
import FencepostService
import FencepostSimulator

/// The properties of an event that the filters of endpoints use.
struct MessageSubject: Sendable {
    struct Decision: Sendable {
        var app: String?
        var outcome: String
        var relaunched: Bool
    }

    var id: String
    var type: String
    /// The type of the event that a retraction is about. An endpoint that matches it gets the retraction.
    var retractedType: String?
    var origin = EventOrigin.live
    var deviceID: DeviceID?
    /// The region of the event; for a visit, the regions that contain its centre.
    var regions: [String]
    /// How people speak of the event's region; `nil` for a visit, whose event has ids only.
    var regionName: PlaceName?
    /// As in `Event`.
    var isCrossing = true
    /// The app that was started, for `app.relaunched`.
    var app: String?
    /// The endpoint that the event is about. It does not receive the event.
    var endpoint: String?
    /// The endpoints that receive a report.
    var recipients: [String] = []
    var decisions: [Decision]

    init(_ event: Event, decisions: [Delivery]) {
        id = event.id
        type = event.occurrence.type.rawValue
        deviceID = event.deviceID
        isCrossing = event.isCrossing
        if let region = event.occurrence.region {
            regions = [region.id.rawValue]
            regionName = region.placeName
        } else {
            regions = event.occurrence.visit?.regions.map(\.rawValue) ?? []
        }
        if case .appRelaunched(let started) = event.occurrence { app = started.id }
        self.decisions = decisions.map {
            Decision(app: $0.app, outcome: $0.outcome.rawValue, relaunched: $0.relaunch)
        }
    }

    /// As in `Event`, from a stored explanation. It does not say whether a device was inside from its first location on.
    private static func isCrossing(why: String?) -> Bool {
        guard let why, let document = try? JSONDocument(parsing: why),
            let rule = document.root["rule"]?.string.flatMap(Why.Rule.init)
        else { return true }
        switch rule {
        case .initialState, .scheduleOpened, .scheduleClosed, .regionDeleted, .regionExpired: return false
        case .containment, .clearFix, .fixesAgree, .noFurtherFix, .passedBetweenFixes, .cushionAndStay, .dwellDeadline,
            .fixes, .gap, .silence, .departure, .pendingDeparture, .nextStay, .maximumGap, .refuted, .conditionMet,
            .conditionEnded:
            return true
        }
    }

    /// The subject of an event; `object` is the event's body.
    init(_ event: NewEvent, object: JSONElement) {
        id = event.id
        type = event.type
        origin = event.origin
        retractedType = object["retractedType"]?.string
        deviceID = event.deviceID
        regions =
            (event.regionID?.rawValue ?? object["region"]?["id"]?.string).map { [$0] }
            ?? object["visit"]?["regions"]?.array?.compactMap(\.string) ?? []
        if let region = object["region"], let id = region["id"]?.string {
            regionName = PlaceName(
                id: RegionID(id), name: region["name"]?.string, tags: region["tags"]?.array?.compactMap(\.string) ?? [])
        }
        isCrossing = Self.isCrossing(why: event.why)
        app = object["app"]?["id"]?.string
        endpoint = object["endpoint"]?["id"]?.string
        recipients = object["recipients"]?.array?.compactMap(\.string) ?? []
        decisions =
            object["apps"]?.array?.map {
                Decision(
                    app: $0["app"]?.string, outcome: $0["delivery"]?.string ?? "",
                    relaunched: $0["relaunch"]?.bool == true)
            } ?? []
    }
}
