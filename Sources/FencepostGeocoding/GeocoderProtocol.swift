import FencepostGeometry
import FencepostJSON
import FencepostModel
import FencepostService

/// The requests and responses of Nominatim and Photon, without any network.
///
/// Formats: https://nominatim.org/release-docs/latest/api/Overview and https://github.com/komoot/photon (README).
struct GeocoderProtocol: Sendable {
    let settings: GeocoderSettings

    // MARK: Requests

    func searchURL(_ query: GeocoderQuery) -> String {
        var parameters = [("q", query.text), ("limit", String(query.limit))]
        switch settings.kind {
        case .nominatim:
            parameters += [("format", "jsonv2"), ("addressdetails", "1")]
            if let near = query.near {
                // Two corners; places outside of them are found too.
                let (west, east) = (max(-180, near.longitude - 0.5), min(180, near.longitude + 0.5))
                let (south, north) = (max(-90, near.latitude - 0.5), min(90, near.latitude + 0.5))
                parameters.append(("viewbox", "\(west),\(south),\(east),\(north)"))
            }
            return url("search", parameters)
        case .photon:
            if let near = query.near {
                parameters += [("lat", "\(near.latitude)"), ("lon", "\(near.longitude)")]
            }
            return url("api", parameters)
        }
    }

    func reverseURL(_ position: Coordinate) -> String {
        let parameters = [("lat", "\(position.latitude)"), ("lon", "\(position.longitude)")]
        switch settings.kind {
        case .nominatim:
            // 18: the detail of a building.
            return url("reverse", parameters + [("format", "jsonv2"), ("zoom", "18"), ("addressdetails", "1")])
        case .photon: return url("reverse", parameters + [("limit", "1")])
        }
    }

    private func url(_ path: String, _ parameters: [(name: String, value: String)]) -> String {
        var parameters = parameters
        if let language = settings.language {
            parameters.append((settings.kind == .nominatim ? "accept-language" : "lang", language))
        }
        if let key = settings.key { parameters.append(("key", key)) }
        return "\(settings.url)/\(path)?"
            + parameters.map { "\($0.name)=\($0.value.percentEncoded)" }.joined(separator: "&")
    }

    // MARK: Responses

    /// The places of a response to a search.
    ///
    /// - Throws: `unreadable` when it is not in the format of the protocol. Entries without a position are ignored.
    func places(in body: [UInt8]) throws(GeocoderFailure) -> [GeocodedPlace] {
        guard let root = try? JSONDocument(parsing: body).root else { throw .unreadable }
        switch settings.kind {
        case .nominatim:
            guard let array = root.array else { throw .unreadable }
            return array.compactMap { GeocodedPlace(nominatim: $0) }
        case .photon:
            guard let features = root["features"]?.array else { throw .unreadable }
            return features.compactMap { GeocodedPlace(photon: $0) }
        }
    }

    /// The answer of a response to the question for the address of a position.
    ///
    /// - Throws: `unreadable` when it is not in the format of the protocol.
    func answer(in body: [UInt8]) throws(GeocoderFailure) -> GeocoderAnswer {
        switch settings.kind {
        case .nominatim:
            guard let root = try? JSONDocument(parsing: body).root, root.object != nil else { throw .unreadable }
            // Without an address near by, Nominatim answers 200 with a member `error`.
            if root["error"] != nil { return .nothing }
            guard let place = GeocodedPlace(nominatim: root) else { throw .unreadable }
            return .place(place)
        case .photon: return try places(in: body).first.map(GeocoderAnswer.place) ?? .nothing
        }
    }
}

extension GeocodedPlace {
    /// Longer texts of a geocoder are cut.
    private static let longestText = 500

    /// An object of Nominatim's `jsonv2`: numbers are texts there.
    fileprivate init?(nominatim element: JSONElement) {
        func number(_ element: JSONElement?) -> Double? {
            element?.double ?? element?.string.flatMap(Double.init)
        }
        guard let latitude = number(element["lat"]), let longitude = number(element["lon"]),
            let address = element["display_name"]?.string
        else { return nil }
        let position = Coordinate(latitude: latitude, longitude: longitude)
        guard position.isValid else { return nil }
        let parts = element["address"]
        func part(_ names: String...) -> String? { names.lazy.compactMap { parts?[$0]?.nonEmpty }.first }
        let town = part("city", "town", "village", "municipality", "hamlet", "county")
        let name = element["name"]?.nonEmpty ?? Self.street(part("road", "pedestrian"), part("house_number"))
        let short = Self.joined([name ?? address.split(separator: ",").first.map(String.init), town])
        self.init(name: short.cut(Self.longestText), address: address.cut(Self.longestText), position: position)
        if let box = element["boundingbox"]?.array {
            // South, north, west, east.
            let sides = box.compactMap { number($0) }
            if sides.count == 4 { setExtent(south: sides[0], north: sides[1], west: sides[2], east: sides[3]) }
        }
    }

    /// A feature of Photon's GeoJSON.
    fileprivate init?(photon feature: JSONElement) {
        guard let point = feature["geometry"]?["coordinates"], let longitude = point[0]?.double,
            let latitude = point[1]?.double, let properties = feature["properties"]
        else { return nil }
        let position = Coordinate(latitude: latitude, longitude: longitude)
        guard position.isValid else { return nil }
        func part(_ name: String) -> String? { properties[name]?.nonEmpty }
        let street = Self.street(part("street"), part("housenumber"))
        let town = part("city") ?? part("locality") ?? part("county")
        let code = Self.words([part("postcode"), town])
        let short = Self.joined([part("name") ?? street, town])
        let whole = Self.joined([part("name"), street, part("district"), code, part("state"), part("country")])
        guard !whole.isEmpty else { return nil }
        self.init(
            name: (short.isEmpty ? whole : short).cut(Self.longestText), address: whole.cut(Self.longestText),
            position: position)
        if let extent = properties["extent"]?.array {
            // West, north, east, south.
            let sides = extent.compactMap { $0.double }
            if sides.count == 4 { setExtent(south: sides[3], north: sides[1], west: sides[0], east: sides[2]) }
        }
    }

    private mutating func setExtent(south: Double, north: Double, west: Double, east: Double) {
        let corners = [Coordinate(latitude: south, longitude: west), Coordinate(latitude: north, longitude: east)]
        guard corners.allSatisfy(\.isValid), south <= north else { return }
        (southWest, northEast) = (corners[0], corners[1])
    }

    /// The street with its number, in the order in which most of the world writes it.
    private static func street(_ road: String?, _ number: String?) -> String? {
        guard let road else { return nil }
        return words([road, number])
    }

    private static func words(_ parts: [String?]) -> String? {
        let found = parts.compactMap { $0 }
        return found.isEmpty ? nil : found.joined(separator: " ")
    }

    /// The parts separated by commas, without repetition.
    private static func joined(_ parts: [String?]) -> String {
        var found: [String] = []
        for part in parts.compactMap({ $0 }) where !found.contains(part) { found.append(part) }
        return found.joined(separator: ", ")
    }
}

extension JSONElement {
    fileprivate var nonEmpty: String? { string.flatMap { $0.isEmpty ? nil : $0 } }
}

extension String {
    /// The first characters, without control characters.
    fileprivate func cut(_ limit: Int) -> String {
        String(String.UnicodeScalarView(unicodeScalars.prefix(limit).filter { $0.value >= 0x20 && $0.value != 0x7F }))
    }
}
