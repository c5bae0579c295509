import FencepostJSON
import FencepostModel
import FencepostService
import Foundation
import Testing

@testable import FencepostWebhooks

/// Several events in one request.
@Suite("Batches") struct BatchTests {
    typealias Dialogue = EndpointRunnerTests.Dialogue

    static func endpoint(_ size: Int) -> Endpoint {
        var endpoint = Endpoint.test()
        (endpoint.format, endpoint.batchSize) = (.batch, size)
        return endpoint
    }

    static func deliveries(_ range: Range<Int>) -> [PendingDelivery] {
        range.map { number in
            var delivery = EndpointRunnerTests.delivery("d\(number)")
            delivery.body = #"[{"specversion":"1.0","id":"evt_d\#(number)"}]"#
            return delivery
        }
    }

    /// What a runner sends of so many deliveries that wait, one list of ids for each request.
    static func requests(_ count: Int, size: Int) -> [[String]] {
        var dialogue = Dialogue.idle(endpoint(size))
        _ = dialogue.send(.deliveriesAdded)
        _ = dialogue.send(.advance)
        _ = dialogue.send(.deliveriesRead(deliveries(0..<count), next: nil, health: nil))
        return dialogue.send(.advance).compactMap { action in
            switch action {
            case .attempt(let delivery): [delivery.id]
            case .attemptGroup(let group): group.map(\.id)
            default: nil
            }
        }
    }

    @Test("sends what waits, in its order, at most so many in each of four requests at a time")
    func sizes() {
        for (count, size) in [(1, 10), (10, 10), (11, 10), (25, 10), (3, 1), (40, 10), (60, 10)] {
            let requests = Self.requests(count, size: size)
            let sent = min(count, 4 * size)
            #expect(requests.flatMap(\.self) == (0..<sent).map { "d\($0)" }, "\(count) by \(size)")
            #expect(requests.map(\.count) == stride(from: 0, to: sent, by: size).map { min(size, sent - $0) })
        }
    }

    @Test("reads as many as two requests have")
    func window() {
        var dialogue = Dialogue.idle(Self.endpoint(100))
        _ = dialogue.send(.deliveriesAdded)
        let actions = dialogue.send(.advance)
        #expect(actions == [.readDue(excluding: [], limit: 200, withHealth: false)])
    }

    @Test("is an array of all events under an id that follows from them, and one event keeps its own id")
    func content() throws {
        let deliveries = Self.deliveries(0..<3)
        func request(_ deliveries: [PendingDelivery]) -> WebhookRequest {
            WebhookRequest(Self.endpoint(10), deliveries: deliveries, wall: Dialogue.start, zone: nil)
        }
        let whole = request(deliveries)
        let array = try #require(try JSONDocument(parsing: whole.body).root.array)
        #expect(array.compactMap { $0["id"]?.string } == deliveries.map(\.eventID))
        #expect(whole.id.hasPrefix("bat_") && whole.id == request(deliveries).id)
        #expect(whole.id != request(Array(deliveries.dropLast())).id)
        let one = request([deliveries[0]])
        #expect(one.id == deliveries[0].eventID && one.body == deliveries[0].body)
    }

    @Test("a request stays below a megabyte")
    func bytes() {
        var large = Self.deliveries(0..<3)
        for index in large.indices { large[index].body = "[\"\(String(repeating: "x", count: 400_000))\"]" }
        var dialogue = Dialogue.idle(Self.endpoint(10))
        #expect(
            Array(dialogue.read(large[0], large[1], large[2]).prefix(2)) == [
                .attemptGroup([large[0], large[1]]), .attemptGroup([large[2]]),
            ])
    }

    @Test(
        "what the receiver refuses is sent one by one, so that one event does not keep the others",
        arguments: [400, 413, 415, 422])
    func separation(status: Int) {
        var dialogue = Dialogue.idle(Self.endpoint(10))
        var messages = Self.deliveries(0..<3)
        _ = dialogue.read(messages[0], messages[1], messages[2])
        let refusal = AttemptResult(status: status, failure: .status)
        let settled = dialogue.finish(messages[0], refusal)
        for message in messages {
            #expect(
                settled.contains(
                    EndpointRunnerTests.settle(message, .retry(at: Dialogue.time(5)), after: refusal, next: 5)))
        }
        _ = dialogue.send(.settled(deliveryIDs: messages.map(\.id)))
        for index in messages.indices { (messages[index].attempts, messages[index].due) = (1, Dialogue.time(5)) }
        let again = dialogue.read(messages[0], messages[1], messages[2], at: 5)
        #expect(Array(again.prefix(3)) == messages.map { .attempt($0) })
    }

    @Test("a batch that the receiver does not want is sent one by one too, and none of its events is cancelled with it")
    func instruction() {
        var dialogue = Dialogue.idle(Self.endpoint(10))
        let messages = Self.deliveries(0..<2)
        _ = dialogue.read(messages[0], messages[1])
        let refusal = AttemptResult(status: 409, failure: .status, instruction: .abortMessage)
        let settled = dialogue.finish(messages[0], refusal)
        #expect(
            settled.contains(
                EndpointRunnerTests.settle(messages[1], .retry(at: Dialogue.time(5)), after: refusal, next: 5)))
    }

    @Test("a receiver that is away gets the same events in batches when it is back")
    func outage() {
        var dialogue = Dialogue.idle(Self.endpoint(10))
        var messages = Self.deliveries(0..<2)
        _ = dialogue.read(messages[0], messages[1])
        _ = dialogue.finish(messages[0], AttemptResult(failure: .connect))
        _ = dialogue.send(.settled(deliveryIDs: messages.map(\.id)))
        for index in messages.indices { (messages[index].attempts, messages[index].due) = (1, Dialogue.time(5)) }
        #expect(dialogue.read(messages[0], messages[1], at: 5).first == .attemptGroup(messages))
    }

    @Test("is for webhooks with the format batch alone")
    func rules() throws {
        func problems(_ members: String) throws -> [String] {
            let element = try JSONDocument(parsing: #"{"url":"https://a.example",\#(members)}"#).root
            return EndpointFile.read(element).1.map { $0.position == .pointer("/batchSize") ? "/batchSize" : "\($0)" }
        }
        #expect(try problems(#""format":"batch","batchSize":100"#) == [])
        #expect(try problems(#""batchSize":1"#) == [])
        for members in [
            #""batchSize":2"#, #""format":"structured","batchSize":2"#, #""format":"batch","batchSize":101"#,
            #""format":"batch","batchSize":"2""#, #""format":"batch","batchSize":1.5"#,
        ] {
            #expect(try problems(members) == ["/batchSize"], "\(members)")
        }
    }
}
