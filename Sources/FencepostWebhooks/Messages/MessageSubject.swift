import FencepostModel
import FencepostService

/// The properties of an event that the filters of endpoints use.
struct MessageSubject: Sendable {
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
    var decisions: [AppDecision]

    /// `origin`: what brought the event about.
    init(_ message: EventMessage, origin: EventOrigin) {
        id = message.id
        type = message.type
        self.origin = origin
        retractedType = message.retractedType
        deviceID = message.deviceID
        isCrossing = message.event?.isCrossing ?? true
        if let region = message.region {
            regions = [region.id.rawValue]
            regionName = region.placeName
        } else {
            regions = message.visit?.regions.map(\.rawValue) ?? []
        }
        if case .appRelaunched(let started)? = message.event?.occurrence { app = started.id }
        endpoint = message.notice?.endpoint?.id
        recipients = message.notice?.recipients ?? []
        decisions = message.decisions
    }
}
