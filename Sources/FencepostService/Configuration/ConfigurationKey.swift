import FencepostGeometry
import FencepostJSON
import FencepostModel
import FencepostMonitor
import FencepostRegionFiles
import Foundation

/// A key of the configuration: how it is read and written, and whether a running service can apply a new value.
struct ConfigurationKey: Sendable {
    /// The expected value, as the end of a sentence.
    struct Mismatch: Error {
        let wanted: String
        /// Pointer into the value; empty for the value itself.
        var index: Int?
        /// The member of an object that is wrong; `nil` for the value itself.
        var member: String?
    }

    /// JSON Pointer, such as `/monitor/crossing`.
    let pointer: String
    let needsRestart: Bool
    let isSecret: Bool
    /// Throws a `Mismatch`.
    let read: @Sendable (_ value: Value, inout Configuration) throws -> Void
    /// Writes the current value.
    let write: @Sendable (Configuration, inout JSONWriter) -> Void

    /// Name of the environment variable: `FENCEPOST_` and the words of the pointer.
    var variable: String {
        var name = "FENCEPOST"
        for part in pointer.split(separator: "/") {
            name += "_"
            var wasLower = false
            for character in part {
                if character.isUppercase, wasLower { name += "_" }
                wasLower = character.isLowercase
                name += character.uppercased()
            }
        }
        return name
    }

    var names: [String] { pointer.split(separator: "/").map(String.init) }

    static func key(
        _ pointer: String, restart: Bool = false, secret: Bool = false,
        _ read: @escaping @Sendable (Value, inout Configuration) throws -> Void,
        _ write: @escaping @Sendable (Configuration, inout JSONWriter) -> Void
    ) -> ConfigurationKey {
        ConfigurationKey(pointer: pointer, needsRestart: restart, isSecret: secret, read: read, write: write)
    }

    /// Every key except `endpoints` and the sections, in the order of the documentation.
    static let all = general + broker + messages + publishTo + log + geocoder + provider + tracing + cluster

