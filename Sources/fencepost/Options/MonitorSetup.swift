import FencepostModel
import FencepostRegionFiles
import FencepostRegions
import FencepostService
import Foundation

/// The settings and regions of a command.
struct MonitorSetup {
    var configuration = Configuration()
    var regions = RegionSet()

    var index: RegionIndex { RegionIndex(regions.catalog) }
}

extension MonitorSetup {
    /// Names of the regions that have one besides their id.
    var regionNames: [RegionID: String] {
        Dictionary(regions.regions.compactMap { region in region.name.map { (region.id, $0) } }) { first, _ in first }
    }

    /// The zone of the variable `TZ`, or else that of all schedules, or else the machine's.
    var commonTimeZone: TimeZone {
        if let name = ProcessInfo.processInfo.environment["TZ"], !name.isEmpty { return .current }
        let zones = Set(regions.regions.compactMap { $0.schedule?.timeZone })
        return zones.count == 1 ? zones.first ?? .current : .current
    }
}
