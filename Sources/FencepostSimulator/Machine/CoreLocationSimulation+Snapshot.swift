import FencepostModel

extension CoreLocationSimulation {
    /// The state between two steps, to be kept beyond the process: a simulation that is made of it goes on as this one
    /// would have.
    ///
    /// It does not hold the gate, which is a matter of settings.
    public struct Snapshot: Hashable, Sendable, Codable {
        var given: Given
        var stepCount, launches, deliveryCount: Int
        var secondPromptScheduled: Bool
        var elapsed, grantedAt: Duration
        var origin: Timestamp?
        var graceEnds, runtimeEnds, sessionsForgotten, lastSignificantChange: Duration?
        var known: Knowledge
        var promptOnScreen: PendingPrompt?
        var held: WaitingEvent?
        var queue: [WaitingEvent]
        var visitArrival: Delivery.VisitDates.Date?
        /// Sorted, so that the same state gives the same bytes.
        var openMonitors: [String]
        var isFreshlyLaunched, wasLaunched, usedLocationInBackground, liveUpdatesArePaused: Bool
        var allowsBackgroundUpdates: Bool?
        var watch: [Snapshot]
    }

    /// The state as it is now.
    public var snapshot: Snapshot {
        Snapshot(
            given: given, stepCount: stepCount, launches: launches, deliveryCount: deliveryCount,
            secondPromptScheduled: secondPromptScheduled, elapsed: elapsed, grantedAt: grantedAt, origin: origin,
            graceEnds: graceEnds, runtimeEnds: runtimeEnds, sessionsForgotten: sessionsForgotten,
            lastSignificantChange: lastSignificantChange, known: known, promptOnScreen: promptOnScreen, held: held,
            queue: queue, visitArrival: visitArrival, openMonitors: openMonitors.sorted(),
            isFreshlyLaunched: isFreshlyLaunched, wasLaunched: wasLaunched,
            usedLocationInBackground: usedLocationInBackground, liveUpdatesArePaused: liveUpdatesArePaused,
            allowsBackgroundUpdates: allowsBackgroundUpdates, watch: watch.map(\.snapshot))
    }

    /// Goes on where the snapshot was taken.
    public init(_ snapshot: Snapshot, gate: RelaunchGate = RelaunchGate()) {
        self.init(snapshot.given, gate: gate)
        // What the initializer finds out of the start is known here.
        given = snapshot.given
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
        watch = snapshot.watch.map { CoreLocationSimulation($0, gate: gate) }
        turn = Turn()
    }
}