    private static let general: [ConfigurationKey] = [
        key("/regions", { $1.regions = try $0.paths() }, { $1.value($0.regions) }),
        key(
            "/idProperty", { $1.idProperty = try $0.text("the name of a property") }, { $1.optional($0.idProperty) }),
        key(
            "/regionRadius", { $1.regionRadius = try $0.number(in: 1...RegionOptions.radiusLimit, "metres") },
            { $1.optional($0.regionRadius) }),
        // Before what names no zone.
        key(
            "/timeZone", { $1.timeZone = $0.isNull ? nil : try $0.timeZone() },
            { $1.optional($0.timeZone?.identifier) }),
        key(
            "/monitor/crossing", restart: true, { $1.monitor.crossing = try $0.choice() },
            { $1.value($0.monitor.crossing.rawValue) }),
        key(
            "/monitor/reorderWindow", restart: true, { $1.monitor.reorderWindow = try $0.seconds() },
            { $1.value($0.monitor.reorderWindow.seconds) }),
        key(
            "/monitor/staleAfter", restart: true,
            { value, configuration in
                let span = value.isNull ? .zero : try value.seconds()
                configuration.monitor.staleAfter = span == .zero ? nil : span
            }, { $1.optional($0.monitor.staleAfter?.seconds) }),
        key(
            "/monitor/cushion", restart: true, { $1.monitor.cushion = try $0.number(in: 0...10_000, "metres") },
            { $1.value($0.monitor.cushion) }),
        key(
            "/monitor/cushionStay", restart: true, { $1.monitor.cushionStay = try $0.seconds() },
            { $1.value($0.monitor.cushionStay.seconds) }),
        key(
            "/monitor/alerts", restart: true, { $1.monitor.alerts = try $0.alerts() },
            { $1.rules($0.monitor.alerts) }),
        key(
            "/monitor/proximity", restart: true, { $1.monitor.proximity = try $0.proximity() },
            { $1.rules($0.monitor.proximity) }),
        key(
            "/visits/enabled", restart: true,
            { value, configuration in
                configuration.monitor.visits = try value.bool() ? configuration.monitor.visits ?? VisitSettings() : nil
            }, { $1.value($0.monitor.visits != nil) }),
        visitKey(
            "radius", { $1.radius = try $0.number(in: 10...5000, "metres") }, { $1.optional($0?.radius) }),
        visitKey(
            "minimumStay", { $1.minimumStay = try $0.seconds() }, { $1.optional($0?.minimumStay.seconds) }),
        visitKey(
            "maximumGap", { $1.maximumGap = try $0.seconds(from: 1) }, { $1.optional($0?.maximumGap.seconds) }),
        visitKey(
            "departureHold", { $1.departureHold = try $0.seconds() }, { $1.optional($0?.departureHold.seconds) }),
        key("/units", { $1.units = try $0.choice() }, { $1.value($0.units.rawValue) }),
        key("/apps", { $1.apps = try $0.paths() }, { $1.value($0.apps) }),
        key(
            "/webhooks/allowHTTP", { $1.webhooks.allowHTTP = try $0.bool() }, { $1.value($0.webhooks.allowHTTP) }),
        key(
            "/webhooks/allowedNetworks",
            { $1.webhooks.allowedNetworks = try $0.texts("a network such as 10.0.0.0/8") },
            { $1.value($0.webhooks.allowedNetworks) }),
        key(
            "/webhooks/caFile", { $1.webhooks.caFile = try $0.path() },
            { $1.optional($0.webhooks.caFile) }),
        key(
            "/webhooks/instance", restart: true, { $1.webhooks.instance = try $0.text("a name") },
            { $1.value($0.webhooks.instance) }),
        key(
            "/server/host", restart: true, { $1.server.host = try $0.text("a name or an address") },
            { $1.value($0.server.host) }),
        key(
            "/server/port", restart: true, { $1.server.port = try $0.whole(in: 0...65_535) },
            { $1.value($0.server.port) }),
        key(
            "/server/osmandPort", restart: true,
            { $1.server.osmandPort = $0.isNull ? nil : try $0.whole(in: 0...65_535) },
            { $1.optional($0.server.osmandPort) }),
        key(
            "/server/ingestRate", restart: true,
            { $1.server.ingestRate = $0.isNull ? nil : try $0.whole(in: 1...10_000_000) },
            { $1.optional($0.server.ingestRate) }),
        key(
            "/server/apiRate", restart: true,
            { $1.server.apiRate = $0.isNull ? nil : try $0.whole(in: 1...10_000_000) },
            { $1.optional($0.server.apiRate) }),
        key(
            "/server/bodyLimit", restart: true, { $1.server.bodyLimit = try $0.whole(in: 1024...1 << 30) },
            { $1.value($0.server.bodyLimit) }),
        key(
            "/server/importLimit", restart: true, { $1.server.importLimit = try $0.whole(in: 1024...1 << 34) },
            { $1.value($0.server.importLimit) }),
        key(
            "/server/trustedProxies", restart: true, { $1.server.trustedProxies = try $0.networks() },
            { $1.value($0.server.trustedProxies.map(\.text)) }),
        key(
            "/server/tileURL", restart: true, { $1.server.tileURL = $0.isNull ? nil : try $0.tileAddress() },
            { $1.optional($0.server.tileURL?.pattern) }),
        key(
            "/server/tileAttribution", restart: true, { $1.server.tileAttribution = try $0.text("a text") },
            { $1.value($0.server.tileAttribution) }),
        key(
            "/map/tiles", restart: true, { $1.server.mapTiles = $0.isNull ? nil : try $0.mapTiles() },
            { $1.optional($0.server.mapTiles?.text) }),
        key(
            "/map/attribution", restart: true, { $1.server.tileAttribution = try $0.text("a text") },
            { $1.value($0.server.tileAttribution) }),
        key(
            "/storage/path", restart: true, { $1.storage.path = try $0.path() },
            { $1.value($0.storage.path) }),
        key(
            "/storage/durability", restart: true, { $1.storage.durability = try $0.choice() },
            { $1.value($0.storage.durability.rawValue) }),
        key(
            "/storage/checkpoint", restart: true, { $1.storage.checkpoint = try $0.choice() },
            { $1.value($0.storage.checkpoint.rawValue) }),
        key(
            "/storage/retention/locations", { $1.storage.retention.locations = $0.isNull ? nil : try $0.seconds() },
            { $1.optional($0.storage.retention.locations?.seconds) }),
        key(
            "/storage/retention/events", { $1.storage.retention.events = $0.isNull ? nil : try $0.seconds() },
            { $1.optional($0.storage.retention.events?.seconds) }),
        key(
            "/storage/retention/deliveries", { $1.storage.retention.deliveries = $0.isNull ? nil : try $0.seconds() },
            { $1.optional($0.storage.retention.deliveries?.seconds) }),
    ]

    /// A key of visits. Without visits its value is read too, so that a mistake is reported.
    private static func visitKey(
        _ name: String, _ read: @escaping @Sendable (Value, inout VisitSettings) throws -> Void,
        _ write: @escaping @Sendable (VisitSettings?, inout JSONWriter) -> Void
    ) -> ConfigurationKey {
        key(
            "/visits/" + name, restart: true,
            { value, configuration in
                var settings = configuration.monitor.visits ?? VisitSettings()
                try read(value, &settings)
                if configuration.monitor.visits != nil { configuration.monitor.visits = settings }
            }, { write($0.monitor.visits, &$1) })
    }

