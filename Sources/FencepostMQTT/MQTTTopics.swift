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

    /// The topic of who is inside a region, retained.
    public func occupants(of region: RegionID) -> String { "\(prefix)/regions/\(Self.escaped(region.rawValue))" }

    /// Percent-encodes what a topic cannot contain: wildcards, percent signs and control characters. Slashes stay.
    static func escaped(_ text: String) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            if byte < 0x20 || byte == 0x7F || "+#%".utf8.contains(byte) {
                bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// What is published about one device.
public struct PublishedDevice: Hashable, Sendable {
    /// The device.
    public var id: DeviceID
    /// Its name for people.
    public var name: String
    /// Its newest location; `nil` when none is known.
    public var location: Location?
    /// The regions that it is in, with their names.
    public var regions: [(id: RegionID, name: String)]
    /// The current visit; `nil` for none.
    public var visit: Visit?
    /// Whether it has stopped reporting.
    public var isStale: Bool

    /// A device's state.
    ///
    /// More than five parameters, because the initializer has one per property.
    public init(
        id: DeviceID, name: String, location: Location?, regions: [(id: RegionID, name: String)], visit: Visit?,
        isStale: Bool
    ) {
        (self.id, self.name, self.location) = (id, name, location)
        (self.regions, self.visit, self.isStale) = (regions, visit, isStale)
    }

    public static func == (a: Self, b: Self) -> Bool {
        a.id == b.id && a.name == b.name && a.location == b.location && a.visit == b.visit && a.isStale == b.isStale
            && a.regions.elementsEqual(b.regions) { $0 == $1 }
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(id) }

    /// Home Assistant's state of a tracker: `home`, the name of another region, or `not_home`.
    public var zone: String {
        guard let region = regions.first(where: { $0.name.lowercased() == "home" }) ?? regions.first else {
            return "not_home"
        }
        return region.name.lowercased() == "home" ? "home" : region.name
    }

    /// The payload of the state topic. The names of position, accuracy and battery are those of Home Assistant.
    public func state() -> String {
        var writer = JSONWriter()
        writer.beginObject()
        writer.put("deviceId", id.rawValue)
        writer.put("name", name)
        writer.put("place", zone)
        writer.put("source_type", "gps")
        if let location {
            writer.put("timestamp", location.timestamp.rfc3339)
            writer.put("latitude", location.coordinate.latitude)
            writer.put("longitude", location.coordinate.longitude)
            if let accuracy = location.horizontalAccuracy { writer.put("gps_accuracy", accuracy.rounded()) }
            if let level = location.batteryLevel { writer.put("battery_level", (level * 100).rounded()) }
            if let speed = location.speed { writer.put("speed", speed) }
        }
        writer.name("stale")
        writer.value(isStale)
        writer.name("regions")
        writer.beginArray()
        for region in regions { writer.value(region.id.rawValue) }
        writer.endArray()
        writer.name("visit")
        if let visit { writer.value(visit) } else { writer.null() }
        writer.endObject()
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}

extension MQTTTopics {
    /// The discovery messages of a device: a tracker, and sensors of place, visit and battery.
    ///
    /// - Parameter device: its id and name count.
    /// - Returns: topics and payloads, all retained; none without discovery.
    public func discovery(of device: PublishedDevice) -> [(topic: String, payload: String)] {
        guard discovery != nil else { return [] }
        let state = state(of: device.id)
        return [
            config("device_tracker", device, "tracker") { writer in
                writer.name("name")
                writer.null()
                writer.put("state_topic", state)
                writer.put("value_template", "{{ value_json.place }}")
                writer.put("json_attributes_topic", state)
                writer.put("source_type", "gps")
            },
            config("sensor", device, "place") { writer in
                writer.put("name", "Place")
                writer.put("icon", "mdi:map-marker")
                writer.put("state_topic", state)
                writer.put("value_template", "{{ value_json.place }}")
            },
            config("sensor", device, "visit") { writer in
                writer.put("name", "Visit since")
                writer.put("device_class", "timestamp")
                writer.put("state_topic", state)
                writer.put("value_template", "{{ value_json.visit.arrival if value_json.visit else None }}")
            },
            config("sensor", device, "battery") { writer in
                writer.put("name", "Battery")
                writer.put("device_class", "battery")
                writer.put("state_class", "measurement")
                writer.put("unit_of_measurement", "%")
                writer.put("entity_category", "diagnostic")
                writer.put("state_topic", state)
                writer.put("value_template", "{{ value_json.battery_level | default(None) }}")
            },
        ]
    }

    /// The discovery message of a device in a region: a binary sensor.
    ///
    /// - Parameters:
    ///   - device: its id and name count.
    ///   - region: id and name of the region.
    /// - Returns: topic and payload, retained; `nil` without discovery.
    public func discovery(
        of device: PublishedDevice, in region: (id: RegionID, name: String)
    ) -> (topic: String, payload: String)? {
        guard discovery != nil else { return nil }
        return binarySensor(
            of: device.id, name: device.name, part: "in_" + Self.objectID(region.id.rawValue),
            title: "In " + region.name, kind: "presence", topic: presence(of: device.id, in: region.id))
    }

    /// The discovery message of a binary sensor of a device. More than five parameters, because each is another member.
    ///
    /// - Parameters:
    ///   - device: the device.
    ///   - name: its name for people.
    ///   - part: distinguishes the sensors of a device.
    ///   - title: what it is called after the device.
    ///   - kind: Home Assistant's device class.
    ///   - topic: has `ON` or `OFF`.
    ///   - offDelay: seconds after which the sensor is off again; `nil` for never.
    /// - Returns: topic and payload, retained; `nil` without discovery.
    func binarySensor(
        of device: DeviceID, name: String, part: String, title: String, kind: String, topic: String,
        offDelay: Int? = nil
    ) -> (topic: String, payload: String)? {
        guard discovery != nil else { return nil }
        return config("binary_sensor", (device, name), part) { writer in
            writer.put("name", title)
            writer.put("device_class", kind)
            writer.put("state_topic", topic)
            if let offDelay { writer.put("off_delay", Double(offDelay)) }
        }
    }

    private func config(
        _ component: String, _ device: PublishedDevice, _ part: String, _ write: (inout JSONWriter) -> Void
    ) -> (topic: String, payload: String) {
        config(component, (device.id, device.name), part, write)
    }

    private func config(
        _ component: String, _ device: (id: DeviceID, name: String), _ part: String, _ write: (inout JSONWriter) -> Void
    ) -> (topic: String, payload: String) {
        let id = "\(Self.objectID(prefix))_\(Self.objectID(device.id.rawValue))"
        var writer = JSONWriter()
        writer.beginObject()
        writer.put("unique_id", "\(id)_\(part)")
        writer.put("availability_topic", status)
        write(&writer)
        writer.name("device")
        writer.beginObject()
        writer.name("identifiers")
        writer.beginArray()
        writer.value(id)
        writer.endArray()
        writer.put("name", device.name)
        writer.put("manufacturer", "Fencepost")
        writer.put("model", "Tracked device")
        writer.endObject()
        writer.name("origin")
        writer.beginObject()
        writer.put("name", "Fencepost")
        writer.put("sw_version", version)
        writer.endObject()
        writer.endObject()
        return (
            "\(discovery ?? "")/\(component)/\(id)/\(part)/config", String(decoding: writer.bytes, as: UTF8.self)
        )
    }

    /// A text of letters, digits, hyphens and underscores that differs for different texts.
    static func objectID(_ text: String) -> String {
        let isPlain = { (byte: UInt8) in
            (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte)
                || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
        }
        let plain = String(decoding: text.utf8.map { isPlain($0) ? $0 : UInt8(ascii: "_") }, as: UTF8.self)
        guard plain != text else { return text }
        var identity = Identity()
        identity.add(text)
        return plain + "_" + String(identity.text(prefix: "").prefix(6))
    }
}

extension JSONWriter {
    fileprivate mutating func put(_ name: String, _ text: String) {
        self.name(name)
        value(text)
    }

    fileprivate mutating func put(_ name: String, _ number: Double) {
        self.name(name)
        value(number)
    }
}

extension MQTTTopics {
    /// The payload of who is inside a region.
    func occupants(name: String, inside: [DeviceID]) -> String {
        var writer = JSONWriter()
        writer.beginObject()
        writer.put("name", name)
        writer.put("count", Double(inside.count))
        writer.name("devices")
        writer.beginArray()
        for device in inside { writer.value(device.rawValue) }
        writer.endArray()
        writer.endObject()
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}
