public import FencepostGEOS
public import FencepostModel
public import FencepostMonitor

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
        return try PhoneEvaluation.events(of: locations, regions, settings)
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
