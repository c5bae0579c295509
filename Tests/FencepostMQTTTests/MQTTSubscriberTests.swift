import FencepostMQTT
import FencepostService
import FencepostServiceTesting
import Foundation
import Logging
import Synchronization
import Testing

@Suite(
    "An MQTT subscriber", .serialized, .enabled(if: Broker.program != nil, "mosquitto is not installed"),
    .timeLimit(.minutes(2)))
struct MQTTSubscriberTests {
    static let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    /// What a handler was given, one message at a time.
    final class Received: Sendable {
        private let stream: AsyncStream<MQTTMessage>
        private let continuation: AsyncStream<MQTTMessage>.Continuation
        private let failures = Mutex(0)
        private let count = Mutex(0)
        struct Refusal: Error {}

        init(failures: Int = 0) {
            (stream, continuation) = AsyncStream.makeStream()
            self.failures.withLock { $0 = failures }
        }

        /// Accepts a batch, or fails the given number of times. It records failed batches too.
        func take(_ messages: [MQTTMessage]) throws {
            count.withLock { $0 += messages.count }
            for message in messages { continuation.yield(message) }
            let fails = failures.withLock { failures in
                defer { failures -= messages.contains { $0.topic != MQTTSubscriberTests.ready } ? 1 : 0 }
                return failures > 0 && messages.contains { $0.topic != MQTTSubscriberTests.ready }
            }
            if fails { throw Refusal() }
        }

        /// The next messages that are no markers.
        func next(_ count: Int) async -> [MQTTMessage] {
            var found: [MQTTMessage] = []
            for await message in stream where message.topic != MQTTSubscriberTests.ready {
                found.append(message)
                if found.count == count { break }
            }
            return found
        }

        /// Whether no message has come, the marker included.
        var isEmpty: Bool { count.withLock { $0 == 0 } }

        /// Waits for the marker, which the broker hands out when it has taken the subscription.
        func isReady() async {
            for await message in stream where message.topic == MQTTSubscriberTests.ready { return }
        }
    }

    /// A topic that the broker holds a retained message for.
    static let ready = "owntracks/ready/marker"

    private func subscriber(
        _ settings: MQTTSettings, _ received: Received,
        sleep: @escaping @Sendable (Duration) async throws -> Void = { _ in try await Task.sleep(for: .milliseconds(5))
        }
    ) -> MQTTSubscriber {
        MQTTSubscriber(settings, logger: Self.logger, sleep: sleep) { try received.take($0) }
    }

    /// Runs it while the body does.
    private func run(_ subscriber: MQTTSubscriber, _ body: () async throws -> Void) async throws {
        let task = Task { try await subscriber.run() }
        do {
            try await body()
        } catch {
            task.cancel()
            throw error
        }
        task.cancel()
        try await task.value
    }

    private func settings(_ broker: Broker) throws -> MQTTSettings {
        try broker.publish(Self.ready, "x", isRetained: true)
        return MQTTSettings(host: "127.0.0.1", port: broker.port)
    }

    @Test("takes messages in their order, large ones too", arguments: [UInt8(0), 1])
    func order(qos: UInt8) async throws {
        let broker = try Broker()
        let received = Received()
        try await run(subscriber(try settings(broker), received)) {
            await received.isReady()
            let payloads = (0..<60).map { "\($0)" + String(repeating: "x", count: $0 == 30 ? 300_000 : $0) }
            for (index, payload) in payloads.enumerated() {
                try broker.publish("owntracks/jane/\(index % 3)", payload, qos: qos)
            }
            let messages = await received.next(payloads.count)
            // A publisher of QoS 0 is not waited for, and each here is another one.
            let found = messages.map { String(decoding: $0.payload, as: UTF8.self) }
            #expect(qos == 1 ? found == payloads : Set(found) == Set(payloads))
            #expect(messages.allSatisfy { !$0.isRetained && $0.topic.hasPrefix("owntracks/jane/") })
        }
    }

