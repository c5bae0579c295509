import FencepostJSON
import Foundation
import Testing

@Suite("fencepost explain, matrix and rules") struct SimulatorCommandTests {
    @Test("give the same result for flags and JSON")
    func explain() throws {
        let flags = try Program.run(
            "explain", "--service", "visits", "--grant", "always", "--lifecycle", "terminated", "--terminated-by",
            "user",
            "--json")
        let question =
            #"{"given":{"grant":"always","lifecycle":"terminated","terminatedBy":"user"},"event":{"service":"visits","kind":"arrival"}}"#
        let text = try Program.run("explain", "--json", "-", input: question)
        #expect(flags.output == text.output)
        let delivery = try JSONDocument(parsing: flags.output).root
        #expect(delivery["relaunch"]?.bool == true)
        #expect(delivery["delivery"]?.string == "delivered")
        let refused = try Program.run(
            "explain", "--service", "standardUpdates", "--grant", "always", "--lifecycle", "terminated", "--json")
        #expect(try JSONDocument(parsing: refused.output).root["decidingRule"]?.string == "RELAUNCH-05")
    }

    @Test("answer in three lines, and give the rules behind --why")
    func threeLines() throws {
        let flags = ["explain", "--service", "visits", "--grant", "always", "--lifecycle", "killed"]
        let open = try Program.run(flags, input: Data())
        #expect(open.lines.count == 3)
        #expect(open.lines[0].hasSuffix("always, terminated: delivered; the system relaunches the app"))
        #expect(
            open.lines[1] == "by the system: certain, as Apple documents it; by the user: likely (80 %), by RELAUNCH-29"
        )
        let byUser = try Program.run(flags + ["--terminated-by", "user"], input: Data())
        #expect(byUser.lines.count == 3 && byUser.lines[1] == "likely (80 %), by RELAUNCH-29")
        let differing = try Program.run(
            ["explain", "--service", "visits", "--grant", "always", "--lifecycle", "killed", "--policy", "strict"],
            input: Data())
        #expect(differing.lines.count == 3)
        #expect(differing.lines[0].contains("terminated by system: delivered; the system relaunches the app, certain"))
        #expect(differing.lines[1].contains("terminated by user: dropped; the app is not relaunched, unlikely (20 %)"))
        let why = try Program.run(flags + ["--terminated-by", "user", "--why"], input: Data()).output
        #expect(why.contains("  decided by RELAUNCH-04: ") && why.contains("  uncertain: RELAUNCH-29: "))
        // Each report stands there once.
        #expect(why.components(separatedBy: "F-826964").count == 2)
    }

    @Test("reject invalid input with its pointer")
    func badQuestion() throws {
        let result = try Program.run(
            "explain", "-", input: #"{"given":{"grant":"often"},"event":{"service":"visits"}}"#)
        #expect(result.status == 65)
        #expect(result.errors.contains("/given/grant"))
    }

    @Test("show the differences between two versions, and none between a version and itself")
    func matrix() throws {
        let matrix = try JSONDocument(parsing: try Program.run("matrix", "--json").output).root
        #expect(matrix["cells"]?.count == 12 * 7 * 7)
        let changed = try JSONDocument(
            parsing: try Program.run("matrix", "--os", "17.0", "--vs", "18.0", "--json").output
        ).root["differences"]
        let first = try #require(changed?[0])
        #expect(first["here"]?["delivery"]?.string != first["there"]?["delivery"]?.string)
        let same = try Program.run("matrix", "--vs", "27.0", "--json").output
        #expect(try JSONDocument(parsing: same).root["differences"]?.count == 0)
    }

    @Test("compare also with a session for Always, and take sessions by their short names")
    func sessions() throws {
        let result = try Program.run("matrix", "--os", "26", "--vs", "18", "--json")
        let changed = Array(try #require(try JSONDocument(parsing: result.output).root["differences"]?.array))
        let held = changed.filter { $0["sessions"]?[0]?.string == "serviceSession(always)" }
        let monitors = held.filter { $0["service"]?.string == "clMonitorCircular" }
        let reboot = try #require(monitors.first { $0["terminatedBy"]?.string == "reboot" })
        #expect(monitors.contains { $0["terminatedBy"]?.string == "user" }, "RELAUNCH-30, no longer RELAUNCH-15")
        #expect(reboot["here"]?["decidingRule"]?.string == "RELAUNCH-36")
        #expect(reboot["there"]?["relaunch"]?.bool == true && reboot["here"]?["relaunch"]?.bool == false)
        let services = changed.compactMap { $0["service"]?.string }
        #expect(services.contains("regionCircular"))
        let text = try Program.run("matrix", "--os", "26", "--vs", "18").output
        #expect(text.contains("18: delivered and relaunched (RELAUNCH-04); 26: dropped (RELAUNCH-36); with serviceSes"))
        let flags = [
            "--service", "CLMonitor", "--grant", "always", "--lifecycle", "terminated", "--terminated-by", "user",
        ]
        let monitor = try Program.run(["explain", "--session", "always"] + flags, input: Data()).output
        #expect(monitor.contains("the system relaunches the app") && monitor.contains("more likely than not (65 %)"))
        let without = try Program.run(["explain"] + flags, input: Data()).output
        #expect(without.contains("decided by RELAUNCH-12") && without.contains("almost certain, as Apple's engineers"))
        #expect(try Program.run(["explain", "--session", "forever"] + flags, input: Data()).status == 64)
    }

    @Test("doubt what the strict policy refuses, where most sources permit it")
    func strictCertainty() throws {
        let strict = try Program.run(
            "explain", "--service", "CLVisit", "--grant", "always", "--lifecycle", "terminated", "--terminated-by",
            "user", "--policy", "strict")
        #expect(strict.output.contains("not relaunched") && strict.output.contains("unlikely (20 %)"))
    }

    @Test("check the declarations of an app")
    func lint() throws {
        let folder = try TemporaryFolder()
        let list = """
            <?xml version="1.0" encoding="UTF-8"?><plist version="1.0"><dict>
            <key>NSLocationAlwaysAndWhenInUseUsageDescription</key><string>x</string>
            <key>NSLocationWhenInUseUsageDescripton</key><string>x</string></dict></plist>
            """
        _ = try folder.file("Info.plist", list)
        let result = try Program.run("lint", "--json", folder.url.path)
        #expect(result.status == 1)
        let findings = try result.lines.map { try JSONDocument(parsing: $0).root }
        let errors = findings.filter { $0["severity"]?.string == "error" }
        #expect(errors.contains { $0["rules"]?.array?.contains { $0.string == "PLIST-01" } == true })
        #expect(findings.contains { $0["key"]?.string == "NSLocationWhenInUseUsageDescripton" })
        #expect(try Program.run("lint", try folder.file("x.plist", "nonsense")).status == 65)
    }

    @Test("read the declarations of an archive and of an Xcode project")
    func declarations() throws {
        let folder = try TemporaryFolder()
        let archive = folder.url.appending(path: "A.ipa")
        try DeclarationSamples.archive().write(to: archive)
        let result = try Program.run("lint", "--json", archive.path)
        #expect(result.status == 1 && result.output.contains("RELAUNCH-32"))
        let flags = ["--service", "CLVisit", "--grant", "authorizedAlways", "--lifecycle", "killed", "--json"]
        let refused = try Program.run(["explain", "--app", archive.path] + flags, input: Data())
        #expect(try JSONDocument(parsing: refused.output).root["decidingRule"]?.string == "RELAUNCH-32")
        let project = try folder.file(
            "project.pbxproj", "{\nINFOPLIST_KEY_UIApplicationSceneManifest_Generation = YES;\n}\n")
        let scenes = try JSONDocument(
            parsing: try Program.run(["explain", "--app", project] + flags, input: Data()).output
        ).root
        #expect(scenes["launchOptions"]?["location"]?.bool == false && scenes["relaunch"]?.bool == true)
        #expect(!result.output.contains("PLIST-14"))
        try DeclarationSamples.signedArchive().write(to: archive)
        #expect(try Program.run("lint", "--json", archive.path).output.contains("PLIST-14"))
        #expect(try Program.run("lint", try folder.file("B.ipa", "nonsense")).status == 65)
    }

    @Test("plan for an app, with promises that the simulator confirms")
    func advise() throws {
        let wish = "know when the user leaves work, even when killed, iOS 16 to 27"
        let plan = try JSONDocument(parsing: try Program.run("advise", "--json", wish).output).root
        #expect(plan["goals"]?[0]?.string == "regions" && (plan["items"]?.count ?? 0) > 10)
        let folder = try TemporaryFolder()
        let scenarios = try folder.file("s.json", try Program.run("advise", "--scenarios", wish).output)
        #expect(try Program.run("simulate", scenarios).status == 0)
        #expect(try Program.run("advise", "make coffee").status == 64)
        let old = try Program.run("advise", "visits, iOS 12 to 15")
        #expect(old.status == 0 && old.errors.contains("not iOS 12"))
        #expect(old.output.contains("on iOS 13.4, 14.0, 15.0\n"))
        #expect(try Program.run("advise", "visits, iOS 8 to 12").status == 64)
    }

    @Test("print each rule by its id")
    func rules() throws {
        let all = try JSONDocument(parsing: try Program.run("rules", "--json").output).root
        #expect(all.count > 200)
        #expect(try Program.run("rules", "relaunch-04").output.hasPrefix("RELAUNCH-04"))
        #expect(try Program.run("rules", "RELAUNCH-99").status == 64)
        #expect(try Program.run("rules", "relaunch-04").output.contains("source W19: What's New in Core Location"))
        #expect(try Program.run("rules", "--sources", "w19").output.contains("wwdc2019/705"))
        #expect(try Program.run("rules", "--sources", "W99").status == 64)
        let rule = try JSONDocument(parsing: try Program.run("rules", "--json", "PLAT-01").output).root.array?.map(
            \.self)
        let references = rule?.first?["references"]?.array?.map { $0["key"]?.string }
        #expect(references?.isEmpty == false)
        #expect(references == rule?.first?["sources"]?.array?.map(\.string))
    }

    @Test("run scenarios, with JUnit XML for CI and 1 when an expectation fails")
    func simulate() throws {
        let folder = try TemporaryFolder()
        let scenario = try folder.file(
            "s.json",
            #"{"name":"a <b>","given":{"grant":"always"},"steps":[{"do":"query","what":"status"}],"expect":{"final":{"grant":"denied"}}}"#
        )
        let junit = folder.url.appending(path: "junit.xml")
        let result = try Program.run("simulate", "--junit", junit.path, "--json", scenario)
        #expect(result.status == 1)
        let outcome = try JSONDocument(parsing: result.output).root
        #expect(outcome["passed"]?.bool == false)
        #expect(outcome["failures"]?[0]?["path"]?.string == "final.grant")
        let xml = try String(contentsOf: junit, encoding: .utf8)
        #expect(xml.contains(#"name="a &lt;b&gt;""#))
        #expect(xml.contains(#"failures="1""#))
    }

    @Test("deliver the sample day's events to the sample apps")
    func apps() throws {
        let result = try Program.run("watch", "--regions", "Regions", "--apps", "Regions/apps", WatchTests.day)
        let relaunched = result.lines.filter { $0.contains(#""type":"app.relaunched""#) }
        #expect(relaunched.count == 1)
        #expect(relaunched[0].contains(#""app":{"id":"diary","name":"Diary"}"#))
        #expect(result.lines.contains { $0.contains(#""app":"courier""#) && $0.contains(#""relaunch":false"#) })
        #expect(try Program.run("check", "Regions/apps", "Regions").status == 0)
        #expect(try Program.run("check", "Tests/FencepostSimulatorTests/Scenarios").errors.contains("scenarios"))
    }
}
