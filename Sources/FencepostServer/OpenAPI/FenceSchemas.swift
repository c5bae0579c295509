import FencepostModel

/// JSON Schemas of fences.
enum FenceSchemas {
    private static let device = #"{"type":["string","null"],"minLength":1,"maxLength":128}"#
    private static let schedule =
        #"{"type":["object","null"],"required":["timeZone","weekly"],"additionalProperties":false,"properties":{"#
        + #""timeZone":{"type":"string"},"weekly":{"type":"array","minItems":1,"items":{"type":"string"}},"#
        + #""except":{"type":"array","items":{"type":"string"}}}}"#

    /// The members of a fence in events and of the state of one.
    private static let circle = [
        ("latitude", Schema.number), ("longitude", Schema.number), ("horizontalAccuracy", Schema.number),
        ("radius", Schema.number), ("armedAt", Schema.time),
        ("armedBy", Schema.words(Fence.Origin.allCases.map(\.rawValue))), ("until", Schema.time),
        ("owner", Schema.string), ("distance", Schema.number),
    ]

    private static let state: String = {
        let obstacle = Schema.words(FenceObstacle.allCases.map(\.rawValue))
        return Schema.object(
            required: ["state", "radius"],
            [("state", Schema.words(FenceStatus.State.allCases.map(\.rawValue))), ("obstacle", obstacle)]
                + circle.filter { $0.0 != "distance" }
                + [("brokenAt", Schema.time), ("schedule", schedule)])
    }()

    private static let request =
        #"{"type":"object","additionalProperties":false,"properties":{"#
        + #""radius":{"type":["number","null"],"minimum":20,"maximum":10000},"owner":\#(device),"#
        + #""until":{"type":["string","null"],"format":"date-time"},"schedule":\#(schedule),"#
        + #""now":{"type":["boolean","null"]}}}"#

    static let all: [(name: String, schema: String)] = [
        (
            "Fence",
            Schema.object(
                required: ["latitude", "longitude", "horizontalAccuracy", "radius", "armedAt", "armedBy"], circle)
        ),
        ("SentFence", Schema.object(required: ["radius", "armedAt", "armedBy"], circle)),
        ("FenceState", state),
        ("NewFence", request),
    ]
}
