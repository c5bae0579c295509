/// How operations get to the connections of a database.
package enum DatabaseAccess: Sendable {
    /// On GRDB's queues: one writes, several read at the same time.
    case concurrent
    /// On the calling thread, one after the other, for simulations.
    ///
    /// The function is called before each operation, with zero, and for each pause; it returns when its caller may go on.
    case inTurn(@Sendable (Duration) async -> Void)

    /// Waits, between the slices of a longer operation.
    ///
    /// - Throws: when the task is cancelled.
    func pause(for span: Duration) async throws {
        switch self {
        case .concurrent: try await Task.sleep(for: span)
        case .inTurn(let turn):
            try Task.checkCancellation()
            // The measured time of real work is not part of a simulation.
            await turn(.milliseconds(20))
        }
    }
}
