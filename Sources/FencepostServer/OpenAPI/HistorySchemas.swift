import FencepostAnalysis

/// JSON Schemas of timelines, trips, summaries and places.
enum HistorySchemas {
    static let all: [(name: String, schema: String)] = [
        ("TripEnd", tripEnd), ("TripLeg", tripLeg), ("Trip", trip), ("Summary", summary), ("Timeline", timeline),
        ("Place", place),
        ("NewPlaceRegion", newPlaceRegion), ("GeocodedPlaces", geocodedPlaces),
        ("StayCorrection", stayCorrection), ("NewStayCorrection", newStayCorrection),
        ("PresenceQuery", presenceQuery), ("Presence", presence),
    ]

    private static let strings = #"{"type":"array","items":{"type":"string"}}"#
    private static let number = #"{"type":"number","minimum":0}"#
    private static let count = #"{"type":"integer","minimum":0}"#

    private static let tripEnd =
        #"{"type":"object","required":["time","latitude","longitude","visitId","regions"],"properties":{"time":"#
        + Schema.time + #","latitude":{"type":"number"},"longitude":{"type":"number"},"#
        + #""visitId":{"type":["string","null"]},"regions":\#(strings),\#(address)}}"#

    private static let line = #"{"type":"array","items":{"type":"array","items":{"type":"number"}}}"#

    private static let legEnd = #"{"type":"object","required":["time"],"properties":{"time":\#(Schema.time)}}"#

    private static let tripLeg =
        #"{"type":"object","required":["start","end","mode","modeConfidence","distance","duration","line"],"properties":{"#
        + #""start":\#(legEnd),"end":\#(legEnd),"mode":\#(Schema.words(TravelMode.allCases.map(\.rawValue))),"#
        + #""modeConfidence":{"type":"number","minimum":0,"maximum":1},"distance":\#(number),"duration":\#(number),"#
        + #""line":\#(line)}}"#

    private static let trip =
        #"{"type":"object","required":["id","deviceId","start","end","distance","duration","movingTime","topSpeed","mode","#
        + #""modeConfidence","legs","line"],"properties":{"id":{"type":"string"},"deviceId":{"type":"string"},"#
        + #""start":\#(Schema.named("TripEnd")),"end":\#(Schema.named("TripEnd")),"#
        + #""distance":\#(number),"duration":\#(number),"movingTime":\#(number),"unknownTime":\#(number),"#
        + #""topSpeed":\#(number),"mode":\#(Schema.words(TravelMode.allCases.map(\.rawValue))),"#
        + #""modeConfidence":{"type":"number","minimum":0,"maximum":1},"locations":\#(count),"#
        + #""legs":{"type":"array","minItems":1,"items":\#(Schema.named("TripLeg"))},"line":\#(line)}}"#

    private static let summary =
        #"{"type":"object","required":["by","period","timeZone","data"],"properties":{"by":"#
        + Schema.words(SummaryGrouping.allCases.map(\.rawValue)) + #","period":"#
        + Schema.words(SummaryPeriod.allCases.map(\.rawValue)) + #","timeZone":{"type":"string"},"#
        + #""dayStartsAt":{"type":"string"},"#
        + #""data":{"type":"array","items":{"type":"object","required":["date","from","to","secondsInside","visits","#
        + #""trips","distance","movingTime"],"properties":{"deviceId":{"type":"string"},"regionId":{"type":"string"},"#
        + #""tag":{"type":"string"},"group":{"type":"string"},"date":{"type":"string","format":"date"},"from":\#(Schema.time),"to":\#(Schema.time),"#
        + #""secondsInside":\#(number),"visits":\#(count),"trips":\#(count),"distance":\#(number),"#
        + #""movingTime":\#(number),"secondsKnown":\#(number),"secondsUnknown":\#(number)}}}}}"#

    private static let span =
        #""from":\#(Schema.time),"to":\#(Schema.time),"seconds":\#(number),"beginsBefore":{"type":"boolean"},"#
        + #""endsAfter":{"type":"boolean"}"#

    private static let timeline =
        #"{"type":"object","required":["deviceId","from","to","stays","visits","unknown"],"properties":{"#
        + #""deviceId":{"type":"string"},"from":\#(Schema.time),"to":\#(Schema.time),"#
        + #""stays":{"type":"array","items":{"type":"object","properties":{"regionId":{"type":"string"},\#(span),"#
        + #""isOpen":{"type":"boolean"}}}},"visits":{"type":"array","items":{"type":"object","properties":{"visit":"#
        + Schema.object
        + #",\#(span),\#(address),"corrected":{"type":"boolean"},"name":{"type":["string","null"]}}}},"unknown":{"type":"array","items":{"type":"object","properties":{"kind":"#
        + #"{"type":"string","const":"unknown"},\#(span)}}},"secondsKnown":\#(number),"secondsUnknown":\#(number),"#
        + #""timeZone":{"type":"string"},"hours":{"type":"array","items":\#(number),"minItems":168,"maxItems":168}}}"#

