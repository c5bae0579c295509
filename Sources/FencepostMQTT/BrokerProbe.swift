public import FencepostService

/// Tries whether a broker can be used.
public enum BrokerProbe {
    /// Connects and subscribes, as a client of its own that leaves nothing behind.
    ///
    /// - Parameters:
    ///   - settings: address, credentials and subscription, with a client id that no other connection has.
    ///   - limit: how long to try.
    ///   - sleep: waits for the limit.
    /// - Returns: what fails; `nil` when the broker accepts the subscription.
    public static func failure(
        of settings: MQTTSettings, within limit: Duration = .seconds(10),
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) async -> BrokerFailure? {
        var settings = settings
        settings.keepsSession = false
        let stopping = StopSignal()
        let timer = Task {
            try? await sleep(limit)
            stopping.stop()
        }
        defer { timer.cancel() }
        do {
            let connection = try MQTTConnection(settings)
            guard try await connection.connect(unless: stopping) else { return BrokerFailure(.timeout) }
            while !stopping.isStopped {
                // What the broker keeps of the topic is not handled.
                guard try await connection.receive(within: 100).isSubscribed else { continue }
                await connection.disconnect()
                return nil
            }
            return BrokerFailure(.timeout)
        } catch {
            return error.failure
        }
    }
}

extension MQTTSettings {
    /// Checks what needs no connection: the topic filter, the client id and the files.
    ///
    /// - Throws: `MQTTError.invalidSettings`.
    public func check() throws(MQTTError) { _ = try MosquittoClient.make(self) }
}
