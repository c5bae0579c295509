public import FencepostModel

/// Something that happened to the device and concerns a service.
public struct ServiceEvent: Hashable, Sendable, Codable {
    public enum Kind: String, Hashable, Sendable, CaseIterable, Codable {
        case enter, exit, arrival, departure, moved, update, satisfied, unsatisfied, push

        /// Whether it leads into a region or condition, or out of it; `nil` of anything else.
        var isInward: Bool? {
            switch self {
            case .enter, .satisfied: true
            case .exit, .unsatisfied: false
            case .arrival, .departure, .moved, .update, .push: nil
            }
        }
    }

    public var service: Service
    public var kind: Kind
    /// Of the region or the condition.
    public var identifier: String?
    /// When it happens; the simulation's own time when `nil`.
    public var at: Timestamp?
    /// A name that the delivery repeats.
    public var id: String?
    /// How far the device moved.
    public var meters: Double?
    /// Whether the coarse location stayed the same.
    public var sameCoarseCell = false
    /// Whether the system hands it over together with the event before.
    public var deliveredTogether = false
    /// How long ago the last significant change was; `nil` when there was none or no time is known.
    var sinceLast: Duration?

    public init(_ service: Service, _ kind: Kind, identifier: String? = nil, at: Timestamp? = nil) {
        self.service = service
        self.kind = kind
        self.identifier = identifier
        self.at = at
    }
}

extension Service {
    /// The event that stands for the service where any will do.
    public var typicalKind: ServiceEvent.Kind {
        switch self {
        case .standardUpdates, .requestLocation, .beaconRanging, .heading, .liveUpdates: .update
        case .significantChange: .moved
        case .visits: .arrival
        case .regionCircular, .regionBeacon, .locationNotification: .enter
        case .clMonitorCircular, .clMonitorBeacon: .satisfied
        case .locationPush: .push
        }
    }

    /// The kinds that the service can produce.
    public var kinds: [ServiceEvent.Kind] {
        switch self {
        case .standardUpdates, .requestLocation, .beaconRanging, .heading, .liveUpdates: [.update]
        case .significantChange: [.moved, .update]
        case .visits: [.arrival, .departure]
        case .regionCircular, .regionBeacon, .locationNotification: [.enter, .exit]
        case .clMonitorCircular, .clMonitorBeacon: [.satisfied, .unsatisfied, .enter, .exit]
        case .locationPush: [.push]
        }
    }
}
