import FencepostModel
public import FencepostService
public import Logging
public import ServiceLifecycle
import Synchronization

/// Hands the messages of the outbox to their endpoints until they are taken or given up.
///
/// One task owns a runner for each endpoint; attempts, readings and writings are its child tasks and report back to its
/// mailbox. So nothing waits for a slow endpoint but what was meant for it (rule W9).
public final class WebhookDispatcher: Service {
    public struct Settings: Sendable {
        /// Attempts at a time for one endpoint (rule W8).
        public var maximumInFlight = 4
        public var schedule = RetrySchedule.standard
        /// How long a stop waits for attempts that are on their way.
        public var stopGrace = Duration.seconds(6)

        public init() {}
    }

    let outbox: any Outbox
    let roster: EndpointRoster
    let sender: any MessageSender
    let clock: ServiceClock
    let sleep: @Sendable (Duration) async throws -> Void
    let makeGenerator: @Sendable () -> any RandomNumberGenerator
    let settings: Settings
    let logger: Logger
    let eventsStored: @Sendable () -> Void
    let metrics = WebhookMetrics()
    let mailbox = DispatchMailbox()
    /// What tests wait for: whether the owner of the runners sleeps, and how many child tasks have not reported back.
    let activity = Mutex<(isAsleep: Bool, children: Int)>((false, 0))
    /// Readings of the endpoints are numbered, so that an older one never overwrites a newer.
    private let readings = Mutex<(begun: UInt64, applied: UInt64)>((0, 0))

    /// - Parameters:
    ///   - roster: what the monitor asks for messages; kept up to date from here.
    ///   - sleep: waits as long as it says by the steady clock, or throws when the task is cancelled.
    ///   - makeGenerator: randomness for the jitter of retries.
    ///   - eventsStored: called after events of the dispatcher's own were stored.
    public init(
        outbox: any Outbox, roster: EndpointRoster, sender: any MessageSender, clock: ServiceClock, logger: Logger,
        settings: Settings = Settings(),
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) },
        makeGenerator: @escaping @Sendable () -> any RandomNumberGenerator = { SystemRandomNumberGenerator() },
        eventsStored: @escaping @Sendable () -> Void = {}
    ) {
        self.outbox = outbox
        self.roster = roster
        self.sender = sender
        self.clock = clock
        self.logger = logger
        self.settings = settings
        self.sleep = sleep
        self.makeGenerator = makeGenerator
        self.eventsStored = eventsStored
    }

    /// Says that deliveries of these endpoints were committed or made due. Returns at once.
    public func notify(endpoints: some Sequence<String>) {
        let ids = Set(endpoints)
        if !ids.isEmpty { mailbox.post(.notified(ids)) }
    }

    /// Reads the endpoints anew; on return the roster matches events against them.
    ///
    /// Messages that were read from the outbox and not yet sent are read again, so that it also serves after some were
    /// erased.
    public func reloadEndpoints() async throws {
        let number = readings.withLock { readings in
            readings.begun += 1
            return readings.begun
        }
        let endpoints = try await outbox.endpoints()
        readings.withLock { readings in
            guard number > readings.applied else { return }
            readings.applied = number
            roster.replace(endpoints)
            mailbox.post(.endpoints(endpoints))
        }
        metrics.note(endpoints)
    }

    /// Works until a graceful shutdown or its task's cancellation; then lets attempts that are on their way finish for a
    /// few seconds, and leaves the others pending.
    public func run() async throws {
        try await reloadUntilItWorks()
        await withGracefulShutdownHandler {
            await withDiscardingTaskGroup { group in
                var loop = DispatchLoop(self)
                await loop.run(in: &group)
                group.cancelAll()
            }
        } onGracefulShutdown: {
            self.mailbox.post(.stop)
        }
        await sender.shutdown()
    }

    /// The store may be busy when the service starts.
    private func reloadUntilItWorks() async throws {
        for attempt in 1...5 {
            do { return try await reloadEndpoints() } catch {
                if attempt == 5 || Task.isCancelled { throw error }
                logger.warning("endpoints could not be read", metadata: ["error": "\(error)"])
                try await sleep(.seconds(1))
            }
        }
    }

    /// Sends a `webhook.test` to an endpoint, once and now, whatever state it is in.
    public func test(_ endpoint: Endpoint) async -> DeliveryAttempt {
        let startedAt = clock.now()
        let event = ServiceEvents.test(endpoint, at: startedAt)
        let message = roster.testMessage(event, to: endpoint)
        let answer = await sender.send(
            WebhookRequest(
                endpoint, id: event.id, body: message.body, headers: message.headers, wall: clock.wall()))
        metrics.note(answer)
        return DeliveryAttempt(
            number: 1, startedAt: startedAt, duration: answer.duration, status: answer.status,
            failure: answer.failure, excerpt: answer.excerpt)
    }
}
