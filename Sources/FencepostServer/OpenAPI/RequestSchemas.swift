import FencepostAnalysis
import FencepostModel
import FencepostRegionFiles
import FencepostService
import FencepostSimulator

/// JSON Schemas of request bodies, where they are stricter than those of responses.
///
/// Constraints that a schema cannot express, such as closed rings, are checked by the route.
enum RequestSchemas {
    static let all: [(name: String, schema: String)] =
        [
            // A phone deletes a record after status 200, so any object is accepted, and quarantined when it is not a
            // location.
            (
                "OwnTracks",
                #"{"anyOf":[{"type":"object","properties":{"_type":{},"lat":{},"lon":{},"tst":{},"acc":{}}},{"type":"array","items":{}}]}"#
            ),
            (
                "Overland",
                #"{"type":"object","required":["locations"],"properties":{"locations":{"type":"array","items":{}}}}"#
            ),
            (
                "Traccar",
                #"{"anyOf":[{"type":"object","properties":{"position":{},"device":{},"event":{}}},{"type":"array","maxItems":10000,"items":{}}]}"#
            ),
            (
                "LocationBatch",
                #"{"type":"object","required":["locations"],"properties":{"locations":{"type":"array","#
                    + #""maxItems":10000,"items":{}}}}"#
            ),
            (
                "LocationCollection",
                #"{"type":"object","required":["type","features"],"properties":{"type":\#(Schema.only("FeatureCollection")),"#
                    + #""features":{"type":"array","maxItems":10000,"items":{"type":"object","required":["type"],"#
                    + #""properties":{"type":\#(Schema.only("Feature"))}}}}}"#
            ),
        ] + geometries + regions + apps + endpoints

    // MARK: Regions

    private static let position =
        #"{"type":"array","minItems":2,"maxItems":3,"prefixItems":[{"type":"number","minimum":-180,"maximum":180},"#
        + #"{"type":"number","minimum":-90,"maximum":90},{"type":"number"}],"items":{"type":"number"}}"#

    private static func positions(atLeast count: Int) -> String {
        #"{"type":"array","minItems":\#(count),"items":\#(Schema.named("Position"))}"#
    }

