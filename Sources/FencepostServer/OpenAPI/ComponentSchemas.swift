import FencepostEngine
import FencepostModel
import FencepostService
import FencepostSimulator

/// JSON Schemas of responses.
enum ComponentSchemas {
    /// How often each member of a location was beyond its range and dropped (rule L10).
    private static let dropped = #"{"type":"object","additionalProperties":{"type":"integer"}}"#

    static let all: [(name: String, schema: String)] = [
        (
            "Problem",
            #"{"type":"object","required":["type","title","status","detail","code"],"#
                + #""properties":{"type":{"type":"string"},"#
                + #""title":{"type":"string"},"status":{"type":"integer"},"detail":{"type":"string"},"#
                + #""instance":{"type":"string"},"code":{"type":"string"},"errors":{"type":"array","#
                + #""items":{"type":"object","#
                + #""required":["code","detail"],"properties":{"pointer":{"type":"string"},"line":{"type":"integer"},"#
                + #""parameter":{"type":"string"},"#
                + #""code":{"type":"string"},"detail":{"type":"string"},"network":{"type":"string"}}}},"#
                + #""accepted":{"type":"integer"},"duplicates":{"type":"integer"},"rejected":{"type":"array","#
                + #""items":{"type":"object","required":["index","code","detail"],"properties":{"index":{"type":"integer"},"#
                + #""code":{"type":"string"},"detail":{"type":"string"}}}}}}"#
        ),
        (
            "Location",
            #"{"type":"object","required":["deviceId","timestamp","latitude","longitude"],"#
                + #""properties":{"deviceId":{"type":"string"},"#
                + #""timestamp":\#(Schema.time),"latitude":{"type":"number","minimum":-90,"maximum":90},"#
                + #""longitude":{"type":"number","minimum":-180,"maximum":180},"horizontalAccuracy":{"type":"number"},"#
                + #""altitude":{"type":"number"},"verticalAccuracy":{"type":"number"},"speed":{"type":"number"},"#
                + #""course":{"type":"number"},"floor":{"type":"integer"},"batteryLevel":{"type":"number"},"#
                + #""batteryState":{"type":"string"},"isSimulated":{"type":"boolean"},"source":{"type":"string"},"#
                + #""trigger":{"type":"string"},"late":{"type":"boolean","const":true},"untrusted":\#(Schema.only("clock_ahead"))}}"#
        ),
        (
            "IngestReport",
            #"{"type":"object","required":["accepted","duplicates","rejected"],"#
                + #""properties":{"accepted":{"type":"integer"},"#
                + #""duplicates":{"type":"integer"},"rejected":{"type":"array","items":{"type":"object","#
                + #""required":["index","code","detail"],"properties":{"index":{"type":"integer"},"#
                + #""code":{"type":"string"},"#
                + #""detail":{"type":"string"}}}},"dropped":\#(dropped)}}"#
        ),
        (
            "ImportReport",
            #"{"type":"object","required":["file","format","stored","duplicates","ignored","rejected"],"properties":{"#
                + #""file":{"type":["string","null"]},"format":{"type":"string"},"stored":{"type":"integer"},"#
                + #""notes":{"type":"array","items":{"type":"string"}},"#
                + #""duplicates":{"type":"integer"},"repeated":{"type":"integer"},"ignored":{"type":"integer"},"#
                + #""rejected":{"type":"array","items":{"type":"object","required":["code","detail"],"properties":{"line":{"type":"integer"},"#
                + #""index":{"type":"integer"},"code":{"type":"string"},"detail":{"type":"string"}}}},"#
                + #""dropped":\#(dropped),"#
                + #""events":{"type":"object","additionalProperties":{"type":"integer"}},"#
                + #""devices":{"type":"array","items":{"type":"object","required":["id","locations","from","to","line"],"#
                + #""properties":{"id":{"type":"string"},"locations":{"type":"integer"},"from":\#(Schema.time),"#
                + #""to":\#(Schema.time),"line":{"type":"array","items":{"type":"array","items":{"type":"number"},"#
                + #""minItems":2,"maxItems":2}}}}}}}"#
        ),
        (
            "ImportJob",
            #"{"type":"object","required":["id","state","progress","stored","duplicates","ignored","rejected","events"],"#
                + #""properties":{"id":{"type":"string"},"#
                + #""state":\#(Schema.words(ImportJob.State.allCases.map(\.rawValue))),"#
                + #""progress":{"type":"number","minimum":0,"maximum":1},"file":{"type":["string","null"]},"#
                + #""format":{"type":"string"},"createdAt":\#(Schema.time),"locations":{"type":"integer"},"#
                + #""stored":{"type":"integer"},"duplicates":{"type":"integer"},"ignored":{"type":"integer"},"#
                + #""rejected":{"type":"array","items":{"type":"object"}},"dropped":\#(dropped),"#
                + #""events":{"type":"object","additionalProperties":{"type":"integer"}}}}"#
        ),
        (
            "Evaluation",
            #"{"type":"object","required":["deviceId","from","to","regions","reason"],"properties":{"#
                + #""deviceId":{"type":"string"},"from":\#(Schema.time),"to":\#(Schema.time),"#
                + #""regions":{"enum":["then","today"]},"#
                + #""reason":{"enum":["lateLocations","import","request"]}}}"#
        ),
        (
            "NewEvaluation",
            #"{"type":"object","additionalProperties":false,"properties":{"from":\#(Schema.time),"#
                + #""to":\#(Schema.time),"regions":{"enum":["then","today"]}}}"#
        ),
        (
            "QuarantineEntry",
            #"{"type":"object","required":["receivedAt","format","index","code","detail"],"#
                + #""properties":{"receivedAt":\#(Schema.time),"#
                + #""format":{"type":"string"},"deviceId":{"type":"string"},"index":{"type":"integer"},"#
                + #""code":{"type":"string"},"detail":{"type":"string"},"#
                + #""location":\#(Schema.named("Location"))}}"#
        ),
        (
            "PhoneReport",
            #"{"type":"object","required":["deviceId","timestamp","kind"],"properties":{"deviceId":{"type":"string"},"#
                + #""timestamp":\#(Schema.time),"kind":{"enum":["transition","waypoint","visit"]}}}"#
        ),
        (
            "Region",
            #"{"type":"object","required":["type","geometry","properties"],"properties":{"type":\#(Schema.only("Feature")),"#
                + #""id":{"anyOf":[{"type":"string"},{"type":"number"}]},"geometry":{"type":"object","required":["type","coordinates"],"#
                + #""properties":{"type":{"enum":["Polygon","MultiPolygon","Point","LineString","MultiLineString"]},"#
                + #""coordinates":{"type":"array","items":{}}}},"properties":{"type":["object","null"],"properties":{"#
                + #""radius":{},"width":{},"name":{},"tags":{}}}}}"#
        ),
        (
            "RegionCollection",
            #"{"type":"object","required":["type","features"],"properties":{"type":\#(Schema.only("FeatureCollection")),"#
                + #""features":{"type":"array","items":\#(Schema.named("Region"))},"nextCursor":{"type":"string"}}}"#
        ),
        (
            "RegionImport",
            #"{"type":"object","required":["created","replaced"],"properties":{"created":{"type":"integer"},"#
                + #""replaced":{"type":"integer"},"replacedIds":{"type":"array","items":{"type":"string"}},"warnings":{"type":"array","items":{"type":"object","#
                + #""required":["code","detail"],"properties":{"pointer":{"type":"string"},"line":{"type":"integer"},"#
                + #""code":{"type":"string"},"detail":{"type":"string"}}}},"#
                + #""regions":{"type":"array","items":\#(Schema.named("Region"))}}}"#
        ),
        ("Event", EventSchema.event),
        (
            "Alert",
            #"{"type":"object","required":["rule","state"],"properties":{"rule":{"type":"string"},"#
                + #""state":\#(Schema.words(["started", "ended"])),"value":{"type":"number"},"limit":{"type":"number"},"#
                + #""unit":{"type":"string"},"distance":{"type":"number"},"duration":{"type":"number"}}}"#
        ),
        ("Visit", EventSchema.visit),
        (
            "Device",
            #"{"type":"object","required":["id","regions","isStale"],"properties":{"id":{"type":"string"},"#
                + #""lastLocation":\#(Schema.named("Location")),"regions":{"type":"array","items":{"type":"string"}},"#
                + #""visit":\#(Schema.named("Visit")),"isStale":{"type":"boolean"},"#
                + #""alerts":{"type":"array","items":{"type":"object","required":["rule","since"],"#
                + #""properties":{"rule":{"type":"string"},"regionId":{"type":"string"},"#
                + #""since":{"type":"string","format":"date-time"}}}},"#
                + #""fence":\#(Schema.named("FenceState")),"clockOffset":{"type":"integer"},"secondPhone":{"type":"object","required":["latitude","longitude"],"#
                + #""properties":{"latitude":{"type":"number"},"longitude":{"type":"number"}}}}}"#
        ),
        (
            "DeviceExport",
            #"{"type":"object","required":["deviceId","locations","events","visits","reports","quarantine"],"#
                + #""properties":{"#
                + #""deviceId":{"type":"string"},"device":\#(Schema.named("Device")),"#
                + #""locations":{"type":"array","items":\#(Schema.named("Location"))},"#
                + #""events":{"type":"array","items":\#(Schema.named("Event"))},"#
                + #""visits":{"type":"array","items":\#(Schema.named("Visit"))},"reports":{"type":"array","items":{}},"#
                + #""quarantine":{"type":"array","items":{}}}}"#
        ),
        (
            "App",
            #"{"type":"object","properties":{"id":{"type":"string","minLength":1},"name":{"type":"string"},"#
                + #""given":{"type":"object"},"devices":{},"services":{"type":"array","items":{}},"state":{"type":"object"}}}"#
        ),
        (
            "StepReports",
            #"{"type":"object","required":["steps"],"properties":{"steps":{"type":"array","items":{"type":"object","#
                + #""required":["step","effect","rules","notes"]}}}}"#
        ),
        ("Delivery", EventSchema.decision),
        (
            "Decision",
            #"{"allOf":[\#(Schema.named("Delivery")),{"type":"object","required":["eventId","deviceId","timestamp"]}]}"#
        ),
        (
            "Rule",
            #"{"type":"object","required":["id","text","confidence","sources"],"properties":{"id":{"type":"string"},"#
                + #""text":{"type":"string"},"scope":{"type":"string"},"#
                + #""confidence":\#(Schema.words(Rule.Confidence.allCases.map(\.rawValue))),"#
                + #""sources":{"type":"array","items":{"type":"string"}},"#
                + #""references":{"type":"array","items":\#(Schema.named("RuleSource"))}}}"#
        ),
        (
            "RuleSource",
            #"{"type":"object","required":["key","kind","title","publisher"],"properties":{"#
                + #""key":{"type":"string"},"kind":\#(Schema.words(RuleSource.Kind.allCases.map(\.rawValue))),"#
                + #""title":{"type":"string"},"publisher":{"type":"string"},"#
                + #""version":{"type":["string","null"]},"address":{"type":["string","null"]}}}"#
        ),
        ("Endpoint", shownEndpoint(secret: false)),
        ("EndpointWithSecret", shownEndpoint(secret: true)),
        ("ReportSchedule", shownReportSchedule),
        (
            "SentReport",
            #"{"type":"object","required":["eventId","from","to","endpoints"],"properties":{"#
                + #""eventId":{"type":"string"},"from":\#(Schema.time),"to":\#(Schema.time),"#
                + #""endpoints":{"type":"array","items":\#(Schema.string)}}}"#
        ),
        (
            "EndpointHealth",
            #"{"type":"object","required":["consecutiveFailures"],"#
                + #""properties":{"consecutiveFailures":{"type":"integer"},"#
                + #""lastSuccess":\#(Schema.time),"firstFailure":\#(Schema.time),"lastFailure":\#(Schema.time)}}"#
        ),
        (
            "WebhookDelivery",
            #"{"type":"object","required":["id","endpointId","eventId","eventType","status","createdAt","#
                + #""attempts"],"properties":{"#
                + #""id":{"type":"string"},"endpointId":{"type":"string"},"eventId":{"type":"string"},"#
                + #""eventType":{"type":"string"},"deviceId":{"type":"string"},"#
                + #""status":\#(Schema.words(DeliveryRecord.Status.allCases.map(\.rawValue))),"#
                + #""createdAt":\#(Schema.time),"#
                + #""nextAttempt":\#(Schema.time),"attempts":{"type":"array","items":\#(Schema.named("Attempt"))}}}"#
        ),
        (
            "Attempt",
            #"{"type":"object","required":["number","startedAt","duration"],"properties":{"number":{"type":"integer"},"#
                + #""startedAt":\#(Schema.time),"duration":{"type":"number"},"status":{"type":"integer"},"#
                + #""failure":\#(Schema.words(DeliveryAttempt.Failure.allCases.map(\.rawValue))),"#
                + #""excerpt":{"type":"string"},"nextAttempt":\#(Schema.time)}}"#
        ),
        (
            "NewToken",
            #"{"type":"object","required":["name","scopes"],"additionalProperties":false,"properties":{"#
                + #""name":{"type":"string","minLength":1,"maxLength":256},"scopes":{"type":"array","minItems":1,"#
                + #""items":\#(scopes)},"deviceId":{"anyOf":[\#(Schema.deviceID),{"type":"null"}]},"#
                + #""expires":{"type":["string","null"],"format":"date-time"},"#
                + #""encryptionKey":{"type":["string","null"],"minLength":1,"maxLength":32},"#
                + #""friends":{"anyOf":[\#(friends),{"type":"null"}]},"#
                + #""regions":{"type":["integer","null"],\#(regionRange)}}}"#
        ),
        ("Token", token(text: false)),
        ("TokenWithText", token(text: true)),
        (
            "Readiness",
            #"{"type":"object","required":["status","checks"],"properties":{"status":{"enum":["ok","degraded","unavailable"]},"#
                + #""checks":{"type":"object","additionalProperties":{"type":"object","required":["status"]}}}}"#
        ),
        (
            "Cluster",
            #"{"type":"object","required":["name","log","nodes"],"properties":{"name":{"type":"string"},"#
                + #""leader":{"type":"string"},"log":\#(log),"parts":{"type":"array","items":{"type":"object","#
                + #""required":["name","position","log"],"properties":{"name":{"type":"string"},"#
                + #""leader":{"type":"string"},"position":{"type":"integer"},"#
                + #""copies":{"type":"array","items":{"type":"string"}},"log":\#(log)}}},"#
                + #""away":{"type":"array","items":{"type":"string"}},"#
                + #""nodes":{"type":"array","items":{"type":"object","#
                + #""required":["name","role","address","version","position","behind","reportedAt"],"#
                + #""properties":{"name":{"type":"string"},"role":{"enum":["starting","fetching","follower","leader","#
                + #""failed","gone"]},"address":{"type":"string"},"version":{"type":"string"},"#
                + #""position":{"type":"integer"},"behind":{"type":"integer"},"leads":{"type":"integer"},"#
                + #""copies":{"type":"integer"},"#
                + #""problem":{"type":"string"},"reportedAt":\#(Schema.time)}}}}}"#
        ),
        (
            "Version",
            #"{"type":"object","required":["name","version"],"properties":{"name":{"type":"string"},"#
                + #""version":{"type":"string"},"cluster":{"type":"string"}}}"#
        ),
    ]

