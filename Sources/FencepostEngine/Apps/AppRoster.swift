public import FencepostModel
public import FencepostSimulator

/// The simulated apps on the monitored devices. Each event is passed to the relaunch rules for each app, and changes the
/// app's state.
public struct AppRoster: Sendable {
    /// A monitored app.
    private struct Entry {
        var app: App
        /// Identity of the app's definition. A stored state of another definition is not restored.
        var definition: String
        /// The app's state on a device that has no state of its own yet.
        var simulation: CoreLocationSimulation
    }

    private struct Device {
        var simulations: [String: CoreLocationSimulation] = [:]
        /// `app.relaunched` events emitted so far. The sequence numbers of later events are shifted by it.
        var added = 0
        /// Sequence number of the last event.
        var sequence = 0
        var moves: MoveDetector?
    }

    private var entries: [Entry]
    private let gate: RelaunchGate
    private var devices: [DeviceID: Device] = [:]
    /// Number of relaunches so far.
    public private(set) var relaunchCount = 0

    /// Apps in the initial state of their definition.
    public init(_ apps: [App], gate: RelaunchGate = RelaunchGate()) {
        entries = apps.map { Entry(app: $0, definition: "", simulation: $0.simulation(gate: gate)) }
        self.gate = gate
    }

    /// Apps in the state in which they are watched.
    public init(_ apps: [WatchedApp], gate: RelaunchGate = RelaunchGate()) {
        entries = apps.map { Entry(app: $0.app, definition: $0.identity, simulation: $0.simulation) }
        self.gate = gate
    }

    /// Whether there is no app.
    public var isEmpty: Bool { entries.isEmpty }

    /// Applies the relaunch rules to an event, for every app on its device that uses a service which the event concerns.
    ///
    /// - Returns: the event, then an `app.relaunched` for each app that was relaunched for it.
    public mutating func emit(_ event: Event) -> [EmittedEvent] {
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
        return [EmittedEvent(event: event, deliveries: deliveries)] + relaunches
    }

    /// Passes a fix to the apps that use the significant-change service, which reports moves of 500 m and five minutes.
    ///
    /// - Returns: an `app.relaunched` for each app that was relaunched for the move.
    public mutating func moved(_ location: Location) -> [EmittedEvent] {
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

    /// Removes a device from the dictionary while it is modified, which avoids a copy.
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

    /// The `app.relaunched` events of deliveries. It has six parameters because an event and a move, which both call it,
    /// hold cause, time and position in different types.
    private mutating func relaunches(
        _ deliveries: [Delivery], because cause: String, at moment: Timestamp, _ location: Location?,
        on id: DeviceID, _ device: inout Device
    ) -> [EmittedEvent] {
        var emitted: [EmittedEvent] = []
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
            emitted.append(
                EmittedEvent(
                    event: Event(
                        id: identity.text(prefix: "evt_"), sequence: device.sequence, deviceID: id,
                        occurrence: .appRelaunched(AppSummary(id: app.id, name: app.name)), timestamp: moment,
                        detectedAt: moment, location: location),
                    deliveries: [delivery]))
        }
        return emitted
    }

    /// Sets the arrival and departure of visit deliveries to the monitor's times. The simulation knows only the time of
    /// the event.
    private static func date(_ deliveries: inout [Delivery], by event: Event) {
        guard let visit = event.occurrence.visit else { return }
        for index in deliveries.indices where deliveries[index].visit != nil {
            deliveries[index].visit?.arrival = visit.arrival.map { .time($0) } ?? .distantPast
            deliveries[index].visit?.departure = visit.departure.map { .time($0) } ?? .distantFuture
        }
    }
}

// MARK: Checkpoints

extension AppRoster {
    /// The state of all apps on one device, for a checkpoint.
    public struct DeviceState: Hashable, Sendable, Codable {
        struct AppState: Hashable, Sendable, Codable {
            /// Identity of the definition under which the state arose.
            var definition: String
            var simulation: CoreLocationSimulation.Snapshot
        }

        /// By app id.
        var apps: [String: AppState]
        var added, sequence: Int
        /// Where the current move started.
        var moveStart: Location?
    }

    /// The devices with a state, in no particular order.
    public var deviceIDs: [DeviceID] { Array(devices.keys) }

    /// The state of a device; `nil` when there is none.
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

    /// Restores the state of a device, except that of apps that were removed or have another definition now.
    public mutating func restore(_ state: DeviceState, for id: DeviceID) {
        var device = Device(added: state.added, sequence: state.sequence)
        device.moves = state.moveStart.map { MoveDetector(gate.parameters, last: $0) }
        for entry in entries {
            guard let known = state.apps[entry.app.id], known.definition == entry.definition else { continue }
            device.simulations[entry.app.id] = CoreLocationSimulation(known.simulation, gate: entry.simulation.gate)
        }
        devices[id] = device
    }

    /// Sequence number of the last event of a device; `nil` when it had none.
    package func lastSequence(of id: DeviceID) -> Int? { devices[id]?.sequence }

    /// Continues the sequence numbers of a device after events that were stored without the roster.
    ///
    /// `last`: sequence number of the last stored event.
    /// `monitor`: that of the monitor's last event.
    package mutating func continueSequence(of id: DeviceID, after last: Int, monitor: Int) {
        var device = take(id)
        device.sequence = last
        device.added = last - monitor
        devices[id] = device
    }

    /// Removes the state of a device, including the sequence number of its events.
    public mutating func forget(_ id: DeviceID) {
        devices[id] = nil
    }

    /// Replaces the apps. An app with an unchanged definition keeps its state on each device; the others start in their
    /// initial state.
    public mutating func replace(_ apps: [WatchedApp]) {
        let before = Dictionary(entries.map { ($0.app.id, $0.definition) }) { first, _ in first }
        entries = apps.map { Entry(app: $0.app, definition: $0.identity, simulation: $0.simulation) }
        let kept = Set(entries.lazy.filter { before[$0.app.id] == $0.definition }.map(\.app.id))
        for id in devices.keys {
            for app in before.keys where !kept.contains(app) { devices[id]?.simulations[app] = nil }
        }
    }

    /// Performs a step with an app on every device, including devices that appear later.
    public mutating func take(_ step: Step, app id: String) {
        guard let index = entries.firstIndex(where: { $0.app.id == id }) else { return }
        _ = entries[index].simulation.handle(step)
        for device in devices.keys { _ = devices[device]?.simulations[id]?.handle(step) }
    }
}
