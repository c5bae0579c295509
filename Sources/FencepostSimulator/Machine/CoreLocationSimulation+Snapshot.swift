import FencepostModel

extension CoreLocationSimulation {
    /// The complete state between two steps. A simulation made from it continues exactly like the original.
    ///
    /// The names of the properties are keys of stored states. The gate is not included; it belongs to the settings.
    public struct Snapshot: Hashable, Sendable, Codable {
        /// The state of the device. The name is the key in stored states.
        var given: DeviceState
        var stepCount, launches, deliveryCount: Int
        var secondPromptScheduled: Bool
        var elapsed, grantedAt: Duration
        var origin: Timestamp?
        var graceEnds, runtimeEnds, sessionsForgotten, lastSignificantChange: Duration?
        var known: KnownAuthorization
        var promptOnScreen: PendingPrompt?
        var held: WaitingEvent?
        var queue: [WaitingEvent]
        var visitArrival: Delivery.VisitDates.Date?
        /// Sorted, so that the same state gives the same bytes.
        var openMonitors: [String]
        var isFreshlyLaunched, wasLaunched, usedLocationInBackground, liveUpdatesArePaused: Bool
        var allowsBackgroundUpdates: Bool?
        /// Absent in states that an older release stored.
        var onceHasEnded: Bool?
        /// Absent without a launch by the system, and in states that an older release stored.
        var launchCauses: [String]?
        var watch: [Snapshot]
    }

    /// The current state.
    public var snapshot: Snapshot {
        Snapshot(
            given: device, stepCount: stepCount, launches: launches, deliveryCount: deliveryCount,
            secondPromptScheduled: secondPromptScheduled, elapsed: elapsed, grantedAt: grantedAt, origin: origin,
            graceEnds: graceEnds, runtimeEnds: runtimeEnds, sessionsForgotten: sessionsForgotten,
            lastSignificantChange: lastSignificantChange, known: known, promptOnScreen: promptOnScreen, held: held,
            queue: queue, visitArrival: visitArrival, openMonitors: openMonitors.sorted(),
            isFreshlyLaunched: isFreshlyLaunched, wasLaunched: wasLaunched,
            usedLocationInBackground: usedLocationInBackground, liveUpdatesArePaused: liveUpdatesArePaused,
            allowsBackgroundUpdates: allowsBackgroundUpdates, onceHasEnded: onceHasEnded ? true : nil,
            launchCauses: launchCauses.isEmpty ? nil : launchCauses,
            watch: watch.map(\.snapshot))
    }

    /// Continues from a snapshot.
    public init(_ snapshot: Snapshot, gate: RelaunchGate = RelaunchGate()) {
        self.init(snapshot.given, gate: gate)
        // The snapshot replaces what the initializer derives from the start.
        device = snapshot.given
        (stepCount, launches, deliveryCount) = (snapshot.stepCount, snapshot.launches, snapshot.deliveryCount)
        secondPromptScheduled = snapshot.secondPromptScheduled
        (elapsed, grantedAt, origin) = (snapshot.elapsed, snapshot.grantedAt, snapshot.origin)
        (graceEnds, runtimeEnds) = (snapshot.graceEnds, snapshot.runtimeEnds)
        (sessionsForgotten, lastSignificantChange) = (snapshot.sessionsForgotten, snapshot.lastSignificantChange)
        (known, promptOnScreen) = (snapshot.known, snapshot.promptOnScreen)
        (held, queue, visitArrival) = (snapshot.held, snapshot.queue, snapshot.visitArrival)
        openMonitors = Set(snapshot.openMonitors)
        (isFreshlyLaunched, wasLaunched) = (snapshot.isFreshlyLaunched, snapshot.wasLaunched)
        usedLocationInBackground = snapshot.usedLocationInBackground
        liveUpdatesArePaused = snapshot.liveUpdatesArePaused
        allowsBackgroundUpdates = snapshot.allowsBackgroundUpdates
        onceHasEnded = snapshot.onceHasEnded ?? false
        launchCauses = snapshot.launchCauses ?? []
        watch = snapshot.watch.map { CoreLocationSimulation($0, gate: gate) }
        output = StepOutput()
    }
}
