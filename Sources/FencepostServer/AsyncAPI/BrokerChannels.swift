import FencepostService

/// The channels of an MQTT broker (rule W18): one for each kind of topic below a prefix, of Home Assistant's discovery and of
/// OwnTracks.
enum BrokerChannels {
    /// The schemas of the payloads.
    static let schemas: [(name: String, schema: String)] = [
        (
            "DeviceState",
            Schema.object(
                required: ["deviceId", "name", "place", "source_type", "stale", "regions", "regionNames", "visit"],
                [
                    ("deviceId", Schema.string), ("name", Schema.string), ("place", Schema.string),
                    ("source_type", Schema.only("gps")), ("timestamp", Schema.time), ("latitude", Schema.number),
                    ("longitude", Schema.number), ("gps_accuracy", Schema.number), ("battery_level", Schema.number),
                    ("speed", Schema.number), ("course", Schema.number), ("altitude", Schema.number),
                    ("vertical_accuracy", Schema.number), ("stale", #"{"type":"boolean"}"#),
                    ("regions", Schema.strings), ("regionNames", Schema.strings),
                    ("visit", Schema.optional(Schema.named("Visit"))),
                ])
        ),
        (
            "Occupants",
            Schema.object(
                required: ["name", "count", "devices"],
                [("name", Schema.string), ("count", Schema.integer), ("devices", Schema.strings)])
        ),
        ("Discovery", discovery), ("Transition", transition),
        (
            "Card",
            Schema.object(
                required: ["_type", "name", "tid", "_publisher"],
                [
                    ("_type", Schema.only("card")), ("name", Schema.string),
                    ("face", #"{"type":"string","contentEncoding":"base64"}"#), ("tid", Schema.string),
                    ("_publisher", Schema.only("fencepost")),
                ])
        ),
    ]

    /// Home Assistant's own names; which of them there are depends on the component.
    private static let discovery: String = {
        let texts = ["unique_id", "availability_topic", "state_topic"]
        let others = [
            "value_template", "payload_reset", "json_attributes_topic", "json_attributes_template", "source_type",
            "icon",
            "device_class", "state_class", "unit_of_measurement", "entity_category",
        ]
        let device = [("identifiers", Schema.strings)] + ["name", "manufacturer", "model"].map { ($0, Schema.string) }
        return Schema.object(
            required: texts + ["name", "device", "origin"],
            (texts + others).map { ($0, Schema.string) } + [
                ("name", #"{"type":["string","null"]}"#), ("event_types", Schema.strings), ("off_delay", Schema.number),
                ("device", Schema.object(required: device.map(\.0), device)),
                (
                    "origin",
                    Schema.object(
                        required: ["name", "sw_version"],
                        [("name", Schema.only("Fencepost")), ("sw_version", Schema.string)])
                ),
            ])
    }()

    /// OwnTracks' own names. https://owntracks.org/booklet/tech/json/
    private static let transition: String = {
        let always = [
            ("_type", Schema.only("transition")), ("_publisher", Schema.only("fencepost")),
            ("event", Schema.words(["enter", "leave"])), ("desc", Schema.string), ("rid", Schema.string),
            ("t", Schema.only("c")), ("tid", Schema.string), ("tst", Schema.integer), ("wtst", Schema.integer),
            ("lat", Schema.number), ("lon", Schema.number),
        ]
        return Schema.object(required: always.map(\.0), always + [("acc", Schema.number)])
    }()

    private static let prefix = AsyncAPIChannel.Parameter(
        name: "prefix", text: "The member prefix of mqtt.publish.", usual: "fencepost")
    private static let device = AsyncAPIChannel.Parameter(
        name: "deviceId",
        text:
            "The device. Its slashes are levels; +, #, %, control characters and code points that are no characters are "
            + "percent-encoded.")
    private static let region = AsyncAPIChannel.Parameter(
        name: "regionId", text: "The region, percent-encoded; where a device stands before it, slashes too.")
    private static let rule = AsyncAPIChannel.Parameter(
        name: "rule", text: "The alert rule, percent-encoded, slashes too.")
    private static let ownTracks = AsyncAPIChannel.Parameter(
        name: "ownTracks", text: "The member ownTracks of mqtt.publish.", usual: "owntracks")

    static let all = events + states + alerts + discoveries + ownTracksTopics

    private static let events: [AsyncAPIChannel] = {
        // A broker gets what happens now, and no reports.
        let withheld = [Retraction.type, ServiceEventType.reportReady.rawValue]
        let types = SentEvent.all.filter { !withheld.contains($0.type) }
        func messages(isOfDevice: Bool) -> [AsyncAPIChannel.Message] {
            types.filter { $0.isOfDevice == isOfDevice }.map { event in
                AsyncAPIChannel.Message(
                    name: event.type, text: event.text, contentType: "application/json",
                    payload: event.message("EventMessage", type: event.type, in: "data"), correlation: "dataEventId")
            }
        }
        return [
            AsyncAPIChannel(
                name: "deviceEvents", address: "{prefix}/events/{deviceId}", server: .broker,
                text: "What happens to a device, as webhooks of the format standard have it.",
                parameters: [prefix, device],
                messages: messages(isOfDevice: true), operations: [publish("deviceEvents", isRetained: false)]),
            AsyncAPIChannel(
                name: "serviceEvents", address: "{prefix}/events", server: .broker,
                text: "What happens to the service itself.", parameters: [prefix],
                messages: messages(isOfDevice: false), operations: [publish("serviceEvents", isRetained: false)]),
        ]
    }()

    private static let states = [
        kept(
            "status", "{prefix}/status", "Whether the service is connected; offline is its will.", [prefix],
            text(Schema.words(["online", "offline"])), canGo: false),
        kept(
            "deviceState", "{prefix}/devices/{deviceId}", "Where a device is.", [prefix, device],
            json(Schema.named("DeviceState"))),
        kept(
            "devicePlace", "{prefix}/places/{deviceId}",
            "home, not_home or the name of the smallest region that the device is in.", [prefix, device],
            text(#"{"type":"string","minLength":1}"#)),
        kept(
            "presence", "{prefix}/presence/{deviceId}/{regionId}", "Whether a device is in a region.",
            [prefix, device, region], text(switched)),
        kept(
            "occupants", "{prefix}/regions/{regionId}", "The devices in a region.", [prefix, region],
            json(Schema.named("Occupants"))),
    ]

    private static let alerts: [AsyncAPIChannel] = {
        var alert = kept(
            "alert", "{prefix}/alerts/{deviceId}/{rule}", "Whether an alert of a device lasts.",
            [prefix, device, rule],
            text(switched))
        // A jump has no end.
        alert.operations.append(publish("alert", isRetained: false, as: "publishJump", ["state"]))
        let ofRegion = kept(
            "regionAlert", "{prefix}/alerts/{deviceId}/{rule}/{regionId}",
            "Whether an alert of a device lasts that is about a region.", [prefix, device, rule, region], text(switched)
        )
        return [alert, ofRegion]
    }()

    private static let discoveries = [
        kept(
            "discovery", "{discovery}/{component}/{node}/{object}/config",
            "An entity of a device for Home Assistant. Topics of regions and alerts have their ids in object.",
            [
                AsyncAPIChannel.Parameter(
                    name: "discovery", text: "The member mqtt.homeAssistant.", usual: "homeassistant"),
                AsyncAPIChannel.Parameter(
                    name: "component", text: "What the entity is.",
                    values: ["binary_sensor", "device_tracker", "event", "sensor"]),
                AsyncAPIChannel.Parameter(
                    name: "node", text: "The prefix and the device, in letters, digits, - and _."),
                AsyncAPIChannel.Parameter(name: "object", text: "Which entity of the device."),
            ], json(Schema.named("Discovery")))
    ]

    private static let ownTracksTopics: [AsyncAPIChannel] = {
        var transitions = kept(
            "transition", "{ownTracks}/{deviceId}/event", "An entry or an exit for OwnTracks' apps.",
            [ownTracks, device],
            json(Schema.named("Transition")), canGo: false)
        transitions.operations = [publish("transition", isRetained: false)]
        let cards = kept(
            "card", "{ownTracks}/{deviceId}/info", "The name and the picture of a device for OwnTracks' apps.",
            [ownTracks, device], json(Schema.named("Card")))
        return [transitions, cards]
    }()

    private static let switched = Schema.words(["ON", "OFF"])

    private static func json(_ schema: String) -> (type: String, schema: String) { ("application/json", schema) }

    private static func text(_ schema: String) -> (type: String, schema: String) { ("text/plain", schema) }

    /// A channel whose last message the broker keeps. More than five parameters, because each is another member.
    ///
    /// - Parameters:
    ///   - name: the name of the channel.
    ///   - address: the topic.
    ///   - text: what its messages say.
    ///   - parameters: those of the topic.
    ///   - payload: media type and JSON Schema.
    ///   - canGo: whether an empty message clears the topic when its device, region or rule is gone.
    /// - Returns: the channel.
    private static func kept(
        _ name: String, _ address: String, _ text: String, _ parameters: [AsyncAPIChannel.Parameter],
        _ payload: (type: String, schema: String), canGo: Bool = true
    ) -> AsyncAPIChannel {
        let state = AsyncAPIChannel.Message(
            name: "state", text: text, contentType: payload.type, payload: payload.schema)
        let cleared = AsyncAPIChannel.Message(
            name: "cleared", text: "What the topic is about is gone.", contentType: "text/plain",
            payload: #"{"type":"string","maxLength":0}"#)
        return AsyncAPIChannel(
            name: name, address: address, server: .broker, text: text, parameters: parameters,
            messages: [state] + (canGo ? [cleared] : []), operations: [publish(name, isRetained: true)])
    }

    private static func publish(
        _ channel: String, isRetained: Bool, as name: String? = nil, _ messages: [String] = []
    ) -> AsyncAPIChannel.Operation {
        AsyncAPIChannel.Operation(
            name: name ?? "publish" + AsyncAPIChannel.capital(channel),
            text: isRetained ? "Publishes what the broker keeps." : "Publishes what happens.",
            binding: .publish(isRetained: isRetained), messages: messages)
    }
}
