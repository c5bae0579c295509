import FencepostModel
import FencepostService
import Testing

@testable import FencepostWebhooks

/// Messages that an endpoint gets from memory, before they have rows.
@Suite("Direct route") struct DirectRouteTests {
    typealias Dialogue = EndpointRunnerTests.Dialogue
    typealias Action = EndpointRunner.Action

    /// A runner whose endpoint gets its messages from memory since second 0, after event 10.
    static func open(_ endpoint: Endpoint = .test()) -> Dialogue {
        var settings = EndpointRunner.Settings()
        settings.direct = DirectRoute.Settings()
        settings.direct?.rate = 2
        var dialogue = Dialogue.idle(endpoint, settings: settings)
        let two = [EndpointRunnerTests.delivery("r1"), EndpointRunnerTests.delivery("r2")]
        _ = dialogue.read(two[0], two[1])
        for delivery in two { _ = dialogue.finish(delivery, AttemptResult(status: 200)) }
        _ = dialogue.send(.settled(deliveryIDs: two.map(\.id)))
        return dialogue
    }

    static func messages(_ events: Int64...) -> [DirectMessage] {
        events.map { DirectMessage(EndpointRunnerTests.delivery("d\($0)"), event: $0) }
    }

    static func stores(_ actions: [Action]) -> [Int64] {
        actions.flatMap { action -> [Int64] in
            if case .store(let messages) = action { messages.map(\.event) } else { [] }
        }
    }

    @Test("opens when messages are many, once its position is written, for endpoints that need no order")
    func opens() {
        var dialogue = Self.open()
        // No commit has come: the events before are not this endpoint's.
        #expect(dialogue.runner.position(through: 0) == nil)
        #expect(dialogue.runner.position(through: 10) == .through(10))
        #expect(dialogue.send(.positionWritten(.through(10))) == [.setDirect(true)])
        #expect(dialogue.runner.position(through: 10) == nil)
        #expect(dialogue.runner.position(through: 12) == .through(12))

        var quiet = Dialogue.idle()
        _ = quiet.read(EndpointRunnerTests.delivery("r1"))
        #expect(quiet.runner.position(through: 10) == nil)
        for change: (inout Endpoint) -> Void in [
            { $0.isOrdered = true }, { $0.cooldown = .seconds(5) }, { $0.kind = .ntfy },
        ] {
            var endpoint = Endpoint.test()
            change(&endpoint)
            var dialogue = Self.open(endpoint)
            #expect(dialogue.runner.position(through: 10) == nil)
        }
    }

    @Test("does not wait for a first commit that does not come")
    func givesUp() {
        var dialogue = Self.open()
        #expect(dialogue.runner.position(through: 0) == nil)
        _ = dialogue.send(.tick, at: 2)
        #expect(!dialogue.runner.direct.isClosed)
        _ = dialogue.send(.tick, at: 3)
        #expect(dialogue.runner.direct.isClosed)
        #expect(dialogue.runner.position(through: 10) == nil)

        // A position that is being written is waited for.
        var other = Self.open()
        #expect(other.runner.position(through: 10) == .through(10))
        _ = other.send(.tick, at: 100)
        #expect(!other.runner.direct.isClosed)
    }

    @Test("sends messages at once, and its position waits for the first without an outcome")
    func positions() {
        var dialogue = Self.open()
        _ = dialogue.send(.positionWritten(.through(10)))
        let messages = Self.messages(12, 13, 15)
        #expect(dialogue.send(.messagesHanded(messages)) == [])
        #expect(dialogue.send(.advance) == messages.map { .attempt($0.delivery) })
        #expect(dialogue.runner.position(through: 20) == .through(11))
        _ = dialogue.finish(messages[1].delivery, AttemptResult(status: 200))
        #expect(dialogue.runner.leave("d13") == messages[1])
        #expect(dialogue.runner.position(through: 20) == .through(11))
        _ = dialogue.finish(messages[0].delivery, AttemptResult(status: 200))
        // Its outcome is written with the position.
        _ = dialogue.runner.leave("d12")
        #expect(dialogue.runner.position(through: 20) == .through(14))
        _ = dialogue.send(.settled(deliveryIDs: ["d12", "d13"]))
        #expect(dialogue.send(.positionWritten(.through(14))) == [])
        _ = dialogue.finish(messages[2].delivery, AttemptResult(status: 200))
        _ = dialogue.runner.leave("d15")
        #expect(dialogue.runner.position(through: 20) == .through(20))
    }

