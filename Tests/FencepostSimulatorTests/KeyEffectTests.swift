import FencepostJSON
import Foundation
import Testing

@testable import FencepostSimulator

/// Every key of a scenario's state and of a service changes some answer, or stands in a list with the reason why not.
@Suite("Each key") struct KeyEffectTests {
    /// A scenario in which a value of the key changes the outcome.
    struct Case: Sendable, CustomTestStringConvertible {
        var key: String
        var value: String
        /// The other members of the state, or of the service.
        var given = ""
        var steps: String
        var testDescription: String { key }
    }

    static let region = #""services":[{"service":"regionCircular","identifier":"a"}]"#
    static let dead = #""lifecycle":"terminated","grant":"always","#
    static let enter = #"{"do":"event","service":"regionCircular","kind":"enter","identifier":"a"}"#
    static let ask = #"{"do":"request","level":"always"}"#

    /// Keys of `given`. The newest iOS applies unless a case says otherwise.
    static let ofState: [Case] = [
        Case(key: "platform", value: #""macOS""#, given: dead + region, steps: enter),
        Case(key: "osVersion", value: #""18.0""#, given: dead + #""terminatedBy":"user","# + region, steps: enter),
        Case(key: "grant", value: #""always""#, given: #""lifecycle":"terminated","# + region, steps: enter),
        Case(
            key: "alwaysRequestUsed", value: "true",
            given:
                #""grant":"whenInUse","infoPlist":["NSLocationWhenInUseUsageDescription","NSLocationAlwaysAndWhenInUseUsageDescription"]"#,
            steps: ask),
        Case(key: "accuracy", value: #""reduced""#, given: dead + region, steps: enter),
        Case(key: "lifecycle", value: #""suspended""#, given: #""grant":"always","# + region, steps: enter),
        Case(key: "terminatedBy", value: #""user""#, given: dead + region, steps: enter),
        Case(key: "locationServicesEnabled", value: "false", given: dead + region, steps: enter),
        Case(key: "backgroundAppRefresh", value: #""off""#, given: dead + region, steps: enter),
        Case(key: "lowPowerMode", value: "true", given: dead + region, steps: enter),
        Case(key: "unlockedSinceBoot", value: "false", given: dead + region, steps: enter),
        Case(key: "infoPlist", value: #"["NSLocationWhenInUseUsageDescription"]"#, steps: ask),
        Case(
            key: "entitlements", value: #"["com.apple.developer.location.push"]"#,
            given: #""grant":"always","extensions":["push"]"#, steps: #"{"do":"start","service":"locationPush"}"#),
        Case(
            key: "extensions", value: #"["push"]"#,
            given: #""grant":"always","entitlements":["com.apple.developer.location.push"]"#,
            steps: #"{"do":"start","service":"locationPush"}"#),
        Case(key: "services", value: #"["regionCircular"]"#, given: #""grant":"always""#, steps: enter),
        Case(
            key: "sessions", value: #"["backgroundActivitySession"]"#,
            given: #""grant":"whenInUse","infoPlist":["UIBackgroundModes:location"]"#,
            steps: #"{"do":"enterBackground"},{"do":"wait","seconds":60}"#),
        Case(key: "managers", value: "3", given: #""grant":"always","# + region, steps: enter),
        Case(
            key: "appClip", value: "true", given: #""grant":"whenInUse""#, steps: #"{"do":"settings","set":"always"}"#),
        Case(
            key: "complicationOnActiveFace", value: "true",
            given: #""platform":"watchOS","grant":"whenInUse","lifecycle":"backgroundRunning""#,
            steps: #"{"do":"query","what":"inUse"}"#),
        Case(key: "appEverLaunched", value: "false", given: dead + region, steps: enter),
        Case(key: "appInstalled", value: "false", given: dead + region, steps: enter),
        Case(key: "delegateSetAtLaunch", value: "false", given: dead + region, steps: enter),
        Case(
            key: "systemAsleep", value: "true", given: #""platform":"macOS","grant":"always","# + region, steps: enter),
        Case(
            key: "pairedWatchApp", value: "true", given: #""infoPlist":["NSLocationWhenInUseUsageDescription"]"#,
            steps: #"{"do":"onWatch","step":{"do":"request","level":"whenInUse"}}"#),
        Case(
            key: "maximumRegionMonitoringDistance", value: "100", given: #""grant":"always""#,
            steps: #"{"do":"start","service":"regionCircular","identifier":"a","radius":500}"#),
        Case(
            key: "locationNotifications", value: "20", given: #""grant":"always""#,
            steps: #"{"do":"start","service":"regionCircular","identifier":"a","radius":500}"#),
        Case(key: "reportedStatus", value: #""denied""#, steps: #"{"do":"getAuthorizationStatus"}"#),
        Case(
            key: "restartsServices", value: #""never""#, given: dead + #""services":["significantChange"]"#,
            steps: #"{"do":"event","service":"significantChange","kind":"moved"}"#),
        Case(
            key: "monitorProfile", value: #""field""#,
            given: #""grant":"always","services":[{"service":"clMonitorCircular","identifier":"a"}]"#,
            steps: #"{"do":"event","service":"clMonitorCircular","kind":"satisfied","identifier":"a"}"#),
        Case(
            key: "runsOn", value: #""simulator""#, given: #""grant":"always""#,
            steps: #"{"do":"start","service":"regionCircular","identifier":"a","radius":500,"deviceInside":true}"#),
        Case(
            key: "airplaneMode", value: "true", given: #""grant":"always","services":["significantChange"]"#,
            steps: #"{"do":"event","service":"significantChange","kind":"moved"}"#),
        Case(
            key: "cellularEnabled", value: "false", given: #""grant":"always","services":["significantChange"]"#,
            steps: #"{"do":"event","service":"significantChange","kind":"moved"}"#),
        Case(
            key: "bluetoothEnabled", value: "false", given: #""grant":"always","services":["regionBeacon"]"#,
            steps: #"{"do":"event","service":"regionBeacon","kind":"enter"}"#),
        Case(
            key: "wifiEnabled", value: "true", given: #""airplaneMode":true,"grant":"always","# + region, steps: enter),
        Case(key: "restrictedBy", value: #""screenTime""#, given: dead + region, steps: enter),
        Case(key: "offloaded", value: "true", given: dead + region, steps: enter),
    ]

    static let background = #""grant":"always","osVersion":"26.0","infoPlist":["UIBackgroundModes:location"]"#
    static let leave = #"{"do":"enterBackground"},{"do":"wait","seconds":60}"#

    /// Keys of a service among the services of the state.
    static let ofService: [(key: String, value: String, service: String, given: String, steps: String)] = [
        ("service", #""visits""#, "", #""grant":"always""#, #"{"do":"event","service":"visits","kind":"arrival"}"#),
        ("identifier", #""b""#, #""service":"regionCircular""#, #""grant":"always""#, enter),
        ("notifyOnEntry", "false", #""service":"regionCircular""#, #""grant":"always""#, enter),
        (
            "notifyOnExit", "false", #""service":"regionCircular""#, #""grant":"always""#,
            #"{"do":"event","service":"regionCircular","kind":"exit"}"#
        ),
        (
            "state", #""inside""#, #""service":"regionCircular","identifier":"a""#, #""grant":"always""#,
            #"{"do":"requestState","identifier":"a"}"#
        ),
        (
            "monitor", #""m""#, #""service":"clMonitorCircular","identifier":"a""#, #""grant":"always""#,
            #"{"do":"openMonitor","name":"m"}"#
        ),
        ("allowsBackgroundLocationUpdates", "true", #""service":"standardUpdates""#, background, leave),
        (
            "showsBackgroundLocationIndicator", "true",
            #""service":"standardUpdates","allowsBackgroundLocationUpdates":true"#, background, leave
        ),
        (
            "distanceFilter", "50", #""service":"standardUpdates","allowsBackgroundLocationUpdates":true"#, background,
            leave
        ),
        (
            "desiredAccuracy", "1000", #""service":"standardUpdates","allowsBackgroundLocationUpdates":true"#,
            background, leave
        ),
        (
            "pausesLocationUpdatesAutomatically", "false", #""service":"standardUpdates""#, background,
            #"{"do":"deviceStationary","seconds":1200}"#
        ),
        (
            "activityType", #""fitness""#, #""service":"standardUpdates""#, background,
            #"{"do":"deviceStationary","seconds":60}"#
        ),
        ("stopped", "true", #""service":"regionCircular","identifier":"a""#, #""grant":"always""#, enter),
    ]

    /// Keys whose effect is elsewhere.
    static let inert = [
        "center": "A track is evaluated against the circle; without a track the steps name the events.",
        "radius": "The circle of a track. A `start` checks it: see `maximumRegionMonitoringDistance`.",
    ]

    /// The outcome without the echo of the services.
    private static func outcome(_ given: String, _ steps: String) throws -> NSDictionary {
        let text = #"{"name":"n","given":{\#(given)},"steps":[\#(steps)]}"#
        let (file, diagnostics) = ScenarioReader(file: nil).scenarios(text.utf8)
        #expect(diagnostics.isEmpty, "\(text): \(diagnostics)")
        var writer = JSONWriter()
        writer.value(ScenarioRunner().run(try #require(file).scenarios[0]))
        let object = try JSONSerialization.jsonObject(with: Data(writer.bytes))
        var members = try #require(object as? [String: Any])
        var final = try #require(members["final"] as? [String: Any])
        for echo in ["services", "monitoredRegions", "grant", "lifecycle"] { final[echo] = nil }
        members["final"] = final
        return members as NSDictionary
    }

    private static func joined(_ parts: String...) -> String {
        parts.filter { !$0.isEmpty }.map { $0.hasSuffix(",") ? String($0.dropLast()) : $0 }.joined(separator: ",")
    }

    @Test("of the state changes an outcome", arguments: ofState) func state(_ one: Case) throws {
        let with = try Self.outcome(Self.joined(one.given, #""\#(one.key)":\#(one.value)"#), one.steps)
        #expect(try with != Self.outcome(one.given, one.steps))
    }

    @Test("of a service changes an outcome", arguments: ofService.map(\.key)) func service(key: String) throws {
        let one = try #require(Self.ofService.first { $0.key == key })
        let with = Self.joined(one.service, #""\#(key)":\#(one.value)"#)
        func given(_ service: String) -> String {
            Self.joined(one.given, service.isEmpty ? "" : #""services":[{\#(service)}]"#)
        }
        // The lifecycle is what continuous updates change.
        func lifecycle(_ service: String) throws -> String {
            let text = #"{"name":"n","given":{\#(given(service))},"steps":[\#(one.steps)]}"#
            let file = try #require(ScenarioReader(file: nil).scenarios(text.utf8).0)
            return ScenarioRunner().run(file.scenarios[0]).final.device.lifecycle.rawValue
        }
        let differs = try Self.outcome(given(with), one.steps) != Self.outcome(given(one.service), one.steps)
        #expect(try differs || lifecycle(with) != lifecycle(one.service))
    }

    @Test("stands in one of the lists") func complete() {
        #expect(Set(Self.ofState.map(\.key)) == Set(DeviceStateReader.keys))
        let services = Set(Self.ofService.map(\.key))
        #expect(services.union(Self.inert.keys) == Set(DeviceStateReader.serviceKeys))
        #expect(services.isDisjoint(with: Self.inert.keys))
    }
}
