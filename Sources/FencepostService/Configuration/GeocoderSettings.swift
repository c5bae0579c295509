import FencepostGeometry
import FencepostJSON
import FencepostModel

/// Settings of the geocoder: a service that finds the address of a position and the position of an address.
public struct GeocoderSettings: Hashable, Sendable {
    /// The protocol that a geocoder speaks.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// Nominatim, and hosted services with its API.
        case nominatim
        /// Photon.
        case photon
    }

    /// The address under which `search` and `reverse` (Nominatim) or `api` and `reverse` (Photon) are.
    public var url: String
    /// The protocol.
    public var kind = Kind.nominatim
    /// Sent as the parameter `key`, as hosted services want it; `nil` for none.
    public var key: String?
    /// An e-mail address or a URL that the `User-Agent` names, so that the geocoder's operator can get in touch.
    public var contact: String?
    /// The language of names, such as `de` or `pt-PT,en`; `nil` for the geocoder's own choice.
    public var language: String?
    /// Maximum number of requests per second.
    public var rate = 1.0
    /// Maximum time of a request.
    public var timeout = Duration.seconds(5)
    /// How long an address is used before it is looked up again.
    public var maximumAge = Duration.seconds(90 * 86_400)
    /// Whether the address may be `http:`.
    public var allowHTTP = false
    /// Networks without public addresses in which the geocoder may be.
    public var allowedNetworks: [NetworkRange] = []
    /// What the license of the geocoder's data wants to be shown with it.
    public var attribution = MapTiles.openStreetMapAttribution

    /// A geocoder with the protocol of Nominatim, asked at most once a second.
    public init(url: String) {
        self.url = url
    }
}

extension ConfigurationKey {
    /// The keys of the geocoder. The first makes the others count.
    static let geocoder: [ConfigurationKey] = [
        key(
            "/geocoder/url", restart: true,
            { value, configuration in
                let url = try value.geocoderAddress()
                if configuration.geocoder == nil { configuration.geocoder = GeocoderSettings(url: url) }
                configuration.geocoder?.url = url
            }, { $1.optional($0.geocoder?.url) }),
        part("kind", { $1.kind = try $0.choice() }, { $1.optional($0?.kind.rawValue) }),
        part("key", secret: true, { $1.key = try $0.text("a key") }, { $1.optional($0?.key) }),
        part("contact", { $1.contact = try $0.printable("an e-mail address or a URL") }, { $1.optional($0?.contact) }),
        part(
            "language", { $1.language = try $0.printable("a language such as de or pt-PT,en") },
            { $1.optional($0?.language) }),
        part(
            "rate", { $1.rate = try $0.number(from: 0.01, to: 100, "requests per second") },
            { $1.optional($0?.rate) }),
        part(
            "timeout",
            { $1.timeout = .milliseconds(Int64(clamped: try $0.number(from: 0.1, to: 30, "seconds") * 1000)) },
            { $1.optional($0?.timeout.seconds) }),
        part("maximumAge", { $1.maximumAge = try $0.seconds() }, { $1.optional($0?.maximumAge.seconds) }),
        part("allowHTTP", { $1.allowHTTP = try $0.bool() }, { $1.value($0?.allowHTTP ?? false) }),
        part(
            "allowedNetworks", { $1.allowedNetworks = try $0.networks() },
            { $1.value($0?.allowedNetworks.map(\.text) ?? []) }),
        part("attribution", { $1.attribution = try $0.text("a text") }, { $1.optional($0?.attribution) }),
    ]

    /// A key of a geocoder that has an address. Without one its value is read too, so that a mistake is reported.
    private static func part(
        _ name: String, secret: Bool = false,
        _ read: @escaping @Sendable (Value, inout GeocoderSettings) throws -> Void,
        _ write: @escaping @Sendable (GeocoderSettings?, inout JSONWriter) -> Void
    ) -> ConfigurationKey {
        key(
            "/geocoder/" + name, restart: true, secret: secret,
            { value, configuration in
                var settings = configuration.geocoder ?? GeocoderSettings(url: "")
                try read(value, &settings)
                if configuration.geocoder != nil { configuration.geocoder = settings }
            }, { write($0.geocoder, &$1) })
    }
}

extension ConfigurationKey.Value {
    /// An `http:` or `https:` address without a query, without the slashes at its end.
    fileprivate func geocoderAddress() throws -> String {
        let wanted = "an address without a query, such as https://nominatim.openstreetmap.org"
        let text = try printable(wanted)
        let lower = text.lowercased()
        guard lower.hasPrefix("http://") || lower.hasPrefix("https://"), !text.contains("?"), !text.contains("#") else {
            throw ConfigurationKey.Mismatch(wanted: wanted)
        }
        return String(text.reversed().drop { $0 == "/" }.reversed())
    }

    /// A text of visible ASCII characters: it becomes part of a URL or of a header.
    func printable(_ wanted: String) throws -> String {
        let text = try text(wanted)
        guard text.utf8.count <= 512, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw ConfigurationKey.Mismatch(wanted: wanted)
        }
        return text
    }

    /// A number in a range whose bounds need not be whole.
    fileprivate func number(from least: Double, to most: Double, _ unit: String) throws -> Double {
        guard let number = element.double, (least...most).contains(number) else {
            throw ConfigurationKey.Mismatch(wanted: "a number of \(unit) from \(least) to \(most)")
        }
        return number
    }
}
