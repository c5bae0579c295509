import FencepostJSON
import FencepostSimulator
import Foundation
import Testing

@Suite("Advice") struct AdviceTests {
    /// The sample apps of the documentation, with their wishes.
    static let samples = [
        ("work-hours", "know when the user leaves work, even when killed, iOS 16 to 27"),
        ("delivery", "track the whole route in the background and know when the courier arrives, iOS 17 to 27"),
        ("diary", "a diary of visits, even when swiped away, iOS 15 to 26"),
    ]

    static func declaration(_ name: String) throws -> AppDeclaration {
        var declaration = AppDeclaration()
        let file = RuleSourceTests.root.appending(path: "docs/examples/advise/\(name).plist")
        declaration.infoPlist = PropertyKeys(try #require(PropertyListKeys.entries(ofFile: file.path)))
        return declaration
    }

    @Test("promises only what the simulator confirms", arguments: samples) func promises(name: String, text: String)
        throws
    {
        let wish = try #require(AppWish(text))
        for policy in SimulatorPolicy.allCases {
            let gate = RelaunchGate(policy: policy)
            let advice = Advice(wish, for: try Self.declaration(name), gate: gate)
            var writer = JSONWriter()
            writer.scenarios(of: advice)
            let (file, diagnostics) = ScenarioReader(file: nil).scenarios(writer.bytes)
            #expect(diagnostics.isEmpty, "\(diagnostics)")
            let scenarios = try #require(file).scenarios
            #expect(scenarios.count == advice.promises.count && scenarios.count >= wish.systems.count * 5)
            for scenario in scenarios {
                #expect(ScenarioRunner(gate: gate).run(scenario).failures == [], "\(scenario.name)")
            }
        }
    }

    @Test("names a rule for each item, and all parts of a background plan", arguments: samples)
    func items(name: String, text: String) throws {
        let advice = Advice(try #require(AppWish(text)), for: try Self.declaration(name))
        #expect(advice.items.allSatisfy { !$0.rules.isEmpty && $0.text.hasSuffix(".") })
        #expect(Set(advice.items.map(\.part)) == Set(Advice.Part.allCases))
    }

    @Test("finds the missing key of the sample, and the force quit as uncertain from iOS 26") func workHours() throws {
        let advice = Advice(try #require(AppWish(Self.samples[0].1)), for: try Self.declaration("work-hours"))
        let missing = advice.items.filter { $0.isDone == false }
        #expect(missing.count == 1 && missing[0].text.contains("NSLocationAlwaysAndWhenInUseUsageDescription"))
        let uncertain = advice.items.filter { $0.rules.contains(.relaunch29) }
        #expect(
            uncertain.map(\.text) == [
                "regionCircular, app terminated by user: uncertain on iOS 26.0, 27.0: very likely (88 %)."
            ])
    }

    @Test("reads goals, background and versions from a sentence")
    func wishes() throws {
        let wish = try #require(AppWish("know when the user leaves work, even when killed, iOS 16 to 27"))
        #expect(wish.goals == [.regions] && wish.inBackground && wish.versions == 16...27)
        #expect(wish.systems.map(\.description) == ["16.0", "17.0", "18.0", "26.0", "27.0"])
        #expect(AppWish("current location once")?.goals == [.once])
        #expect(AppWish("visits")?.versions == 18...27)
        #expect(AppWish("make coffee") == nil)
        let versions: [(String, ClosedRange<Int>)] = [
            ("visits on iOS 17.4 to 26", 17...26), ("visits, iOS 12-18", 12...18),
            ("visits, iPadOS 16, 17 and 18", 16...18),
            ("visits, iOS 26 only", 26...26), ("visits up to iOS 18", 13...18), ("visits, iOS 15 and later", 15...27),
            ("arrive at one of 20 places within 15 minutes", 18...27), ("enter within 17 m, iOS 16 to iOS 26", 16...26),
            ("leave 14 places, iOS 26, 20 of them at home", 26...27),
        ]
        for (text, expected) in versions { #expect(AppWish(text)?.versions == expected, "\(text)") }
    }

    @Test("needs While Using only for an app on screen") func foreground() throws {
        let advice = Advice(try #require(AppWish("the current location once, iOS 17")))
        #expect(advice.items.first { $0.part == .grants }?.rules == [.auth12])
        #expect(advice.promises.allSatisfy { $0.delivery.outcome == .delivered })
    }
}

@Suite("Apple's names") struct AppleNameTests {
    @Test(
        "are read as Fencepost's",
        arguments: [
            ("CLCircularRegion", Service.regionCircular), ("significantLocationChange", .significantChange),
            ("significantLocationChanges", .significantChange), ("CLMonitor", .clMonitorCircular),
            ("regionCircular", .regionCircular), ("CLVisit", .visits), ("CLLocationUpdate.liveUpdates", .liveUpdates),
        ])
    func services(name: String, service: Service) {
        #expect(AppleName.value(of: name, Service.self) == service)
    }

    @Test("cover the other enumerations, and every raw value reads as itself") func others() {
        #expect(AppleName.value(of: "Always", Grant.self) == .always)
        #expect(AppleName.value(of: "authorizedWhenInUse", Grant.self) == .whenInUse)
        #expect(AppleName.value(of: "swiped away", Termination.self) == .user)
        #expect(AppleName.value(of: "reducedAccuracy", Accuracy.self) == .reduced)
        #expect(AppleName.value(of: "nonsense", Grant.self) == nil)
        for service in Service.allCases { #expect(AppleName.value(of: service.rawValue, Service.self) == service) }
        for grant in Grant.allCases { #expect(AppleName.value(of: grant.rawValue, Grant.self) == grant) }
        #expect(Session("CLServiceSession(authorization: .always)") == .serviceSession(.always))
        #expect(Session("CLBackgroundActivitySession") == .backgroundActivitySession)
    }
}

@Suite("An Xcode project") struct XcodeBuildSettingsTests {
    @Test("gives the keys of its build settings") func keys() {
        let text = """
            buildSettings = {
                INFOPLIST_KEY_NSLocationWhenInUseUsageDescription = "For the map";
                INFOPLIST_KEY_UIApplicationSceneManifest_Generation = YES;
                "INFOPLIST_KEY_UIStatusBarStyle[sdk=iphoneos*]" = UIStatusBarStyleDefault;
                INFOPLIST_KEY_UIBackgroundModes = "location fetch";
                SDKROOT = iphoneos;
            };
            """
        let keys = PropertyKeys(XcodeBuildSettings.entries(of: text))
        #expect(
            keys.entries == [
                "NSLocationWhenInUseUsageDescription:For the map", "UIApplicationSceneManifest:generated",
                "UIBackgroundModes:fetch", "UIBackgroundModes:location",
            ])
        #expect(PropertyKeys(["DTSDKName:iphoneos27.0"]).sdkMajorVersion == 27)
        #expect(PropertyKeys(["DTSDKName:macosx"]).sdkMajorVersion == nil)
    }
}
