import FencepostJSON

/// Reads and writes `mqtt.publish` and `mqtt.homeAssistant`.
extension ConfigurationKey.Value {
    private static let form =
        "true, a prefix such as \"fencepost\", or an object with \"prefix\", \"events\", \"regions\", \"devices\", "
        + "\"names\" and \"ownTracks\""

    /// `nil` for false and null.
    func publication() throws -> PublishSettings? {
        var settings = PublishSettings()
        if isNull { return nil }
        if let isOn = element.bool { return isOn ? settings : nil }
        if let prefix = element.string {
            settings.prefix = try Self.level(prefix)
            return settings
        }
        guard let object = element.object else { throw ConfigurationKey.Mismatch(wanted: Self.form) }
        for member in object {
            let value = ConfigurationKey.Value(element: member.value, folder: folder)
            switch member.name {
            case "prefix": settings.prefix = try Self.level(member.value.string)
            case "events": settings.events = try value.texts("a pattern of event types")
            case "regions": settings.regions = try value.texts("a pattern of region ids")
            case "devices": settings.devices = try value.texts("a pattern of device ids")
            case "ownTracks":
                if member.value.isNull {
                    settings.ownTracks = nil
                } else if let isOn = member.value.bool {
                    settings.ownTracks = isOn ? "owntracks" : nil
                } else {
                    settings.ownTracks = try Self.level(member.value.string)
                }
            case "names":
                guard let names = member.value.object else { throw ConfigurationKey.Mismatch(wanted: Self.form) }
                for name in names {
                    guard let text = name.value.string, !text.isEmpty else {
                        throw ConfigurationKey.Mismatch(wanted: "an object of device ids with their names")
                    }
                    settings.names[name.name] = text
                }
            default: throw ConfigurationKey.Mismatch(wanted: Self.form + "; it has no \"\(member.name)\"")
            }
        }
        return settings
    }

    /// The first level of discovery topics; `nil` for false and null.
    func discovery() throws -> String? {
        if isNull { return nil }
        if let isOn = element.bool { return isOn ? "homeassistant" : nil }
        return try Self.level(element.string ?? element["prefix"]?.string)
    }

    /// A prefix of topics: levels without wildcards.
    private static func level(_ text: String?) throws -> String {
        guard let text, !text.isEmpty, text.utf8.count <= 200, !text.hasPrefix("/"), !text.hasSuffix("/"),
            !text.hasPrefix("$"), text.unicodeScalars.allSatisfy({ $0 != "+" && $0 != "#" && $0.value >= 0x20 })
        else {
            throw ConfigurationKey.Mismatch(wanted: "a prefix of topics such as \"fencepost\", without + and #")
        }
        return text
    }
}

extension JSONWriter {
    mutating func publication(_ settings: PublishSettings?) {
        guard let settings else {
            null()
            return
        }
        beginObject()
        text("prefix", settings.prefix)
        list("events", settings.events)
        list("regions", settings.regions)
        list("devices", settings.devices)
        name("ownTracks")
        optional(settings.ownTracks)
        name("names")
        beginObject()
        for (id, name) in settings.names.sorted(by: { $0.key < $1.key }) { text(id, name) }
        endObject()
        endObject()
    }
}
