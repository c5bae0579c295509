import FencepostFormats
import FencepostModel
import FencepostService
import GRDB
import Testing

@testable import FencepostStore

@Suite("An event that happens after all") struct RevisedEventTests {
    @Test("is a further revision, which says what it supersedes", arguments: [false, true])
    func revision(isText: Bool) async throws {
        try await withStore { store in
            let region = RegionSummary(id: RegionID("office"), name: "Office", tags: [], metadata: nil)
            let message = EventMessage(
                .occurrence(
                    Event(
                        id: "evt_1", sequence: 1, deviceID: DeviceID("jane"), occurrence: .regionEntered(region),
                        timestamp: MadeUp.start, detectedAt: MadeUp.start), decisions: []), receivedAt: MadeUp.start)
            let values = NewEvent(message)
            let event =
                isText
                ? NewEvent(
                    id: values.id, type: values.type, deviceID: values.deviceID, regionID: values.regionID,
                    timestamp: values.timestamp, body: values.body) : values
            try await store.append(event, deliveries: [], at: MadeUp.start)
            // A second time it is known, and no other one.
            try await store.append(event, deliveries: [], at: MadeUp.start)
            try await store.write { db in
                try db.execute(sql: "UPDATE event SET superseded_by = 'evt_9' WHERE id = 'evt_1'")
            }
            try await store.append(event, deliveries: [], at: MadeUp.start)
            let all = try await store.events(HistoryFilter(), after: Int64(0), limit: 9)
            #expect(all.count == 2)
            let second = try #require(all.last?.event)
            #expect(second.cause == "evt_1" && second.revision == 2 && second.id != "evt_1")
            let read = try #require(second.message)
            #expect(read.id == second.id)
            #expect(read.correction?.revision == 2 && read.correction?.supersedes == "evt_1")
            #expect(second.body.contains("\"id\":\"\(second.id)\"") && second.body.contains("\"supersedes\":\"evt_1\""))
        }
    }
}
