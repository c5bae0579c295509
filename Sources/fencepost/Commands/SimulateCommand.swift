import ArgumentParser
import FencepostAnalysis
import FencepostAppCommands
import FencepostFiles
import FencepostJSON
import FencepostModel
import FencepostSimulator

/// Runs scenario files.
struct Simulate: ParsableCommand {
    static let configuration = SimulateArguments.command

    @OptionGroup var arguments: SimulateArguments

    func run() throws { try arguments.run(TrackPlans()) }
}

/// Plays the recordings of scenarios, and has the region plans of a run, as text or as a JSON array.
private struct TrackPlans: TrackPlayer {
    private var text = ""
    private var writer = JSONWriter()

    init() {
        writer.beginArray()
    }

    func add(_ scenario: Scenario, of file: String, to files: inout FilesInUse) {
        ScenarioTrack(file: file).add(scenario, to: &files)
    }

    mutating func plan(_ track: String, _ scenario: Scenario, of file: String, json: Bool) throws {
        let plan = try ScenarioTrack(file: file).plan(track, scenario)
        if json {
            PlanPrinter.json(of: plan, name: scenario.name, into: &writer)
        } else {
            text += PlanPrinter.text(of: plan, name: scenario.name)
        }
    }

    func output(json: Bool) -> [UInt8] {
        guard json else { return Array((text.isEmpty ? "No scenario has a track.\n" : text).utf8) }
        var writer = writer
        writer.endArray()
        writer.newline()
        return writer.bytes
    }

    func play(_ track: String, into scenario: inout Scenario, of file: String, keepsFixes: Bool) throws -> Recording {
        let recording = try ScenarioTrack(file: file).play(track, into: &scenario, keepsFixes: keepsFixes)
        return (recording.locations, recording.regions)
    }
}