    @Test("writes the rows of messages that wait for a second, which stay where they are")
    func maximumWait() {
        var dialogue = Self.open()
        _ = dialogue.send(.positionWritten(.through(10)))
        let messages = Self.messages(11, 12, 13, 14, 15)
        _ = dialogue.send(.messagesHanded(messages))
        _ = dialogue.send(.advance)
        #expect(Self.stores(dialogue.send(.tick)) == [])
        #expect(Self.stores(dialogue.send(.tick, at: 1)) == [11, 12, 13, 14, 15])
        #expect(dialogue.runner.position(through: 20) == .through(20))
        _ = dialogue.send(.settled(deliveryIDs: messages.map(\.delivery.id)), at: 1)
        #expect(Self.stores(dialogue.send(.tick, at: 2)) == [])
        // The fifth is sent when one of the four in flight is over; its row is known.
        let actions = dialogue.finish(messages[0].delivery, AttemptResult(status: 200), at: 2)
        #expect(actions.count == 1 && dialogue.runner.leave("d11") == nil)
        #expect(dialogue.runner.direct.waitingCount == 0)
        #expect(dialogue.send(.advance, at: 2) == [.attempt(messages[4].delivery)])
    }

    @Test("gives rows to what waits when the receiver fails, and lets no more come")
    func failure() {
        var dialogue = Self.open()
        _ = dialogue.send(.positionWritten(.through(10)))
        let messages = Self.messages(11, 12, 13, 14, 15, 16)
        _ = dialogue.send(.messagesHanded(messages))
        _ = dialogue.send(.advance)
        let slow = AttemptResult(status: 429, failure: .status, retryAfter: .seconds(30))
        let actions = dialogue.finish(messages[0].delivery, slow)
        #expect(Self.stores(actions) == [15, 16])
        #expect(dialogue.send(.advance).contains(.setDirect(false)))
        // Those of a commit that was under way.
        #expect(Self.stores(dialogue.send(.messagesHanded(Self.messages(17)))) == [17])
        // As it was written: the first message has no outcome on disk.
        #expect(dialogue.runner.position(through: 17) == nil)
    }

    @Test("closes after a minute without a message, and then all messages have rows")
    func idleTime() {
        var dialogue = Self.open()
        _ = dialogue.send(.positionWritten(.through(10)))
        #expect(dialogue.send(.tick, at: 59) == [])
        #expect(dialogue.send(.tick, at: 60) == [.setDirect(false)])
        #expect(dialogue.runner.position(through: 10) == nil)
        _ = dialogue.send(.tick, at: 119)
        #expect(!dialogue.runner.direct.isClosed && dialogue.runner.position(through: 12) == .through(12))
        _ = dialogue.send(.tick, at: 120)
        #expect(dialogue.runner.position(through: 12) == .all)
        #expect(dialogue.send(.positionWritten(.all), at: 120) == [] && dialogue.runner.direct.isClosed)
    }

    @Test("gives everything rows when the service stops")
    func stop() {
        var dialogue = Self.open()
        _ = dialogue.send(.positionWritten(.through(10)))
        _ = dialogue.send(.messagesHanded(Self.messages(11, 12)))
        let actions = dialogue.send(.stop)
        #expect(actions.first == .setDirect(false) && Self.stores(actions) == [11, 12])
        #expect(dialogue.runner.position(through: 12) == .all)
        #expect(Self.stores(dialogue.send(.messagesHanded(Self.messages(13)))) == [13])
    }

    @Test("holds a bounded number of messages; others get rows at once")
    func bound() {
        var dialogue = Self.open()
        _ = dialogue.send(.positionWritten(.through(10)))
        let many = (0..<2500).map { DirectMessage(EndpointRunnerTests.delivery("d\($0)"), event: 11 + $0) }
        let stored = Self.stores(dialogue.send(.messagesHanded(many)))
        #expect(stored == Array(2011..<2511))
        #expect(dialogue.send(.advance).contains(.attempt(many[0].delivery)))
    }
}
