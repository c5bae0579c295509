public import FencepostService
public import Logging
public import ServiceLifecycle

/// Receives messages from an MQTT broker, and acknowledges them after they are handled.
///
/// A message of QoS 1 is handled at least once: the PUBACK is sent after the handler has returned. If the handler fails or
/// the process ends before, the broker sends the message again. Messages of QoS 0 may be lost, and so may messages beyond
/// the broker's queue for a disconnected client (mosquitto: `max_queued_messages`, 1000). One batch is handled at a time,
/// which bounds the memory.
public struct MQTTSubscriber: Service {
    private let settings: MQTTSettings
    private let handle: @Sendable ([MQTTMessage]) async throws -> Void
    private let sleep: @Sendable (Duration) async throws -> Void
    private let logger: Logger
    private let onConnection: @Sendable (Bool) -> Void
    private let observer: Observer
    private let stopping = StopSignal()

    /// Who wants to know more of a subscription than whether it lasts.
    public struct Observer: Sendable {
        /// Called with each failure in place of a connection.
        public var failed: @Sendable (BrokerFailure) -> Void = { _ in }
        /// Called with the number of messages that were handled.
        public var received: @Sendable (Int) -> Void = { _ in }
        /// Asked at the end: whether the broker is to forget the subscription, and what it would queue.
        public var isToForget: @Sendable () -> Bool = { false }

        /// One that does nothing.
        public init() {}
    }

    /// Delay before a new connection. It doubles with each failure in a row.
    static let firstDelay = Duration.seconds(1)
    static let longestDelay = Duration.seconds(60)
    /// Longest wait for messages in milliseconds, after which a stop is noticed.
    private static let maximumWait: Int32 = 250

    /// A subscriber; `run` connects it. More than five parameters, because each is another part of the service.
    ///
    /// - Parameters:
    ///   - settings: address and subscription.
    ///   - logger: logs connections and failures.
    ///   - onConnection: called with false at the start, with true when the broker has accepted the subscription, and
    ///     with false when the connection is lost.
    ///   - observer: gets to know more.
    ///   - sleep: waits before a new connection.
    ///   - handle: stores a batch of messages. If it throws, none of them is acknowledged, and the broker sends them again.
    public init(
        _ settings: MQTTSettings, logger: Logger, onConnection: @escaping @Sendable (Bool) -> Void = { _ in },
        observer: Observer = Observer(),
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) },
        handle: @escaping @Sendable ([MQTTMessage]) async throws -> Void
    ) {
        self.settings = settings
        self.handle = handle
        self.sleep = sleep
        self.logger = logger
        self.onConnection = onConnection
        self.observer = observer
    }

    /// Runs until shutdown or cancellation, and then completes the current batch.
    ///
    /// - Throws: `MQTTError.invalidSettings`. After other failures it connects again.
    public func run() async throws {
        onConnection(false)
        try await withTaskCancellationOrGracefulShutdownHandler {
            var delay = Self.firstDelay
            while !stopping.isStopped {
                do {
                    let connection = try MQTTConnection(settings)
                    guard try await connection.connect(unless: stopping) else { break }
                    try await receive(from: connection, until: stopping) { delay = Self.firstDelay }
                } catch MQTTError.invalidSettings(let reason) {
                    throw MQTTError.invalidSettings(reason)
                } catch {
                    onConnection(false)
                    guard !stopping.isStopped else { break }
                    observer.failed((error as? MQTTError)?.failure ?? BrokerFailure(.notStored))
                    logger.warning(
                        "The broker is unreachable, or a batch could not be stored; trying again.",
                        metadata: ["reason": "\(error)", "delay": "\(delay)"])
                    await pause(delay, unless: stopping)
                    delay = min(delay * 2, Self.longestDelay)
                }
            }
        } onCancelOrGracefulShutdown: {
            stopping.stop()
        }
    }

    /// Ends `run` as a shutdown does. It cannot be run again.
    public func stop() { stopping.stop() }

    /// Receives batches until it is stopped; calls `onSuccess` after each batch, and after each wait without messages.
    private func receive(
        from connection: MQTTConnection, until stopping: StopSignal, onSuccess: () -> Void
    ) async throws {
        var wasSubscribed = false
        while !stopping.isStopped {
            let (messages, isSubscribed) = try await connection.receive(within: Self.maximumWait)
            if isSubscribed, !wasSubscribed {
                wasSubscribed = true
                onConnection(true)
                logger.info("The broker has accepted the subscription.", metadata: ["topic": "\(settings.topic)"])
            }
            if !messages.isEmpty {
                try await handle(messages)
                try await connection.acknowledge()
                observer.received(messages.count)
            }
            if isSubscribed { onSuccess() }
        }
        if observer.isToForget() { await connection.unsubscribe() }
        await connection.disconnect()
    }

    private func pause(_ delay: Duration, unless stopping: StopSignal) async {
        await withTaskGroup { group in
            group.addTask { try? await sleep(delay) }
            group.addTask {
                let promise = Promise<Void>()
                let registration = stopping.onStop { promise.fulfill(()) }
                await withTaskCancellationHandler {
                    await promise.value
                } onCancel: {
                    promise.fulfill(())
                }
                stopping.cancel(registration)
            }
            await group.next()
            group.cancelAll()
        }
    }
}
