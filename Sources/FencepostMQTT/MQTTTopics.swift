import FencepostFormats
import FencepostGeometry
import FencepostJSON
public import FencepostModel

/// Topics and payloads for subscribers, and for Home Assistant's discovery. Pure functions of the state.
public struct MQTTTopics: Hashable, Sendable {
    /// First level of all topics.
    public var prefix: String
    /// First level of Home Assistant's discovery; `nil` for none.
    public var discovery: String?
    /// Fencepost's version, for discovery.
    public var version: String
    /// Patterns of the event types and of the devices whose events are published; empty for all.
    public var events: [GlobPattern] = [], devices: [GlobPattern] = []

    /// Topics below a prefix.
    public init(prefix: String = "fencepost", discovery: String? = nil, version: String = FencepostVersion.current) {
        self.prefix = prefix
        self.discovery = discovery
        self.version = version
    }

    /// `online` or `offline`, retained.
    public var status: String { prefix + "/status" }

    /// The topic of the events of a device; of the service itself for `nil`.
    public func events(of device: DeviceID?) -> String {
        device.map { "\(prefix)/events/\(Self.escaped($0.rawValue))" } ?? prefix + "/events"
    }

    /// The topic of a device's state, retained.
    public func state(of device: DeviceID) -> String { "\(prefix)/devices/\(Self.escaped(device.rawValue))" }

    /// The topic that says where a device is in one word, retained: `home`, `not_home` or the name of a region.
    public func zone(of device: DeviceID) -> String { "\(prefix)/places/\(Self.escaped(device.rawValue))" }

    /// The topic that says whether a device is in a region, `ON` or `OFF`, retained.
    public func presence(of device: DeviceID, in region: RegionID) -> String {
        // A slash of a region's id would look like another level.
        "\(prefix)/presence/\(Self.escaped(device.rawValue))/\(Self.escaped(region.rawValue).replacing("/", with: "%2F"))"
    }

    /// The topic that says whether an alert of a device lasts, `ON` or `OFF`, retained; of a region's limit with its region.
    func alert(_ rule: String, of device: DeviceID, in region: String?) -> String {
        let levels = [rule] + (region.map { [$0] } ?? [])
        let names = levels.map { Self.escaped($0).replacing("/", with: "%2F") }
        return "\(prefix)/alerts/\(Self.escaped(device.rawValue))/" + names.joined(separator: "/")
    }

    /// Another topic that means the same: the first character of its last level that needs no encoding has one. No name gives it,
    /// since a percent sign in a name is encoded itself.
    ///
    /// A device's id may have slashes, so the alert of device `a/b` with the rule `c` has the topic of device `a` with the rule
    /// `b` in region `c`. The second of both to be published gets the other topic.
    static func alternative(to topic: String) -> String {
        let scalars = topic.unicodeScalars
        var index = scalars.lastIndex(of: "/").map { scalars.index(after: $0) } ?? scalars.startIndex
        while index < scalars.endIndex, scalars[index] == "%" {
            index = scalars.index(index, offsetBy: 3, limitedBy: scalars.endIndex) ?? scalars.endIndex
        }
        guard index < scalars.endIndex else { return topic + "%" }
        var other = String(scalars[..<index])
        encode(scalars[index], into: &other.unicodeScalars)
        return other + String(scalars[scalars.index(after: index)...])
    }

    /// The topic of who is inside a region, retained.
    public func occupants(of region: RegionID) -> String { "\(prefix)/regions/\(Self.escaped(region.rawValue))" }

    /// Whether a topic is one of discovery.
    func isDiscovery(_ topic: String) -> Bool { topic.hasSuffix("/config") && !topic.hasPrefix(prefix + "/") }

    /// Percent-encodes what a topic cannot contain: wildcards, percent signs, control characters and code points that are
    /// no characters, which brokers and Home Assistant refuse. Slashes stay.
    static func escaped(_ text: String) -> String {
        var escaped = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            guard isEscaped(scalar) else {
                escaped.append(scalar)
                continue
            }
            encode(scalar, into: &escaped)
        }
        return String(escaped)
    }

    private static func encode(_ scalar: Unicode.Scalar, into text: inout String.UnicodeScalarView) {
        for byte in UTF8.encode(scalar) ?? .init() {
            text.append("%")
            for digit in [byte >> 4, byte & 15] {
                text.append(Unicode.Scalar(Array("0123456789ABCDEF".utf8)[Int(digit)]))
            }
        }
    }

    private static func isEscaped(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F..<0xA0, 0xFDD0...0xFDEF: true
        case let value: value & 0xFFFE == 0xFFFE || scalar == "+" || scalar == "#" || scalar == "%"
        }
    }
}

extension MQTTTopics {
    /// The payload of who is inside a region.
    func occupants(name: String, inside: [DeviceID]) -> String {
        var writer = JSONWriter()
        writer.beginObject()
        writer.put("name", name)
        writer.put("count", Double(inside.count))
        writer.put("devices", inside.map(\.rawValue))
        writer.endObject()
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}
