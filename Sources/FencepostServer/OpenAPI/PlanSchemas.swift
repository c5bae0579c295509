import FencepostAnalysis
import FencepostModel
import FencepostService

/// JSON Schemas of plans and their rounds. What the members of a plan may be together is checked by the route.
enum PlanSchemas {
    private static let names =
        #"{"anyOf":[\#(Schema.text),{"type":"array","maxItems":500,"items":\#(Schema.text)},{"type":"null"}]}"#
    private static let date = #"{"type":"string","format":"date"}"#
    private static let dates =
        #"{"anyOf":[\#(date),{"type":"array","maxItems":1000,"items":\#(date)},{"type":"null"}]}"#
    private static let optionalDate = Schema.optional(date)
    private static let time = #"{"type":"string","pattern":"^[0-2][0-9]:[0-5][0-9]([+]1)?$"}"#
    private static let place = Schema.object(
        required: ["region", "from", "to"],
        [
            ("region", Schema.text), ("from", time), ("to", time),
            ("stay", #"{"type":["number","null"],"minimum":0,"maximum":86400}"#),
        ], isClosed: true)

    private static func plan(required: [String], _ others: [(name: String, schema: String)]) -> String {
        Schema.object(
            required: required,
            [
                ("id", #"{"type":["string","null"],"minLength":1,"maxLength":128}"#),
                ("name", #"{"type":["string","null"],"minLength":1,"maxLength":200}"#),
                ("timeZone", #"{"type":["string","null"],"maxLength":64}"#),
                ("places", #"{"type":"array","minItems":1,"maxItems":100,"items":\#(place)}"#),
                ("ordered", #"{"type":["boolean","null"]}"#),
                ("grace", #"{"type":["number","null"],"minimum":0,"maximum":43200}"#),
                ("days", #"{"type":["string","null"],"maxLength":100}"#), ("dates", dates), ("except", dates),
                ("first", optionalDate), ("last", optionalDate), ("devices", names), ("groups", names),
            ] + others, isClosed: true)
    }

    private static let stop = Schema.object(
        required: ["place", "regionId", "from", "to", "state"],
        [
            ("place", Schema.integer), ("regionId", Schema.string), ("from", Schema.time), ("to", Schema.time),
            ("state", Schema.words(PlanRound.StopState.allCases.map(\.rawValue))), ("time", Schema.time),
            ("arrival", Schema.time), ("confidence", Schema.number), ("inOrder", #"{"type":"boolean"}"#),
            ("eventId", Schema.string),
        ])

    static let all: [(name: String, schema: String)] = [
        ("Plan", plan(required: ["id", "timeZone", "places", "ordered", "grace", "since"], [("since", Schema.time)])),
        ("NewPlan", plan(required: ["places"], [("since", Schema.string)])),
        (
            "ImportedPlans",
            Schema.object(
                required: ["data", "warnings"],
                [
                    ("data", Schema.array(of: Schema.named("Plan"))),
                    (
                        "warnings",
                        Schema.array(
                            of: Schema.object(
                                required: ["line", "code", "detail"],
                                [("line", Schema.integer), ("code", Schema.string), ("detail", Schema.string)]))
                    ),
                ])
        ),
        (
            "Round",
            Schema.object(
                required: [
                    "planId", "date", "deviceId", "start", "end", "state", "visited", "late", "missed", "places",
                ],
                [
                    ("planId", Schema.string), ("name", Schema.string), ("date", date), ("deviceId", Schema.string),
                    ("start", Schema.time), ("end", Schema.time),
                    ("state", Schema.words(PlanRound.State.allCases.map(\.rawValue))), ("visited", Schema.integer),
                    ("late", Schema.integer), ("missed", Schema.integer), ("inOrder", #"{"type":"boolean"}"#),
                    ("places", Schema.array(of: stop)),
                ])
        ),
        roundEvent,
    ]

    /// What events say of a round.
    static let roundEvent: (name: String, schema: String) = (
        "RoundEvent",
        Schema.object(
            required: ["id", "date", "places"],
            [
                ("id", Schema.string), ("name", Schema.string), ("date", date), ("places", Schema.integer),
                ("place", Schema.integer), ("from", Schema.time), ("to", Schema.time), ("stay", Schema.number),
                ("arrival", Schema.time), ("inOrder", #"{"type":"boolean"}"#), ("visited", Schema.integer),
                ("late", Schema.integer), ("missed", Schema.integer),
            ])
    )
}
