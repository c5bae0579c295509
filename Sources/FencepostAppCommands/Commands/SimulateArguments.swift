package import ArgumentParser
package import FencepostFiles
import FencepostJSON
package import FencepostModel
import FencepostReport
package import FencepostSimulator
import Foundation

/// What plays the recordings of scenarios and plans their regions; it needs the monitor of the service.
package protocol TrackPlayer {
    /// The accepted fixes of a recording and the regions with which they were compared.
    typealias Recording = (locations: [Location], regions: [Region])

    /// Adds the files that a scenario names.
    func add(_ scenario: Scenario, of file: String, to files: inout FilesInUse)
    /// Plans which regions to register along the scenario's recording, for `output`.
    mutating func plan(_ track: String, _ scenario: Scenario, of file: String, json: Bool) throws
    /// The plans.
    func output(json: Bool) -> [UInt8]
    /// Inserts the events of the recording into the steps.
    func play(_ track: String, into scenario: inout Scenario, of file: String, keepsFixes: Bool) throws -> Recording
}

/// Runs scenario files.
package struct SimulateArguments: ParsableArguments {
    package init() {}

    /// That of the command, which each program has its own of.
    package static let command = CommandConfiguration(
        commandName: "simulate", abstract: "Simulates Core Location: runs scenario files step by step.",
        discussion: """
            Example:
              fencepost simulate Tests/FencepostSimulatorTests/Scenarios/relaunch.json

            A scenario contains the initial state (given), the steps, and the expected results (expect). The exit code
            is 1 when an expectation fails, and 2 when only a recorded scenario and the rules disagree.
            """)

    @Flag(name: .long, help: "Print the outcome as JSON; an array for several scenarios.")
    package var json = false

    @Option(
        name: .long, help: "Write an HTML page with map, timeline and steps of all scenarios.",
        completion: .file(extensions: ["html"]))
    package var report: String?

    @Flag(name: .long, help: "Print which regions to register where along the tracks, when there are more than 20.")
    package var plan = false

    @Option(name: .long, help: "Write the outcomes to this file as JUnit XML, for CI.", completion: .file())
    package var junit: String?

    @OptionGroup var outputs: OutputArguments

    @OptionGroup var interpretation: GateArguments

    @Argument(help: "Scenario files; - or none for standard input.", completion: .file(extensions: ["json"]))
    package var files: [String] = []

    /// Runs the scenarios and prints their outcomes.
    ///
    /// - Parameter player: plays the recordings of scenarios; without it a scenario with one is refused.
    /// - Throws: the exit status, after printing the reason.
    package func run(_ player: (any TrackPlayer)?) throws {
        var player = player
        var inUse = FilesInUse()
        for path in files { inUse.add(path, as: "a scenario that is read") }
        let reportFile = try report.map { try outputs.file($0, inUse: inUse) }
        let junitFile = try junit.map { try outputs.file($0, inUse: inUse) }
        var entries: [SimulationReport.Entry] = []
        var isArray = files.count > 1
        var problem: ExitStatus?
        for path in files.isEmpty ? ["-"] : files {
            let name = path == "-" ? nil : path
            let (file, diagnostics) = ScenarioReader(file: name, propertyKeys: DeclarationFiles.entries(of:at:))
                .scenarios(try InputFile.bytes(of: path))
            Console.report(diagnostics)
            guard let file else {
                problem = .badData
                continue
            }
            isArray = isArray || file.isArray
            let gate = interpretation.gate
            for var scenario in file.scenarios {
                if scenario.track != nil, player == nil {
                    Console.say(
                        "fencepost: \(path): the scenario '\(scenario.name)' has a track, which needs the regions and the "
                            + "monitor of the service: run it with fencepost simulate")
                    throw ExitStatus.badData.exit
                }
                player?.add(scenario, of: path, to: &inUse)
                if plan, let track = scenario.track { try player?.plan(track, scenario, of: path, json: json) }
                let recording = try scenario.track.flatMap {
                    try player?.play($0, into: &scenario, of: path, keepsFixes: report != nil)
                }
                scenario.delayEvents(by: interpretation.latency)
                entries.append(
                    SimulationReport.Entry(
                        scenario, outcome: ScenarioRunner(gate: gate).run(scenario), track: recording?.locations ?? [],
                        regions: recording?.regions ?? [], gate: gate))
            }
        }
        let outcomes = entries.map(\.outcome)
        var buffer = OutputBuffer()
        if plan {
            buffer.bytes += player?.output(json: json) ?? Array("No scenario has a track.\n".utf8)
        } else if json {
            buffer.bytes += Self.encode(outcomes, isArray: isArray)
        } else {
            for outcome in outcomes { buffer.append(OutcomePrinter.text(of: outcome)) }
        }
        try? buffer.flush()
        try OutputArguments.run {
            for path in [report, junit] { if let path { try inUse.refuse(path) } }
            try reportFile?.write(SimulationReport.html(for: entries).utf8)
            try junitFile?.write(JUnitReport.xml(of: outcomes).utf8)
        }
        let failed = outcomes.count { !$0.passed }
        if !json || failed > 0 {
            Console.say("\(Prose.count(outcomes.count, "scenario")), \(failed) failed")
        }
        if let problem { throw problem.exit }
        if outcomes.contains(where: { !($0.failures ?? []).isEmpty }) { throw ExitStatus.problems.exit }
        if failed > 0 { throw ExitStatus.disagreement.exit }
    }

    private static func encode(_ outcomes: [Outcome], isArray: Bool) -> [UInt8] {
        var writer = JSONWriter()
        if isArray { writer.beginArray() }
        for outcome in outcomes { writer.value(outcome) }
        if isArray { writer.endArray() }
        // Without outcomes nothing is printed: standard error names the files that cannot be read.
        if isArray || !outcomes.isEmpty { writer.newline() }
        return writer.bytes
    }
}

