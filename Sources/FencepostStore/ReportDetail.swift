import FencepostFormats
import FencepostModel

/// The members of a phone's report that only some kinds have, as a JSON column.
struct ReportDetail: Codable {
    private var event, region, regionID, trigger, name: String?
    private var radius: Double?
    private var createdAt, arrival, departure: Timestamp?

    init(_ kind: PhoneReport.Kind) {
        switch kind {
        case .transition(let transition, let region, let regionID, let trigger):
            (event, self.region, self.regionID, self.trigger) = (transition.rawValue, region, regionID, trigger)
        case .waypoint(let name, let regionID, let radius, let createdAt):
            (self.name, self.regionID, self.radius, self.createdAt) = (name, regionID, radius, createdAt)
        case .visit(let arrival, let departure, let name):
            (self.arrival, self.departure, self.name) = (arrival, departure, name)
        }
    }

    /// The kind of the report; `nil` for an unknown name.
    func kind(named name: String) -> PhoneReport.Kind? {
        switch name {
        case "transition":
            guard let transition = event.flatMap(PhoneReport.Transition.init(rawValue:)) else { return nil }
            return .transition(transition, region: region, regionID: regionID, trigger: trigger)
        case "waypoint":
            return .waypoint(name: self.name, regionID: regionID, radius: radius, createdAt: createdAt)
        case "visit": return .visit(arrival: arrival, departure: departure, name: self.name)
        default: return nil
        }
    }
}

extension PhoneReport.Kind {
    /// The name in the API.
    var name: String {
        switch self {
        case .transition: "transition"
        case .waypoint: "waypoint"
        case .visit: "visit"
        }
    }
}
