import FencepostModel
import FencepostService
import FencepostServiceTesting
import FencepostTesting
import Logging
import Synchronization

@testable import FencepostWebhooks

/// A sender whose results are scripted by the test, in virtual time.
final class ScriptedSender: MessageSender {
    struct Sent: Sendable {
        var request: WebhookRequest
        var at: Timestamp
    }

    typealias Script = @Sendable (WebhookRequest, Timestamp) -> AttemptResult

    private let state = Mutex<(sent: [Sent], inFlight: [String: Int], mostInFlight: [String: Int])>(([], [:], [:]))
    private let time: ManualTime
    private let clock: ServiceClock
    /// In a struct, because a function in a `Mutex` gets another reabstraction wrapper with every access.
    private struct Answering { var script: Script }
    private let answering: Mutex<Answering>

    init(_ time: ManualTime, _ clock: ServiceClock, script: @escaping Script) {
        self.time = time
        self.clock = clock
        answering = Mutex(Answering(script: script))
    }

    func send(_ request: WebhookRequest) async -> AttemptResult {
        let now = clock.now()
        state.withLock { state in
            state.sent.append(Sent(request: request, at: now))
            let count = state.inFlight[request.endpointID, default: 0] + 1
            state.inFlight[request.endpointID] = count
            state.mostInFlight[request.endpointID] = max(state.mostInFlight[request.endpointID] ?? 0, count)
        }
        let answer = answering.withLock { $0 }.script(request, now)
        if answer.duration > .zero { try? await time.sleep(for: answer.duration) }
        state.withLock { $0.inFlight[request.endpointID, default: 1] -= 1 }
        return answer
    }

    func shutdown() async {}

    func answer(_ script: @escaping Script) { answering.withLock { $0.script = script } }
    var sent: [Sent] { state.withLock { $0.sent } }
    var inFlight: Int { state.withLock { $0.inFlight.values.reduce(0, +) } }
    func mostInFlight(at endpoint: String) -> Int { state.withLock { $0.mostInFlight[endpoint] ?? 0 } }
}

/// A dispatcher with in-memory dependencies, in virtual time.
final class DispatchHarness: Sendable {
    static let start = Timestamp(seconds: 1_772_353_800)

    let time = ManualTime(start)
    let clock: ServiceClock
    let outbox: MemoryOutbox
    let roster = EndpointRoster()
    let sender: ScriptedSender
    let dispatcher: WebhookDispatcher

    init(
        outbox: MemoryOutbox = MemoryOutbox(), settings: WebhookDispatcher.Settings = .init(), seed: UInt64 = 1,
        reports: (any ReportSource)? = nil,
        script: @escaping ScriptedSender.Script = { _, _ in AttemptResult(status: 200) }
    ) {
        self.outbox = outbox
        clock = time.clock
        sender = ScriptedSender(time, clock, script: script)
        dispatcher = WebhookDispatcher(
            outbox: outbox, roster: roster, sender: sender, clock: clock, logger: Logger(label: "test"),
            settings: settings, sleep: { [time] in try await time.sleep(for: $0) },
            makeGenerator: { SeededGenerator(seed: seed) }, reports: reports)
    }

    /// Runs the dispatcher while the closure runs.
    func run(_ body: @escaping @Sendable () async throws -> Void) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await self.dispatcher.run() }
            await settle()
            try await body()
            group.cancelAll()
        }
    }

    /// Waits until nothing can happen without more time.
    func settle() async {
        while true {
            let activity = dispatcher.activity.withLock { $0 }
            let inFlight = sender.inFlight
            if activity.isAsleep, dispatcher.mailbox.isEmpty, activity.children == inFlight,
                time.sleeperCount == 1 + inFlight
            {
                return
            }
            await Task.yield()
        }
    }

    /// Advances the time, and wakes the sleepers in their order.
    func advance(by span: Duration) async {
        var left = span
        await settle()
        while left > .zero {
            let step = min(left, max(time.untilFirstSleeper ?? left, .milliseconds(1)))
            time.advance(by: step)
            left -= step
            await settle()
        }
    }

    /// Saves endpoints and makes the dispatcher read them.
    func add(_ endpoints: Endpoint...) async throws {
        for endpoint in endpoints { outbox.save(endpoint) }
        try await dispatcher.reloadEndpoints()
        await settle()
    }

    /// Commits messages for an endpoint and notifies the dispatcher.
    @discardableResult
    func commit(
        _ count: Int = 1, to endpoint: String, device: String? = nil, ordered: Bool = false, first: Int = 0,
        headers: [String: String] = ["content-type": "application/json"]
    ) -> [String] {
        let deliveries = (first..<first + count).map { number in
            NewDelivery(
                endpointID: endpoint, eventID: "evt_\(number)", deviceID: DeviceID(device ?? "device\(number)"),
                body: "{\"n\":\(number)}", headers: headers, isOrdered: ordered)
        }
        defer { dispatcher.notify(endpoints: [endpoint]) }
        return outbox.add(deliveries, at: clock.now())
    }
}

extension Endpoint {
    static func test(_ id: String = "end_a", ordered: Bool = false) -> Endpoint {
        var endpoint = Endpoint(
            id: id, url: "https://example.com/\(id)",
            secrets: [Secret("whsec_ZmVuY2Vwb3N0LXRlc3Qtc2VjcmV0LTI0Yg==")], createdAt: DispatchHarness.start)
        endpoint.isOrdered = ordered
        return endpoint
    }
}
