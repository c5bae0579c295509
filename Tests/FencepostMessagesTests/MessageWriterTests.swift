import FencepostMessages
import FencepostModel
import Foundation
import Testing

@Suite("Messages for people") struct MessageWriterTests {
    static let lisbon = TimeZone(identifier: "Europe/Lisbon") ?? .gmt

    static func message(
        _ type: String, _ data: String = "", at time: String = "2026-07-05T17:02:09Z", device: String = "jane/phone"
    ) -> String {
        #"{"type":"\#(type)","timestamp":"\#(time)","data":{"eventId":"evt_1","deviceId":"\#(device)"\#(data)}}"#
    }

    static let home = #","region":{"id":"home","name":"Home","tags":["family","day"]}"#

    static func write(
        _ messages: String..., title: String? = nil, body: String? = nil, names: [String: String] = [:],
        link: String? = nil
    ) -> WrittenMessage {
        MessageWriter(
            title: title, body: body, style: MessageContext.Style(names: names, timeZone: lisbon, link: link)
        ).write(messages)
    }

    @Test(
        "says what a report is about",
        arguments: [("summaries", "Summary"), ("trips", "Trips"), ("visits", "Visits")])
    func report(kind: String, title: String) {
        let data =
            #","schedule":{"id":"a","name":"Vans"},"report":{"kind":"\#(kind)","format":"csv","firstDate":"2026-06-28","#
            + #""lastDate":"2026-07-04","timeZone":"Europe/Lisbon","path":"/"}"#
        let message = Self.write(Self.message("report.ready", data))
        #expect(message.title == "Vans: 2026-06-28 to 2026-07-04")
        #expect(message.body == "\(title) from 2026-06-28 to 2026-07-04, Europe/Lisbon")
    }