/// Formats an outcome as text.
package enum OutcomePrinter {
    package static func text(of outcome: Outcome) -> String {
        var lines = ["\(outcome.passed ? "ok  " : "FAIL") \(outcome.name.isEmpty ? "(no name)" : outcome.name)"]
        for (index, step) in outcome.steps.enumerated() {
            let rules = step.report.rules.map(\.rawValue).joined(separator: " ")
            lines.append("  \(index) \(step.name): \(step.report.effect)\(rules.isEmpty ? "" : "  [\(rules)]")")
            lines += step.report.notes.map { "      \($0)" }
        }
        for delivery in outcome.deliveries {
            let identifier = delivery.event.identifier.map { " \($0)" } ?? ""
            let launch = delivery.relaunch ? ", app started" : delivery.appWoken ? ", app woken" : ""
            lines.append(
                "  \(delivery.event.service.rawValue)\(identifier) \(delivery.event.kind.rawValue): "
                    + "\(delivery.outcome.rawValue)\(launch) by \(delivery.decidingRule.rawValue)")
            if let settled = delivery.settled {
                lines.append("      then \(settled.outcome.rawValue)\(settled.relaunch ? ", app started" : "")")
            }
        }
        if let crash = outcome.crash { lines.append("  crash: \(crash.text) [\(crash.rule.rawValue)]") }
        lines += outcome.errors.map { "  error: \($0.code.domain) \($0.code.code) \($0.code.name)" }
        if !outcome.callbacks.isEmpty {
            lines.append("  callbacks: \(outcome.callbacks.map(\.rawValue).joined(separator: ", "))")
        }
        if !outcome.missingKeys.isEmpty { lines.append("  missing: \(outcome.missingKeys.joined(separator: ", "))") }
        if !outcome.appMust.isEmpty { lines.append("  the app must: \(outcome.appMust.joined(separator: ", "))") }
        if !outcome.appNeedNot.isEmpty {
            lines.append("  the app does not have to: \(outcome.appNeedNot.joined(separator: ", "))")
        }
        lines += outcome.warnings.map { "  warning: \($0.text) [\($0.rule.rawValue)]" }
        lines += (outcome.failures ?? []).map { "  \($0.path) is \($0.actual), not \($0.expected)" }
        if let found = outcome.disagreements {
            let origin = outcome.recorded?.summary ?? "a device"
            lines.append("  recorded on \(origin): \(found.isEmpty ? "the rules agree" : "the rules disagree")")
            lines += found.map { text(of: $0) }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// A disagreement in one line, with the line of the log.
    package static func text(of found: Disagreement) -> String {
        let rules = found.rules.first.map { " [\($0.rawValue)]" } ?? ""
        let because = found.because.map { ": \($0)" } ?? ""
        return
            "  \(found.line ?? "step \(found.step)"): \(found.what): \(found.member) is \(found.onDevice) on the device, "
            + "\(found.byRules) by the rules\(rules)\(because)"
    }
}