    @Test("says of a retained message that it is one, and hands on an empty one") func retained() async throws {
        let broker = try Broker()
        try broker.publish("owntracks/a/b", "kept", isRetained: true)
        let received = Received()
        try await run(subscriber(try settings(broker), received)) {
            #expect(
                await received.next(1) == [
                    MQTTMessage(topic: "owntracks/a/b", payload: Array("kept".utf8), isRetained: true)
                ])
            try broker.publish("owntracks/a/b", "", isRetained: true)
            #expect(await received.next(1) == [MQTTMessage(topic: "owntracks/a/b", payload: [])])
        }
    }

    @Test("gets again what its handler failed to take, and not what it took") func atLeastOnce() async throws {
        let broker = try Broker()
        let settings = try settings(broker)
        let failing = Received(failures: 3)
        let wanted = MQTTMessage(topic: "owntracks/a/b", payload: Array("1".utf8))
        try await run(subscriber(settings, failing)) {
            await failing.isReady()
            try broker.publish("owntracks/a/b", "1")
            #expect(await failing.next(4) == Array(repeating: wanted, count: 4))
        }
        let later = Received()
        try await run(subscriber(settings, later)) {
            await later.isReady()
            try broker.publish("owntracks/a/b", "2")
            #expect(await later.next(1).map(\.payload) == [Array("2".utf8)])
        }
    }

    @Test("gets what came while it was away") func away() async throws {
        let broker = try Broker()
        let settings = try settings(broker)
        for round in 0..<2 {
            let received = Received()
            try await run(subscriber(settings, received)) {
                if round == 1 { #expect(await received.next(1).map(\.payload) == [Array("0".utf8)]) }
                await received.isReady()
            }
            try broker.publish("owntracks/a/b", "\(round)")
        }
    }

    @Test("comes back when the broker does") func reconnects() async throws {
        var broker = try Broker()
        let received = Received()
        try await run(subscriber(try settings(broker), received)) {
            await received.isReady()
            broker.stop()
            broker = try Broker(port: broker.port)
            try broker.publish(Self.ready, "x", isRetained: true)
            await received.isReady()
            try broker.publish("owntracks/a/b", "again")
            #expect(await received.next(1).map(\.payload) == [Array("again".utf8)])
        }
    }

    @Test("says whether the broker is connected") func connection() async throws {
        var broker = try Broker()
        let received = Received()
        let (states, continuation) = AsyncStream<Bool>.makeStream()
        let subscriber = MQTTSubscriber(
            try settings(broker), logger: Self.logger, onConnection: { continuation.yield($0) },
            sleep: { _ in try await Task.sleep(for: .milliseconds(5)) }, handle: { try received.take($0) })
        var iterator = states.makeAsyncIterator()
        /// Waits for a state. Each attempt without a broker says again that it is away.
        func wait(for isConnected: Bool) async {
            while let state = await iterator.next(), state != isConnected {}
        }
        try await run(subscriber) {
            #expect(await iterator.next() == false)
            await wait(for: true)
            broker.stop()
            await wait(for: false)
            broker = try Broker(port: broker.port)
            await wait(for: true)
        }
    }

    @Test("waits longer from one refusal to the next") func backsOff() async throws {
        let broker = try Broker(configuration: ["allow_anonymous false"])
        let (delays, continuation) = AsyncStream<Duration>.makeStream()
        let settings = MQTTSettings(host: "127.0.0.1", port: broker.port, username: "a", password: "b")
        let subscriber = subscriber(settings, Received()) { continuation.yield($0) }
        try await run(subscriber) {
            var seen: [Duration] = []
            for await delay in delays {
                seen.append(delay)
                if seen.count == 8 { break }
            }
            #expect(seen == [1, 2, 4, 8, 16, 32, 60, 60].map { .seconds($0) })
        }
    }

    @Test("stops though nobody answers, and while it waits to try again") func stops() async throws {
        let port = try Socket.freePort()
        let silent = try Socket(listeningOn: port)
        try await run(subscriber(MQTTSettings(host: "127.0.0.1", port: port), Received())) {
            try silent.accept()
        }
        let (tries, continuation) = AsyncStream<Void>.makeStream()
        let settings = MQTTSettings(host: "127.0.0.1", port: try Socket.freePort())
        let subscriber = subscriber(settings, Received()) { _ in
            continuation.yield()
            try await Task.sleep(for: .seconds(86_400))
        }
        try await run(subscriber) {
            for await _ in tries { break }
        }
    }

    @Test("does not start with settings that cannot work") func invalid() async throws {
        var (topic, id, file) = (
            MQTTSettings(host: "h"), MQTTSettings(host: "h"), MQTTSettings(host: "h", usesTLS: true)
        )
        topic.topic = "a/#/b"
        id.clientID = ""
        file.certificateFile = "/nowhere"
        for settings in [topic, id, file] {
            await #expect(throws: MQTTError.self) { try await subscriber(settings, Received()).run() }
        }
    }

    @Test("trusts a broker by its certificate alone", .enabled(if: Certificates.program != nil, "no openssl here"))
    func encrypted() async throws {
        let (good, other) = (try Certificates(), try Certificates())
        let port = try Socket.freePort()
        let broker = try Broker(
            configuration: ["allow_anonymous true", "listener \(port) 127.0.0.1"] + good.configuration)
        try broker.publish(Self.ready, "x", isRetained: true)
        var settings = MQTTSettings(host: "localhost", port: port, usesTLS: true)
        settings.certificateFile = good.authority
        let received = Received()
        try await run(subscriber(settings, received)) {
            await received.isReady()
            try broker.publish("owntracks/a/b", String(repeating: "x", count: 100_000))
            #expect(await received.next(1).map(\.payload.count) == [100_000])
        }
        // The same as a text.
        var text = settings
        text.certificateFile = nil
        text.certificate = try String(contentsOfFile: good.authority, encoding: .utf8)
        text.clientID = "with-a-text"
        let others = Received()
        try await run(subscriber(text, others)) { await others.isReady() }
        #expect(await BrokerProbe.failure(of: text) == nil)
        // Another authority, and another name of the same host.
        var wrongAuthority = settings
        wrongAuthority.certificateFile = other.authority
        var wrongName = settings
        wrongName.host = "127.0.0.1"
        var wrongText = text
        wrongText.certificate = try String(contentsOfFile: other.authority, encoding: .utf8)
        #expect(await BrokerProbe.failure(of: wrongText)?.reason == .tls)
        for settings in [wrongAuthority, wrongName] {
            let (delays, continuation) = AsyncStream<Duration>.makeStream()
            let received = Received()
            try await run(subscriber(settings, received) { continuation.yield($0) }) {
                for await delay in delays where delay == .seconds(4) { break }
            }
            #expect(received.isEmpty)
        }
    }
}