    @Test(
        "writes one sentence about each type of event",
        arguments: [
            ("region.entered", home, "Jane came home at 18:02"),
            ("region.exited", home, "Jane left home at 18:02"),
            ("region.entered", #","region":{"id":"office"}"#, "Jane arrived at office at 18:02"),
            ("region.exited", #","region":{"id":"o","name":"The Office"}"#, "Jane left The Office at 18:02"),
            ("region.dwelled", home + #","dwell":5400"#, "Jane has been home for 1 h 30 min"),
            ("region.entered", home + #","crossing":false"#, "Jane is home"),
            ("region.entered", #","region":{"id":"office"},"crossing":false"#, "Jane is at office"),
            (
                "region.exited", home + #","earliest":"2026-07-05T07:00:00Z","latest":"2026-07-05T08:15:00Z""#,
                "Jane left home between 08:00 and 09:15"
            ),
            (
                "region.exited", home + #","earliest":"2026-07-05T16:55:00Z","latest":"2026-07-05T17:04:59Z""#,
                "Jane left home at 18:02"
            ),
            (
                "region.entered", home + #","earliest":"2026-07-03T12:00:00Z","latest":"2026-07-05T08:15:00Z""#,
                "Jane came home between Friday 13:00 and Sunday 09:15"
            ),
            (
                "visit.arrived", #","visit":{"arrival":"2026-07-05T17:02:09Z","regions":["office"]}"#,
                "Jane arrived at office at 18:02"
            ),
            ("visit.arrived", #","visit":{"arrival":null,"regions":["office"]}"#, "Jane is at office"),
            (
                "visit.arrived",
                #","visit":{"arrival":"2026-07-05T17:02:09Z","regions":["cafe","town"]},"places":["#
                    + #"{"id":"cafe","name":"Café","home":false},{"id":"town","name":"Town","home":false}]"#,
                "Jane arrived at Café at 18:02"
            ),
            (
                "visit.departed",
                #","visit":{"arrival":"2026-07-05T10:00:00Z","departure":"2026-07-05T17:02:00Z","regions":["h"]},"#
                    + #""places":[{"id":"h","name":"Zuhause","home":true}]"#,
                "Jane left home at 18:02 after 7 h 2 min"
            ),
            (
                "visit.departed",
                #","visit":{"arrival":"2026-07-05T10:00:00Z","departure":"2026-07-05T17:02:00Z","regions":["office"],"#
                    + #""arrivalEarliest":"2026-07-05T08:00:00Z","arrivalLatest":"2026-07-05T12:00:00Z"}"#,
                "Jane left office at 18:02"
            ),
            ("visit.arrived", #","visit":{"latitude":38.71391,"longitude":-9.13942}"#, "Jane stopped at 18:02"),
            ("visit.departed", #","visit":{"latitude":38.71391,"longitude":-9.13942}"#, "Jane moved on at 18:02"),
            (
                "visit.departed",
                #","visit":{"arrival":"2026-07-05T10:00:00Z","departure":"2026-07-05T17:02:00Z","regions":["home"]}"#,
                "Jane left home at 18:02 after 7 h 2 min"
            ),
            ("device.stale", "", "Jane has stopped reporting"),
            (
                "alert.speed",
                #","region":{"id":"depot","name":"Depot"},"alert":{"rule":"speedLimit","state":"started","value":92.3,"#
                    + #""limit":80,"unit":"km/h","duration":10}"#,
                "Jane drives 92 km/h; 80 km/h is the limit at Depot"
            ),
            (
                "alert.speed", #","alert":{"rule":"fast","state":"ended","value":70,"limit":75,"unit":"mph"}"#,
                "Jane no longer drives too fast"
            ),
            (
                "alert.battery", #","alert":{"rule":"battery","state":"started","value":0.15,"limit":0.2}"#,
                "The battery of Jane is at 15 %"
            ),
            (
                "alert.battery", #","alert":{"rule":"battery","state":"ended","limit":0.2}"#,
                "The battery of Jane is no longer low"
            ),
            (
                "alert.accuracy",
                #","alert":{"rule":"accuracy","state":"started","value":1450,"limit":200,"unit":"m","duration":1200}"#,
                "The position of Jane has been inaccurate for 20 min, now by 1.5 km"
            ),
            (
                "alert.jump",
                #","alert":{"rule":"jump","state":"started","value":1197,"limit":400,"unit":"km/h","distance":19940}"#,
                "Jane jumped 19.9 km, as if at 1197 km/h"
            ),
            (
                "alert.unplugged", #","alert":{"rule":"unplugged","state":"started"}"#,
                "Jane was unplugged and runs on its battery"
            ),
            (
                "alert.absent",
                #","region":{"id":"school","name":"School"},"alert":{"rule":"school","state":"started"}"#,
                "Jane was not at School by 18:02"
            ),
            (
                "alert.present", #","region":{"id":"home","name":"Home"},"alert":{"rule":"out","state":"started"}"#,
                "Jane was still home at 18:02"
            ),
            (
                "alert.absent",
                #","region":{"id":"school","name":"School"},"alert":{"rule":"school","state":"ended","duration":900}"#,
                "The alert that Jane is not at School is over"
            ),
            (
                "alert.silent", #","alert":{"rule":"silent","state":"started","limit":7200,"unit":"s"}"#,
                "Jane has sent no location for 2 h"
            ),
            (
                "alert.silent",
                #","alert":{"rule":"silent","state":"ended","value":9000,"limit":7200,"unit":"s","duration":1800}"#,
                "Jane is reporting again after 2 h 30 min"
            ),
            ("event.retracted", "", "Correction: an event of Jane at 18:02 did not happen"),
        ])
    func sentences(type: String, data: String, sentence: String) {
        let message = Self.write(Self.message(type, data))
        #expect(message.title == sentence)
        #expect(message.body.hasPrefix(sentence.contains("between") ? "Sunday 5 July " : "Sunday 5 July, 18:02 "))
        #expect(message.link == nil)
    }

    @Test("marks a test, links to the event, and uses the names of the endpoint")
    func namesAndLinks() {
        let message = Self.write(
            Self.message("region.entered", Self.home + #","test":true"#, device: "7"), names: ["7": "Oma"],
            link: "https://page.example.org/")
        #expect(message.title == "Test: Oma came home at 18:02")
        #expect(message.link == "https://page.example.org/#event=evt_1")
    }

    @Test("renders variables and sections without escaping, and keeps a title on one line")
    func templates() {
        let message = Self.write(
            Self.message(
                "region.entered", #","region":{"id":"a","name":"Tom & <Co>"},"location":{"batteryLevel":0.5}"#),
            title: "{{device}}\n→ {{region}}",
            body: "{{#entered}}in{{/entered}}{{#exited}}out{{/exited}}{{^speed}}, slow{{/speed}} {{battery}} {{! no }}")
        #expect(message.title == "Jane → Tom & <Co>")
        #expect(message.body == "in, slow 50 % ")
    }

    /// No range bounds the numbers of a phone.
    @Test("writes numbers of any size", arguments: ["1e308", "-1e308", "9.3e18", "1e-308"])
    func largeNumbers(number: String) {
        let message = Self.write(
            Self.message(
                "visit.arrived",
                #","confidence":\#(number),"dwell":\#(number),"location":{"speed":\#(number),"#
                    + #""horizontalAccuracy":\#(number)},"alert":{"distance":\#(number),"duration":\#(number)}"#),
            title: "{{speed}} {{accuracy}}", body: "{{confidence}} {{duration}} {{distance}}")
        #expect(message.body.contains("%"))
    }

    @Test("a position that the endpoint may not see is not in a message")
    func privacy() {
        let message = Self.write(
            Self.message("region.entered", Self.home), body: "[{{latitude}}{{longitude}}{{accuracy}}]")
        #expect(message.body == "[]")
    }

    @Test("collects several messages in one, in their order")
    func groups() {
        let message = Self.write(
            Self.message("region.exited", Self.home), Self.message("region.entered", #","region":{"id":"office"}"#))
        #expect(message.title == "2 messages")
        #expect(message.body == "Jane left home at 18:02\nJane arrived at office at 18:02")
    }

    @Test("cuts what is too long for the services, and never sends an empty message")
    func limits() {
        let long = Self.write(Self.message("x", Self.home), title: String(repeating: "é", count: 300))
        #expect(long.title.count == 200 && long.title.hasSuffix("…"))
        #expect(Self.write(Self.message("x"), title: " ", body: "").title == "x")
    }

    @Test(
        "refuses templates with a sentence that names the problem",
        arguments: [
            ("{{devise}}", "{{devise}}"), ("{{>other}}", "only variables"), ("{{=<% %>=}}", "only variables"),
            ("{{#entered}}", "not closed"), ("{{/entered}}", "not opened"), ("{{device", "not closed"),
            ("{{}}", "empty"),
            ("{{#entered}}{{#exited}}{{/entered}}{{/exited}}", "not opened last"), ("{{<a}}", "only variables"),
            ("{{uppercased(device)}}", "no variable"), (String(repeating: "{{#test}}", count: 20), "inside each other"),
        ])
    func invalid(template: String, expected: String) throws {
        let problem = try #require(MessageTemplate.problem(with: template))
        #expect(problem.contains(expected))
    }

    @Test("takes every documented variable, with and without spaces and escapes")
    func names() {
        for name in MessageContext.names {
            for text in ["{{\(name)}}", "{{{\(name)}}}", "{{& \(name) }}", "{{#\(name)}}x{{/ \(name) }}"] {
                #expect(MessageTemplate.problem(with: text) == nil)
            }
        }
    }

    @Test(
        "writes spans in words",
        arguments: [
            (0, "0 s"), (59, "59 s"), (60, "1 min"), (3599, "59 min"), (3600, "1 h"), (7500, "2 h 5 min"),
            (86_400, "1 day"), (180_000, "2 days 2 h"), (-5, "0 s"),
        ])
    func durations(seconds: Int, text: String) {
        #expect(MessageWords.duration(.seconds(seconds)) == text)
    }

    @Test(
        "writes distances, speeds and accuracies in the units of the endpoint",
        arguments: [(UnitSystem.metric, "72 km/h 12 m 2.4 km; 90 km/h"), (.imperial, "45 mph 39 ft 1.5 mi; 56 mph")])
    func units(units: UnitSystem, text: String) {
        let data =
            #","location":{"speed":20,"horizontalAccuracy":12},"#
            + #""alert":{"rule":"r","state":"started","value":90,"limit":90,"unit":"km/h","distance":2449}"#
        let writer = MessageWriter(
            title: "{{speed}} {{accuracy}} {{distance}}; {{limit}}", body: nil,
            style: MessageContext.Style(timeZone: .gmt, units: units))
        #expect(writer.write([Self.message("alert.speed", data)]).title == text)
    }
}
