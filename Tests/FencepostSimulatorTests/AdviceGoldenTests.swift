import FencepostJSON
import FencepostSimulator
import Foundation
import Testing

@Suite("The plan for a wish") struct AdviceGoldenTests {
    /// The files by the wishes that `AppWish` gives as examples.
    static let names = [
        "home", "shop", "run", "route", "mileage", "car", "family", "attendance", "study", "delivery",
    ]
    static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Advice")

    static func wish(_ name: String) throws -> AppWish {
        let index = try #require(names.firstIndex(of: name))
        return try #require(AppWish(AppWish.examples[index]), "\(AppWish.examples[index])")
    }

    @Test("is the one that stands in its file", arguments: names) func golden(name: String) throws {
        #expect(Self.names.count == AppWish.examples.count)
        let text = Advice(try Self.wish(name)).text
        let file = Self.folder.appending(path: "\(name).txt")
        if ProcessInfo.processInfo.environment["FENCEPOST_REWRITE"] != nil {
            try text.write(to: file, atomically: true, encoding: .utf8)
        }
        #expect(try String(contentsOf: file, encoding: .utf8) == text, "FENCEPOST_REWRITE=1 writes it")
    }

    @Test("promises what its scenarios confirm, in the states that it is about", arguments: names)
    func scenarios(name: String) throws {
        for policy in SimulatorPolicy.allCases {
            let gate = RelaunchGate(policy: policy)
            let advice = Advice(try Self.wish(name), gate: gate)
            var writer = JSONWriter()
            writer.scenarios(of: advice)
            let (file, diagnostics) = ScenarioReader(file: nil).scenarios(writer.bytes)
            #expect(diagnostics.isEmpty, "\(diagnostics)")
            let scenarios = try #require(file).scenarios
            #expect(scenarios.count == advice.promises.count)
            for scenario in scenarios {
                #expect(ScenarioRunner(gate: gate).run(scenario).failures == [], "\(scenario.name)")
            }
        }
        let promises = Advice(try Self.wish(name)).promises
        // Every wish here is about an app that nobody uses at the moment.
        #expect(promises.contains { $0.state.lifecycle != .foreground })
        #expect(promises.contains { $0.situation.contains("Low Power Mode") })
        for cause in [Termination.system, .user, .reboot] {
            #expect(promises.contains { $0.state.terminatedBy == cause }, "\(cause)")
        }
    }

    @Test("knows what an arrival, a run and a route after a kill need") func needs() throws {
        let home = Advice(try Self.wish("home"))
        #expect(home.wish.inBackground && home.wish.reminds)
        #expect(home.items.contains { $0.part == .grants && $0.rules.contains(.relaunch04) })
        #expect(home.items.contains { $0.part == .grants && $0.rules.contains(.svc20) })
        let run = Advice(try Self.wish("run"))
        #expect(run.wish.goals == [.path] && run.wish.inBackground && !run.wish.restarts)
        #expect(run.promises.filter { $0.situation.contains("screen locked") }.allSatisfy { $0.isKept })
        #expect(run.promises.filter { $0.state.lifecycle == .terminated }.allSatisfy { !$0.isKept })
        let route = Advice(try Self.wish("route"))
        #expect(route.wish.restarts)
        let killed = route.promises.filter { $0.service == .standardUpdates && $0.state.lifecycle == .terminated }
        #expect(!killed.isEmpty && killed.allSatisfy { $0.isKept })
        #expect(killed.allSatisfy { $0.delivery.warnings.map(\.rule).contains(.svc25) })
        #expect(AppWish("tell me when I come home, on screen")?.inBackground == false)
    }
}
