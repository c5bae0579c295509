import FencepostModel
import FencepostService
import GRDB
import Testing

@testable import FencepostStore

@Suite("The last alerts of a device") struct AlertEventTests {
    private static func event(
        _ number: Int, _ rule: String, region: String? = nil, device: String = "bus-1", type: String = "alert.speed"
    ) -> NewEvent {
        let region = region.map { #","region":{"id":"\#($0)"}"# } ?? ""
        return NewEvent(
            id: "evt_\(number)", type: type, deviceID: DeviceID(device), regionID: nil,
            timestamp: MadeUp.start + .seconds(number),
            body: #"{"id":"evt_\#(number)","alert":{"rule":"\#(rule)","state":"started"}\#(region)}"#)
    }

    private static func ids(_ bodies: [String]) -> [String] {
        bodies.map { String($0.dropFirst(7).prefix { $0 != "\"" }) }
    }

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
                Self.event(302, "rule0", type: "region.entered"), deliveries: [], at: MadeUp.start)
            // Before and behind the end of the indexes.
            #expect(
                Self.ids(try await store.alertEvents(of: device)).suffix(4) == [
                    "evt_297", "evt_298", "evt_299", "evt_300",
                ])
            _ = try await store.indexEvents(isPaced: false)
            #expect(Self.ids(try await store.alertEvents(of: device)) == ["evt_297", "evt_298", "evt_299", "evt_300"])
            let newest = try await store.newestEvent(of: device)
            try await store.append(Self.event(303, "rule1"), deliveries: [], at: MadeUp.start)
            #expect(
                Self.ids(try await store.alertEvents(of: device)) == [
                    "evt_297", "evt_298", "evt_299", "evt_300", "evt_303",
                ])
            #expect(try await store.newestEvent(of: device) > newest)
            #expect(try await store.newestEvent(of: DeviceID("bus-2")) < newest)
        }
    }

    @Test("leave out what another event replaces, and a body that is no JSON")
    func damaged() async throws {
        try await withStore { store in
            for number in 1...3 {
                try await store.append(Self.event(number, "a"), deliveries: [], at: MadeUp.start)
            }
            try await store.write { db in
                try db.execute(sql: "UPDATE event SET superseded_by = 'evt_9' WHERE id = 'evt_3'")
                try db.execute(sql: "UPDATE event SET body = '{\"id\":\"evt_1' WHERE id = 'evt_1'")
            }
            _ = try await store.indexEvents(isPaced: false)
            #expect(Self.ids(try await store.alertEvents(of: DeviceID("bus-1"))) == ["evt_1", "evt_2"])
        }
    }
}
