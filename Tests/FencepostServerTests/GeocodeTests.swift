import FencepostGeometry
import FencepostJSON
import FencepostModel
import FencepostServer
import FencepostService
import FencepostTesting
import Foundation
import NIOHTTP1
import Synchronization
import Testing

@Suite("Addresses over HTTP") struct GeocodeTests {
    /// Knows an address for each latitude of two decimals, or fails.
    final class FakeGeocoder: Geocoder {
        let attribution = "© \"Somebody\""
        let failure: GeocoderFailure?
        let stored = Mutex<[Coordinate: GeocoderAnswer]>([:])
        let asked = Mutex<[Coordinate]>([])

        init(_ failure: GeocoderFailure? = nil) { self.failure = failure }

        func search(_ query: GeocoderQuery) async throws(GeocoderFailure) -> [GeocodedPlace] {
            if let failure { throw failure }
            var place = GeocodedPlace(
                name: query.text, address: "near \(query.near?.latitude ?? 0)",
                position: Coordinate(latitude: 1, longitude: 2))
            place.southWest = Coordinate(latitude: 0, longitude: 1)
            place.northEast = Coordinate(latitude: 2, longitude: 3)
            return [GeocodedPlace](repeating: place, count: 30)
        }

        func storedAddress(of position: Coordinate) async -> GeocoderAnswer? { stored.withLock { $0[position] } }

        func address(of position: Coordinate, waiting: Duration) async throws(GeocoderFailure) -> GeocoderAnswer {
            asked.withLock { $0.append(position) }
            if let failure { throw failure }
            let name = "Street \((position.latitude * 100).rounded() / 100)"
            let answer = GeocoderAnswer.place(GeocodedPlace(name: name, address: name, position: position))
            stored.withLock { $0[position] = answer }
            return answer
        }
    }

    @Test("finds places and addresses") func search() async throws {
        try await TestServer.run({ $0.geocoder = FakeGeocoder() }) { server in
            let path = "/v1/geocode/search?q=rua%20do%20carmo&limit=2&latitude=38.7&longitude=-9.1"
            let reply = try await server.get(path)
            #expect(reply.status == 200)
            #expect(try reply.json["data"]?.count == 2)
            #expect(
                reply.text.hasPrefix(
                    #"{"data":[{"name":"rua do carmo","address":"near 38.7","latitude":1,"longitude":2,"box":[1,0,3,2]}"#
                ))
            #expect(try reply.json["attribution"]?.string == "© \"Somebody\"")
            let address = try await server.get("/v1/geocode/reverse?latitude=50.01&longitude=10").json
            #expect(address["data"]?[0]?["name"]?.string == "Street 50.01")
            for query in [
                "search", "search?q=", "search?q=a&limit=21", "search?q=a&limit=x", "search?q=a&latitude=1",
                "search?q=\(String(repeating: "a", count: 257))", "reverse", "reverse?latitude=1",
                "reverse?latitude=91"
                    + "&longitude=1", "search?q=a&nonsense=1",
            ] {
                #expect(try await server.get("/v1/geocode/\(query)").status == 400, "\(query)")
            }
            let page = try await server.get("/", token: .some(nil))
            #expect(
                page.text.contains(
                    #"name="fencepost-geocoder" content="on" data-attribution="© &quot;Somebody&quot;""#))
            // The service asks, so the page's policy is as before.
            #expect(page["Content-Security-Policy"]?.contains("default-src 'self'; img-src 'self';") == true)
        }
    }

