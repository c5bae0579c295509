import FencepostGeometry
import FencepostHTTP
import FencepostJSON
import FencepostModel
import FencepostService
import HTTPTypes
import Logging

/// Routes of the configured geocoder. The service makes the requests, so the page needs no other origin.
extension API {
    var geocodeRoutes: [Route] { [searchPlaces, getAddress] }

    /// Asks a list for addresses, as far as the geocoder gives them in time.
    static let addresses = Route.Parameter.flag(
        "addresses",
        "Includes the addresses of what is in no region, where geocoder.url is configured. An address that is not known "
            + "yet is null: it comes with a later request.")

    private static let success = Route.Success.json(
        Schema.named("GeocodedPlaces"), "The places, the best first; an empty list when there is none.",
        example: #"{"data":[{"name":"Rua do Carmo 12, Lisboa","address":"12, Rua do Carmo, Lisboa, Portugal","#
            + #""latitude":38.7117,"longitude":-9.1399}],"attribution":"© OpenStreetMap contributors"}"#)

    private static func coordinates(isRequired: Bool, _ text: String) -> [Route.Parameter] {
        [("latitude", 90), ("longitude", 180)].map { name, limit in
            Route.Parameter(
                name: name, isRequired: isRequired,
                schema: #"{"type":"number","minimum":-\#(limit),"maximum":\#(limit)}"#,
                text: text)
        }
    }

    private var searchPlaces: Route {
        Route(
            method: .get, path: "/v1/geocode/search", name: "searchPlaces",
            summary: "Finds places by a name or an address, with the configured geocoder", tag: "Geocoder",
            access: .unbound(.read),
            parameters: [
                Route.Parameter(
                    name: "q", isRequired: true, schema: Schema.text,
                    text: "What to find. It is sent to the geocoder."),
                Route.Parameter(
                    name: "limit", schema: #"{"type":"integer","minimum":1,"maximum":20,"default":5}"#,
                    text: "Maximum number of places."),
            ] + Self.coordinates(isRequired: false, "Prefers places near this position."),
            successes: [Self.success], failures: [.notFound, .badGateway],
            partition: .configuration,
            handle: { call in
                let geocoder = try configuredGeocoder()
                guard let text = call.query["q"] else { throw Problem.missingParameter("q") }
                guard text.unicodeScalars.count <= 256 else {
                    throw Problem.parameter("q", "it may have at most 256 characters.")
                }
                guard let limit = Int(call.query["limit"] ?? "5"), (1...20).contains(limit) else {
                    throw Problem.parameter("limit", "it has to be an integer from 1 to 20.")
                }
                let near = try position(of: call)
                do throws(GeocoderFailure) {
                    let places = try await geocoder.search(GeocoderQuery(text: text, near: near, limit: limit))
                    return response(Array(places.prefix(limit)), geocoder)
                } catch {
                    throw problem(error)
                }
            })
    }

    private var getAddress: Route {
        Route(
            method: .get, path: "/v1/geocode/reverse", name: "getAddress",
            summary: "Finds the address of a position, with the configured geocoder", tag: "Geocoder",
            access: .unbound(.read),
            parameters: Self.coordinates(isRequired: true, "The position. It is rounded to 0.0001° before it is sent."),
            successes: [Self.success], failures: [.notFound, .badGateway],
            partition: .configuration,
            handle: { call in
                let geocoder = try configuredGeocoder()
                guard let position = try position(of: call) else { throw Problem.missingParameter("latitude") }
                do throws(GeocoderFailure) {
                    let answer = try await geocoder.address(of: position, waiting: .seconds(5))
                    return response(answer.place.map { [$0] } ?? [], geocoder)
                } catch {
                    throw problem(error)
                }
            })
    }

    private func configuredGeocoder() throws(Problem) -> any Geocoder {
        guard let geocoder else { throw .noGeocoder }
        return geocoder
    }

    private func position(of call: Call) throws(Problem) -> Coordinate? {
        let latitude = try call.number("latitude", in: -90...90)
        let longitude = try call.number("longitude", in: -180...180)
        switch (latitude, longitude) {
        case (nil, nil): return nil
        case (let latitude?, let longitude?): return Coordinate(latitude: latitude, longitude: longitude)
        case (nil, _?): throw .missingParameter("latitude")
        case (_?, nil): throw .missingParameter("longitude")
        }
    }

    private func response(_ places: [GeocodedPlace], _ geocoder: any Geocoder) -> RouteResponse {
        RouteResponse { writer in
            writer.beginObject()
            writer.array("data", places) { $0.value($1) }
            writer.member("attribution", geocoder.attribution)
            writer.endObject()
        }
    }

    private func problem(_ failure: GeocoderFailure) -> Problem {
        // No position and no text of a search: the log is not where people expect them.
        logger.warning("the geocoder gave no answer", metadata: ["error": "\(failure)"])
        return .geocoder(failure)
    }

    // MARK: Addresses in lists

    /// How long a list waits for addresses that have to be looked up.
    private static let listWait = Duration.seconds(2)
    /// Maximum number of positions of a list that get addresses.
    private static let listLimit = 200

    /// The addresses of positions: all that are stored, and others as far as the geocoder gives them in a short time.
    ///
    /// - Parameters:
    ///   - positions: the positions; the first ones are looked up first.
    ///   - isWanted: whether the request asks for addresses.
    /// - Returns: the known answers; empty without a geocoder. A position without an answer is missing.
    func addresses(of positions: [Coordinate], if isWanted: Bool) async -> [Coordinate: GeocoderAnswer] {
        guard isWanted, let geocoder else { return [:] }
        var known: [Coordinate: GeocoderAnswer] = [:]
        var missing: [Coordinate] = []
        for position in positions.prefix(Self.listLimit) where known[position] == nil && !missing.contains(position) {
            if let answer = await geocoder.storedAddress(of: position) {
                known[position] = answer
            } else {
                missing.append(position)
            }
        }
        let start = ContinuousClock.now
        for position in missing {
            let rest = Self.listWait - (ContinuousClock.now - start)
            guard rest > .zero,
                let answer = try? await geocoder.address(of: position, waiting: rest)
            else { break }
            known[position] = answer
        }
        return known
    }
}

extension JSONWriter {
    fileprivate mutating func value(_ place: GeocodedPlace) {
        beginObject()
        member("name", place.name)
        member("address", place.address)
        member("latitude", place.position.latitude)
        member("longitude", place.position.longitude)
        if let southWest = place.southWest, let northEast = place.northEast {
            array("box", [southWest.longitude, southWest.latitude, northEast.longitude, northEast.latitude]) {
                $0.value($1)
            }
        }
        endObject()
    }

    /// Writes the member `address` of a list's element: null where it is not known or there is none.
    mutating func member(address answer: GeocoderAnswer?) {
        name("address")
        if let place = answer?.place { value(place.name) } else { null() }
    }
}
