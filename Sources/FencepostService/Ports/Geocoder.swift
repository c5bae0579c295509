public import FencepostGeometry
public import FencepostModel

/// Finds addresses of positions and positions of addresses, at a service that somebody configured.
///
/// Nothing depends on it: where it fails, addresses are missing and nothing else.
public protocol Geocoder: Sendable {
    /// What the license of the data wants to be shown with it.
    var attribution: String { get }

    /// The places that fit a text, the best first.
    ///
    /// - Throws: why there is no answer.
    func search(_ query: GeocoderQuery) async throws(GeocoderFailure) -> [GeocodedPlace]

    /// The stored answer for the address of a position; `nil` when it has to be looked up.
    func storedAddress(of position: Coordinate) async -> GeocoderAnswer?

    /// The address of a position, stored or looked up.
    ///
    /// - Parameters:
    ///   - position: is rounded before it is sent.
    ///   - wait: the longest time until the request may be sent.
    /// - Returns: the answer, also when it is that there is no address.
    /// - Throws: why there is no answer.
    func address(of position: Coordinate, waiting wait: Duration) async throws(GeocoderFailure) -> GeocoderAnswer
}

/// A search for places by text.
public struct GeocoderQuery: Hashable, Sendable {
    /// What people typed: a name or an address.
    public var text: String
    /// Places near it come first; `nil` for no preference.
    public var near: Coordinate?
    /// Maximum number of places.
    public var limit: Int

    /// A search.
    public init(text: String, near: Coordinate? = nil, limit: Int = 5) {
        self.text = text
        self.near = near
        self.limit = limit
    }
}

/// What a geocoder says about a position.
public enum GeocoderAnswer: Hashable, Sendable {
    /// The place at the position.
    case place(GeocodedPlace)
    /// There is no address: at sea, or outside of the geocoder's data.
    case nothing

    /// The place; `nil` for none.
    public var place: GeocodedPlace? {
        switch self {
        case .place(let place): place
        case .nothing: nil
        }
    }
}

/// A place that a geocoder knows.
public struct GeocodedPlace: Hashable, Sendable, Codable {
    /// A short name: of the object, or street and house number, and the town.
    public var name: String
    /// The whole address in one line.
    public var address: String
    /// Where it is.
    public var position: Coordinate
    /// Its extent, from the south-west to the north-east corner; `nil` when it is not known.
    public var southWest, northEast: Coordinate?

    /// A place without an extent.
    public init(name: String, address: String, position: Coordinate) {
        self.name = name
        self.address = address
        self.position = position
    }
}

/// Why a geocoder gave no answer.
public enum GeocoderFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// There were too many requests; the next may be sent after this time.
    case busy(Duration)
    /// Its address is not allowed.
    case blocked
    /// It did not answer, or not in time; the text says more, without the URL.
    case unreachable(String)
    /// It answered with an error status.
    case status(Int)
    /// Its answer is too long or not in the format of the protocol.
    case unreadable

    /// What happened, for people.
    public var description: String {
        switch self {
        case .busy: "the geocoder is asked too often"
        case .blocked:
            "the address of the geocoder is not allowed: it is not public, and geocoder.allowedNetworks does not list it"
        case .unreachable(let detail): "the geocoder cannot be used: \(detail)"
        case .status(let status): "the geocoder answered with status \(status)"
        case .unreadable: "the answer of the geocoder is not in the format of geocoder.kind, or too long"
        }
    }
}

/// The key of a stored address.
public struct AddressKey: Hashable, Sendable {
    /// The geocoder and the language that gave it.
    public var source: String
    /// Degrees × 10,000, rounded: 11 m from south to north.
    public var latitude, longitude: Int

    /// The key of all positions that round to the same one.
    public init(source: String, position: Coordinate) {
        self.source = source
        latitude = Int(clamped: (position.latitude * 10_000).rounded())
        longitude = Int(clamped: (position.wrapped.longitude * 10_000).rounded())
    }

    /// The rounded position.
    public var position: Coordinate {
        Coordinate(latitude: Double(latitude) / 10_000, longitude: Double(longitude) / 10_000)
    }
}

/// Stored addresses. They belong to positions on the ground, and name neither devices nor times of visits.
public protocol AddressStore: Sendable {
    /// The answer for a key that was stored after a time; `nil` for none.
    func address(_ key: AddressKey, storedAfter time: Timestamp) async throws -> GeocoderAnswer?

    /// Stores an answer, and removes those that were stored before a time.
    ///
    /// - Parameters:
    ///   - answer: the answer.
    ///   - key: replaces the answer with this key.
    ///   - time: now.
    ///   - oldest: older ones are removed.
    /// - Throws: the store's error when it cannot be written.
    func save(_ answer: GeocoderAnswer, for key: AddressKey, at time: Timestamp, removingBefore oldest: Timestamp)
        async throws
}
