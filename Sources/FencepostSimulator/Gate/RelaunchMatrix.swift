public import FencepostJSON

/// What becomes of an event of each service, at each grant, in each lifecycle of an app.
///
/// All else is as favourable as it can be: full accuracy, unlocked, Location Services on, the service started, the
/// property list and the entitlements complete. A terminated app is there twice: ended by the system, and by the user.
public struct RelaunchMatrix: Hashable, Sendable {
    /// One combination and its decision.
    public struct Cell: Hashable, Sendable {
        public var service: Service
        public var grant: Grant
        public var state: State
        public var delivery: Delivery
    }

    /// Where an app is in its life, and what ended it.
    public struct State: Hashable, Sendable, CustomStringConvertible {
        public var lifecycle: Lifecycle
        public var terminatedBy: Termination?

        public var description: String {
            lifecycle.rawValue + (terminatedBy.map { " by \($0.rawValue)" } ?? "")
        }
    }

    public static let states: [State] =
        Lifecycle.allCases.filter { $0 != .terminated }.map { State(lifecycle: $0) }
        + [Termination.system, .user].map { State(lifecycle: .terminated, terminatedBy: $0) }

    public let system: OperatingSystem
    public let cells: [Cell]

    /// The grants that differ in what they let through.
    public static let grants: [Grant] = [
        .notDetermined, .denied, .restricted, .whenInUse, .temporaryWhenInUse, .provisionalAlways, .always,
    ]

    /// - Parameter sessions: what the app holds in every cell.
    public init(_ system: OperatingSystem, gate: RelaunchGate = RelaunchGate(), sessions: [Session] = []) {
        self.system = system
        var cells: [Cell] = []
        for service in Service.startable {
            for grant in Self.grants {
                for state in Self.states {
                    let event = ServiceEvent(service, service.typicalKind)
                    let given = Self.given(system, event, grant, state, sessions)
                    let delivery = gate.decide(event, given: given)
                    cells.append(Cell(service: service, grant: grant, state: state, delivery: delivery))
                }
            }
        }
        self.cells = cells
    }

    private static func given(
        _ system: OperatingSystem, _ event: ServiceEvent, _ grant: Grant, _ state: State, _ sessions: [Session]
    ) -> Given {
        var given = Given()
        given.platform = system.platform
        given.osVersion = system.version
        given.grant = grant
        given.lifecycle = state.lifecycle
        given.terminatedBy = state.terminatedBy
        given.infoPlist = PropertyKeys([PropertyKeys.backgroundModeLocation])
        given.entitlements = PropertyKeys([PropertyKeys.pushEntitlement])
        given.extensions = ["com.apple.location.push.service"]
        given.sessions = sessions.map { HeldSession($0) }
        given.assumeStarted(event)
        return given
    }

    public subscript(service: Service, grant: Grant, lifecycle: Lifecycle) -> Delivery? {
        cells.first { $0.service == service && $0.grant == grant && $0.state.lifecycle == lifecycle }?.delivery
    }

    /// The cells that come out otherwise on another system, beside what they are there.
    public func differences(from other: RelaunchMatrix) -> [(here: Cell, there: Cell)] {
        zip(cells, other.cells).filter { here, there in
            here.delivery.outcome != there.delivery.outcome || here.delivery.relaunch != there.delivery.relaunch
                || here.delivery.appWoken != there.delivery.appWoken
        }.map { (here: $0, there: $1) }
    }
}

extension JSONWriter {
    /// `{"platform","osVersion","cells":[…]}`.
    public mutating func value(_ matrix: RelaunchMatrix) {
        beginObject()
        head(matrix)
        array("cells", matrix.cells) { writer, cell in
            writer.beginObject()
            writer.place(of: cell)
            writer.decision(of: cell)
            writer.endObject()
        }
        endObject()
    }

    /// What differs between two systems: `{"platform","osVersion","versus","differences":[…]}`, `here` and
    /// `there` in each.
    public mutating func value(_ matrix: RelaunchMatrix, versus other: RelaunchMatrix) {
        beginObject()
        head(matrix)
        name("versus")
        beginObject()
        head(other)
        endObject()
        array("differences", matrix.differences(from: other)) { writer, pair in
            writer.beginObject()
            writer.place(of: pair.here)
            for (name, cell) in [("here", pair.here), ("there", pair.there)] {
                writer.name(name)
                writer.beginObject()
                writer.decision(of: cell)
                writer.endObject()
            }
            writer.endObject()
        }
        endObject()
    }

    private mutating func head(_ matrix: RelaunchMatrix) {
        member("platform", matrix.system.platform.rawValue)
        member("osVersion", matrix.system.version.description)
    }

    private mutating func place(of cell: RelaunchMatrix.Cell) {
        member("service", cell.service.rawValue)
        member("grant", cell.grant.rawValue)
        member("lifecycle", cell.state.lifecycle.rawValue)
        member("terminatedBy", cell.state.terminatedBy?.rawValue)
    }

    private mutating func decision(of cell: RelaunchMatrix.Cell) {
        member("delivery", cell.delivery.outcome.rawValue)
        member("relaunch", cell.delivery.relaunch)
        member("appWoken", cell.delivery.appWoken)
        if let runs = cell.delivery.extensionRuns { member("extensionRuns", runs) }
        member("decidingRule", cell.delivery.decidingRule.rawValue)
        member("because", cell.delivery.because)
        member("confidence", cell.delivery.confidence.rawValue)
        array("warnings", cell.delivery.warnings) { $0.value($1) }
    }
}