    private static let log =
        #"{"type":"object","required":["bytes","limit","first","last"],"properties":{"bytes":{"type":"integer"},"#
        + #""limit":{"type":"integer"},"first":{"type":"integer"},"last":{"type":"integer"}}}"#
    private static let scopes = Schema.words(AccessToken.Scope.allCases.map(\.rawValue))
    private static let shownReportSchedule: String = {
        let run =
            #"{"type":"object","required":["at","from","to","eventId"],"properties":{"at":\#(Schema.time),"#
            + #""from":\#(Schema.time),"to":\#(Schema.time),"eventId":{"type":"string"}}}"#
        return #"{"type":"object","required":["id","name","report","format","frequency","at","timeZone","endpoints","#
            + #""state","createdAt"],"properties":{\#(RequestSchemas.reportSettings),"#
            + #""createdAt":\#(Schema.time),"nextRun":\#(Schema.time),"lastRun":\#(run)}}"#
    }()

    private static func shownEndpoint(secret: Bool) -> String {
        #"{"type":"object","required":["id","url","kind","state"],"#
            + #""properties":{"id":{"type":"string"},"#
            + #""kind":\#(Schema.words(Endpoint.Kind.allCases.map(\.rawValue))),"#
            + #""url":{"type":"string"},\#(secret ? "\"secret\":{\"type\":\"string\"}," : "")"#
            + #""state":{"enum":["active","disabled"]},"events":{"type":"array","items":\#(Schema.string)},"createdAt":\#(Schema.time)}}"#
    }

    private static func token(text: Bool) -> String {
        #"{"type":"object","required":["id","name","scopes","createdAt"\#(text ? ",\"token\"" : "")],"properties":{"#
            + #""id":{"type":"string"},\#(text ? "\"token\":{\"type\":\"string\"}," : "")"name":{"type":"string"},"#
            + #""scopes":{"type":"array","items":\#(scopes)},"deviceId":{"type":"string"},"expires":\#(Schema.time),"#
            + #""createdAt":\#(Schema.time),"lastUsed":\#(Schema.time),"hasEncryptionKey":{"type":"boolean"},"#
            + #""friends":\#(friends),"regions":{"type":"integer",\#(regionRange)}}}"#
    }

    private static let regionRange =
        #""minimum":\#(AccessToken.regionRange.lowerBound),"maximum":\#(AccessToken.regionRange.upperBound)"#
    private static let friends =
        #"{"type":"array","maxItems":\#(AccessToken.mostFriends),"items":\#(Schema.deviceID)}"#
}
