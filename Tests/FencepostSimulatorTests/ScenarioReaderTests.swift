import FencepostModel
import FencepostSimulator
import Foundation
import Testing

@Suite("Scenario files") struct ScenarioReaderTests {
    /// The expected diagnostic as `pointer code`, and a word of its message.
    static let mistakes: [(String, [String], String)] = [
        (#"{"given":{"platfrom":"iOS"}}"#, ["/given/platfrom unknown_key"], "\"platform\""),
        (#"{"given":{"grant":"whenInUs"}}"#, ["/given/grant invalid_value"], "\"whenInUse\""),
        (#"{"given":{"osVersion":"seventeen"}}"#, ["/given/osVersion invalid_value"], "17.0"),
        (#"{"given":{"services":[{"identifier":"a"}]}}"#, ["/given/services/0 missing_key"], "service"),
        (#"{"given":{"sessions":["serviceSession(often)"]}}"#, ["/given/sessions/0 invalid_value"], "whenInUse"),
        (#"{"steps":[{"do":"requst"}]}"#, ["/steps/0/do unknown_verb"], "\"request\""),
        (#"{"steps":[{"do":"wait"}]}"#, ["/steps/0 missing_key"], "seconds"),
        (#"{"steps":[{"do":"event","service":"visits","kind":"entr"}]}"#, ["/steps/0/kind invalid_value"], "enter"),
        (#"{"steps":[{"do":"enterBackground","at":"yesterday"}]}"#, ["/steps/0/at invalid_value"], "time"),
        (#"{"steps":[{"do":"updateSystem","osVersion":"25.0"}]}"#, ["/steps/0/osVersion unknown_version"], "26 to 27"),
        (#"{"steps":[{"do":"updateSystem"}]}"#, ["/steps/0/osVersion invalid_value"], "26.0"),
        (#"[{"name":"a"},{"steps":{}}]"#, ["/1/steps invalid_value"], "steps"),
        (#"{"given":{},"given":{}}"#, ["/given duplicate_name"], "twice"),
        (#"{"given":{"infoPlist":"Nowhere.plist"}}"#, ["/given/infoPlist unreadable_property_list"], "Nowhere"),
    ]

    @Test("are refused with the place and a way to mend it", arguments: mistakes)
    func refuses(text: String, pointers: [String], words: String) {
        let (file, diagnostics) = ScenarioReader(file: "f.json").scenarios(text.utf8)
        #expect(file == nil)
        let found = diagnostics.map { diagnostic in
            if case .pointer(let pointer) = diagnostic.position {
                "\(pointer) \(diagnostic.code)"
            } else {
                "\(diagnostic)"
            }
        }
        #expect(found == pointers)
        #expect(diagnostics.contains { $0.message.contains(words) }, "\(diagnostics)")
    }

    @Test("are warned of for what is like nothing known, and read all the same") func warns() throws {
        let text = #"{"given":{"remark":1},"steps":[{"do":"event","service":"visits","kind":"exit"}]}"#
        let (file, diagnostics) = ScenarioReader(file: nil).scenarios(text.utf8)
        #expect(file?.scenarios.first?.steps.count == 1)
        #expect(diagnostics.map(\.code) == ["unknown_key", "unusual_kind"])
        #expect(diagnostics.allSatisfy { $0.severity == .warning })
    }

    @Test("start from the defaults that are written down") func defaults() throws {
        let file = try #require(ScenarioReader(file: nil).scenarios(#"{"given":{}}"#.utf8).0)
        #expect(file.scenarios.map(\.device) == [DeviceState()])
        #expect(!file.isArray)
    }

    @Test("read property lists, XML and binary") func propertyLists() throws {
        let list: [String: Any] = [
            "NSLocationWhenInUseUsageDescription": "Why", "Empty": "", "UIBackgroundModes": ["location", "audio"],
            "NSLocationTemporaryUsageDescriptionDictionary": ["Nav": "Because"],
            "NSLocationDefaultAccuracyReduced": true,
        ]
        for format in [PropertyListSerialization.PropertyListFormat.xml, .binary] {
            let data = try PropertyListSerialization.data(fromPropertyList: list, format: format, options: 0)
            let keys = PropertyKeys(try #require(PropertyListKeys.entries(of: data)))
            #expect(keys.has("NSLocationWhenInUseUsageDescription"))
            #expect(!keys.has("Empty"))
            #expect(keys.has("UIBackgroundModes", containing: "location"))
            #expect(keys.has("NSLocationTemporaryUsageDescriptionDictionary", containing: "Nav"))
            #expect(keys.isTrue("NSLocationDefaultAccuracyReduced"))
        }
    }

    @Test("hold questions, whose service counts as started unless services are given") func questions() throws {
        let event = #""event":{"service":"visits","kind":"arrival"}"#
        let reader = ScenarioReader(file: nil)
        let state = #""grant":"always","lifecycle":"terminated""#
        let (open, _) = reader.question("{\"given\":{\(state)},\(event)}".utf8)
        let asked = try #require(open)
        #expect(RelaunchGate().decide(asked.1, for: asked.0).relaunch)
        let (none, _) = reader.question("{\"given\":{\(state),\"services\":[]},\(event)}".utf8)
        let empty = try #require(none)
        #expect(RelaunchGate().decide(empty.1, for: empty.0).decidingRule == .relaunch07)
    }

    @Test("take events in at their time") func inserts() throws {
        func time(_ minute: Int) -> Timestamp { Timestamp(seconds: 1_770_000_000 + Int64(minute) * 60) }
        var scenario = Scenario(
            device: DeviceState(),
            steps: [Step(.enterBackground, at: time(0)), Step(.resume), Step(.enterForeground, at: time(10))])
        scenario.insert([20, 5].map { ServiceEvent(.visits, .arrival, at: time($0)) })
        #expect(scenario.steps.map(\.verb.name) == ["enterBackground", "resume", "event", "enterForeground", "event"])
        #expect(scenario.steps.compactMap(\.at) == [time(0), time(5), time(10), time(20)])
    }
}
