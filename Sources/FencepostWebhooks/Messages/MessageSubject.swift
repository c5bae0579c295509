import FencepostJSON
import FencepostModel
import FencepostService
import FencepostSimulator

/// What endpoints choose by of an event.
struct MessageSubject: Sendable {
    struct Decision: Sendable {
        var app: String?
        var outcome: String
        var relaunched: Bool
    }

    var id: String
    var type: String
    var deviceID: DeviceID?
    /// The region that it happened at; of a visit, those that its centre is in.
    var regions: [String]
    /// The app that was started, of `app.relaunched`.
    var app: String?
    /// The endpoint that it is about, which is not told of itself.
    var endpoint: String?
    var decisions: [Decision]

    init(_ event: Event, decisions: [Delivery]) {
        id = event.id
        type = event.occurrence.type.rawValue
        deviceID = event.deviceID
        regions = []
        switch event.occurrence {
        case .regionEntered(let region), .regionExited(let region, _), .regionDwelled(let region, _):
            regions = [region.id.rawValue]
        case .visitArrived(let visit), .visitDeparted(let visit): regions = visit.regions.map(\.rawValue)
        case .appRelaunched(let started): app = started.id
        case .deviceStale, .deviceRecovered: break
        }
        self.decisions = decisions.map {
            Decision(app: $0.app, outcome: $0.outcome.rawValue, relaunched: $0.relaunch)
        }
    }

    /// - Parameter object: the event's body, parsed.
    init(_ event: NewEvent, object: JSONElement) {
        id = event.id
        type = event.type
        deviceID = event.deviceID
        regions =
            (event.regionID?.rawValue ?? object["region"]?["id"]?.string).map { [$0] }
            ?? object["visit"]?["regions"]?.array?.compactMap(\.string) ?? []
        app = object["app"]?["id"]?.string
        endpoint = object["endpoint"]?["id"]?.string
        decisions =
            object["apps"]?.array?.map {
                Decision(
                    app: $0["app"]?.string, outcome: $0["delivery"]?.string ?? "",
                    relaunched: $0["relaunch"]?.bool == true)
            } ?? []
    }
}
