import FencepostModel
import FencepostService
import FencepostStore
import Testing

@Suite("The stored broker") struct BrokerStoreTests {
    private static let text = #"{"host":"h","password":"p"}"#

    @Test("is changed by who has read it last, and stays after a restart") func change() async throws {
        let scratch = try Scratch()
        try await withStore(scratch) { (store: SQLiteStore) async throws in
            #expect(try await store.brokerText() == nil)
            #expect(try await !store.changeBroker(from: "{}", to: Self.text))
            #expect(try await store.changeBroker(from: nil, to: "{}"))
            #expect(try await !store.changeBroker(from: nil, to: Self.text))
            #expect(try await store.brokerText() == "{}")
            #expect(try await store.changeBroker(from: "{}", to: Self.text))
        }
        try await withStore(scratch) { (store: SQLiteStore) async throws in
            #expect(try await store.brokerText() == Self.text)
            #expect(try await !store.changeBroker(from: "{}", to: nil))
            #expect(try await store.changeBroker(from: Self.text, to: nil))
            #expect(try await store.brokerText() == nil)
        }
    }

    @Test("is named by the doctor when it cannot be read") func damaged() async throws {
        let scratch = try Scratch()
        func report() throws -> [String] { try Doctor.examine(scratch.database).flatMap(\.problems) }
        try await withStore(scratch) { (store: SQLiteStore) async throws in
            #expect(try await store.changeBroker(from: nil, to: Self.text))
        }
        #expect(try report() == [])
        try await withStore(scratch) { (store: SQLiteStore) async throws in
            #expect(try await store.changeBroker(from: Self.text, to: "{"))
        }
        #expect(try report() == ["The MQTT broker of the page cannot be read."])
    }

    @Test("counts the topics that brokers keep") func counts() async throws {
        try await withStore { (store: SQLiteStore) async throws in
            #expect(try await store.retainedTopicCounts() == [:])
            func topic(_ name: String) -> RetainedTopic { RetainedTopic(topic: name, deviceID: nil, kind: .state) }
            try await store.note([topic("a"), topic("b")], at: "one:1883")
            try await store.note([topic("a")], at: "two:1883")
            #expect(try await store.retainedTopicCounts() == ["one:1883": 2, "two:1883": 1])
            try await store.forget(["a"], at: "two:1883")
            #expect(try await store.retainedTopicCounts() == ["one:1883": 2])
        }
    }
}
