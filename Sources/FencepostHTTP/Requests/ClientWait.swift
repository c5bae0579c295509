/// Work for a client that may go.
package enum ClientWait {
    /// Between looks whether the client is still there.
    package static let interval = Duration.milliseconds(250)

    /// Performs work, and cancels it when the client has gone.
    ///
    /// - Parameters:
    ///   - isThere: whether the client is connected.
    ///   - sleep: waits; throws when the task is cancelled.
    ///   - body: the work.
    /// - Returns: its result.
    /// - Throws: what the work throws; a `CancellationError` where it heeds that it is cancelled.
    package static func run<Value: Sendable>(
        while isThere: @escaping @Sendable () async -> Bool,
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) },
        _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        // A channel of a test is never active.
        guard await isThere() else { return try await body() }
        return try await withThrowingTaskGroup(of: Value?.self) { group in
            group.addTask { try await body() }
            group.addTask {
                while await isThere() { try await sleep(interval) }
                return nil
            }
            defer { group.cancelAll() }
            while let result = try await group.next() {
                if let value = result { return value }
                group.cancelAll()
            }
            throw CancellationError()
        }
    }
}
