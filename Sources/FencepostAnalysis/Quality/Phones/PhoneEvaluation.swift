import FencepostEngine
public import FencepostGEOS
public import FencepostModel
public import FencepostMonitor
import FencepostRegions

/// What Fencepost makes of recorded fixes, real or generated, as `fencepost watch` and `fencepost trips` do.
public enum PhoneEvaluation {
    /// The events of recorded fixes.
    ///
    /// - Parameters:
    ///   - fixes: of any number of devices, in the order of their arrival.
    ///   - regions: the regions to watch.
    ///   - settings: the settings of the monitor.
    /// - Returns: the events of each device in the order of their detection.
    /// - Throws: when GEOS fails on a region.
    public static func events(
        of fixes: some Sequence<Location>, _ regions: [Region], _ settings: MonitorSettings
    ) throws(GEOSError) -> [Event] {
        var engine = MonitorEngine(RegionIndex(RegionCatalog(regions)), settings: settings, holdsLeaps: true)
        var events: [Event] = []
        for fix in fixes { _ = try engine.accept(fix) { events.append($0) } }
        try engine.finish { events.append($0) }
        return events
    }

    /// The visits of each device in the order of their detection, as stays. Each is as its last event says.
    public static func stays(
        of cases: [PhoneCase], _ settings: MonitorSettings = MonitorSettings()
    ) throws(GEOSError) -> [DeviceID: [PhoneStay]] {
        var stays: [DeviceID: [PhoneStay]] = [:]
        var numbers: [String: Int] = [:]
        for event in try events(of: cases.lazy.flatMap(\.fixes), [], settings) {
            guard let visit = event.occurrence.visit else { continue }
            let stay = PhoneStay(start: visit.arrival, end: visit.departure)
            if let number = numbers[visit.id] {
                stays[event.deviceID]?[number] = stay
            } else {
                numbers[visit.id] = stays[event.deviceID, default: []].count
                stays[event.deviceID, default: []].append(stay)
            }
        }
        return stays
    }

    /// The trips of the fixes of one device, which are in the order of time.
    public static func trips(
        of fixes: [Location], _ settings: MonitorSettings = MonitorSettings()
    ) throws(GEOSError) -> [Trip] {
        guard let device = fixes.first?.deviceID else { return [] }
        var engine = MonitorEngine(RegionIndex(RegionCatalog([])), settings: settings)
        var recorder = DeviceRecorder(device: device)
        var leaps = LeapFilter()
        func evaluate(_ fixes: [Location]) throws(GEOSError) {
            for fix in fixes {
                let verdict = try engine.accept(fix) { recorder.add($0) }
                if verdict == .accepted { recorder.add(fix) }
            }
        }
        for fix in fixes { try evaluate(leaps.take(fix)) }
        try evaluate(leaps.finish())
        try engine.finish { recorder.add($0) }
        return recorder.finish().trips
    }
}
