import FencepostHTTP
import FencepostJSON
import FencepostModel
public import FencepostService
import HTTPTypes

/// The result of one check of `/readyz` (rule A10).
public struct HealthCheck: Hashable, Sendable {
    /// `database`, `databaseFile`, `diskSpace`, `setAside`, `engine`, `clock`, `mqtt`.
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
    /// A check with a problem that makes the service unready, or else one that is only reported.
    init(_ name: String, problem: String?, warning: String?) {
        self.init(name, problem: problem ?? warning, isRequired: problem != nil || warning == nil)
    }

    /// The check of the clock. A wall clock that was set is reported, but does not make the service unready.
    init(_ status: ClockStatus) {
        switch status {
        case .notBelievable(let wall, let floor):
            self.init(
                "clock",
                problem: "The system's clock is not set: it is \(wall.rfc3339), and this is before \(floor.rfc3339). "
                    + "Locations are refused until it is set.")
        case .slewing(let difference) where difference.seconds.magnitude > 60:
            self.init(
                "clock", problem: "The wall clock was set. The service follows it slowly.", isRequired: false)
        case .slewing, .following: self.init("clock")
        }
    }
}

extension HealthCheck {
    /// The check of what is set aside, which is only reported: all other devices are served.
    public init(setAside items: [SetAside]) {
        let counts = SetAside.Kind.allCases.compactMap { kind in
            let count = items.count { $0.kind == kind && !$0.isReleased }
            return count == 0 ? nil : "\(count) \(kind.rawValue)\(count == 1 ? "" : "s")"
        }
        self.init(
            "setAside",
            problem: counts.isEmpty
                ? nil
                : "Set aside after their work had ended the process: \(counts.joined(separator: ", ")). "
                    + "See GET /v1/set-aside.", isRequired: false)
    }
}

extension RouteResponse {
    /// The response of `/readyz`: 503 while a required check fails.
    ///
    /// - Parameter checks: each with what to say when it passes; `nil` for nothing.
    /// - Returns: the response.
    static func readiness(_ checks: [(check: HealthCheck, detail: String?)]) -> RouteResponse {
        let isUp = checks.allSatisfy { $0.check.problem == nil || !$0.check.isRequired }
        let isWhole = checks.allSatisfy { $0.check.problem == nil }
        var response = RouteResponse(isUp ? .ok : .serviceUnavailable) { writer in
            writer.beginObject()
            writer.member("status", !isUp ? "unavailable" : isWhole ? "ok" : "degraded")
            writer.name("checks")
            writer.beginObject()
            for (check, detail) in checks {
                writer.name(check.name)
                writer.beginObject()
                writer.member("status", check.problem == nil ? "ok" : "failing")
                writer.member("detail", check.problem ?? detail)
                writer.endObject()
            }
            writer.endObject()
            writer.endObject()
        }
        if !isUp { response.headers[.retryAfter] = "5" }
        return response
    }
}
