public import Logging
public import ServiceLifecycle

/// Takes messages from an MQTT broker, and acknowledges them when they have been handled.
///
/// A message of QoS 1 is handled at least once: the PUBACK is written after the handler has returned, and where the
/// handler fails or the process dies the broker sends the message again. Messages of QoS 0 are the broker's to lose,
/// and so is what it does not keep for a client that is away (mosquitto: beyond `max_queued_messages`, 1000). One
/// batch is taken at a time, so that what is held in memory is bounded.
public struct MQTTSubscriber: Service {
    private let settings: MQTTSettings
    private let handle: @Sendable ([MQTTMessage]) async throws -> Void
    private let sleep: @Sendable (Duration) async throws -> Void
    private let logger: Logger

    /// Between two tries to connect; each failure in a row doubles it.
    static let firstDelay = Duration.seconds(1)
    static let longestDelay = Duration.seconds(60)
    /// How long it may take until a stop is noticed.
    private static let patience: Int32 = 250

    /// - Parameters:
    ///   - sleep: waits between two tries to connect.
    ///   - handle: makes messages durable, in their order; when it throws, none of them is acknowledged and the broker
    ///     is asked for them again.
    public init(
        _ settings: MQTTSettings, logger: Logger,
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) },
        handle: @escaping @Sendable ([MQTTMessage]) async throws -> Void
    ) {
        self.settings = settings
        self.handle = handle
        self.sleep = sleep
        self.logger = logger
    }

    /// Runs until it is stopped, and then finishes the batch at hand.
    ///
    /// - Throws: `MQTTError.invalidSettings`; what may pass by itself is tried again.
    public func run() async throws {
        let stopping = StopSignal()
        try await withTaskCancellationOrGracefulShutdownHandler {
            var delay = Self.firstDelay
            while !stopping.isStopped {
                do {
                    let connection = try MQTTConnection(settings)
                    guard try await connection.connect(unless: stopping) else { break }
                    try await take(from: connection, until: stopping) { delay = Self.firstDelay }
                } catch MQTTError.invalidSettings(let reason) {
                    throw MQTTError.invalidSettings(reason)
                } catch {
                    guard !stopping.isStopped else { break }
                    logger.warning(
                        "The broker is out of reach, or a batch of it could not be taken; trying again.",
                        metadata: ["reason": "\(error)", "delay": "\(delay)"])
                    await pause(delay, unless: stopping)
                    delay = min(delay * 2, Self.longestDelay)
                }
            }
        } onCancelOrGracefulShutdown: {
            stopping.stop()
        }
    }

    /// - Parameter onSuccess: called after all that came was taken.
    private func take(
        from connection: MQTTConnection, until stopping: StopSignal, onSuccess: () -> Void
    ) async throws {
        var wasSubscribed = false
        while !stopping.isStopped {
            let (messages, isSubscribed) = try await connection.receive(within: Self.patience)
            if isSubscribed, !wasSubscribed {
                wasSubscribed = true
                logger.info("The broker has taken the subscription.", metadata: ["topic": "\(settings.topic)"])
            }
            if !messages.isEmpty {
                try await handle(messages)
                try await connection.acknowledge()
            }
            if isSubscribed { onSuccess() }
        }
        await connection.disconnect()
    }

    private func pause(_ delay: Duration, unless stopping: StopSignal) async {
        await withTaskGroup { group in
            group.addTask { try? await sleep(delay) }
            group.addTask {
                let answer = Answer<Void>()
                let registration = stopping.onStop { answer.give(()) }
                await withTaskCancellationHandler {
                    await answer.value
                } onCancel: {
                    answer.give(())
                }
                stopping.cancel(registration)
            }
            await group.next()
            group.cancelAll()
        }
    }
}
