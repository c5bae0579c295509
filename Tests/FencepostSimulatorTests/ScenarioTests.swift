import FencepostJSON
import FencepostModel
import FencepostSimulator
import Foundation
import Testing

@Suite("Scenarios") struct ScenarioTests {
    static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Scenarios")

    /// The files by name. Each is an array of scenarios with expectations.
    static func files() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".json") }.sorted()
    }

    static func scenarios(in name: String) throws -> [Scenario] {
        let path = folder.appending(path: name).path
        let (file, diagnostics) = ScenarioReader(file: path).scenarios(try Data(contentsOf: URL(filePath: path)))
        #expect(diagnostics.isEmpty, "\(diagnostics)")
        return file?.scenarios ?? []
    }

    @Test("come to what they expect", arguments: try files())
    func holds(_ name: String) throws {
        let scenarios = try Self.scenarios(in: name)
        #expect(!scenarios.isEmpty)
        for scenario in scenarios {
            let expectation = try #require(scenario.expectation, "\(scenario.name) expects nothing")
            #expect(expectation.json != "{}")
            let outcome = ScenarioRunner().run(scenario)
            for failure in outcome.failures ?? [] {
                Issue.record(
                    "\(name), \(scenario.name): \(failure.path) is \(failure.actual), not \(failure.expected)")
            }
        }
    }

    @Test("of the most asked situations in the documentation come to what they expect") func situations() throws {
        let file = RuleSourceTests.root.appending(path: "docs/examples/situations/situations.json")
        let (read, diagnostics) = ScenarioReader(file: file.path).scenarios(try Data(contentsOf: file))
        #expect(diagnostics.isEmpty, "\(diagnostics)")
        let scenarios = try #require(read).scenarios
        #expect(scenarios.count == 24)
        for scenario in scenarios {
            let failures = ScenarioRunner().run(scenario).failures
            #expect(failures == [], "\(scenario.name)")
        }
    }

    @Test("use every verb") func coversVerbs() throws {
        let used = try Self.files().flatMap { try Self.scenarios(in: $0) }.flatMap(\.steps).map(\.verb.name)
        let unused = Set(Verb.names).subtracting(used)
        #expect(unused.isEmpty)
    }

    @Test("notice an expectation that does not hold") func notices() throws {
        let text = """
            {"name":"n","given":{"grant":"always"},"steps":[{"do":"query","what":"status"}],
             "expect":{"final":{"grant":"denied","launches":0},"steps[0].effect":"none","callbacks":["denied"],
             "steps":{"0":{"do":"query","effect":"done"},"1":null}}}
            """
        let file = try #require(ScenarioReader(file: nil).scenarios(text.utf8).0)
        let failures = try #require(ScenarioRunner().run(file.scenarios[0]).failures)
        #expect(failures.map(\.path) == ["final.grant", "steps[0].effect", "callbacks", "steps[0].effect"])
        #expect(failures.map(\.actual) == ["\"always\"", "\"answered\"", "[]", "\"answered\""])
    }

    @Test("the page proposes the newest system that the rules know") func newestOnThePage() throws {
        for name in ["apps/app-form.js", "live/test-app.js"] {
            let file = RuleSourceTests.root.appending(path: "Sources/FencepostPage/Web").appending(path: name)
            #expect(try String(contentsOf: file, encoding: .utf8).contains("\"\(OSVersion.newest)\""), "\(name)")
        }
    }
}
