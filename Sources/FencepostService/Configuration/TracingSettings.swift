import FencepostGeometry
import FencepostJSON
import FencepostModel
import Foundation

/// Settings of traces, which are sent by OTLP over HTTP.
public struct TracingSettings: Hashable, Sendable {
    /// A name with a value, such as a header.
    public struct Pair: Hashable, Sendable {
        /// The name.
        public var name: String
        /// The value.
        public var value: String
    }

    /// The complete address that spans are posted to.
    public var endpoint: String
    /// Headers of these requests, such as the receiver's key.
    public var headers: [Pair] = []
    /// A PEM file of certificate authorities to trust in addition to the system's.
    public var caFile: String?
    /// The name of the service; `nil` for that of the resource attributes, or else `fencepost`.
    public var serviceName: String?
    /// What describes the process.
    public var resourceAttributes: [Pair] = []
    /// Of the traces that begin here, the part that is recorded.
    public var sampleRatio = 1.0
    /// Whether spans name devices.
    public var deviceIDs = false

    /// All traces, without devices, to an address.
    public init(endpoint: String) {
        self.endpoint = endpoint
    }
}

extension ConfigurationKey {
    /// The keys of traces. The first makes the others count.
    static let tracing: [ConfigurationKey] = [
        key(
            "/tracing/endpoint", restart: true,
            { value, configuration in
                let endpoint = try value.tracesAddress()
                if configuration.tracing == nil { configuration.tracing = TracingSettings(endpoint: endpoint) }
                configuration.tracing?.endpoint = endpoint
            }, { $1.optional($0.tracing?.endpoint) }),
        part("headers", secret: true, { $0.headers = try $1.headers() }, { $1.pairs($0?.headers) }),
        part("caFile", { $0.caFile = try $1.path() }, { $1.optional($0?.caFile) }),
        part("serviceName", { $0.serviceName = try $1.text("a name") }, { $1.optional($0?.serviceName) }),
        part(
            "resourceAttributes", { $0.resourceAttributes = try $1.pairs("an object of texts") },
            { $1.pairs($0?.resourceAttributes) }),
        part(
            "sampleRatio",
            {
                guard let ratio = $1.element.double, (0...1).contains(ratio) else {
                    throw Mismatch(wanted: "a number from 0 to 1, such as 0.01 for one trace in a hundred")
                }
                $0.sampleRatio = ratio
            }, { $1.optional($0?.sampleRatio) }),
        part("deviceIDs", { $0.deviceIDs = try $1.bool() }, { $1.value($0?.deviceIDs ?? false) }),
    ]

    /// A key of traces that have an address. Without one its value is read too, so that a mistake is reported.
    private static func part(
        _ name: String, secret: Bool = false, _ read: @escaping @Sendable (inout TracingSettings, Value) throws -> Void,
        _ write: @escaping @Sendable (TracingSettings?, inout JSONWriter) -> Void
    ) -> ConfigurationKey {
        key(
            "/tracing/" + name, restart: true, secret: secret,
            { value, configuration in
                var settings = configuration.tracing ?? TracingSettings(endpoint: "")
                try read(&settings, value)
                if configuration.tracing != nil { configuration.tracing = settings }
            }, { write($0.tracing, &$1) })
    }
}

/// The environment variables that OpenTelemetry defines for all programs, as far as Fencepost has such settings.
enum OpenTelemetryVariable: String, CaseIterable {
    case endpoint = "OTEL_EXPORTER_OTLP_ENDPOINT"
    /// It replaces the one before.
    case tracesEndpoint = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"
    case headers = "OTEL_EXPORTER_OTLP_HEADERS"
    case serviceName = "OTEL_SERVICE_NAME"
    case resourceAttributes = "OTEL_RESOURCE_ATTRIBUTES"
    case sampleRatio = "OTEL_TRACES_SAMPLER_ARG"

    /// The key that the variable sets.
    var pointer: String {
        switch self {
        case .endpoint, .tracesEndpoint: "/tracing/endpoint"
        case .headers: "/tracing/headers"
        case .serviceName: "/tracing/serviceName"
        case .resourceAttributes: "/tracing/resourceAttributes"
        case .sampleRatio: "/tracing/sampleRatio"
        }
    }

