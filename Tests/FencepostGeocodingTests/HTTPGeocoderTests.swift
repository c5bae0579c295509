import FencepostGeocoding
import FencepostGeometry
import FencepostModel
import FencepostService
import FencepostWebhooks
import Synchronization
import Testing

@Suite("Geocoder over HTTP") struct HTTPGeocoderTests {
    /// A result of a search in Nominatim's jsonv2, as its documentation describes it.
    static let nominatimSearch = """
        [{"place_id":1,"licence":"x","osm_type":"way","osm_id":2,"lat":"38.6979","lon":"-9.2068","category":"tourism",
        "type":"attraction","place_rank":30,"importance":0.5,"addresstype":"tourism","name":"Tower",
        "display_name":"Tower, Avenue, Belém, Lisboa, 1400-038, Portugal",
        "address":{"tourism":"Tower","road":"Avenue","city":"Lisboa","country":"Portugal"},
        "boundingbox":["38.6970","38.6985","-9.2075","-9.2060"]},
        {"display_name":"no position"}]
        """
    static let nominatimReverse = """
        {"place_id":3,"lat":"38.71171","lon":"-9.13992","category":"building","type":"yes","name":"",
        "display_name":"12, Rua do Carmo, Chiado, Lisboa, 1200-093, Portugal",
        "address":{"house_number":"12","road":"Rua do Carmo","city":"Lisboa","country":"Portugal"},
        "boundingbox":["38.7116","38.7118","-9.1400","-9.1398"]}
        """
    static let photon = """
        {"type":"FeatureCollection","features":[{"type":"Feature","geometry":{"type":"Point",
        "coordinates":[13.3777,52.5163]},"properties":{"osm_id":4,"osm_type":"W","osm_key":"place","osm_value":"house",
        "type":"house","street":"Pariser Platz","housenumber":"1","postcode":"10117","city":"Berlin",
        "district":"Mitte","country":"Deutschland","countrycode":"DE",
        "extent":[13.3770,52.5170,13.3780,52.5160]}}]}
        """

    /// Virtual time: waits take no time, and are recorded.
    final class Times: Sendable {
        let state = Mutex<(seconds: Double, waits: [Duration])>((0, []))

        var geocoder: HTTPGeocoder.Times {
            var times = HTTPGeocoder.Times(now: { [self] in
                Timestamp(seconds: 1_772_355_600) + .seconds(state.withLock { $0.seconds })
            })
            times.steady = { [self] in .seconds(state.withLock { $0.seconds }) }
            times.sleep = { [self] span in
                state.withLock { state in
                    state.waits.append(span)
                    state.seconds += span / .seconds(1)
                }
            }
            return times
        }

        func pass(_ seconds: Double) { state.withLock { $0.seconds += seconds } }
        var waits: [Duration] { state.withLock { $0.waits } }
    }

    final class Memory: AddressStore {
        let answers = Mutex<[AddressKey: (answer: GeocoderAnswer, time: Timestamp)]>([:])

        func address(_ key: AddressKey, storedAfter time: Timestamp) async throws -> GeocoderAnswer? {
            answers.withLock { $0[key].flatMap { $0.time > time ? $0.answer : nil } }
        }

        func save(
            _ answer: GeocoderAnswer, for key: AddressKey, at time: Timestamp, removingBefore oldest: Timestamp
        ) async throws {
            answers.withLock { answers in
                answers = answers.filter { $0.value.time >= oldest }
                answers[key] = (answer, time)
            }
        }
    }

    func settings(_ url: String, _ kind: GeocoderSettings.Kind = .nominatim) -> GeocoderSettings {
        var settings = GeocoderSettings(url: url)
        settings.kind = kind
        settings.allowHTTP = true
        settings.allowedNetworks = ["127.0.0.0/8"].compactMap(NetworkRange.init)
        return settings
    }

    static let lisbon = Coordinate(latitude: 38.711709, longitude: -9.139921)

