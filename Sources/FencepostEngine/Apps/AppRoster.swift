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

    /// An app as it is watched.
    private struct Entry {
        var app: App
        /// What stands for the definition of the app, so that a state of another definition is not taken for one of it.
        var definition: String
        /// The app on a device that nothing is known of yet.
        var simulation: CoreLocationSimulation
    }

    private struct Device {
        var simulations: [String: CoreLocationSimulation] = [:]
        /// How many events of the device's own numbering were added, and so shift what follows.
        var added = 0
        /// The number of the last event.
        var sequence = 0
        var moves: MoveDetector?
    }

    private var entries: [Entry]
    private let gate: RelaunchGate
    private var devices: [DeviceID: Device] = [:]
    /// How many apps were started.
    public private(set) var relaunchCount = 0

    public init(_ apps: [App], gate: RelaunchGate = RelaunchGate()) {
        entries = apps.map { Entry(app: $0, definition: "", simulation: $0.simulation(gate: gate)) }
        self.gate = gate
    }

    public init(_ apps: [WatchedApp], gate: RelaunchGate = RelaunchGate()) {
        entries = apps.map { Entry(app: $0.app, definition: $0.identity, simulation: $0.simulation) }
        self.gate = gate
    }

    public var isEmpty: Bool { entries.isEmpty }

    /// Puts an event to the rules for every app on its device that uses a service which it concerns.
    ///
    /// - Returns: the event, and after it an `app.relaunched` for each app that was started for it.
    public mutating func tell(_ event: Event) -> [Told] {
        var event = event
        var device = take(event.deviceID)
        defer { devices[event.deviceID] = device }
        event.sequence += device.added
        device.sequence = event.sequence
        var deliveries: [Delivery] = []
        for entry in entries where entry.app.isOn(event.deviceID) {
            for item in ServiceEvent.events(of: event, for: entry.app.services) {
                deliveries += decide(item, for: entry, on: &device)
            }
        }
        Self.date(&deliveries, by: event)
        let relaunches = relaunches(
            deliveries, because: event.id, at: event.detectedAt, event.location, on: event.deviceID, &device)
        return [Told(event: event, deliveries: deliveries)] + relaunches
    }

    /// Takes a fix, for apps that use the significant-change service: half a kilometre and five minutes from the last.
    ///
    /// - Returns: an `app.relaunched` for each app that was started for the move.
    public mutating func moved(_ location: Location) -> [Told] {
        let users = entries.filter { entry in
            entry.app.isOn(location.deviceID)
                && entry.app.services.contains { $0.service == .significantChange && $0.isActive }
        }
        guard !users.isEmpty else { return [] }
        var device = take(location.deviceID)
        defer { devices[location.deviceID] = device }
        var moves = device.moves ?? MoveDetector(gate.parameters)
        let event = moves.take(location)
        device.moves = moves
        guard let event else { return [] }
        var deliveries: [Delivery] = []
        for entry in users { deliveries += decide(event, for: entry, on: &device) }
        return relaunches(
            deliveries, because: "move", at: location.timestamp, location, on: location.deviceID, &device)
    }

    /// Takes a device out while it is worked on, so that nothing of it is copied.
    private mutating func take(_ id: DeviceID) -> Device { devices.removeValue(forKey: id) ?? Device() }

    private func decide(_ event: ServiceEvent, for entry: Entry, on device: inout Device) -> [Delivery] {
        let uses = entry.app.services.filter { object in
            object.service == event.service && (object.identifier == nil || object.identifier == event.identifier)
        }
        guard let object = uses.first else { return [] }
        var simulation = device.simulations.removeValue(forKey: entry.app.id) ?? entry.simulation
        if event.identifier != nil, object.identifier == nil {
            var registered = object
            registered.identifier = event.identifier
            simulation.assumeStarted(registered)
        }
        let actions = simulation.handle(Step(.event(event), at: event.at))
        device.simulations[entry.app.id] = simulation
        return actions.compactMap { action in
            guard case .deliver(var delivery) = action else { return nil }
            delivery.app = entry.app.id
            delivery.step = nil
            return delivery
        }
    }

    private mutating func relaunches(
        _ deliveries: [Delivery], because cause: String, at moment: Timestamp, _ location: Location?,
        on id: DeviceID, _ device: inout Device
    ) -> [Told] {
        var told: [Told] = []
        for delivery in deliveries where delivery.relaunch {
            guard let app = entries.first(where: { $0.app.id == delivery.app })?.app else { continue }
            relaunchCount += 1
            device.added += 1
            device.sequence += 1
            var identity = Identity()
            identity.add(cause)
            identity.add(app.id)
            identity.add(id.rawValue)
            identity.add(moment.milliseconds)
            told.append(
                Told(
                    event: Event(
                        id: identity.text(prefix: "evt_"), sequence: device.sequence, deviceID: id,
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

// MARK: State that outlives the process

extension AppRoster {
    /// What is known of one device.
    public struct DeviceState: Hashable, Sendable, Codable {
        struct AppState: Hashable, Sendable, Codable {
            /// As in the app's entry.
            var definition: String
            var simulation: CoreLocationSimulation.Snapshot
        }

        /// By the id of the app.
        var apps: [String: AppState]
        var added, sequence: Int
        /// Where the move that goes on began.
        var moveStart: Location?
    }

    /// The devices that something is known of, in no order.
    public var deviceIDs: [DeviceID] { Array(devices.keys) }

    /// `nil` when nothing is known of the device.
    public func state(of id: DeviceID) -> DeviceState? {
        guard let device = devices[id] else { return nil }
        var apps: [String: DeviceState.AppState] = [:]
        for entry in entries {
            guard let simulation = device.simulations[entry.app.id] else { continue }
            apps[entry.app.id] = DeviceState.AppState(definition: entry.definition, simulation: simulation.snapshot)
        }
        return DeviceState(
            apps: apps, added: device.added, sequence: device.sequence, moveStart: device.moves?.last)
    }

    /// Goes on with a device where its state was taken; what is there of apps that are gone or have another definition
    /// now is left out.
    public mutating func restore(_ state: DeviceState, for id: DeviceID) {
        var device = Device(added: state.added, sequence: state.sequence)
        device.moves = state.moveStart.map { MoveDetector(gate.parameters, last: $0) }
        for entry in entries {
            guard let known = state.apps[entry.app.id], known.definition == entry.definition else { continue }
            device.simulations[entry.app.id] = CoreLocationSimulation(known.simulation, gate: entry.simulation.gate)
        }
        devices[id] = device
    }

    /// Forgets all that is known of a device, the numbers of its events too.
    public mutating func forget(_ id: DeviceID) {
        devices[id] = nil
    }

    /// Goes on with other apps: those whose definition did not change stay in the state that they are in on each
    /// device, all others begin anew.
    public mutating func replace(_ apps: [WatchedApp]) {
        let before = Dictionary(entries.map { ($0.app.id, $0.definition) }) { first, _ in first }
        entries = apps.map { Entry(app: $0.app, definition: $0.identity, simulation: $0.simulation) }
        let kept = Set(entries.lazy.filter { before[$0.app.id] == $0.definition }.map(\.app.id))
        for id in devices.keys {
            for app in before.keys where !kept.contains(app) { devices[id]?.simulations[app] = nil }
        }
    }

    /// Takes a step with an app wherever it is: on every device that it has been on, and for those that are to come.
    public mutating func take(_ step: Step, app id: String) {
        guard let place = entries.firstIndex(where: { $0.app.id == id }) else { return }
        _ = entries[place].simulation.handle(step)
        for device in devices.keys { _ = devices[device]?.simulations[id]?.handle(step) }
    }
}
