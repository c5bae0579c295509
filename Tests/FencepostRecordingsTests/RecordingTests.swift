import FencepostJSON
import FencepostModel
import FencepostRecordings
import FencepostSimulator
import Foundation
import Testing

extension Tag {
    /// Scenarios that were recorded, on devices or with a simulated device.
    @Tag static var recorded: Tag
}

@Suite("Recorded scenarios", .tags(.recorded)) struct RecordedScenarioTests {
    static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Recorded")

    static func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".json") }.sorted()
    }

    @Test("agree with the rules, or say that they do not", arguments: try names())
    func agree(_ name: String) throws {
        let path = Self.folder.appending(path: name)
        let (file, diagnostics) = ScenarioReader(file: path.path).scenarios(try Data(contentsOf: path))
        #expect(diagnostics.isEmpty, "\(diagnostics)")
        for scenario in try #require(file).scenarios {
            let origin = try #require(scenario.recorded, "a recorded scenario names its device")
            #expect(origin.device != nil && origin.system != nil && origin.date != nil)
            let found = ScenarioRunner().run(scenario).disagreements ?? []
            // A file with a known disagreement has its name end in "-disputed".
            #expect(found.isEmpty != name.hasSuffix("-disputed.json"), "\(found)")
        }
    }

    /// `FENCEPOST_RENEW_RECORDINGS=1` writes the logs and scenarios.
    @Test("that are made with a simulated device are what the recorder writes", arguments: RecordedWalks.names)
    @MainActor func renews(_ name: String) throws {
        let log = Array((RecordedWalks.log(name).joined(separator: "\n") + "\n").utf8)
        let disputed = name == "never-launched" ? "-disputed" : ""
        let files = (log: "made-\(name)\(disputed).jsonl", scenario: "made-\(name)\(disputed).json")
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try Data(log).write(to: folder.appending(path: files.log))
        var logs = LogFiles()
        let isRead = logs.add(folder.appending(path: files.log).path)
        #expect(isRead)
        var options = ScenarioComposer.Options()
        options.terminatedBy = name == "second-prompt" ? nil : .user
        let made = ScenarioComposer(options).compose(logs.read().contents)
        if ProcessInfo.processInfo.environment["FENCEPOST_RENEW_RECORDINGS"] != nil {
            try Data(log).write(to: Self.folder.appending(path: files.log))
            try Data(made.json.utf8).write(to: Self.folder.appending(path: files.scenario))
        }
        #expect(try Data(contentsOf: Self.folder.appending(path: files.log)) == Data(log))
        #expect(try String(contentsOf: Self.folder.appending(path: files.scenario), encoding: .utf8) == made.json)
    }
}

