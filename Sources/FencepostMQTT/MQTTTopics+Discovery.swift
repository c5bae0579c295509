import FencepostFormats
import FencepostJSON
import FencepostModel

/// Home Assistant's discovery.
extension MQTTTopics {
    /// Longest name of a device or a region in discovery, in code points: Home Assistant joins both.
    static let longestName = 120

    /// The discovery messages of a device: a tracker, sensors of place, visit and battery, and its events.
    ///
    /// Each has a template: Home Assistant keeps that of an earlier message otherwise, until it starts again. What a template
    /// does with an empty payload matters too: the topic is cleared when the device is removed.
    ///
    /// - Parameter device: its id and name count.
    /// - Returns: topics and payloads, all retained; none without discovery.
    public func discovery(of device: PublishedDevice) -> [(topic: String, payload: String)] {
        guard discovery != nil else { return [] }
        return sensors(of: device) + events(of: device) + fence(of: device)
    }

    /// The entities of a fence, while a device has one: whether it was moved, and how far the fence is.
    private func fence(of device: PublishedDevice) -> [(topic: String, payload: String)] {
        guard device.fence != nil else { return [] }
        let state = state(of: device.id)
        let word = "value_json.fence if value_json is defined and value_json.fence is defined else"
        return [
            config("binary_sensor", device, "moved") { writer in
                writer.put("name", "Moved")
                writer.put("device_class", "tamper")
                writer.put("state_topic", state)
                writer.put("value_template", "{{ 'ON' if (\(word) '') == 'broken' else 'OFF' }}")
            },
            config("sensor", device, "fence") { writer in
                writer.put("name", "Fence")
                writer.put("icon", "mdi:shield-car")
                writer.put("state_topic", state)
                writer.put("value_template", "{{ \(word) None }}")
            },
        ]
    }

    private func sensors(of device: PublishedDevice) -> [(topic: String, payload: String)] {
        let state = state(of: device.id)
        let zone = zone(of: device.id)
        return [
            config("device_tracker", device, "tracker") { writer in
                writer.name("name")
                writer.null()
                writer.put("state_topic", zone)
                writer.put("value_template", "{{ value }}")
                // Home Assistant's default is the word None, which could be the name of a region.
                writer.put("payload_reset", "\u{FFFD}")
                writer.put("json_attributes_topic", state)
                writer.put("json_attributes_template", Self.attributes)
                writer.put("source_type", "gps")
            },
            config("sensor", device, "place") { writer in
                writer.put("name", "Place")
                writer.put("icon", "mdi:map-marker")
                writer.put("state_topic", zone)
                writer.put("value_template", "{{ value }}")
            },
            config("sensor", device, "visit") { writer in
                writer.put("name", "Visit since")
                writer.put("device_class", "timestamp")
                writer.put("state_topic", state)
                writer.put(
                    "value_template",
                    "{{ value_json.visit.arrival if value_json is defined and value_json.visit else None }}")
            },
            config("sensor", device, "battery") { writer in
                writer.put("name", "Battery")
                writer.put("device_class", "battery")
                writer.put("state_class", "measurement")
                writer.put("unit_of_measurement", "%")
                writer.put("entity_category", "diagnostic")
                writer.put("state_topic", state)
                writer.put(
                    "value_template",
                    "{{ value_json.battery_level | default(None) if value_json is defined else None }}")
            },
        ]
    }

    /// The attributes of a tracker: the state, and `in_zones`, the zones of Home Assistant with the names of the regions.
    /// Home Assistant would compare coordinates with the circles of its zones otherwise.
    private static let attributes = """
        {% if value_json is defined %}{% set ns = namespace(zones=[]) %}\
        {% set names = value_json.regionNames | map('lower') | map('trim') | list %}\
        {% for zone in states.zone if zone.name | lower | trim in names \
        or (zone.entity_id == 'zone.home' and value_json.place == 'home') %}\
        {% set ns.zones = ns.zones + [zone.entity_id] %}{% endfor %}\
        {{ dict(value_json, in_zones=ns.zones) | to_json }}{% else %}{}{% endif %}
        """

    /// The entities of events that are published: what happened last, for automations.
    private func events(of device: PublishedDevice) -> [(topic: String, payload: String)] {
        guard devices.isEmpty || devices.contains(where: { $0.matches(device.id.rawValue) }) else { return [] }
        var kinds = [
            ("region", "Region", "mdi:map-marker-radius", ["entered", "exited", "dwelled"]),
            ("visit", "Visit", "mdi:map-marker-check", ["arrived", "departed"]),
        ]
        if device.fence != nil {
            kinds.append(("fence", "Fence event", "mdi:shield-alert", ["armed", "broken", "disarmed"]))
        }
        if device.walksRounds {
            kinds.append(("plan", "Round", "mdi:clipboard-check", ["visited", "late", "missed", "completed"]))
        }
        if device.isInPairs {
            let types = ["entered", "exited", "dwelled", "unaccompanied"]
            kinds.append(("proximity", "Near another device", "mdi:account-multiple", types))
        }
        return kinds.compactMap { kind, title, icon, all in
            let types = all.filter { type in events.isEmpty || events.contains { $0.matches("\(kind).\(type)") } }
            guard !types.isEmpty else { return nil }
            return config("event", device, "event_\(kind)") { writer in
                writer.put("name", title)
                writer.put("icon", icon)
                writer.put("state_topic", events(of: device.id))
                writer.put("event_types", types)
                writer.put("value_template", Self.event(of: kind, types))
            }
        }
    }

    /// The payload that Home Assistant wants of an event; nothing for other events of the topic.
    private static func event(of kind: String, _ types: [String]) -> String {
        let wanted = types.map { "'\(kind).\($0)'" }.joined(separator: ", ")
        return """
            {% if value_json is defined and value_json.type in [\(wanted)] %}\
            {{ dict(value_json.data, event_type=value_json.type[\(kind.count + 1):], timestamp=value_json.timestamp, \
            region_id=(value_json.data.region | default({})).id | default(None), \
            region_name=(value_json.data.region | default({})).name | default(None)) | to_json }}{% endif %}
            """
    }

    /// The discovery message of a device in a region: a binary sensor.
    ///
    /// - Parameters:
    ///   - device: its id and name count.
    ///   - region: the region.
    /// - Returns: topic and payload, retained; `nil` without discovery.
    public func discovery(
        of device: PublishedDevice, in region: PublishedRegion
    ) -> (topic: String, payload: String)? {
        guard discovery != nil else { return nil }
        return binarySensor(
            of: device.id, name: device.name, part: "in_" + Self.objectID(region.id.rawValue),
            title: "In " + region.name.shortened(to: Self.longestName), kind: "presence",
            topic: presence(of: device.id, in: region.id))
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
        writer.put("identifiers", [id])
        writer.put("name", device.name.shortened(to: Self.longestName))
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
