import FencepostAnalysis
import FencepostEngine
import FencepostFormats
import FencepostGeometry
import FencepostModel
import FencepostMonitor
import FencepostRegionFiles
import FencepostRegions
import FencepostSimulator
import Foundation

/// Turns the recording that a scenario names into events of the scenario.
struct ScenarioTrack {
    /// The scenario's file, which its paths are relative to.
    let file: String

    /// What was played: the fixes that were taken and the regions that they were held against.
    struct Recording {
        var locations: [Location] = []
        var regions: [Region] = []
    }

    /// Runs the recording through the monitor, as Core Location would see it, and puts its events among the steps.
    ///
    /// - Parameter keepsFixes: whether the fixes are wanted once they are played, which takes memory for each.
    /// - Throws: an exit status when the recording cannot be read; it has said why.
    func play(_ track: String, into scenario: inout Scenario, keepsFixes: Bool) throws -> Recording {
        let services = scenario.services
        var settings = MonitorSettings()
        settings.crossing = .coreLocation
        var recording = Recording(regions: try regions(of: scenario))
        var engine = MonitorEngine(RegionIndex(RegionCatalog(recording.regions)), settings: settings)
        var events: [ServiceEvent] = []
        func take(_ event: Event) { events += ServiceEvent.events(of: event, for: services) }
        var pump = pump(track)
        var moves = MoveDetector()
        try pump.run { location, _, _ in
            if keepsFixes { recording.locations.append(location) }
            if services.contains(where: { $0.service == .significantChange }), let move = moves.take(location) {
                events.append(move)
            }
            _ = try engine.accept(location, emit: take)
        }
        try engine.finish(emit: take)
        if let failure = pump.failure { throw failure.exit }
        scenario.insert(events)
        return recording
    }

    /// Plans what to register along the recording, where there are more regions than the system takes.
    func plan(_ track: String, _ scenario: Scenario) throws -> RegionPlan {
        var plan = RegionPlan(RegionIndex(RegionCatalog(try regions(of: scenario))))
        var pump = pump(track)
        try pump.run { location, _, _ in try plan.take(location) }
        if let failure = pump.failure { throw failure.exit }
        return plan
    }

    private func pump(_ track: String) -> LocationPump {
        var input = InputArguments()
        (input.format, input.device, input.strict, input.quiet, input.files) = (
            nil, "default", false, true, [path(track)]
        )
        return LocationPump(input)
    }

    /// The regions of the scenario's region files, and the circles of its services.
    private func regions(of scenario: Scenario) throws -> [Region] {
        var regions: [Region] = []
        if let file = scenario.regions {
            let set = RegionSet.load(paths: [path(file)])
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

    private func path(_ path: String) -> String {
        guard !path.hasPrefix("/"), let slash = file.lastIndex(of: "/") else { return path }
        return String(file[...slash]) + path
    }
}
