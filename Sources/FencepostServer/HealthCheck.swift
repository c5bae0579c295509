import FencepostModel
import FencepostService

/// The result of one check of `/readyz` (rule A10).
public struct HealthCheck: Hashable, Sendable {
    /// `database`, `databaseFile`, `diskSpace`, `engine`, `clock`, `mqtt`.
    public var name: String
    /// What is wrong, in a short sentence for an operator; `nil` when the check passes.
    public var problem: String?
    /// Whether the service is not ready while the check fails. Otherwise the problem is only reported.
    public var isRequired: Bool

    /// A check that passes, unless there is a problem.
    public init(_ name: String, problem: String? = nil, isRequired: Bool = true) {
        self.name = name
        self.problem = problem
        self.isRequired = isRequired
    }
}

extension HealthCheck {
    /// The check of the clock. A wall clock that was set is reported, but does not make the service unready.
    init(_ status: ClockStatus) {
        switch status {
        case .notBelievable(let wall, let floor):
            self.init(
                "clock",
                problem: "The system's clock is not set: it is \(wall.rfc3339), and this is before \(floor.rfc3339). "
                    + "Locations are refused until it is set.")
        case .slewing(let difference) where abs(difference.seconds) > 60:
            self.init(
                "clock", problem: "The wall clock was set. The service follows it slowly.", isRequired: false)
        case .slewing, .following: self.init("clock")
        }
    }
}
