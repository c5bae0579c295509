public import FencepostJSON

/// The decision for one event of each service, for each grant and each lifecycle of an app.
///
/// Everything else is as favourable as possible: full accuracy, unlocked, Location Services on, the service started,
/// property list and entitlements complete. A terminated app appears three times: terminated by the system, by the user
/// and by a reboot, after which the device has been unlocked.
public struct RelaunchMatrix: Hashable, Sendable {
    /// One combination and its decision.
    public struct Cell: Hashable, Sendable {
        /// The service that produces the event.
        public var service: Service
        /// The user's grant.
        public var grant: Grant
        /// The lifecycle of the app.
        public var state: State
        /// The decision.
        public var delivery: Delivery
    }

    /// The lifecycle of an app, with the cause of its termination.
    public struct State: Hashable, Sendable, CustomStringConvertible {
        /// Whether the app runs.
        public var lifecycle: Lifecycle
        /// The cause of the termination; `nil` unless terminated.
        public var terminatedBy: Termination?

        /// The lifecycle and the cause: `terminated by user`.
        public var description: String {
            lifecycle.rawValue + (terminatedBy.map { " by \($0.rawValue)" } ?? "")
        }
    }

    /// The states of the app, in the order of the matrix.
    public static let states: [State] =
        Lifecycle.allCases.filter { $0 != .terminated }.map { State(lifecycle: $0) }
        + [Termination.system, .user, .reboot].map { State(lifecycle: .terminated, terminatedBy: $0) }

    /// The platform and version.
    public let system: OperatingSystem
    /// The sessions that the app holds in every cell.
    public let sessions: [Session]
    /// Every combination: services outermost, then grants, then states.
    public let cells: [Cell]

    /// The grants, in the order of the matrix.
    public static let grants: [Grant] = [
        .notDetermined, .denied, .restricted, .whenInUse, .temporaryWhenInUse, .provisionalAlways, .always,
    ]

    /// Computes the matrix of a system.
    ///
    /// - Parameters:
    ///   - system: platform and version.
    ///   - gate: decides each cell.
    ///   - sessions: the sessions that the app holds in every cell.
    public init(_ system: OperatingSystem, gate: RelaunchGate = RelaunchGate(), sessions: [Session] = []) {
        (self.system, self.sessions) = (system, sessions)
        var cells: [Cell] = []
        for service in Service.startable {
            for grant in Self.grants {
                for state in Self.states {
                    let event = ServiceEvent(service, service.typicalKind)
                    let device = Self.device(system, event, grant, state, sessions)
                    let delivery = gate.decide(event, for: device)
                    cells.append(Cell(service: service, grant: grant, state: state, delivery: delivery))
                }
            }
        }
        self.cells = cells
    }

    private static func device(
        _ system: OperatingSystem, _ event: ServiceEvent, _ grant: Grant, _ state: State, _ sessions: [Session]
    ) -> DeviceState {
        var device = DeviceState()
        device.platform = system.platform
        device.osVersion = system.version
        device.grant = grant
        device.lifecycle = state.lifecycle
        device.terminatedBy = state.terminatedBy
        device.infoPlist = PropertyKeys([PropertyKeys.backgroundModeLocation])
        device.entitlements = PropertyKeys([PropertyKeys.pushEntitlement])
        device.extensions = ["com.apple.location.push.service"]
        device.sessions = sessions.map { HeldSession($0) }
        device.assumeStarted(event)
        return device
    }

    /// The first decision for a service, a grant and a lifecycle; `nil` for a service that no app can start.
    public subscript(service: Service, grant: Grant, lifecycle: Lifecycle) -> Delivery? {
        cells.first { $0.service == service && $0.grant == grant && $0.state.lifecycle == lifecycle }?.delivery
    }

    /// The cells with another outcome, launch, wake-up or certainty than the same cells of another system.
    ///
    /// - Returns: pairs of this matrix's cell and the other matrix's cell.
    public func differences(from other: RelaunchMatrix) -> [(here: Cell, there: Cell)] {
        zip(cells, other.cells).filter { here, there in
            !here.delivery.hasSameOutcome(as: there.delivery)
                || (here.delivery.certainty != there.delivery.certainty
                    && here.delivery.impossibility == nil && there.delivery.impossibility == nil)
        }.map { (here: $0, there: $1) }
    }
}

extension JSONWriter {
    /// Writes a matrix: `{"platform","osVersion","cells":[…]}`.
    public mutating func value(_ matrix: RelaunchMatrix) {
        beginObject()
        head(matrix)
        array("cells", matrix.cells) { writer, cell in
            writer.beginObject()
            writer.combination(of: cell)
            writer.decision(of: cell)
            writer.endObject()
        }
        endObject()
    }

    /// Writes what differs between two systems: `{"platform","osVersion","versus","differences":[…]}`. Each difference
    /// has the members `here` and `there`, and the `sessions` that the app holds in both.
    public mutating func value(_ comparison: MatrixComparison) {
        beginObject()
        head(comparison.here)
        name("versus")
        beginObject()
        head(comparison.there)
        endObject()
        array("differences", comparison.differences) { writer, difference in
            writer.beginObject()
            writer.combination(of: difference.here)
            writer.array("sessions", difference.sessions) { $0.value($1.description) }
            for (name, cell) in [("here", difference.here), ("there", difference.there)] {
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

    private mutating func combination(of cell: RelaunchMatrix.Cell) {
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
