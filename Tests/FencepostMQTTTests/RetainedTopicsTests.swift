import FencepostModel
import FencepostService
import Synchronization
import Testing

@testable import FencepostMQTT

@Suite("The topics that a broker keeps") struct RetainedTopicsTests {
    /// Topics in memory, which cannot be written at times.
    private final class Store: RetainedTopicStore {
        struct Full: Error {}

        private let rows = Mutex<[String: [String: RetainedTopic]]>([:])
        let isFull = Mutex(false)

        func retainedTopics(at broker: String) async throws -> [RetainedTopic] {
            rows.withLock { ($0[broker] ?? [:]).values.sorted { $0.topic < $1.topic } }
        }

        func retainedTopicCounts() async throws -> [String: Int] { [:] }
        func note(_ topics: [RetainedTopic], at broker: String) async throws {
            if isFull.withLock(\.self) { throw Full() }
            rows.withLock { rows in for topic in topics { rows[broker, default: [:]][topic.topic] = topic } }
        }

        func forget(_ topics: [String], at broker: String) async throws {
            if isFull.withLock(\.self) { throw Full() }
            rows.withLock { rows in for topic in topics { rows[broker]?[topic] = nil } }
        }
    }

    private static let ann = RetainedTopic(topic: "f/devices/ann", deviceID: DeviceID("ann"), kind: .state)
    private static let alert = RetainedTopic(topic: "f/alerts/ann", deviceID: DeviceID("ann"), kind: .alert)

    @Test("are known to the next run, by broker") func runs() async throws {
        let store = Store()
        let first = RetainedTopics(store, at: "a:1883")
        try await first.note([Self.ann, Self.alert])
        await first.forget([Self.alert.topic])
        let next = RetainedTopics(store, at: "a:1883")
        try await next.load()
        #expect(await next.topics { _ in true } == [Self.ann.topic])
        let other = RetainedTopics(store, at: "b:1883")
        try await other.load()
        #expect(await other.topics { _ in true } == [])
    }

    @Test("are not to be published before they are stored, and stay noted until that is undone") func full()
        async throws
    {
        let store = Store()
        let topics = RetainedTopics(store, at: "a:1883")
        store.isFull.withLock { $0 = true }
        await #expect(throws: Store.Full.self) { try await topics.note([Self.ann]) }
        #expect(await topics.topics { _ in true } == [])
        store.isFull.withLock { $0 = false }
        try await topics.note([Self.ann])
        store.isFull.withLock { $0 = true }
        // Known topics are written once.
        try await topics.note([Self.ann])
        await topics.forget([Self.ann.topic])
        #expect(await topics.topics { $0.kind == .state } == [Self.ann.topic])
    }
}