    @Test("says why there is no answer") func failures() async throws {
        let cases: [(GeocoderFailure, Int, String)] = [
            (.busy(.seconds(7.2)), 503, "geocoder_busy"), (.blocked, 502, "geocoder_failed"),
            (.status(500), 502, "geocoder_failed"), (.unreadable, 502, "geocoder_failed"),
            (.unreachable("no answer in time"), 502, "geocoder_failed"),
        ]
        for (failure, status, code) in cases {
            try await TestServer.run({ $0.geocoder = FakeGeocoder(failure) }) { server in
                for path in ["search?q=a", "reverse?latitude=1&longitude=1"] {
                    let reply = try await server.get("/v1/geocode/\(path)")
                    #expect(reply.status == status && reply.code == code)
                    if status == 503 { #expect(reply["Retry-After"] == "8") }
                }
            }
        }
        try await TestServer.run { server in
            let reply = try await server.get("/v1/geocode/search?q=a")
            #expect(reply.status == 404 && reply.code == "no_geocoder")
            #expect(
                try await server.get("/", token: .some(nil)).text.contains(#"name="fencepost-geocoder" content="""#))
        }
    }

    private static func withHistory(
        _ geocoder: FakeGeocoder?, _ body: @escaping @Sendable (TestServer) async throws -> Void
    ) async throws {
        try await TestServer.run({ $0.geocoder = geocoder }) { server in
            #expect(try await server.post("/v1/regions", TestServer.office, type: "application/geo+json").status == 201)
            for day in -4...(-1) {
                let reply = try await server.post(
                    "/v1/locations", HistoryReportTests.morning("jane/phone", day: day), type: "application/x-ndjson")
                #expect(reply.status == 200)
            }
            try await body(server)
        }
    }

    private static let lists = [
        "/v1/places?", "/v1/visits?",
        "/v1/timeline?deviceId=jane/phone&from=2026-02-25T00:00:00Z&to=2026-03-01T00:00:00Z&",
    ]

    @Test("lists have the addresses of what is in no region") func addresses() async throws {
        let geocoder = FakeGeocoder()
        try await Self.withHistory(geocoder) { server in
            for path in Self.lists {
                let plain = try await server.get(path + "addresses=false")
                #expect(plain.status == 200 && !plain.text.contains("\"address\""))
                #expect(geocoder.asked.withLock { $0.isEmpty } || path != Self.lists[0])
                let json = try await server.get(path + "addresses=true").json
                let entries = (json["data"] ?? json["visits"])?.array.map(Array.init) ?? []
                var count = (inside: 0, outside: 0)
                for entry in entries {
                    let regions = (entry["regions"] ?? entry["visit"]?["regions"])?.array
                    if regions?.isEmpty == true {
                        count.outside += 1
                        #expect(
                            entry["address"]?.string == "Street 50.02" || entry["address"]?.string == "Street 50.01")
                    } else {
                        count.inside += 1
                        #expect(entry["address"]?.isNull == true)
                    }
                }
                #expect(count.inside > 0 && count.outside > 0, "\(path)")
            }
            // The second time nothing is asked.
            let before = geocoder.asked.withLock { $0.count }
            _ = try await server.get(Self.lists[0] + "addresses=true")
            #expect(geocoder.asked.withLock { $0.count } == before)
        }
    }

    @Test("trips have the addresses of their ends that are in no region") func trips() async throws {
        try await Self.withHistory(FakeGeocoder()) { server in
            #expect(try await !server.get("/v1/trips").text.contains("\"address\""))
            let trips = try await server.get("/v1/trips?addresses=true").json["data"]?.array.map(Array.init) ?? []
            var count = (inside: 0, outside: 0)
            for end in trips.flatMap({ [$0["start"], $0["end"]] }) {
                if end?["regions"]?.array?.isEmpty == true {
                    count.outside += 1
                    #expect(end?["address"]?.string?.hasPrefix("Street ") == true)
                } else {
                    count.inside += 1
                    #expect(end?["address"]?.isNull == true)
                }
            }
            #expect(count.inside > 0 && count.outside > 0)
            for format in ["csv", "xlsx", "geojson"] {
                #expect(try await server.get("/v1/trips?addresses=true&format=\(format)").status == 400)
            }
        }
    }

    @Test("a geocoder that fails hinders no list") func failingLists() async throws {
        for geocoder in [FakeGeocoder(.unreachable("no answer in time")), nil] {
            try await Self.withHistory(geocoder) { server in
                for path in Self.lists {
                    let reply = try await server.get(path + "addresses=true")
                    #expect(reply.status == 200)
                    #expect(reply.text.contains("\"address\":null") && !reply.text.contains("\"address\":\""))
                }
                // One failure is enough for a list.
                if let geocoder { #expect(geocoder.asked.withLock { $0.count } == Self.lists.count) }
            }
        }
    }
}
