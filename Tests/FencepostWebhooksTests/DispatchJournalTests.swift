import FencepostModel
import FencepostService
import Testing

@testable import FencepostWebhooks

@Suite("Dispatch journal") struct DispatchJournalTests {
    let start = Timestamp(seconds: 1_772_353_800)

    @Test("writes one batch at a time, and the rest with the next one")
    func batches() throws {
        var journal = DispatchJournal()
        #expect(journal.isEmpty && journal.nextBatch(now: start) == nil)
        journal.settle(Settlement("a", .delivered), of: "end_a")
        let batch = journal.nextBatch(now: start)
        let first = try #require(batch)
        #expect(first.settlements.map(\.deliveryID) == ["a"] && first.settled == ["end_a": ["a"]])
        journal.settle(Settlement("b", .delivered), of: "end_a")
        #expect(journal.nextBatch(now: start) == nil && !journal.isEmpty)
        #expect(journal.written(.everything, now: start)?.settled == ["end_a": ["a"]])
        #expect(journal.nextBatch(now: start)?.settlements.map(\.deliveryID) == ["b"])
        _ = journal.written(.everything, now: start)
        #expect(journal.isEmpty && journal.retryAt == nil)
    }

    @Test("writes a failed batch again after 1 s, 2 s … 30 s")
    func failures() {
        var journal = DispatchJournal()
        journal.settle(Settlement("a", .delivered), of: "end_a")
        var now = start
        _ = journal.nextBatch(now: now)
        for delay in [1, 2, 4, 8, 16, 30, 30] {
            #expect(journal.written(.nothing, now: now) == nil)
            #expect(journal.retryAt == now + .seconds(delay))
            #expect(journal.nextBatch(now: now + .milliseconds(delay * 1000 - 1)) == nil)
            now = now + .seconds(delay)
            #expect(journal.nextBatch(now: now)?.settlements.map(\.deliveryID) == ["a"])
        }
    }

    @Test("writes only the endpoints again when the deliveries are on disk")
    func partly() throws {
        var journal = DispatchJournal()
        journal.settle(Settlement("a", .delivered), of: "end_a")
        journal.update(.test(), health: EndpointHealth())
        _ = journal.nextBatch(now: start)
        #expect(journal.written(.deliveries, now: start)?.settled == ["end_a": ["a"]])
        let next = journal.nextBatch(now: start + .seconds(1))
        let rest = try #require(next)
        #expect(!rest.hasDeliveries && rest.settled.isEmpty && rest.updates.map(\.endpoint.id) == ["end_a"])
        #expect(journal.written(.everything, now: start)?.hasDeliveries == false)
        #expect(journal.isEmpty)
    }
}
