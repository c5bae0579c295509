public import FencepostModel

/// An event on the device that concerns one service.
public struct ServiceEvent: Hashable, Sendable, Codable {
    /// What happened. `Service.kinds` lists the kinds that a service can produce.
    public enum Kind: String, Hashable, Sendable, CaseIterable, Codable {
        /// Kinds of regions, visits, significant changes and updates, conditions and location pushes, in this order.
        case enter, exit, arrival, departure, moved, update, satisfied, unsatisfied, push

        /// Whether the event enters a region or satisfies a condition; `nil` for kinds that are not a crossing.
        var isInward: Bool? {
            switch self {
            case .enter, .satisfied: true
            case .exit, .unsatisfied: false
            case .arrival, .departure, .moved, .update, .push: nil
            }
        }
    }

    /// The service that detects the event.
    public var service: Service
    /// What happened.
    public var kind: Kind
    /// The identifier of the region or the condition; `nil` for other services.
    public var identifier: String?
    /// The time of the event; `nil` for the current time of the simulation.
    public var at: Timestamp?
    /// A name that the delivery repeats.
    public var id: String?
    /// How far the device moved, in metres, for a significant change.
    public var meters: Double?
    /// Whether the coarse location stayed the same.
    public var sameCoarseCell = false
    /// Whether the system delivers the event together with the event before it.
    public var deliveredTogether = false
    /// Whether the device crossed or moved without Core Location noticing (REGION-24); `nil` means no.
    public var isMissed: Bool?
    /// Whether the region was registered again after the crossing was detected (REGION-20); `nil` means no.
    var isDiscarded: Bool?
    /// Whether an earlier decision found that the event is a crossing, so that the state has changed since; `nil` means
    /// that the state decides.
    var isKnownCrossing: Bool?
    /// The time since the last significant change; `nil` when there was none or when no time is known.
    var sinceLast: Duration?

    /// Makes an event. `at` is the time of the event, `nil` for the current time.
    public init(_ service: Service, _ kind: Kind, identifier: String? = nil, at: Timestamp? = nil) {
        self.service = service
        self.kind = kind
        self.identifier = identifier
        self.at = at
    }
}

extension Service {
    /// The kind of event that stands for the service where the kind does not matter.
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

    /// The kinds of events that the service can produce.
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
