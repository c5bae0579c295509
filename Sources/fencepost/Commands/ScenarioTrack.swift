import FencepostAnalysis
import FencepostAppCommands
import FencepostEngine
import FencepostFiles
import FencepostFormats
import FencepostGeometry
import FencepostModel
import FencepostMonitor
import FencepostRegionFiles
import FencepostRegionImport
import FencepostRegions
import FencepostSimulator
import Foundation

/// Evaluates the recording of a scenario and adds its events to the scenario's steps.
struct ScenarioTrack {
    /// The scenario's file. Paths in the scenario are relative to it.
    let file: String

    /// The accepted fixes of a recording and the regions with which they were compared.
    struct Recording {
        var locations: [Location] = []
        var regions: [Region] = []
    }

    /// Evaluates the recording with the settings of Core Location, and inserts its events into the steps.
    ///
    /// - Parameters:
    ///   - track: the path of the recording.
    ///   - scenario: receives the events as steps.
    ///   - keepsFixes: whether to keep the fixes in memory for the result.
    /// - Returns: the regions, and the fixes if they are kept.
    /// - Throws: an exit status when the recording cannot be read, after printing the reason.
    func play(_ track: String, into scenario: inout Scenario, keepsFixes: Bool) throws -> Recording {
        let services = scenario.services
        var settings = MonitorSettings()
        settings.crossing = .coreLocation
        var recording = Recording(regions: try regions(of: scenario))
        var engine = MonitorEngine(RegionIndex(RegionCatalog(recording.regions)), settings: settings)
        var events: [ServiceEvent] = []
        func take(_ event: Event) { events += ServiceEvent.events(of: event, for: services) }
        var moves = MoveDetector()
        try read(track) { location in
            if keepsFixes { recording.locations.append(location) }
            if services.contains(where: { $0.service == .significantChange }), let move = moves.take(location) {
                events.append(move)
            }
            _ = try engine.accept(location, emit: take)
        }
        try engine.finish(emit: take)
        scenario.insert(events)
        return recording
    }

    /// Plans which regions to register along the recording, when there are more than the system accepts.
    func plan(_ track: String, _ scenario: Scenario) throws -> RegionPlan {
        var plan = RegionPlan(RegionIndex(RegionCatalog(try regions(of: scenario))))
        try read(track) { try plan.take($0) }
        return plan
    }

    /// Reads the fixes of a recording, without those whose time is ahead of their neighbours.
    private func read(_ track: String, _ take: (Location) throws -> Void) throws {
        var reader = makeReader(track)
        var leaps = LeapFilter()
        try reader.run { location, _, _ in for fix in leaps.take(location) { try take(fix) } }
        for fix in leaps.finish() { try take(fix) }
        if let failure = reader.failure { throw failure.exit }
    }

    private func makeReader(_ track: String) -> InputReader {
        var input = InputArguments()
        (input.format, input.device, input.strict, input.quiet, input.files) = (
            nil, "default", false, true, [path(track)]
        )
        return InputReader(input)
    }

    /// The regions of the scenario's region files, and the circular regions of its services.
    private func regions(of scenario: Scenario) throws -> [Region] {
        var regions: [Region] = []
        if let file = scenario.regions {
            let set = RegionSet.loadAny(paths: [path(file)])
            Console.report(set.diagnostics)
            guard !set.regions.isEmpty else { throw ExitStatus.badData.exit }
            regions = set.regions
        }
        for object in scenario.services where object.service == .regionCircular || object.service == .clMonitorCircular
        {
            guard let id = object.identifier, let center = object.center, center.count == 2, let radius = object.radius,
                !regions.contains(where: { $0.id.rawValue == id })
            else { continue }
            let circle = Circle(center: Coordinate(latitude: center[0], longitude: center[1]), radius: radius)
            regions.append(Region(id: RegionID(id), shape: .circle(circle)))
        }
        return regions
    }

    /// Adds the files that a scenario names.
    func add(_ scenario: Scenario, to files: inout FilesInUse) {
        if let track = scenario.track { files.add(path(track), as: "a recording that is read") }
        if let regions = scenario.regions {
            files.add(pattern: path(regions), as: "a region file in use", of: .regions)
        }
    }

    private func path(_ path: String) -> String {
        guard !path.hasPrefix("/"), let slash = file.lastIndex(of: "/") else { return path }
        return String(file[...slash]) + path
    }
}
