import FencepostModel
import FencepostMonitor

/// JSON Schemas of proximity rules, and of what events say of a pair.
enum ProximitySchemas {
    private static let names =
        #"{"anyOf":[\#(Schema.text),{"type":"array","maxItems":500,"items":\#(Schema.text)},{"type":"null"}]}"#
    private static let hours =
        #"{"anyOf":[{"type":"string","maxLength":1024},{"type":"object","required":["weekly"],"additionalProperties":false,"#
        + #""properties":{"timeZone":{"type":"string"},"weekly":{"type":"array","minItems":1,"maxItems":128,"#
        + #""items":{"type":"string"}},"except":{"type":"array","maxItems":1024,"items":{"type":"string"}}}},"#
        + #"{"type":"null"}]}"#

    private static func rule(required: String, source: String) -> String {
        let (least, most) = (ProximityRule.distances.lowerBound, ProximityRule.distances.upperBound)
        return #"{"type":"object","required":[\#(required)],"additionalProperties":false,"properties":{"#
            + #""id":{"type":["string","null"],"minLength":1,"maxLength":128},"#
            + #""distance":{"type":"number","minimum":\#(least),"maximum":\#(most)},"#
            + #""hysteresis":{"type":["number","null"],"minimum":0,"maximum":10000},"#
            + #""dwell":{"type":["number","null"],"minimum":1,"maximum":315360000},"#
            + #""unaccompanied":{"type":["boolean","null"]},"devices":\#(names),"groups":\#(names),"#
            + #""others":\#(names),"otherGroups":\#(names),"hours":\#(hours),"source":\#(source)}}"#
    }

    static let all: [(name: String, schema: String)] = [
        (
            "Proximity",
            Schema.object(
                required: ["rule", "otherDeviceId", "distance", "uncertainty", "limit"],
                [
                    ("rule", Schema.string), ("otherDeviceId", Schema.string), ("distance", Schema.number),
                    ("uncertainty", Schema.number), ("limit", Schema.number),
                ])
        ),
        (
            "ProximityRule",
            rule(required: #""id","distance","source""#, source: Schema.words(["configuration", "api"]))
        ),
        ("NewProximityRule", rule(required: #""distance""#, source: #"{"type":"string"}"#)),
        ("ProximityRuleChange", rule(required: "", source: #"{"type":"string"}"#)),
    ]
}
