/// What differs between the matrices of two systems.
public struct MatrixComparison: Hashable, Sendable {
    /// A combination that is decided differently.
    public struct Difference: Hashable, Sendable {
        /// The cell of the first system.
        public var here: RelaunchMatrix.Cell
        /// The cell of the second system.
        public var there: RelaunchMatrix.Cell
        /// The sessions that the app holds in both cells.
        public var sessions: [Session]

        /// Whether more than the certainty differs.
        public var changesOutcome: Bool { !here.delivery.hasSameOutcome(as: there.delivery) }
    }

    /// The matrix of the first system.
    public let here: RelaunchMatrix
    /// The matrix of the second system.
    public let there: RelaunchMatrix
    /// The differences: first those without a session, then those that show only with one.
    public let differences: [Difference]

    /// Compares two systems.
    ///
    /// - Parameters:
    ///   - here: the first system.
    ///   - there: the second system.
    ///   - gate: decides each cell.
    ///   - sessions: the sessions that the app holds. Without any, it is compared without a session and then with one for
    ///     Always, because monitors and live updates need it from iOS 18.
    public init(
        of here: OperatingSystem, with there: OperatingSystem, gate: RelaunchGate = RelaunchGate(),
        sessions: [Session] = []
    ) {
        self.here = RelaunchMatrix(here, gate: gate, sessions: sessions)
        self.there = RelaunchMatrix(there, gate: gate, sessions: sessions)
        let bare = Self.differences(self.here, self.there)
        guard sessions.isEmpty else {
            differences = bare
            return
        }
        let always = [Session.serviceSession(.always)]
        let held = Self.differences(
            RelaunchMatrix(here, gate: gate, sessions: always), RelaunchMatrix(there, gate: gate, sessions: always)
        ).filter { $0.here.service.isNewer }
        // Where a session changes the outcome of both systems, that they are unequally sure without one says little.
        let kept = bare.filter { one in
            one.changesOutcome || !held.contains { $0.here.isSameCombination(as: one.here) }
        }
        differences =
            kept
            + held.filter { one in
                !kept.contains { $0.here.hasSameOutcome(as: one.here) && $0.there.hasSameOutcome(as: one.there) }
            }
    }

    private static func differences(_ here: RelaunchMatrix, _ there: RelaunchMatrix) -> [Difference] {
        here.differences(from: there).map { Difference(here: $0.here, there: $0.there, sessions: here.sessions) }
    }
}

extension RelaunchMatrix.Cell {
    /// Whether combination and outcome are the same.
    fileprivate func hasSameOutcome(as other: RelaunchMatrix.Cell) -> Bool {
        isSameCombination(as: other) && delivery.hasSameOutcome(as: other.delivery)
    }

    /// Whether service, grant and state are the same.
    fileprivate func isSameCombination(as other: RelaunchMatrix.Cell) -> Bool {
        service == other.service && grant == other.grant && state == other.state
    }
}

extension Delivery {
    /// Whether outcome, launch and wake-up are the same.
    func hasSameOutcome(as other: Delivery) -> Bool {
        outcome == other.outcome && relaunch == other.relaunch && appWoken == other.appWoken
    }
}
