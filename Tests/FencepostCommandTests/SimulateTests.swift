import FencepostJSON
import FencepostTesting
import Foundation
import Testing

@Suite("fencepost simulate") struct SimulateTests {
    private func json(_ text: String) throws -> JSONElement { try JSONDocument(parsing: text).root }

    @Test("simulate prints one outcome for one scenario and an array for several") func shapes() throws {
        let folder = try TemporaryFolder()
        let one = try folder.file("one.json", #"{"name":"a","given":{"grant":"always"}}"#)
        let two = try folder.file("two.json", #"[{"name":"b"},{"name":"c"}]"#)
        let alone = try Program.run("simulate", "--json", one)
        #expect(alone.status == 0)
        #expect(try json(alone.output)["final"]?["grant"]?.string == "always")
        let all = try json(try Program.run("simulate", "--json", one, two).output)
        #expect(all.array?.compactMap { $0["name"]?.string } == ["a", "b", "c"])
    }

    @Test("simulate exits with 1 when an expectation fails, and prints it") func fails() throws {
        let text = #"{"name":"x","given":{"grant":"denied"},"expect":{"final":{"grant":"always"}}}"#
        let result = try Program.run("simulate", "--json", input: text)
        #expect(result.status == 1)
        let outcome = try json(result.output)
        #expect(outcome["passed"]?.bool == false)
        #expect(outcome["failures"]?[0]?["path"]?.string == "final.grant")
        #expect(outcome["failures"]?[0]?["expected"]?.string == "always")
    }

    @Test("simulate rejects an invalid file") func refuses() throws {
        let result = try Program.run("simulate", "--json", input: #"{"given":{"grnt":"always"}}"#)
        #expect(result.status == 65)
        #expect(result.output.isEmpty)
        #expect(result.errors.contains("did you mean \"grant\"?"))
    }

    @Test("simulate writes an HTML page with escaped names and working links") func report() throws {
        let folder = try TemporaryFolder()
        let page = folder.url.appending(path: "page.html").path
        let text = """
            {"name":"<b>&","given":{"grant":"always","services":["visits"]},
             "steps":[{"do":"event","service":"visits","kind":"arrival"}],"expect":{"callbacks":["denied"]}}
            """
        #expect(try Program.run("simulate", "--report", page, input: text).status == 1)
        let html = try String(contentsOfFile: page, encoding: .utf8)
        #expect(html.contains("&lt;b&gt;&amp;</h2>") && html.contains("✗ failed") && !html.contains("<b>"))
        let links = html.matches(of: #/href="#([^"]+)"/#).map { String($0.1) }
        #expect(!links.isEmpty && links.allSatisfy { html.contains("id=\"\($0)\"") })
        #expect(!html.contains("://"))
    }

    @Test("simulate evaluates a track and delivers its events to the app") func track() throws {
        let folder = try TemporaryFolder()
        let path = Program.root.appending(path: "Regions").path
        let text = """
            {"name":"day","given":{"grant":"always","lifecycle":"terminated","services":[{"service":"regionCircular"},
             {"service":"visits"}]},"track":"\(path)/tracks/day.ndjson","regions":"\(path)/city.geojson"}
            """
        let outcome = try json(try Program.run("simulate", "--json", try folder.file("day.json", text)).output)
        let deliveries = outcome["deliveries"]?.array.map { Array($0) } ?? []
        #expect(deliveries.first?["relaunch"]?.bool == true)
        #expect(Set(deliveries.compactMap { $0["service"]?.string }) == ["regionCircular", "visits"])
        #expect(deliveries.allSatisfy { $0["delivery"]?.string == "delivered" && $0["id"]?.string != nil })
        let times = deliveries.compactMap { $0["at"]?.string }
        #expect(times.count == deliveries.count && times == times.sorted())
    }

    @Test("simulate applies the strict policy") func policy() throws {
        let text = """
            {"given":{"grant":"always","lifecycle":"terminated","backgroundAppRefresh":"off","services":["visits"]},
             "steps":[{"do":"event","service":"visits","kind":"arrival"}]}
            """
        let lenient = try json(try Program.run("simulate", "--json", input: text).output)["deliveries"]?[0]
        let strict = try json(try Program.run("simulate", "--json", "--policy", "strict", input: text).output)[
            "deliveries"]?[0]
        #expect(lenient?["relaunch"]?.bool == true && lenient?["confidence"]?.string == "disputed")
        #expect(strict?["relaunch"]?.bool == false && strict?["decidingRule"]?.string == "RELAUNCH-10")
    }
}

@Suite("fencepost scenario record") struct ScenarioRecordTests {
    private let log = "Tests/FencepostRecordingsTests/Recorded/made-swiped-away.jsonl"

    @Test("makes a scenario that agrees with the rules, and one that does not") func records() throws {
        let folder = try TemporaryFolder()
        let scenario = folder.url.appending(path: "walk.json").path
        let made = try Program.run("scenario", "record", log, "--terminated-by", "user", "--output", scenario)
        #expect(made.status == 0 && made.output.isEmpty)
        #expect(made.errors.contains("8 lines, 8 entries, 0 not understood"))
        let agreeing = try Program.run("simulate", scenario)
        #expect(agreeing.status == 0)
        #expect(agreeing.output.contains("recorded on iPhone14,2, 26.2.1, 2026-09-10 (made with a simulated device"))
        #expect(agreeing.output.contains(": the rules agree"))
        #expect(try Program.run("scenario", "record", log, "--output", scenario).status == 73, "it exists")

        let missed = "regionCircular:exit:office@2026-09-10T00:40:00Z"
        let text = try Program.run("scenario", "record", log, "--terminated-by", "user", "--missed", missed).output
        let disagreeing = try Program.run("simulate", input: text)
        #expect(disagreeing.status == 2)
        #expect(
            disagreeing.output.contains("step 4: regionCircular exit office: delivered is false on the device, true by")
        )
        let found = try JSONDocument(parsing: try Program.run("simulate", "--json", input: text).output).root
        #expect(found["disagreements"]?.count == 3 && found["passed"]?.bool == false)
    }

    @Test(
        "says what it cannot read",
        arguments: [
            (["record", "/nothing"], 66, "does not exist"), (["record", "README.md"], 65, "--app"),
            (["record", "README.md", "--app", "org.example.a"], 65, "log show"),
            (["record", "README.md", "--missed", "visits:enter@2026-09-10T00:40:00Z"], 64, "arrival and departure"),
            (["record", "README.md", "--missed", "visits"], 64, "SERVICE:KIND"),
            (["record", "README.md", "--date", "x"], 64, "2026-09-14"),
        ])
    func refuses(arguments: [String], status: Int32, message: String) throws {
        let result = try Program.run(["scenario"] + arguments, input: Data())
        #expect(result.status == status)
        #expect(result.errors.contains(message), "\(result.errors)")
    }

    @Test("has a help that begins with an example") func help() throws {
        #expect(try Program.run("scenario", "record", "--help").lines.first == "Example:")
    }
}

@Suite("A scenario") struct ScenarioInputTests {
    @Test("delivers late what --latency delays, to the app as it is then") func latency() throws {
        let text = """
            {"name":"late","given":{"grant":"always","services":[{"service":"regionCircular","identifier":"office"},"visits"]},
             "steps":[{"do":"event","service":"regionCircular","kind":"exit","identifier":"office","at":"2026-09-14T10:00:00Z"},
                      {"do":"event","service":"visits","kind":"departure","at":"2026-09-14T10:00:30Z"},
                      {"do":"terminate","by":"user","at":"2026-09-14T10:01:00Z"},
                      {"do":"launch","at":"2026-09-14T10:30:00Z"}]}
            """
        func outcome(_ latency: String) throws -> JSONElement {
            try JSONDocument(parsing: try Program.run("simulate", "--json", "--latency", latency, input: text).output)
                .root
        }
        let prompt = try outcome("none")
        #expect(prompt["deliveries"]?[0]?["relaunch"]?.bool == false)
        let typical = try outcome("typical")
        #expect(typical["steps"]?.array?.compactMap { $0["do"]?.string } == ["event", "terminate", "event", "launch"])
        #expect(typical["deliveries"]?[0]?["service"]?.string == "visits", "nothing is known about the delay of visits")
        #expect(typical["deliveries"]?[1]?["relaunch"]?.bool == true)
        #expect(typical["deliveries"]?[1]?["at"]?.string == "2026-09-14T10:00:00Z")
        let tail = try outcome("tail")
        #expect(tail["steps"]?.array?.compactMap { $0["do"]?.string } == ["event", "terminate", "launch", "event"])
    }

    @Test("takes its keys from an app, an archive or a folder") func declarations() throws {
        let folder = try TemporaryFolder()
        let app = folder.url.appending(path: "Payload/Walk.app")
        try FileManager.default.createDirectory(at: app, withIntermediateDirectories: true)
        let entry = "<key>NSLocationWhenInUseUsageDescription</key><string>x</string>"
        let list = "<plist version=\"1.0\"><dict>\(entry)</dict></plist>"
        try Data(list.utf8).write(to: app.appending(path: "Info.plist"))
        let scenario = folder.url.appending(path: "walk.json").path
        for path in ["Payload/Walk.app", "Payload/Walk.app/Info.plist"] {
            let text = """
                {"given":{"infoPlist":"\(path)"},"steps":[{"do":"request","level":"whenInUse"}],"expect":{"prompts[0].kind":"first"}}
                """
            try Data(text.utf8).write(to: URL(filePath: scenario))
            #expect(try Program.run("simulate", scenario).status == 0, "\(path)")
            #expect(try Program.run("check", scenario).status == 0, "\(path)")
        }
        let missing = try Program.run("simulate", input: #"{"given":{"infoPlist":"nothing.ipa"}}"#)
        #expect(missing.status == 65 && missing.errors.contains("nothing.ipa"))
    }

    @Test("takes its keys from an archive of the App Store, with the rules that its SDK brings") func archive() throws {
        let folder = try TemporaryFolder()
        try DeclarationSamples.archive().write(to: folder.url.appending(path: "A.ipa"))
        let scenario = try folder.file(
            "a.json",
            """
            {"given":{"osVersion":"27.0","grant":"always","lifecycle":"terminated","terminatedBy":"system",
              "infoPlist":"A.ipa","services":[{"service":"visits"}]},
             "steps":[{"do":"event","service":"visits","kind":"arrival"}],
             "expect":{"deliveries[0].relaunch":false,"deliveries[0].decidingRule":"RELAUNCH-32"}}
            """)
        let result = try Program.run("simulate", scenario)
        #expect(result.status == 0, "\(result.output) \(result.errors)")
        try Data("nonsense".utf8).write(to: folder.url.appending(path: "A.ipa"))
        let broken = try Program.run("simulate", scenario)
        #expect(broken.status == 65 && broken.errors.contains("/given/infoPlist"))
    }

    @Test("takes its keys from an Xcode project: its settings, lists over several lines, and the files that it names")
    func project() throws {
        let folder = try TemporaryFolder()
        let project = try DeclarationSamples.writeProject(in: folder.url)
        #expect(try !Program.run("lint", "--json", project).output.contains("PLIST-07"))
        for path in ["App.xcodeproj", "App.xcodeproj/project.pbxproj", "."] {
            let scenario = try folder.file(
                "p.json",
                """
                {"given":{"osVersion":"26.0","infoPlist":"\(path)"},
                 "steps":[{"do":"request","level":"always"},{"do":"answer","choice":"allowWhileUsing"},
                   {"do":"setAllowsBackgroundLocationUpdates","value":true},{"do":"terminate","by":"system"},
                   {"do":"launch","by":"user"}],
                 "expect":{"prompts[0].kind":"first","final.grant":"provisionalAlways","crash":null}}
                """)
            let result = try Program.run("simulate", scenario)
            #expect(result.status == 0, "\(path): \(result.output) \(result.errors)")
        }
        let mac = try Program.run("lint", "--json", try DeclarationSamples.writeProject(in: folder.url, kit: "macosx"))
        #expect(mac.output.contains("PLIST-07"), "\(mac.output)")
    }
}

/// Declarations of an app as Xcode leaves them.
enum DeclarationSamples {
    /// A zip archive with `Payload/A.app/Info.plist`, in which `DTSDKName` is `iphoneos27.0`.
    static func archive() throws -> Data {
        let text = """
                UEsDBBQAAAAIAAAAIQDjY77gTgAAAFsAAAAYAAAAUGF5bG9hZC9BLmFwcC9JbmZvLnBsaXN0synIySwuUShLLSrOzM
                +zVTLUM1Cys0nJTC6xs8lOrbRzCQl28fZLzE210QdxbYpLijLz0u0yCzLy81Lzi43M9Qxs9KGCNvoQffpgM+0AUEsB
                AhQDFAAAAAgAAAAhAONjvuBOAAAAWwAAABgAAAAAAAAAAAAAAIABAAAAAFBheWxvYWQvQS5hcHAvSW5mby5wbGlzdF
                BLBQYAAAAAAQABAEYAAACEAAAAAAA=
            """
        return try #require(Data(base64Encoded: text.filter { !$0.isWhitespace }))
    }

    /// A zip archive of an app whose executable was signed with the entitlement for location pushes.
    static func signedArchive() throws -> Data {
        let text = """
                UEsDBBQAAAAIAAAAIQDpFC5YZgAAAIoAAAAYAAAAUGF5bG9hZC9BLmFwcC9JbmZvLnBsaXN0synIySwuUShLLSrOzM+zVTLU
                M1Cys0nJTC6xs8lOrbRzdnMqzUvJSXWtSE0uLUlMykm10QeJ2xSXFGXmpds52uhDWWDlLiHBLt5+ibloqjILMvLzUvOLjcz1
                DBAa9CHW6IOdYAcAUEsDBBQAAAAIAAAAIQAYX8BsjwAAAN0AAAAPAAAAUGF5bG9hZC9BLmFwcC9BO//r7T8eBgZGBiBggmIN
                BgQA8SUYMIEsEAsAcQAQ9yKJ/7rHcwAqBDNOBohZQcYC5UD28EDUFRYCqVSbgpzM4hKFstSi4sz8PFslQz0DJTublMzkEjub
                7NRKu+T8XL3EgoKcVL2U1LLUnPyC1CK9nPzkxBKgar2C0uIMG32QMpuSotJUfTsbfYhOfbCpdgBQSwECFAMUAAAACAAAACEA
                6RQuWGYAAACKAAAAGAAAAAAAAAAAAAAAgAEAAAAAUGF5bG9hZC9BLmFwcC9JbmZvLnBsaXN0UEsBAhQDFAAAAAgAAAAhABhf
                wGyPAAAA3QAAAA8AAAAAAAAAAAAAAIABnAAAAFBheWxvYWQvQS5hcHAvQVBLBQYAAAAAAgACAIMAAABYAQAAAAA=
            """
        return try #require(Data(base64Encoded: text.filter { !$0.isWhitespace }))
    }

    /// Writes a project whose keys are in its settings and in a property list that it names.
    ///
    /// - Returns: the path of the project.
    static func writeProject(in folder: URL, kit: String = "iphoneos") throws -> String {
        let project = folder.appending(path: "App.xcodeproj")
        try FileManager.default.createDirectory(at: project, withIntermediateDirectories: true)
        try FileManager.default.createDirectory(
            at: folder.appending(path: "App"), withIntermediateDirectories: true)
        let settings = """
            // !$*UTF8*$!
            {
            \tbuildSettings = {
            \t\tGENERATE_INFOPLIST_FILE = YES;
            \t\tINFOPLIST_FILE = "$(SRCROOT)/App/Keys.plist";
            \t\tINFOPLIST_KEY_NSLocationWhenInUseUsageDescription = "Shows what is near; \\"now\\".";
            \t\tINFOPLIST_KEY_UIBackgroundModes = (
            \t\t\tfetch,
            \t\t\t"location",
            \t\t);
            \t\tSDKROOT = \(kit);
            \t};
            }
            """
        try Data(settings.utf8).write(to: project.appending(path: "project.pbxproj"))
        let entry = "<key>NSLocationAlwaysAndWhenInUseUsageDescription</key><string>x</string>"
        try Data("<plist version=\"1.0\"><dict>\(entry)</dict></plist>".utf8)
            .write(to: folder.appending(path: "App/Keys.plist"))
        return project.path
    }
}