    private static let confidence = #"{"type":"number","minimum":0,"maximum":1}"#

    private static let presenceQuery = Schema.object(
        required: ["from", "to"],
        [
            (
                "geometry",
                #"{"type":"object","required":["type","coordinates"],"properties":{"type":"#
                    + #"{"type":"string","enum":["Polygon","MultiPolygon","Point"]},"coordinates":{"type":"array","items":{}}}}"#
            ),
            ("radius", #"{"type":"number","exclusiveMinimum":0,"description":"Metres around a point or the centre."}"#),
            (
                "center",
                Schema.object(
                    required: ["latitude", "longitude"],
                    [
                        ("latitude", #"{"type":"number","minimum":-90,"maximum":90}"#),
                        ("longitude", #"{"type":"number","minimum":-180,"maximum":180}"#),
                    ], isClosed: true)
            ),
            ("from", Schema.time), ("to", Schema.time),
        ], isClosed: true)

    private static let presence = Schema.object(
        required: ["deviceId", "arrival", "departure"],
        [
            ("deviceId", Schema.string), ("arrival", Schema.optional(Schema.time)),
            ("departure", Schema.optional(Schema.time)), ("arrivalConfidence", confidence),
            ("departureConfidence", confidence), ("arrivalEarliest", Schema.time), ("arrivalLatest", Schema.time),
            ("departureEarliest", Schema.time), ("departureLatest", Schema.time),
        ])

    private static let stayCorrection =
        #"{"type":"object","required":["id","deviceId","arrival","departure","stay"],"properties":{"#
        + #""id":{"type":"string"},"deviceId":{"type":"string"},"arrival":\#(Schema.time),"departure":\#(Schema.time),"#
        + #""stay":{"type":"boolean"},"name":{"type":"string"},"latitude":{"type":"number"},"#
        + #""longitude":{"type":"number"},"regions":\#(strings)}}"#

    private static let newStayCorrection =
        #"{"type":"object","additionalProperties":false,"required":["arrival","departure"],"properties":{"#
        + #""arrival":\#(Schema.time),"departure":\#(Schema.time),"stay":{"type":"boolean","default":true},"#
        + #""name":{"type":["string","null"],"maxLength":128},"regionId":{"type":["string","null"]},"#
        + #""latitude":{"type":["number","null"],"minimum":-90,"maximum":90},"#
        + #""longitude":{"type":["number","null"],"minimum":-180,"maximum":180}}}"#

    private static let place =
        #"{"type":"object","required":["id","latitude","longitude","radius","visits","seconds","typicalHours","devices"],"#
        + #""properties":{"id":{"type":"string"},"latitude":{"type":"number"},"longitude":{"type":"number"},"#
        + #""radius":\#(number),"visits":\#(count),"seconds":\#(number),"first":\#(Schema.time),"last":\#(Schema.time),"#
        + #""typicalHours":{"type":"string"},"hours":{"type":"array","items":\#(number)},"devices":\#(strings),"#
        + #""regions":\#(strings),"lastMonth":{"type":"object","properties":{"entered":\#(count),"exited":\#(count),"#
        + #""events":{"type":"array","items":{"type":"object"}}}},\#(address)}}"#

    /// The name of the geocoder's place.
    private static let address = #""address":{"type":["string","null"]}"#

    private static let geocodedPlaces =
        #"{"type":"object","required":["data","attribution"],"properties":{"data":{"type":"array","items":"#
        + #"{"type":"object","required":["name","address","latitude","longitude"],"properties":{"#
        + #""name":{"type":"string"},"address":{"type":"string"},"latitude":{"type":"number"},"#
        + #""longitude":{"type":"number"},"box":{"type":"array","items":{"type":"number"},"minItems":4,"maxItems":4}}}},"#
        + #""attribution":{"type":"string"}}}"#

    private static let newPlaceRegion =
        #"{"type":"object","properties":{"name":{"type":"string","minLength":1,"maxLength":256},"#
        + #""radius":{"type":"number","minimum":1,"maximum":100000},"tags":\#(strings)}}"#
}
