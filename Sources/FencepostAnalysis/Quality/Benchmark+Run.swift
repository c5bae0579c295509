import FencepostEngine
public import FencepostGEOS
public import FencepostModel
public import FencepostMonitor
import FencepostRegions

extension Benchmark {
    /// The events of the engine for the locations in the order of their delivery.
    public func events(_ settings: MonitorSettings) throws(GEOSError) -> [Event] {
        var settings = settings
        settings.staleAfter = nil
        if crossings.isEmpty == false { settings.visits = nil }
        var engine = MonitorEngine(RegionIndex(RegionCatalog(regions)), settings: settings)
        var events: [Event] = []
        for location in locations { _ = try engine.accept(location) { events.append($0) } }
        try engine.finish { events.append($0) }
        return events
    }
}