    private static func many(_ schema: String) -> String { #"{"type":"array","minItems":1,"items":\#(schema)}"# }

    /// Each has a name of its own: generators of clients make a type of each, and some refuse two of the same name.
    private static let geometries: [(name: String, schema: String)] = [
        ("Point", Schema.named("Position")), ("LineString", positions(atLeast: 2)),
        ("MultiLineString", many(positions(atLeast: 2))), ("Polygon", many(positions(atLeast: 4))),
        ("MultiPolygon", many(many(positions(atLeast: 4)))),
    ].map { type, coordinates in
        (
            "\(type)Geometry",
            #"{"type":"object","required":["type","coordinates"],"properties":{"type":\#(Schema.only(type)),"#
                + #""coordinates":\#(coordinates)}}"#
        )
    }

    private static func feature(_ types: [String], size: String?) -> String {
        let shapes = types.map { Schema.named("\($0)Geometry") }
        let geometry = shapes.count == 1 ? shapes[0] : #"{"anyOf":[\#(shapes.joined(separator: ","))]}"#
        let metres = #"{"type":"number","exclusiveMinimum":0}"#
        let own = size.map { "\"\($0)\":\(metres)," } ?? ""
        let needed = size.map { "\"required\":[\"\($0)\"]," } ?? ""
        return #"{"type":"object","required":["type","geometry","properties"],"properties":{"#
            + #""type":\#(Schema.only("Feature")),"id":{"anyOf":[{"type":"string","minLength":1,"maxLength":256},{"type":"integer"}]},"#
            + #""geometry":\#(geometry),"properties":{"type":\#(size == nil ? "[\"object\",\"null\"]" : "\"object\""),\#(needed)"description":"\#(limitsOfOthers)","properties":{\#(own)\#(options)}}}}"#
    }

    private static let limits = RegionOptions.Limits.service
    /// Limits of members whose values a schema cannot describe.
    private static let limitsOfOthers =
        "schedule: at most \(limits.openings ?? 0) openings in weekly and \(limits.exceptions ?? 0) days in except. "
        + "metadata: at most \(limits.metadata ?? 0) bytes as compact JSON. All geometries together: at most "
        + "\(limits.vertices ?? 0) vertices."
    private static let dwell = #"{"type":"number","exclusiveMinimum":0,"maximum":31536000}"#

    private static let options =
        #""name":\#(Schema.text),"tags":{"type":"array","maxItems":\#(limits.tags ?? 0),"items":{"type":"string","#
        + #""maxLength":\#(limits.tag ?? 0)}},"dwell":{"anyOf":[\#(dwell),{"type":"array","#
        + #""maxItems":\#(limits.dwells ?? 0),"items":\#(dwell)}]},"#
        + #""devices":{"anyOf":[\#(Schema.text),{"type":"array","maxItems":\#(limits.patterns ?? 0),"#
        + #""items":\#(Schema.text)}]},"#
        + #""notifyOnEntry":{"type":"boolean"},"notifyOnExit":{"type":"boolean"},"#
        + #""initialState":\#(Schema.words(["report", "silent"])),"#
        + #""crossing":\#(Schema.words(["raw", "confirmed", "coreLocation"])),"#
        + #""minAltitude":{"type":"number"},"maxAltitude":{"type":"number"},"expires":{"anyOf":[\#(Schema.time),{"type":"number"}]},"#
        + #""speedLimit":{"anyOf":[{"type":"number","exclusiveMinimum":0,"maximum":10000},"#
        + #"{"type":"string","pattern":"^[0-9]{1,4}(\\.[0-9]{1,3})?( (km/h|mph|knots|m/s))?$"}]}"#

    private static let regions: [(name: String, schema: String)] = [
        ("Position", position),
        ("NewCircle", feature(["Point"], size: "radius")),
        ("NewCorridor", feature(["LineString", "MultiLineString"], size: "width")),
        ("NewPolygon", feature(["Polygon", "MultiPolygon"], size: nil)),
        (
            "NewRegion",
            "{\"anyOf\":["
                + ["NewCircle", "NewCorridor", "NewPolygon"].map(Schema.named).joined(separator: ",") + "]}"
        ),
        ("RegionChange", Schema.object),
        (
            "NewRegions",
            #"{"anyOf":[\#(Schema.named("NewRegion")),{"type":"object","required":["type","features"],"properties":{"#
                + #""type":\#(Schema.only("FeatureCollection")),"features":\#(many(Schema.named("NewRegion")))}}]}"#
        ),
    ]

    // MARK: Apps

    private static func words<Word: RawRepresentable & CaseIterable>(_: Word.Type) -> String
    where Word.RawValue == String {
        Schema.words(Word.allCases.map(\.rawValue))
    }

    private static let bool = #"{"type":"boolean"}"#
    private static let texts = #"{"type":"array","items":\#(Schema.string)}"#

    /// The members of rule S2. Other members are checked by the reader.
    private static let given =
        #"{"type":"object","additionalProperties":false,"properties":{"#
        + [
            ("platform", words(Platform.self)),
            ("osVersion", #"{"type":"string","pattern":"^[0-9]{1,3}\\.[0-9]{1,2}$"}"#),
            ("grant", words(Grant.self)), ("alwaysRequestUsed", bool), ("accuracy", words(Accuracy.self)),
            ("lifecycle", words(Lifecycle.self)), ("terminatedBy", words(Termination.self)),
            ("locationServicesEnabled", bool), ("backgroundAppRefresh", Schema.words(["on", "off"])),
            ("lowPowerMode", bool), ("unlockedSinceBoot", bool), ("infoPlist", texts), ("entitlements", texts),
            ("extensions", texts), ("services", #"{"type":"array","items":\#(Schema.named("Service"))}"#),
            ("sessions", texts), ("managers", #"{"type":"integer","minimum":0,"maximum":100}"#), ("appClip", bool),
            ("complicationOnActiveFace", bool), ("appEverLaunched", bool), ("appInstalled", bool),
            ("delegateSetAtLaunch", bool), ("systemAsleep", bool), ("pairedWatchApp", bool),
            ("maximumRegionMonitoringDistance", #"{"type":"number"}"#),
            ("locationNotifications", #"{"type":"integer","minimum":0,"maximum":100}"#),
            ("reportedStatus", words(ReportedStatus.self)), ("restartsServices", words(ServiceRestart.self)),
            ("monitorProfile", words(MonitorProfile.self)), ("runsOn", words(Hardware.self)), ("airplaneMode", bool),
            ("cellularEnabled", bool), ("bluetoothEnabled", bool), ("wifiEnabled", bool),
            ("restrictedBy", words(Restriction.self)), ("offloaded", bool),
        ].map { "\"\($0)\":\($1)" }.joined(separator: ",") + "}}"

    private static let service =
        #"{"type":"object","required":["service"],"properties":{"service":\#(words(Service.self)),"#
        + #""identifier":\#(Schema.string),"notifyOnEntry":{"type":"boolean"},"notifyOnExit":{"type":"boolean"}}}"#

    private static let event =
        #"{"type":"object","required":["service"],"additionalProperties":false,"properties":{"#
        + #""service":\#(words(Service.self)),"kind":\#(words(ServiceEvent.Kind.self)),"identifier":\#(Schema.string),"#
        + #""at":\#(Schema.time),"id":\#(Schema.string),"deliveredTogether":{"type":"boolean"},"#
        + #""meters":{"type":"number"},"sameCoarseCell":{"type":"boolean"},"missed":{"type":"boolean"}}}"#

    private static func step(_ verbs: [String], _ members: String = "", required: String? = nil) -> String {
        #"{"type":"object","required":["do"\#(required.map { ",\"\($0)\"" } ?? "")],"properties":{"#
            + #""do":\#(Schema.words(verbs)),"at":\#(Schema.time)\#(members.isEmpty ? "" : "," + members)}}"#
    }

    private static let steps = [
        step(
            [
                "createManager", "enterBackground", "enterForeground", "resume", "unlock", "lookAway", "install",
                "uninstall", "reboot", "restoreBackup", "offload", "deviceMoves", "systemShowsSecondPrompt",
                "systemShowsReminder",
            ]),
        step(["terminate"], #""by":\#(words(Termination.self))"#),
        step(["launch"], #""by":\#(words(Launcher.self)),"cause":\#(words(LaunchCause.self))"#),
        step(["answer"], #""choice":\#(words(Choice.self))"#, required: "choice"),
        step(["settings"], #""set":\#(words(SettingsChange.self))"#, required: "set"),
        step(["wait"], #""seconds":{"type":"number","minimum":0,"maximum":31536000}"#, required: "seconds"),
        step(
            ["start", "stop"], #""service":\#(words(Service.self)),"identifier":\#(Schema.string)"#, required: "service"
        ),
        step(
            [
                "request", "setAllowsBackgroundLocationUpdates", "createSession", "endSession", "openMonitor",
                "iterate",
                "requestState", "query", "updateApp", "updateSystem", "event", "move",
                "moveAcrossBoundaryWhilePoweredOff",
                "deviceStationary", "onWatch", "appWorks", "checkAuthorization", "getAuthorizationStatus", "lint",
            ]),
    ].joined(separator: ",")

    private static func app(required: String) -> String {
        #"{"type":"object",\#(required)"additionalProperties":false,"properties":{"#
            + #""id":{"type":"string","minLength":1,"maxLength":256},"name":{"type":"string","maxLength":256},"#
            + #""given":\#(Schema.named("Given")),"devices":{"type":"array","maxItems":256,"#
            + #""items":{"type":"string","maxLength":256}},"services":{"type":"array","maxItems":64,"items":\#(Schema.named("Service"))}}}"#
    }

    private static let apps: [(name: String, schema: String)] = [
        ("Given", given), ("Service", service), ("NewApp", app(required: #""required":["id"],"#)),
        ("ReplacedApp", app(required: "")), ("Step", #"{"anyOf":[\#(steps)]}"#),
        (
            "Steps",
            #"{"anyOf":[\#(Schema.named("Step")),"#
                + #"{"type":"array","minItems":1,"maxItems":1000,"items":\#(Schema.named("Step"))},"#
                + #"{"type":"object","required":["steps"],"properties":{"steps":{"type":"array","minItems":1,"#
                + #""maxItems":1000,"items":\#(Schema.named("Step"))}}}]}"#
        ),
        (
            "Question",
            #"{"type":"object","required":["event"],"properties":{"given":\#(Schema.named("Given")),"#
                + #""event":\#(event)},"additionalProperties":false}"#
        ),
    ]

    // MARK: Endpoints

    /// `whsec_` and base64 of 24 to 64 bytes, or `whsk_` and base64 of an Ed25519 key.
    static let secret: String = {
        let four = "(?:[A-Za-z0-9+/]{4})"
        let three = "[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]="
        let two = "[A-Za-z0-9+/][AQgw]=="
        let shared = "whsec_(?:\(four){8,21}|\(four){8,21}\(two)|\(four){8,20}\(three))"
        let key = "whsk_(?:\(four){10}\(three)|\(four){21}\(two))"
        return #"{"type":"string","pattern":"^(?:\#(shared)|\#(key))$"}"#
    }()

    private static let list = #"{"type":["array","null"],"maxItems":256,"items":\#(Schema.text)}"#

    /// Host and port in a URL.
    private static let server =
        #"(?:[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?|\\[[0-9A-Fa-f:.]+\\])(?::[0-9]{1,5})?"#

    private static let endpointSettings =
        #""id":{"type":"string","pattern":"^[A-Za-z0-9_-]+$","maxLength":256},"#
        + #""kind":\#(Schema.words(Endpoint.Kind.chosen.map(\.rawValue))),"#
        + #""url":{"type":"string","maxLength":2048,"#
        + #""pattern":"^(?:(?:https?|smtps?|rediss?|amqps?)://\#(server)"#
        + #"|(?:nats|tls|kafkas?)://\#(server)(?:,\#(server))*)(?:[/?][!-~]*)?$"},"secret":\#(secret),"#
        + #""description":{"type":["string","null"],"minLength":1,"maxLength":256},"events":\#(list),"#
        + #""regions":\#(list),"devices":\#(list),"apps":\#(list),"#
        + #""when":{"type":["array","null"],"maxItems":256,"items":\#(words(Endpoint.Outcome.self))},"#
        + #""ordered":{"type":"boolean"},"format":\#(words(Endpoint.Format.self)),"#
        + #""batchSize":{"type":["integer","null"],"minimum":1,"maximum":\#(EndpointFile.largestBatch)},"#
        + #""precision":{"type":["integer","null"],"minimum":0,"maximum":7},"includeLocation":{"type":"boolean"},"#
        + #""history":{"type":"boolean"},"corrections":{"type":"boolean"},"#
        + #""maximumAge":{"type":["number","null"],"exclusiveMinimum":0,"maximum":10000000000},"# + people + broker

    // Values of several types are alternatives of one type each: generators of clients do not read a list of types.

    /// Seconds, or an ISO 8601 duration.
    private static func span(atMost seconds: Int) -> String {
        #"{"anyOf":[{"type":"number","minimum":0,"maximum":\#(seconds)},{"type":"string"},{"type":"null"}]}"#
    }

    /// The settings of endpoints for people.
    private static let people: String = {
        let text = #"{"type":["string","null"],"minLength":1,"maxLength":2048}"#
        let secret = #"{"type":["string","null"],"minLength":1,"maxLength":2048,"writeOnly":true}"#
        let template = #"{"type":["string","null"],"maxLength":4096}"#
        let quiet =
            #"{"anyOf":[{"type":"string"},{"type":"array","maxItems":128,"items":{"type":"string"}},{"type":"null"},"#
            + #"{"type":"object","additionalProperties":false,"properties":{"timeZone":{"type":"string"},"#
            + #""weekly":{"type":"array","maxItems":128,"items":{"type":"string"}},"#
            + #""except":{"type":"array","maxItems":1024,"items":{"type":"string"}},"from":{"type":"string"},"to":{"type":"string"},"#
            + #""drop":{"type":"boolean"}}}]}"#
        return #""token":\#(secret),"password":\#(secret),"#
            + #""chat":{"anyOf":[{"type":"string"},{"type":"integer"},{"type":"null"}]},"from":\#(text),"#
            + #""to":{"anyOf":[{"type":"string"},{"type":"array","maxItems":256,"items":\#(Schema.text)},{"type":"null"}]},"#
            + #""username":\#(text),"#
            + #""urls":{"type":["array","null"],"maxItems":256,"items":\#(Schema.text),"writeOnly":true},"#
            + #""priority":{"type":["integer","null"],"minimum":0,"maximum":10},"timeZone":\#(text),"link":\#(text),"#
            + #""units":{"type":["string","null"],"enum":["metric","imperial",null]},"#
            + #""template":{"type":["object","null"],"additionalProperties":false,"#
            + #""properties":{"title":\#(template),"body":\#(template)}},"#
            + #""names":{"type":["object","null"],"maxProperties":1000,"#
            + #""additionalProperties":{"type":"string","minLength":1,"maxLength":100}},"quietHours":\#(quiet),"cooldown":\#(span(atMost: 31_622_400)),"group":\#(span(atMost: 86_400))"#
    }()

    /// The settings of endpoints at message brokers.
    private static let broker: String = {
        func text(_ limit: Int) -> String { #"{"type":"string","minLength":1,"maxLength":\#(limit)}"# }
        func optional(_ schema: String) -> String { #"{"anyOf":[\#(schema),{"type":"null"}]}"# }
        return #","subject":\#(text(255)),"stream":\#(text(255)),"routingKey":\#(text(255)),"#
            + #""exchange":\#(optional(text(127))),"jetStream":{"type":"boolean"},"#
            + #""maximumLength":{"type":["integer","null"],"minimum":1,"maximum":1000000000},"#
            + #""saslMechanism":\#(optional(words(Endpoint.Mechanism.self)))"#
    }()

    // MARK: Reports

    /// The members of a report schedule that people set.
    static let reportSettings: String = {
        let time = #"{"type":"string","pattern":"^([01][0-9]|2[0-3]):[0-5][0-9]$"}"#
        return #""id":{"type":"string","pattern":"^[A-Za-z0-9_-]+$","maxLength":256},"name":\#(Schema.text),"#
            + #""report":\#(words(ReportSchedule.Report.self)),"by":\#(words(SummaryGrouping.self)),"#
            + #""period":\#(words(SummaryPeriod.self)),"dayStartsAt":\#(time),"deviceId":\#(Schema.deviceID),"#
            + #""group":\#(Schema.text),"regionId":\#(Schema.text),"tag":\#(Schema.text),"units":\#(words(UnitSystem.self)),"#
            + #""format":\#(words(ReportSchedule.Format.self)),"frequency":\#(words(ReportTiming.Frequency.self)),"#
            + #""firstDay":\#(Schema.words(ReportScheduleReader.weekdays)),"at":\#(time),"timeZone":\#(Schema.text),"#
            + #""endpoints":{"type":"array","minItems":1,"maxItems":16,"items":\#(Schema.text)},"#
            + #""state":{"enum":["active","disabled"]}"#
    }()

    private static func reportSchedule(_ required: String) -> String {
        #"{"type":"object",\#(required)"additionalProperties":false,"properties":{\#(reportSettings)}}"#
    }

    private static func endpoint(required: String, more: String = "") -> String {
        #"{"type":"object",\#(required)"additionalProperties":false,"properties":{\#(endpointSettings)\#(more)}}"#
    }

    private static let endpoints: [(name: String, schema: String)] = [
        ("NewEndpoint", endpoint(required: "")),
        ("EndpointPatch", endpoint(required: "", more: #","state":{"enum":["active","disabled"]}"#)),
        ("NewReportSchedule", reportSchedule(#""required":["name","frequency","endpoints"],"#)),
        ("ReportSchedulePatch", reportSchedule("")),
        ("NewSecret", #"{"type":"object","properties":{"secret":\#(secret)},"additionalProperties":false}"#),
    ]
}
