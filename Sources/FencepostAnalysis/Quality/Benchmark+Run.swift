import FencepostEngine
public import FencepostGEOS
public import FencepostModel
public import FencepostMonitor
import FencepostRegions

extension Benchmark {
    /// The events of the engine for the locations in the order of their delivery.
    public func events(_ settings: MonitorSettings) throws(GEOSError) -> [Event] {
        var settings = settings
        if crossings.isEmpty == false { settings.visits = nil }
        return try Self.events(of: locations, regions, settings)
    }

    static func events(
        of locations: [Location], _ regions: [Region], _ settings: MonitorSettings
    ) throws(GEOSError) -> [Event] {
        var settings = settings
        settings.staleAfter = nil
        var engine = MonitorEngine(RegionIndex(RegionCatalog(regions)), settings: settings, holdsLeaps: true)
        var events: [Event] = []
        for location in locations { _ = try engine.accept(location) { events.append($0) } }
        try engine.finish { events.append($0) }
        return events
    }
}

extension PlainBenchmark {
    /// The crossings that the engine reports for the locations in the order of their delivery.
    public func events(_ settings: MonitorSettings) throws(GEOSError) -> [Event] {
        var settings = settings
        settings.visits = nil
        return try Benchmark.events(of: locations, regions, settings)
    }
}
