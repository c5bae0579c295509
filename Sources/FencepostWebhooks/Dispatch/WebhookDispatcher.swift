public import FencepostModel
public import FencepostService
public import FencepostTracing
public import Logging
public import ServiceLifecycle
import Synchronization

/// Sends the messages of the outbox to their endpoints until each is delivered or has no attempt left.
///
/// One task owns a runner for each endpoint. Attempts, reads and writes are its child tasks and report back to its
/// mailbox. So a slow endpoint delays only its own messages (rule W9).
public final class WebhookDispatcher: Service {
    /// Limits and delays of the dispatcher.
    public struct Settings: Sendable {
        /// Maximum number of concurrent attempts per endpoint (rule W8).
        public var maximumInFlight = 4
        /// Delays between the attempts of a delivery.
        public var schedule = RetrySchedule.standard
        /// How long a shutdown waits for attempts in flight.
        public var stopGrace = Duration.seconds(6)
        /// The part of a cluster whose messages it sends, for labels of metrics; `nil` where there is one for all.
        public var part: ClusterPartition?
        /// Records traces of deliveries; `nil` for none.
        public var tracer: Tracer?
        /// When messages are sent from memory, before they have rows.
        package var direct = DirectRoute.Settings()

        /// The defaults of the documentation.
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
    let reports: (any ReportSource)?
    let metrics: WebhookMetrics
    let mailbox = DispatchMailbox()
    /// Whether the outbox hands messages over.
    let mayBeDirect = Atomic<Bool>(false)
    /// Whether the loop sleeps, and the number of child tasks that have not reported back. Tests wait for both.
    let activity = Mutex<(isAsleep: Bool, children: Int)>((false, 0))
    /// Reads of the endpoints are numbered: the result of an older one never replaces that of a newer one.
    private let endpointReads = Mutex<(started: UInt64, applied: UInt64)>((0, 0))

    /// A dispatcher; `run` starts it.
    ///
    /// - Parameters:
    ///   - outbox: the stored deliveries; no other dispatcher uses them.
    ///   - roster: selects the recipients of events; the dispatcher keeps its endpoints up to date.
    ///   - sender: performs one attempt.
    ///   - clock: the service's time.
    ///   - logger: logs failures and disabled endpoints.
    ///   - settings: limits and the retry schedule.
    ///   - sleep: waits for a duration of the monotonic clock, or throws when the task is cancelled.
    ///   - makeGenerator: creates the random source of the jitter of retries.
    ///   - eventsStored: called after the dispatcher's own events were stored.
    ///   - reports: makes the files of reports; without it messages about them have none.
    public init(
        outbox: any Outbox, roster: EndpointRoster, sender: any MessageSender, clock: ServiceClock, logger: Logger,
        settings: Settings = Settings(),
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) },
        makeGenerator: @escaping @Sendable () -> any RandomNumberGenerator = { SystemRandomNumberGenerator() },
        eventsStored: @escaping @Sendable () -> Void = {}, reports: (any ReportSource)? = nil
    ) {
        self.outbox = outbox
        self.roster = roster
        self.sender = sender
        self.clock = clock
        self.logger = logger
        self.settings = settings
        metrics = WebhookMetrics(part: settings.part)
        self.sleep = sleep
        self.makeGenerator = makeGenerator
        self.eventsStored = eventsStored
        self.reports = reports
    }

    /// Notifies the dispatcher that deliveries of these endpoints were committed or made due. Returns at once.
    public func notify(endpoints: some Sequence<String>) {
        let ids = Set(endpoints)
        if !ids.isEmpty { mailbox.post(.deliveriesAdded(endpoints: ids)) }
    }

    /// Reads the endpoints from the store again. On return the roster matches events against them.
    ///
    /// Messages that wait in memory are read again too, so it is also the call after messages were erased.
    public func reloadEndpoints() async throws {
        let number = endpointReads.withLock { reads in
            reads.started += 1
            return reads.started
        }
        let names = try await outbox.deviceNames()
        let endpoints = try await outbox.endpoints().map { stored in
            var endpoint = stored
            // Its own names come first.
            if endpoint.kind.isForPeople { endpoint.people.names.merge(names) { own, _ in own } }
            return endpoint
        }
        endpointReads.withLock { reads in
            guard number > reads.applied else { return }
            reads.applied = number
            roster.replace(endpoints)
            mailbox.post(.endpointsRead(endpoints, number: number))
        }
        metrics.record(endpoints)
    }

    /// Puts the endpoints of a read into the roster again, if it is the newest: an endpoint may have been disabled between the
    /// read and its arrival at the loop, although it was changed.
    func restoreRoster(_ endpoints: [Endpoint], number: UInt64) {
        endpointReads.withLock { reads in
            if reads.applied == number { roster.replace(endpoints) }
        }
    }

    /// Reads the endpoints for the first time. To be called before the monitor runs: an event that is stored while the
    /// roster is empty has no messages, and gets none later.
    ///
    /// - Throws: the store's error when the endpoints cannot be read, after five tries.
    public func prepare() async throws {
        let delivery = DirectDelivery(
            messages: { [roster] in roster.messages(for: $0, to: $1) },
            deliver: { [mailbox] in mailbox.post(.messagesHanded($0)) })
        for attempt in 1...5 {
            do {
                let handsOver = try await outbox.beginDirectDelivery(delivery)
                mayBeDirect.store(handsOver, ordering: .relaxed)
                return try await reloadEndpoints()
            } catch {
                if attempt == 5 || Task.isCancelled { throw error }
                logger.warning("reading the endpoints failed; the next try is in 1 s", metadata: ["error": "\(error)"])
                try await sleep(.seconds(1))
            }
        }
    }

    /// Sends messages until a graceful shutdown or the cancellation of its task.
    ///
    /// A graceful shutdown waits up to `Settings.stopGrace` for the attempts in flight. All other messages stay
    /// pending.
    ///
    /// - Throws: the store's error when the endpoints cannot be read at the start, after five tries.
    public func run() async throws {
        if endpointReads.withLock({ $0.applied == 0 }) { try await prepare() }
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

    /// Sends one `webhook.test` event to an endpoint at once, also when the endpoint is disabled.
    ///
    /// - Returns: the attempt; its `failure` is `nil` when the receiver accepted the event.
    public func test(_ endpoint: Endpoint) async -> DeliveryAttempt {
        let startedAt = clock.now()
        let event = ServiceEvents.test(endpoint, at: startedAt)
        let message = roster.testMessage(event, to: endpoint)
        var request = WebhookRequest(
            endpoint, id: event.id, body: message.body, headers: message.headers, wall: clock.wall(),
            zone: roster.zone.current)
        request.publication = Publication(endpoint, device: nil, type: event.type)
        let result = await sender.send(request)
        metrics.record(result)
        return DeliveryAttempt(
            number: 1, startedAt: startedAt, duration: result.duration, status: result.status,
            failure: result.failure, excerpt: result.excerpt)
    }
}
