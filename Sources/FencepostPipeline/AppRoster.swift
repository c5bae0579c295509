public import FencepostModel
public import FencepostSimulator

/// The simulated apps on the devices that are watched: each event is put to the relaunch rules for each of them, and
/// their state moves on.
public struct AppRoster: Sendable {
    /// An event and what becomes of it in each app that it concerns.
    public struct Told: Sendable {
        public var event: Event
        public var deliveries: [Delivery]
    }

    private struct Key: Hashable {
        let app: Int
        let device: DeviceID
    }

    private let apps: [App]
    private let gate: RelaunchGate
    private var simulations: [Key: CoreLocationSimulation] = [:]
    /// How many events of the device's own numbering were added, and so shift what follows.
    private var added: [DeviceID: Int] = [:]
    /// The number of the last event of each device.
    private var sequences: [DeviceID: Int] = [:]
    /// How many apps were started.
    public private(set) var relaunchCount = 0
    private var moves: [DeviceID: MoveDetector] = [:]

    public init(_ apps: [App], gate: RelaunchGate = RelaunchGate()) {
        self.apps = apps
        self.gate = gate
    }

    public var isEmpty: Bool { apps.isEmpty }

    /// Puts an event to the rules for every app on its device that uses a service which it concerns.
    ///
    /// - Returns: the event, and after it an `app.relaunched` for each app that was started for it.
    public mutating func tell(_ event: Event) -> [Told] {
        var event = event
        event.sequence += added[event.deviceID] ?? 0
        sequences[event.deviceID] = event.sequence
        var deliveries: [Delivery] = []
        for index in apps.indices where apps[index].isOn(event.deviceID) {
            for item in ServiceEvent.events(of: event, for: apps[index].services) {
                deliveries += decide(item, for: index, on: event.deviceID)
            }
        }
        Self.date(&deliveries, by: event)
        return [Told(event: event, deliveries: deliveries)]
            + relaunches(deliveries, because: event.id, at: event.detectedAt, event.location, on: event.deviceID)
    }

    /// Takes a fix, for apps that use the significant-change service: half a kilometre and five minutes from the last.
    ///
    /// - Returns: an `app.relaunched` for each app that was started for the move.
    public mutating func moved(_ location: Location) -> [Told] {
        let users = apps.indices.filter { index in
            apps[index].isOn(location.deviceID)
                && apps[index].services.contains { $0.service == .significantChange && $0.isActive }
        }
        guard !users.isEmpty else { return [] }
        guard let event = moves[location.deviceID, default: MoveDetector(gate.parameters)].take(location) else {
            return []
        }
        let deliveries = users.flatMap { decide(event, for: $0, on: location.deviceID) }
        return relaunches(
            deliveries, because: "move", at: location.timestamp, location, on: location.deviceID)
    }

    private mutating func decide(_ event: ServiceEvent, for index: Int, on device: DeviceID) -> [Delivery] {
        let uses = apps[index].services.filter { object in
            object.service == event.service && (object.identifier == nil || object.identifier == event.identifier)
        }
        guard let object = uses.first else { return [] }
        let key = Key(app: index, device: device)
        // Services that stand for every region are registered one by one, as the regions are heard of.
        var given = apps[index].given
        given.services = apps[index].services.filter {
            $0.identifier != nil || !($0.service.isRegion || $0.service.isCondition)
        }
        var simulation = simulations[key] ?? CoreLocationSimulation(given, gate: gate)
        if event.identifier != nil, object.identifier == nil {
            var registered = object
            registered.identifier = event.identifier
            simulation.assumeStarted(registered)
        }
        let actions = simulation.handle(Step(.event(event), at: event.at))
        simulations[key] = simulation
        return actions.compactMap { action in
            guard case .deliver(var delivery) = action else { return nil }
            delivery.app = apps[index].id
            delivery.step = nil
            return delivery
        }
    }

    private mutating func relaunches(
        _ deliveries: [Delivery], because cause: String, at moment: Timestamp, _ location: Location?,
        on device: DeviceID
    ) -> [Told] {
        var told: [Told] = []
        for delivery in deliveries where delivery.relaunch {
            guard let app = apps.first(where: { $0.id == delivery.app }) else { continue }
            relaunchCount += 1
            added[device, default: 0] += 1
            sequences[device, default: 0] += 1
            var identity = Identity()
            identity.add(cause)
            identity.add(app.id)
            identity.add(device.rawValue)
            identity.add(moment.milliseconds)
            told.append(
                Told(
                    event: Event(
                        id: identity.text(prefix: "evt_"), sequence: sequences[device] ?? 1, deviceID: device,
                        occurrence: .appRelaunched(AppSummary(id: app.id, name: app.name)), timestamp: moment,
                        detectedAt: moment, location: location),
                    deliveries: [delivery]))
        }
        return told
    }

    /// Gives the deliveries of a visit the times that the monitor knows, in place of those at which it was told.
    private static func date(_ deliveries: inout [Delivery], by event: Event) {
        let visit: Visit
        switch event.occurrence {
        case .visitArrived(let known), .visitDeparted(let known): visit = known
        case .regionEntered, .regionExited, .regionDwelled, .deviceStale, .deviceRecovered, .appRelaunched: return
        }
        for place in deliveries.indices where deliveries[place].visit != nil {
            deliveries[place].visit?.arrival = visit.arrival.map { .time($0) } ?? .distantPast
            deliveries[place].visit?.departure = visit.departure.map { .time($0) } ?? .distantFuture
        }
    }
}
