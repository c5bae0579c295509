import FencepostAnalysis
import FencepostGeometry
import FencepostHistory
import FencepostJSON
import FencepostModel
import FencepostServer
import FencepostService
import FencepostStore
import FencepostTesting
import Foundation
import Testing

/// Reports of a period read what is open at its beginning, in place of all that was before.
@Suite("History that is read for a period") struct BoundedHistoryTests {
    private static let device = DeviceID("van")
    private static let start = TestServer.now - .seconds(12 * 86_400)
    private static let coordinates = [(50.005, 10.005), (50.03, 10.02), (50.06, 9.98), (50.005, 10.08)]

    @Test("gives the figures of all that was ever stored", arguments: [1, 2, 3] as [UInt64])
    func equality(seed: UInt64) async throws {
        try await TestServer.run { server in
            var random = SeededGenerator(seed: seed)
            try await Self.live(server, &random)
            let numbers = try await (events: server.store.eventNumbers().newest, periods: Self.compare(server, &random))
            // An empty history would be the same in any way of reading.
            #expect(numbers.events > 20 && numbers.periods > 10)
        }
    }

    /// Twelve days of a van: ways, stays, silences of up to 3 days, late locations, changed regions, and stated stays.
    private static func live(_ server: TestServer, _ random: inout SeededGenerator) async throws {
        try await region(server, 0, radius: 200)
        try await region(server, 1, radius: 150)
        // Around all coordinates: the van is in it for days.
        try await region(server, 0, radius: 9000, id: "town")
        var fixes: [(Timestamp, Double, Double)] = []
        var (time, here) = (start, coordinates[0])
        while time < TestServer.now - .seconds(7200) {
            let target = coordinates[Int.random(in: 0..<coordinates.count, using: &random)]
            for step in 1...10 {
                let share = Double(step) / 10
                time = time + .seconds(60)
                fixes.append((time, here.0 + (target.0 - here.0) * share, here.1 + (target.1 - here.1) * share))
            }
            for _ in 0..<Int.random(in: 2...40, using: &random) {
                time = time + .seconds(Int64.random(in: 60...400, using: &random))
                fixes.append((time, target.0 + Double.random(in: -2e-5...2e-5, using: &random), target.1))
            }
            here = target
            let silence: ClosedRange<Int64>? =
                switch Int.random(in: 0..<6, using: &random) {
                case 0: 1000...40_000
                case 1: 60_000...260_000
                default: nil
                }
            if let silence { time = time + .seconds(Int64.random(in: silence, using: &random)) }
        }
        // Nobody is heard after the time of the test.
        fixes.removeAll { $0.0 > TestServer.now }
        let late = fixes.filter { _ in Int.random(in: 0..<25, using: &random) == 0 }
        let onTime = fixes.filter { fix in !late.contains { $0.0 == fix.0 } }
        try await send(server, onTime.prefix(onTime.count / 2))
        // These events are in the indexes then, and later ones are not yet.
        _ = try await server.store.maintain(at: TestServer.now, isForced: true)
        try await region(server, 1, radius: 900)
        try await region(server, 2, radius: 200)
        try await send(server, onTime.suffix(onTime.count - onTime.count / 2))
        try await send(server, late[...])
        for number in 0..<4 {
            let arrival = start + .seconds(Int64.random(in: 0...1_000_000, using: &random))
            let coordinate = Coordinate(latitude: 50.01, longitude: 10.01)
            let correction = StayCorrection(
                id: "cor_\(number)", deviceID: device, arrival: arrival,
                departure: arrival + .seconds(Int64.random(in: 600...20_000, using: &random)),
                site: number.isMultiple(of: 2) ? .init(name: "Depot", coordinate: coordinate) : nil)
            _ = try await server.store.add(correction)
        }
    }

    private static func region(_ server: TestServer, _ index: Int, radius: Int, id: String? = nil) async throws {
        let id = id ?? "place-\(index)"
        let reply = try await server.put(
            "/v1/regions/\(id)",
            "{\"type\":\"Feature\",\"id\":\"\(id)\",\"properties\":{\"name\":\"\(id)\",\"radius\":\(radius)},"
                + "\"geometry\":{\"type\":\"Point\",\"coordinates\":[\(coordinates[index].1),\(coordinates[index].0)]}}"
        )
        #expect(reply.status < 300, "\(reply.text)")
    }

    private static func send(
        _ server: TestServer, _ fixes: ArraySlice<(Timestamp, Double, Double)>
    ) async throws {
        let lines = fixes.map { time, latitude, longitude in
            "{\"deviceId\":\"van\",\"timestamp\":\(time.milliseconds / 1000),\"latitude\":\(latitude),"
                + "\"longitude\":\(longitude),\"horizontalAccuracy\":8}"
        }
        let reply = try await server.post(
            "/v1/locations", lines.joined(separator: "\n"), type: "application/x-ndjson")
        #expect(reply.status == 200, "\(reply.text)")
        for _ in 0..<400 {
            if try await server.get("/v1/devices/van/evaluations").json["data"]?.count == 0 { return }
            try await Task.sleep(for: .milliseconds(25))
        }
        Issue.record("the evaluation does not end")
    }

    /// Compares the reports of random periods, and returns how many had stays or trips.
    private static func compare(_ server: TestServer, _ random: inout SeededGenerator) async throws -> Int {
        var filled = 0
        for _ in 0..<25 {
            let from = start + .seconds(Int64.random(in: -86_400...1_040_000, using: &random))
            let length = Int64.random(in: 1...(Bool.random(using: &random) ? 20_000 : 700_000), using: &random)
            let period = TimeSpan(from, from + .seconds(length))
            for wantsTrips in [false, true] {
                var texts: [String] = []
                for readsAll in [true, false] {
                    let history = StoredHistory(store: server.store, device: device, readsAll: readsAll)
                    let found = try await history.read(period, wantsTrips: wantsTrips, wantsExtents: readsAll)
                    texts.append(text(found, of: period))
                    if !readsAll, !found.timeline.stays.isEmpty || !found.trips.isEmpty { filled += 1 }
                }
                #expect(texts[0] == texts[1], "\(period.start.rfc3339) to \(period.end.rfc3339)")
            }
        }
        return filled
    }

    /// All that the API says of a period.
    private static func text(_ found: StoredHistory.Recording, of period: TimeSpan) -> String {
        var writer = JSONWriter()
        writer.beginArray()
        writer.value(found.timeline, in: period, timeZone: .gmt)
        for trip in found.trips { writer.value(trip) }
        // With all digits, which the API rounds.
        var summaries = ""
        let tags = [RegionID("town"): ["all"], RegionID("place-1"): ["all"]]
        for grouping in SummaryGrouping.allCases {
            var builder = SummaryBuilder(
                by: grouping, period: .day, timeZone: .gmt, range: period, tags: tags)
            builder.add(found.timeline, trips: found.trips)
            summaries += String(describing: builder.finish())
        }
        writer.endArray()
        return String(decoding: writer.bytes, as: UTF8.self) + summaries
    }
}
