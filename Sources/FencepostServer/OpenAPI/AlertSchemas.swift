import FencepostModel
import FencepostService

/// JSON Schemas of alert rules. Which members a type has is checked by the route.
enum AlertSchemas {
    private static let names =
        #"{"anyOf":[\#(Schema.text),{"type":"array","maxItems":500,"items":\#(Schema.text)},{"type":"null"}]}"#
    private static let speed =
        #"{"anyOf":[{"type":"number","minimum":0,"maximum":31536000},{"type":"string","maxLength":64},{"type":"null"}]}"#

    private static func rule(required: String, source: String) -> String {
        #"{"type":"object","required":[\#(required)],"additionalProperties":false,"properties":{"#
            + #""id":{"type":["string","null"],"minLength":1,"maxLength":128},"#
            + #""type":\#(Schema.words(Alert.Kind.allCases.map(\.rawValue))),"#
            + #""above":\#(speed),"tolerance":\#(speed),"below":{"type":["number","null"],"minimum":0,"maximum":1},"#
            + #""region":{"type":["string","null"],"minLength":1},"by":{"type":["string","null"]},"#
            + #""at":{"type":["string","null"]},"days":{"type":["string","null"]},"timeZone":{"type":["string","null"]},"#
            + #""for":{"type":["number","null"],"minimum":0,"maximum":315360000},"devices":\#(names),"groups":\#(names),"#
            + #""source":\#(source)}}"#
    }

    static let all: [(name: String, schema: String)] = [
        (
            "AlertRule",
            rule(required: #""id","type","for","source""#, source: Schema.words(["configuration", "api"]))
        ),
        ("NewAlertRule", rule(required: #""type""#, source: #"{"type":"string"}"#)),
        ("AlertRuleChange", rule(required: "", source: #"{"type":"string"}"#)),
    ]
}
