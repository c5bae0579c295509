/// A step on the way of each request. It does one thing, and refuses a request by throwing.
protocol RequestStage: Sendable {
    /// Whether the stage also gets requests that an earlier one has refused.
    var takesFailures: Bool { get }

    /// Does the stage's part.
    ///
    /// It stays on the executor of its caller, the thread of the connection.
    ///
    /// - Throws: a `Problem` to answer, or an error that becomes one.
    nonisolated(nonsending) func handle(_ exchange: inout Exchange) async throws
}

extension RequestStage {
    var takesFailures: Bool { false }
}