    private static let log: [ConfigurationKey] = [
        key("/log/level", { $1.log.level = try $0.choice() }, { $1.value($0.log.level.rawValue) }),
        key(
            "/log/format", restart: true, { $1.log.format = try $0.choice() },
            { $1.optional($0.log.format?.rawValue) }),
    ]
}

extension ConfigurationKey {
    /// The value of a key.
    struct Value {
        let element: JSONElement
        /// Base of relative paths.
        let folder: String
        /// The zone of rules that name none; `nil` where they have to.
        var zone: TimeZone?

        var isNull: Bool { element.isNull }

        func text(_ wanted: String) throws -> String {
            guard let text = element.string, !text.isEmpty else { throw ConfigurationKey.Mismatch(wanted: wanted) }
            return text
        }

        func texts(_ wanted: String) throws -> [String] {
            if let text = element.string { return [text] }
            guard let array = element.array else { throw ConfigurationKey.Mismatch(wanted: "an array, each \(wanted)") }
            var texts: [String] = []
            for (index, item) in array.enumerated() {
                guard let text = item.string, !text.isEmpty else {
                    throw ConfigurationKey.Mismatch(wanted: wanted, index: index)
                }
                texts.append(text)
            }
            return texts
        }

        func paths() throws -> [String] {
            guard element.string != nil || element.array != nil else {
                throw ConfigurationKey.Mismatch(wanted: "an array of paths and patterns")
            }
            return try texts("a path or a pattern").map(resolve)
        }

        func path() throws -> String { resolve(try text("a path")) }

        private func resolve(_ path: String) -> String {
            path.hasPrefix("/") ? path : folder + path
        }

        func networks() throws -> [NetworkRange] {
            let wanted = "an address or a network such as 172.18.0.0/16"
            return try texts(wanted).enumerated().map { index, text in
                guard let range = NetworkRange(text) else {
                    throw ConfigurationKey.Mismatch(wanted: wanted, index: element.array == nil ? nil : index)
                }
                return range
            }
        }

        func mapTiles() throws -> MapTiles {
            guard let tiles = element.string.flatMap(MapTiles.init) else {
                throw ConfigurationKey.Mismatch(
                    wanted:
                        "\"none\", \"openstreetmap\", a pattern such as https://tiles.example.org/{z}/{x}/{y}.png, or "
                        + "the path of a .mbtiles or .pmtiles file")
            }
            guard case .file(let path) = tiles else { return tiles }
            return .file(resolve(path))
        }

        func tileAddress() throws -> TileAddress {
            guard let address = element.string.flatMap(TileAddress.init) else {
                throw ConfigurationKey.Mismatch(wanted: "a pattern such as https://tiles.example.org/{z}/{x}/{y}.png")
            }
            return address
        }

        func timeZone() throws -> TimeZone {
            guard let zone = element.string.flatMap(TimeZone.init(identifier:)) else {
                throw ConfigurationKey.Mismatch(wanted: "the name of a time zone such as \"Europe/Berlin\"")
            }
            return zone
        }

        func bool() throws -> Bool {
            guard let bool = element.bool else { throw ConfigurationKey.Mismatch(wanted: "true or false") }
            return bool
        }

        func choice<Choice: CaseIterable & RawRepresentable<String>>() throws -> Choice {
            guard let choice = element.string.flatMap(Choice.init(rawValue:)) else {
                let known = Choice.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
                throw ConfigurationKey.Mismatch(wanted: "one of \(known)")
            }
            return choice
        }

        func seconds(from least: Double = 0) throws -> Duration {
            // At most ten years: a longer span is probably a mistake in the unit.
            .milliseconds(Int64(clamped: (try number(in: least...315_360_000, "seconds") * 1000).rounded()))
        }

        func number(
            in range: ClosedRange<Double>, _ unit: String
        ) throws -> Double {
            guard let value = element.double, range.contains(value) else {
                throw ConfigurationKey.Mismatch(
                    wanted: "a number of \(unit) from \(Int(range.lowerBound)) to \(Int(range.upperBound))")
            }
            return value
        }

        func whole(in range: ClosedRange<Int>) throws -> Int {
            guard let value = element.double.flatMap(Int.init(exactly:)), range.contains(value) else {
                throw ConfigurationKey.Mismatch(
                    wanted: "a whole number from \(range.lowerBound) to \(range.upperBound)")
            }
            return value
        }
    }
}

extension JSONWriter {
    mutating func optional(_ text: String?) {
        if let text { value(text) } else { null() }
    }

    mutating func optional(_ number: Double?) {
        if let number { value(number) } else { null() }
    }

    mutating func optional(_ number: Int?) {
        if let number { value(number) } else { null() }
    }

    mutating func value(_ texts: [String]) {
        beginArray()
        for text in texts { value(text) }
        endArray()
    }
}