    @Test("asks Nominatim in its format and reads its answers") func nominatim() async throws {
        try await LoopbackGeocoder.run({
            .init(body: $0.hasPrefix("/search") ? Self.nominatimSearch : Self.nominatimReverse)
        }) { server in
            var settings = settings(server.url)
            (settings.contact, settings.language, settings.key) = ("me@example.org", "pt-PT,en", "k&y")
            let times = Times()
            let geocoder = try HTTPGeocoder(settings, store: Memory(), times: times.geocoder)
            let found = try await geocoder.search(GeocoderQuery(text: "Torre de Belém & co", limit: 3))
            #expect(found.count == 1)
            #expect(found.first?.name == "Tower, Lisboa")
            #expect(found.first?.address.hasSuffix("Portugal") == true)
            #expect(found.first?.southWest == Coordinate(latitude: 38.6970, longitude: -9.2075))
            #expect(found.first?.northEast == Coordinate(latitude: 38.6985, longitude: -9.2060))
            let place = try await geocoder.address(of: Self.lisbon, waiting: .seconds(5)).place
            #expect(place?.name == "Rua do Carmo 12, Lisboa")
            let requests = server.requests
            #expect(
                requests.first?.hasPrefix(
                    "GET /search?q=Torre%20de%20Bel%C3%A9m%20%26%20co&limit=3&format=jsonv2&addressdetails=1"
                        + "&accept-language=pt-PT%2Cen&key=k%26y HTTP/1.1") == true)
            // Rounded to four decimals, and one second after the first request.
            #expect(requests.last?.hasPrefix("GET /reverse?lat=38.7117&lon=-9.1399&format=jsonv2&zoom=18") == true)
            #expect(
                requests.allSatisfy {
                    $0.lowercased().contains("user-agent: fencepost/\(FencepostVersion.current) (me@example.org)")
                })
            #expect(times.waits == [.seconds(1)])
        }
    }

    @Test("asks Photon in its format and reads its answers") func photonProtocol() async throws {
        try await LoopbackGeocoder.run({ _ in .init(body: Self.photon) }) { server in
            let geocoder = try HTTPGeocoder(
                settings(server.url + "/photon", .photon), store: Memory(), times: Times().geocoder)
            let near = Coordinate(latitude: 52.5, longitude: 13.4)
            let found = try await geocoder.search(GeocoderQuery(text: "Pariser Platz", near: near))
            #expect(found.first?.name == "Pariser Platz 1, Berlin")
            #expect(found.first?.address == "Pariser Platz 1, Mitte, 10117 Berlin, Deutschland")
            #expect(found.first?.position == Coordinate(latitude: 52.5163, longitude: 13.3777))
            #expect(found.first?.southWest == Coordinate(latitude: 52.5160, longitude: 13.3770))
            let address = try await geocoder.address(of: near, waiting: .seconds(5))
            #expect(address.place?.name == "Pariser Platz 1, Berlin")
            let paths = server.requests.map { $0.split(separator: " ")[1] }
            #expect(
                paths == [
                    "/photon/api?q=Pariser%20Platz&limit=5&lat=52.5&lon=13.4",
                    "/photon/reverse?lat=52.5&lon=13.4&limit=1",
                ])
        }
    }

    @Test("stores addresses, also that there is none, until they are too old") func store() async throws {
        try await LoopbackGeocoder.run({ _ in .init(body: #"{"error":"Unable to geocode"}"#) }) { server in
            let (times, store) = (Times(), Memory())
            let geocoder = try HTTPGeocoder(settings(server.url), store: store, times: times.geocoder)
            #expect(await geocoder.storedAddress(of: Self.lisbon) == nil)
            #expect(try await geocoder.address(of: Self.lisbon, waiting: .zero) == .nothing)
            let near = Coordinate(latitude: 38.711740, longitude: -9.139941)
            #expect(try await geocoder.address(of: near, waiting: .zero) == .nothing)
            #expect(await geocoder.storedAddress(of: near) == .nothing)
            #expect(server.requests.count == 1)
            // Another language is another answer.
            var german = settings(server.url)
            german.language = "de"
            let other = try HTTPGeocoder(german, store: store, times: times.geocoder)
            #expect(await other.storedAddress(of: near) == nil)
            times.pass(90 * 86_400 + 1)
            server.answers { _ in .init(body: Self.nominatimReverse) }
            #expect(try await geocoder.address(of: near, waiting: .zero).place != nil)
            #expect(server.requests.count == 2)
            #expect(store.answers.withLock { $0.count } == 1)
        }
    }

    @Test("sends no more than the rate allows") func rate() async throws {
        try await LoopbackGeocoder.run({ _ in .init(body: Self.nominatimSearch) }) { server in
            let times = Times()
            let geocoder = try HTTPGeocoder(settings(server.url), store: Memory(), times: times.geocoder)
            for text in ["a", "b", "c", "a"] { _ = try await geocoder.search(GeocoderQuery(text: text)) }
            #expect(server.requests.count == 3, "the fourth search is known")
            #expect(times.waits == [.seconds(1), .seconds(1)])
            await #expect(throws: GeocoderFailure.busy(.seconds(1))) {
                try await geocoder.address(of: Self.lisbon, waiting: .zero)
            }
            #expect(server.requests.count == 3)
        }
    }

    @Test(
        "leaves a geocoder alone that fails",
        arguments: [
            (LoopbackGeocoder.Answer(status: 500, body: ""), GeocoderFailure.status(500), 30.0),
            (.init(status: 302, headers: "Location: http://169.254.169.254/\r\n", body: ""), .status(302), 30),
            (.init(status: 429, headers: "Retry-After: 120\r\n", body: ""), .busy(.seconds(120)), 120),
            (.init(body: "<html>"), .unreadable, 30), (.init(body: "{}"), .unreadable, 30),
            (.init(body: "[\"" + String(repeating: "x", count: 1 << 20) + "\"]"), .unreadable, 30),
        ] as [(LoopbackGeocoder.Answer, GeocoderFailure, Double)])
    func failure(answer: LoopbackGeocoder.Answer, expected: GeocoderFailure, pause: Double) async throws {
        try await LoopbackGeocoder.run({ _ in answer }) { server in
            let times = Times()
            let geocoder = try HTTPGeocoder(settings(server.url), store: Memory(), times: times.geocoder)
            await #expect(throws: expected) { try await geocoder.search(GeocoderQuery(text: "a")) }
            server.answers { _ in .init(body: Self.nominatimSearch) }
            await #expect(throws: GeocoderFailure.busy(.seconds(pause))) {
                try await geocoder.search(GeocoderQuery(text: "a"))
            }
            times.pass(pause)
            #expect(try await geocoder.search(GeocoderQuery(text: "a")).count == 1)
            #expect(server.requests.count == 2)
        }
    }

    @Test("an invalid question does not stop others") func badRequest() async throws {
        try await LoopbackGeocoder.run({ _ in .init(status: 400, body: "{}") }) { server in
            let times = Times()
            let geocoder = try HTTPGeocoder(settings(server.url), store: Memory(), times: times.geocoder)
            await #expect(throws: GeocoderFailure.status(400)) { try await geocoder.search(GeocoderQuery(text: "a")) }
            await #expect(throws: GeocoderFailure.status(400)) { try await geocoder.search(GeocoderQuery(text: "b")) }
            #expect(times.waits == [.seconds(1)])
        }
    }

    @Test("an unreachable geocoder is a failure and nothing else") func unreachable() async throws {
        // The discard port of loopback: nothing listens there.
        let geocoder = try HTTPGeocoder(settings("http://127.0.0.1:9"), store: Memory(), times: Times().geocoder)
        await #expect(throws: GeocoderFailure.unreachable("no connection; does the service run there?")) {
            try await geocoder.address(of: Self.lisbon, waiting: .zero)
        }
    }

    @Test("may only be at allowed addresses") func addresses() async throws {
        func make(_ url: String, http: Bool = true, _ networks: [String] = []) throws -> HTTPGeocoder {
            var settings = GeocoderSettings(url: url)
            settings.allowHTTP = http
            settings.allowedNetworks = networks.compactMap(NetworkRange.init)
            return try HTTPGeocoder(settings, store: Memory(), times: Times().geocoder, resolver: PrivateName())
        }
        for url in ["http://127.0.0.1:2322", "http://[::1]", "http://localhost", "https://10.0.0.1", "https://u:p@a.b"]
        {
            #expect(throws: HTTPGeocoder.InvalidAddress.self, "\(url)") { try make(url) }
        }
        #expect(throws: HTTPGeocoder.InvalidAddress.self) { try make("http://geocoder.example", http: false) }
        _ = try make("http://127.0.0.1:2322", ["127.0.0.1"])
        // A name that resolves to a private address.
        let hidden = try make("https://geocoder.example")
        await #expect(throws: GeocoderFailure.blocked) { try await hidden.search(GeocoderQuery(text: "a")) }
    }

    struct PrivateName: HostResolver {
        func addresses(of name: String) async throws -> [IPAddress] { [.v4(0x0808_0808), .v4(0x0A00_0001)] }
    }
}
