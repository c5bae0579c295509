import FencepostModel
import FencepostService
import FencepostTesting
import Testing

@testable import FencepostWebhooks

/// Quiet hours, cooldown and collection, as dialogues with the runner.
@Suite("Message gate") struct MessageGateTests {
    typealias Dialogue = EndpointRunnerTests.Dialogue
    typealias Action = EndpointRunner.Action

    static let accepted = EndpointRunnerTests.accepted

    static func endpoint(_ change: (inout Endpoint) -> Void) -> Endpoint {
        var endpoint = Endpoint.test()
        endpoint.kind = .ntfy
        change(&endpoint)
        return endpoint
    }

    /// A message about a device and a region, some seconds after the start.
    static func delivery(_ id: String, region: String = "home", device: String = "jane", at seconds: Int = 0)
        -> PendingDelivery
    {
        var delivery = PendingDelivery(
            id: id, endpointID: "end_a", eventID: "evt_\(id)", eventType: "region.entered",
            deviceID: DeviceID(device), body: #"{"data":{"region":{"id":"\#(region)"}}}"#, headers: [:], attempts: 0,
            createdAt: Dialogue.time(seconds), due: Dialogue.time(seconds))
        delivery.eventTimestamp = Dialogue.time(seconds)
        return delivery
    }

    static func held(_ delivery: PendingDelivery, until seconds: Int) -> Action {
        .settle(delivery, Settlement(delivery.id, .retry(at: Dialogue.time(seconds))))
    }

    static func suppressed(_ delivery: PendingDelivery) -> Action {
        .settle(delivery, Settlement(delivery.id, .suppressed))
    }

    // The start is 2026-03-01 08:30 UTC.
    static let quiet = Endpoint.QuietHours(timeZone: "UTC", weekly: ["08:00-09:00"])

    @Test("holds messages in quiet hours until they end, without an attempt")
    func quietHours() {
        var dialogue = Dialogue.idle(Self.endpoint { $0.quietHours = Self.quiet })
        var message = Self.delivery("a")
        #expect(dialogue.read(message) == [Self.held(message, until: 1800)])
        #expect(dialogue.send(.settled(deliveryIDs: ["a"])) == [])
        #expect(dialogue.send(.advance) == [.wake(at: Dialogue.time(1800))])
        message.due = Dialogue.time(1800)
        #expect(dialogue.read(message, at: 1800) == [.attempt(message)])
    }

    @Test("drops messages of quiet hours where the endpoint says so")
    func droppingQuietHours() {
        var dialogue = Dialogue.idle(
            Self.endpoint {
                $0.quietHours = Self.quiet
                $0.quietHours?.drops = true
            })
        let message = Self.delivery("a")
        #expect(dialogue.read(message) == [Self.suppressed(message)])
    }

    @Test("suppresses messages about the same device and region in the cooldown, and no others")
    func cooldown() {
        var dialogue = Dialogue.idle(Self.endpoint { $0.cooldown = .seconds(600) })
        let first = Self.delivery("a")
        #expect(dialogue.read(first) == [.attempt(first)])
        _ = dialogue.finish(first, Self.accepted)
        _ = dialogue.send(.settled(deliveryIDs: ["a"]))
        let (again, other) = (Self.delivery("b", at: 599), Self.delivery("c", region: "office", at: 599))
        let later = Self.delivery("d", at: 600)
        let actions = dialogue.read(again, other, at: 600)
        #expect(actions.prefix(2) == [Self.suppressed(again), .attempt(other)])
        _ = dialogue.finish(other, Self.accepted, at: 600)
        #expect(dialogue.read(later, at: 601).first == .attempt(later))
    }

    @Test("remembers the cooldown over a restart, in the endpoint's health")
    func cooldownAfterRestart() throws {
        let endpoint = Self.endpoint { $0.cooldown = .seconds(600) }
        var dialogue = Dialogue.idle(endpoint)
        let first = Self.delivery("a")
        _ = dialogue.read(first)
        let saved = dialogue.finish(first, Self.accepted).compactMap { action -> EndpointHealth? in
            guard case .saveHealth(let health) = action else { return nil }
            return health
        }
        var restarted = Dialogue.idle(endpoint, health: try #require(saved.first))
        let again = Self.delivery("b", at: 10)
        #expect(restarted.read(again, at: 10) == [Self.suppressed(again)])
    }

    @Test("a retry is not suppressed by its own first attempt")
    func retries() {
        var dialogue = Dialogue.idle(Self.endpoint { $0.cooldown = .seconds(600) })
        var message = Self.delivery("a")
        _ = dialogue.read(message)
        _ = dialogue.finish(message, EndpointRunnerTests.refused)
        _ = dialogue.send(.settled(deliveryIDs: ["a"]))
        (message.attempts, message.due) = (1, Dialogue.time(5))
        #expect(dialogue.read(message, at: 5).first == .attempt(message))
    }

    @Test("collects a burst and sends it as one message, whose result is that of each")
    func collection() {
        var dialogue = Dialogue.idle(Self.endpoint { $0.people.group = .seconds(60) })
        var (a, b) = (Self.delivery("a"), Self.delivery("b", region: "office", at: 20))
        #expect(dialogue.read(a) == [Self.held(a, until: 60)])
        #expect(dialogue.read(b, at: 20).first == Self.held(b, until: 60))
        _ = dialogue.send(.settled(deliveryIDs: ["a", "b"]), at: 20)
        (a.due, b.due) = (Dialogue.time(60), Dialogue.time(60))
        #expect(dialogue.read(a, b, at: 60) == [.attemptGroup([a, b])])
        let settled = dialogue.finish(a, Self.accepted, at: 61)
        for message in [a, b] {
            #expect(settled.contains(EndpointRunnerTests.settle(message, .delivered, after: Self.accepted)))
        }
    }

    @Test("a collection that fails is tried again as a whole")
    func failedCollection() {
        var dialogue = Dialogue.idle(Self.endpoint { $0.people.group = .seconds(60) })
        var (a, b) = (Self.delivery("a"), Self.delivery("b"))
        (a.due, b.due) = (Dialogue.time(60), Dialogue.time(60))
        _ = dialogue.read(a, b, at: 60)
        let settled = dialogue.finish(a, EndpointRunnerTests.refused, at: 60)
        for message in [a, b] {
            #expect(
                settled.contains(
                    EndpointRunnerTests.settle(
                        message, .retry(at: Dialogue.time(65)), after: EndpointRunnerTests.refused, next: 65)))
        }
    }

    @Test("sends one message at a time to people, in the order of the events")
    func order() {
        var dialogue = Dialogue.idle(Self.endpoint { _ in })
        let (a, b) = (Self.delivery("a"), Self.delivery("b", region: "office", at: 1))
        #expect(dialogue.read(a, b, at: 1) == [.attempt(a)])
        _ = dialogue.finish(a, Self.accepted, at: 1)
        #expect(dialogue.send(.advance, at: 1).contains(.attempt(b)))
    }
}
