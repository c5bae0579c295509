/// The result of one check of `/readyz` (rule A10).
public struct HealthCheck: Hashable, Sendable {
    /// `database`, `diskSpace`, `engine`, `clock`.
    public var name: String
    /// What is wrong, in a short sentence for an operator; `nil` when the check passes.
    public var problem: String?

    /// A check that passes, unless there is a problem.
    public init(_ name: String, problem: String? = nil) {
        self.name = name
        self.problem = problem
    }
}