@Suite("A recording") struct RecordingTests {
    /// Reads a text log and makes its scenario.
    private func compose(
        _ text: String, app: String? = nil, day: String? = nil, options: ScenarioComposer.Options = .init()
    ) throws -> (scenario: Scenario, contents: LogContents, notes: [String]) {
        var logs = LogFiles()
        logs.add(text: Array(text.utf8))
        let contents = logs.read(app: app, day: day).contents
        let made = ScenarioComposer(options).compose(contents)
        let (file, diagnostics) = ScenarioReader(file: nil).scenarios(made.json.utf8)
        #expect(diagnostics.isEmpty, "\(diagnostics)\n\(made.json)")
        return (try #require(file?.scenarios.first), contents, made.notes)
    }

    private func line(_ time: String, _ call: String, _ rest: String = "") -> String {
        "{\"fencepost\":1,\"at\":\"2026-09-14T\(time)Z\",\"call\":\"\(call)\"\(rest.isEmpty ? "" : "," + rest)}\n"
    }

    private let launch =
        #""status":"authorizedAlways","accuracy":"fullAccuracy","system":"26.2.1","device":"iPhone12,1""#
    private let region = #""regions":[{"identifier":"office","radius":200}]"#

    @Test("of a launch for a region agrees with the rules, and disagrees once the grant is changed")
    func disagrees() throws {
        func log(_ status: String) -> String {
            let launch = launch.replacing("authorizedAlways", with: status)
            return line("10:00:00", "launch", #"\#(launch),\#(region),"state":"background""#)
                + line("10:00:00.030", "didExitRegion", #""identifier":"office""#)
        }
        let agreeing = try compose(log("authorizedAlways")).scenario
        #expect(agreeing.device.lifecycle == .terminated && agreeing.recorded?.device == "iPhone12,1")
        #expect(ScenarioRunner().run(agreeing).disagreements == [])

        let outcome = ScenarioRunner().run(try compose(log("authorizedWhenInUse")).scenario)
        let found = try #require(outcome.disagreements)
        #expect(found.map(\.member) == ["delivered", "relaunch"])
        #expect(found.allSatisfy { $0.line == "stdin.jsonl:2" && $0.rules.first == .relaunch04 })
        #expect(!outcome.passed)
    }

    @Test("gives the answers of the user, an expired Allow Once, and the end of the app")
    func permission() throws {
        let log =
            line("10:00:00", "launch", launch.replacing("authorizedAlways", with: "notDetermined"))
            + line("10:00:01", "request", #""level":"whenInUse""#)
            + line("10:00:05", "didChangeAuthorization", #""status":"authorizedWhenInUse","accuracy":"fullAccuracy""#)
            + line("10:00:30", "background")
            + line("10:10:00", "foreground")
            + line("10:10:00.100", "didChangeAuthorization", #""status":"notDetermined""#)
            + line("11:00:00", "launch", launch.replacing("authorizedAlways", with: "denied"))
        var options = ScenarioComposer.Options()
        options.terminatedBy = .user
        let (scenario, _, notes) = try compose(log, options: options)
        #expect(
            scenario.steps.map(\.verb.name) == [
                "launch", "request", "answer", "enterBackground", "enterForeground", "query", "terminate", "launch",
            ])
        #expect(scenario.steps[2].verb == .answer(.allowOnce))
        #expect(scenario.steps[6].verb == .terminate(by: .user))
        #expect(notes.contains { $0.contains("Allow Once") })
    }

    @Test(
        "reads the unified log in every style, and the kill in the app switcher",
        arguments: [
            (
                #"{"timestamp":"2026-09-14 10:00:00.5+0200","processImagePath":"/usr/libexec/locationd","eventMessage":"MESSAGE"}"#,
                true
            ),
            (
                #"2026-09-14 10:00:00.500000+0200  localhost locationd[72]: (LocationSupport) [com.apple.locationd.Core:Client] MESSAGE"#,
                false
            ),
            (
                #"2026-09-14 10:00:00.500000+0200 0x1234     Default     0x0                  72     0    locationd: MESSAGE"#,
                false
            ),
            (#"2026-09-14 10:00:00.500 Df locationd[72:1234] [com.apple.locationd.Core:Client] MESSAGE"#, false),
            ("default\t10:00:00.500000+0200\tlocationd\tMESSAGE", false),
        ])
    func unifiedLog(style: String, escapes: Bool) throws {
        let messages = [
            ##"{"msg":"#CLIUA AppMonitor notification", "notification":"ForegroundRunning", "pid":9, "bundleId":"org.example.a", "ClientKey":"iorg.example.a:"}"##,
            #"{"msg":"Showing #AuthPrompt", "RequestType":"CLClientManager_Type::AuthorizationRequestTypeLegacyAlways", "client":"iorg.example.a:"}"#,
            ##"{"msg":"#CLIUA AppMonitor notification", "notification":"ForegroundRunning", "pid":8, "bundleId":"org.example.b"}"##,
            #"{"msg":"computing freshAuthorizationContext", "client":"iorg.example.a:"}"#,
            #"SBWorkspaceTerminateApplication: org.example.a: "killed from app switcher""#,
        ]
        let log = messages.map { message in
            style.replacing("MESSAGE", with: escapes ? message.replacing("\"", with: "\\\"") : message)
        }.joined(separator: "\n")
        let (scenario, contents, _) = try compose(log, app: "org.example.a", day: "2026-09-14")
        #expect(scenario.steps.map(\.verb) == [.request(.level(.always)), .terminate(by: .user)])
        #expect(scenario.steps[0].seen?.prompt == true)
        #expect(contents.lines == 5 && contents.unknownLines == 1)
        #expect(contents.keptLines.count == 1)
    }

    @Test("survives damaged and hostile lines")
    func hostile() throws {
        let lines = [
            "{", "}", "{\"fencepost\":1}", "{\"fencepost\":\"x\",\"at\":3}", "\u{0}\u{FF}{\"msg\":",
            line(
                "10:00:00", "launch", #""regions":[1,{"identifier":3,"radius":1e300,"center":[1e9,"a"]}],"system":"x""#),
            line("10:00:01", "didEnterRegion"), line("10:00:02", "start", #""service":"nothing""#),
            line("10:00:03", "wrong"), String(repeating: "{", count: 5000), String(repeating: "[{\"a\":", count: 2000),
            "2026-99-99 10:00:00 {\"msg\":\"state transition\",\"state\":\"LocationManager\",\"property\":7}",
        ]
        let (scenario, contents, _) = try compose(lines.joined(separator: "\r\n"), app: "a.b")
        #expect(scenario.steps.map(\.verb.name) == ["launch", "event"])
        #expect(contents.unknownLines >= 9)
        var random = SystemRandomNumberGenerator()
        for _ in 0..<200 {
            var bytes = Array(lines.joined(separator: "\n").utf8)
            for _ in 0..<20 {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = .random(in: 0...255, using: &random)
            }
            var logs = LogFiles()
            logs.add(text: bytes)
            let made = ScenarioComposer().compose(logs.read(app: "a.b", day: "2026-09-14").contents)
            #expect(!ScenarioReader(file: nil).scenarios(made.json.utf8).1.contains { $0.code == "invalid_json" })
        }
    }
}
