import FencepostModel
import FencepostSimulator
import Testing

@Suite("Systems and states that do not occur") struct PlausibilityTests {
    private static func ask(_ given: String, _ service: String = "visits") -> (
        (DeviceState, ServiceEvent)?, [Diagnostic]
    ) {
        ScenarioReader(file: nil).question(#"{"given":{\#(given)},"event":{"service":"\#(service)"}}"#.utf8)
    }

    @Test("are refused where no platform had the version", arguments: ["0.9", "1.1", "19.0", "20.0", "25.6", "28.0"])
    func never(version: String) {
        for platform in Platform.allCases {
            let (question, diagnostics) = Self.ask(
                #""platform":"\#(platform.rawValue)","osVersion":"\#(version)""#)
            // Vision Pro and watches had a version 1 or 2 of their own.
            let exists = platform.isVision && version == "1.1"
            #expect((question != nil) == exists, "\(platform) \(version)")
            #expect(exists || diagnostics.contains { $0.message.contains("There is no") }, "\(platform) \(version)")
        }
        let scenario = ScenarioReader(file: nil).scenarios(#"{"given":{"osVersion":"\#(version)"},"steps":[]}"#.utf8)
        #expect(scenario.0 == nil)
    }

    @Test("are not the versions that exist", arguments: ["7.1", "13.4", "17.0", "18.6", "26.9", "27.0", "27.12"])
    func exists(version: String) {
        let (question, diagnostics) = Self.ask(#""osVersion":"\#(version)","grant":"always""#)
        #expect(question != nil && diagnostics.isEmpty)
    }

    @Test("are answered with a warning where another platform had the version") func foreign() throws {
        let (question, diagnostics) = Self.ask(
            #""platform":"watchOS","osVersion":"17.0","grant":"always""#, "liveUpdates")
        #expect(diagnostics.map(\.severity) == [.warning])
        let (given, event) = try #require(question)
        #expect(
            RelaunchGate().decide(event, for: given).certainty.words == "hypothetical, as watchOS 17.0 does not exist")
    }

    @Test(
        "are answered with a warning and without certainty",
        arguments: [
            (#""osVersion":"12.4","grant":"temporaryWhenInUse""#, RuleID.once01),
            (#""osVersion":"12.4","grant":"provisionalAlways""#, .prov01),
            (#""osVersion":"13.0","grant":"always","accuracy":"reduced""#, .acc01),
            (#""platform":"visionOS","osVersion":"2.0","grant":"always""#, .plat15),
            (#""platform":"tvOS","osVersion":"18.0","grant":"always""#, .plat13),
            (#""platform":"macOS","osVersion":"15.0","grant":"provisionalAlways""#, .plat06),
            (#""platform":"macOS","osVersion":"15.0","grant":"always","lifecycle":"suspended""#, .plat05),
        ])
    func states(given: String, rule: RuleID) throws {
        let (question, diagnostics) = Self.ask(given)
        #expect(diagnostics.map(\.code) == ["impossible_state"] && diagnostics[0].severity == .warning)
        let (device, event) = try #require(question)
        let delivery = RelaunchGate().decide(event, for: device)
        #expect(delivery.warnings.map(\.rule).contains(rule))
        #expect(delivery.certainty.words.hasPrefix("hypothetical"))
    }

    @Test("include a cause of termination for an app that is not terminated") func cause() {
        let (question, diagnostics) = Self.ask(#""grant":"always","lifecycle":"suspended","terminatedBy":"user""#)
        #expect(question != nil && diagnostics.map(\.severity) == [.warning])
    }

    @Test("include a wish for another platform or version")
    func wishes() {
        for wish in [
            "know on the Apple Watch when I come home", "track my run on watchOS 11", "leave work, macOS 15",
            "visits on Vision Pro", "leave work, iOS 20",
        ] {
            #expect(AppWish.gap(in: wish) != nil, "\(wish)")
        }
        for wish in AppWish.examples + [
            "leave work, iOS 16 to 27", "watch me leave work", "visits, iPadOS 17 and later",
        ] {
            #expect(AppWish.gap(in: wish) == nil, "\(wish)")
        }
    }

    @Test("do not include constants of Apple's, which are read as values") func constants() throws {
        let text = #"""
            {"given":{"services":[{"service":"standardUpdates","distanceFilter":"kCLDistanceFilterNone",
            "desiredAccuracy":"kCLLocationAccuracyHundredMeters"}]},"steps":[]}
            """#
        let (file, diagnostics) = ScenarioReader(file: nil).scenarios(text.utf8)
        #expect(diagnostics.isEmpty)
        let object = try #require(file?.scenarios.first?.device.services.first)
        #expect(object.distanceFilter == -1 && object.desiredAccuracy == 100)
        let wrong = ScenarioReader(file: nil).scenarios(text.replacing("HundredMeters", with: "Foot").utf8)
        #expect(wrong.0 == nil && wrong.1[0].message.contains("kCLLocationAccuracyHundredMeters"))
    }

    @Test("include a clock that goes back, with a warning") func clock() {
        let text = #"""
            {"steps":[{"do":"resume","at":"2026-03-01T08:30:00Z"},{"do":"resume"},
            {"do":"resume","at":"2026-03-01T08:00:00Z"}]}
            """#
        let (file, diagnostics) = ScenarioReader(file: nil).scenarios(text.utf8)
        #expect(file != nil && diagnostics.map(\.code) == ["time_goes_back"])
    }

    @Test("do not include airplane mode, which leaves regions and visits less certain") func radios() throws {
        for service in ["regionCircular", "visits"] {
            let (device, event) = try #require(Self.ask(#""grant":"always","airplaneMode":true"#, service).0)
            let delivery = RelaunchGate().decide(event, for: device)
            #expect(delivery.outcome == .delivered && delivery.warnings.map(\.rule).contains(.region08))
            #expect(delivery.certainty.words.hasPrefix("probable"))
        }
    }

    @Test("include a service before it existed") func services() throws {
        for service in ["significantChange", "regionCircular"] {
            let (device, event) = try #require(Self.ask(#""osVersion":"3.1","grant":"always""#, service).0)
            #expect(RelaunchGate().decide(event, for: device).outcome == .notMonitored)
        }
    }
}
