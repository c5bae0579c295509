import FencepostModel
import FencepostService
import GRDB
import Testing

@testable import FencepostStore

@Suite("The last alerts of a device") struct AlertEventTests {
    private static func event(
        _ number: Int, _ rule: String, region: String? = nil, device: String = "bus-1", type: String = "alert.speed"
    ) -> NewEvent {
        let time = MadeUp.start + .seconds(number)
        let summary = region.map { RegionSummary(id: RegionID($0), name: nil, tags: [], metadata: nil) }
        let occurrence: Occurrence =
            type == "alert.speed"
            ? .alert(Alert(kind: .speed, rule: rule, state: .started, region: summary)) : .deviceStale
        let values = NewEvent(
            EventMessage(
                .occurrence(
                    Event(
                        id: "evt_\(number)", sequence: number, deviceID: DeviceID(device), occurrence: occurrence,
                        timestamp: time, detectedAt: time), decisions: []), receivedAt: time))
        // Each second one is as earlier versions have stored it.
        guard number.isMultiple(of: 2) else { return values }
        return NewEvent(
            id: values.id, type: values.type, deviceID: values.deviceID, regionID: values.regionID, timestamp: time,
            body: values.body)
    }

    private static func ids(_ events: [Event]) -> [String] { events.map(\.id) }

    @Test("are one for each rule and region, in their order, however many there were")
    func last() async throws {
        try await withStore { store in
            let device = DeviceID("bus-1")
            #expect(try await store.newestEvent(of: device) == 0)
            #expect(try await store.alertEvents(of: device) == [])
            for number in 1...300 {
                let region = number % 3 == 0 ? "depot" : nil
                try await store.append(
                    Self.event(number, "rule\(number % 2)", region: region), deliveries: [], at: MadeUp.start)
            }
            try await store.append(Self.event(301, "rule0", device: "bus-2"), deliveries: [], at: MadeUp.start)
            try await store.append(
                Self.event(302, "rule0", type: "device.stale"), deliveries: [], at: MadeUp.start)
            // Before and behind the end of the runs.
            #expect(
                Self.ids(try await store.alertEvents(of: device)) == ["evt_297", "evt_298", "evt_299", "evt_300"])
            try await store.maintain(at: MadeUp.start, isForced: true)
            #expect(Self.ids(try await store.alertEvents(of: device)) == ["evt_297", "evt_298", "evt_299", "evt_300"])
            let newest = try await store.newestEvent(of: device)
            try await store.append(Self.event(303, "rule1"), deliveries: [], at: MadeUp.start)
            #expect(
                Self.ids(try await store.alertEvents(of: device)) == ["evt_297", "evt_298", "evt_300", "evt_303"])
            #expect(try await store.newestEvent(of: device) > newest)
            #expect(try await store.newestEvent(of: DeviceID("bus-2")) < newest)
        }
    }

    @Test("leave out what another event replaces, and what cannot be read")
    func damaged() async throws {
        try await withStore { store in
            for number in 1...5 {
                try await store.append(Self.event(number, "rule\(number)"), deliveries: [], at: MadeUp.start)
            }
            try await store.write { db in
                try db.execute(sql: "UPDATE event SET superseded_by = 'evt_9' WHERE id = 'evt_3'")
                try db.execute(sql: "UPDATE event SET packed = x'0107' WHERE id = 'evt_1'")
                try db.execute(sql: "UPDATE event SET body = '{\"id\":\"evt_4' WHERE id = 'evt_4'")
            }
            try await store.maintain(at: MadeUp.start, isForced: true)
            #expect(Self.ids(try await store.alertEvents(of: DeviceID("bus-1"))) == ["evt_2", "evt_5"])
        }
    }
}