    /// The text as the key has it. The first address is one for all signals, below which each has its own.
    func value(_ text: String) -> String {
        guard self == .endpoint else { return text }
        return String(text.reversed().drop { $0 == "/" }.reversed()) + "/v1/traces"
    }

    /// Of the protocols of OTLP that a variable names, whether Fencepost speaks one; a sentence if it does not.
    static func problem(in environment: [String: String]) -> (name: String, sentence: String)? {
        for name in ["OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL"] {
            guard let text = environment[name], !text.isEmpty else { continue }
            if text == "http/protobuf" { return nil }
            return (
                name,
                "Spans are sent as http/protobuf, not as \(text): set this to http/protobuf, and the endpoint to the "
                    + "receiver's port for it, which is 4318 by default."
            )
        }
        return nil
    }
}

extension ConfigurationKey.Value {
    /// The complete address of a receiver of spans.
    fileprivate func tracesAddress() throws -> String {
        let wanted = "the receiver's complete address for spans, such as http://localhost:4318/v1/traces"
        let text = try printable(wanted)
        let lower = text.lowercased()
        guard let scheme = ["http://", "https://"].first(where: lower.hasPrefix), !text.contains("#"),
            !text.contains("@"), let slash = text.dropFirst(scheme.count).firstIndex(of: "/"),
            slash > text.index(text.startIndex, offsetBy: scheme.count), text.index(after: slash) < text.endIndex
        else { throw ConfigurationKey.Mismatch(wanted: wanted) }
        return text
    }

    /// Headers that a request can have.
    fileprivate func headers() throws -> [TracingSettings.Pair] {
        let wanted = "an object of header fields, such as {\"authorization\":\"Bearer …\"}"
        let pairs = try pairs(wanted)
        for pair in pairs {
            let isName = pair.name.utf8.allSatisfy {
                switch $0 {
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "a")...UInt8(ascii: "z"):
                    true
                default: "!#$%&'*+-.^_`|~".utf8.contains($0)
                }
            }
            guard isName, pair.value.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
                throw ConfigurationKey.Mismatch(wanted: wanted)
            }
        }
        return pairs
    }

    /// An object of texts, or `name=value` with commas between, percent-encoded, as OpenTelemetry's variables have them.
    fileprivate func pairs(_ wanted: String) throws -> [TracingSettings.Pair] {
        func pair(_ name: String, _ value: String) throws -> TracingSettings.Pair {
            guard !name.isEmpty, name.utf8.count <= 255, value.utf8.count <= 4096 else {
                throw ConfigurationKey.Mismatch(wanted: wanted)
            }
            return TracingSettings.Pair(name: name, value: value)
        }
        if let object = element.object {
            return try object.map { member in
                guard let value = member.value.string else { throw ConfigurationKey.Mismatch(wanted: wanted) }
                return try pair(member.name, value)
            }
        }
        let wanted = wanted + ", or a text such as name=value,other=value"
        guard let text = element.string else { throw ConfigurationKey.Mismatch(wanted: wanted) }
        return try text.split(separator: ",").map { part in
            let sides = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard sides.count == 2, let name = Self.decoded(sides[0]), let value = Self.decoded(sides[1]) else {
                throw ConfigurationKey.Mismatch(wanted: wanted)
            }
            return try pair(name, value)
        }
    }

    /// Without spaces around it and percent-decoded; `nil` where that is not possible.
    private static func decoded(_ text: Substring) -> String? {
        let isSpace = { (character: Character) in character == " " || character == "\t" }
        return String(text.drop(while: isSpace).reversed().drop(while: isSpace).reversed()).removingPercentEncoding
    }
}

extension JSONWriter {
    fileprivate mutating func pairs(_ pairs: [TracingSettings.Pair]?) {
        guard let pairs, !pairs.isEmpty else { return null() }
        beginObject()
        for pair in pairs {
            name(pair.name)
            value(pair.value)
        }
        endObject()
    }
}
