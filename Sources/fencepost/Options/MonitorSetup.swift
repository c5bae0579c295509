import FencepostModel
import FencepostRegions
import FencepostService
import Foundation

/// The settings and regions of a command.
struct MonitorSetup {
    var configuration = Configuration()
    var catalog = RegionCatalog()
    /// The index from a file, over `catalog`; `nil` if it has to be built.
    var savedIndex: RegionIndex?

    var index: RegionIndex { savedIndex ?? RegionIndex(catalog) }
}

extension MonitorSetup {
    /// Names of the regions that have one besides their id.
    var regionNames: [RegionID: String] {
        let named = catalog.regionsWithoutShapes.lazy.compactMap { _, region in
            region.name.map { (region.id, $0) }
        }
        return Dictionary(named) { first, _ in first }
    }

    /// The zone of the variable `TZ`, or else the configuration's, or else that of all schedules, or else the machine's.
    var commonTimeZone: TimeZone {
        if let name = ProcessInfo.processInfo.environment["TZ"], !name.isEmpty { return .current }
        if let zone = configuration.timeZone { return zone }
        let zones = Set(catalog.regionsWithoutShapes.lazy.compactMap { $0.region.schedule?.timeZone })
        return zones.count == 1 ? zones.first ?? .current : .current
    }
}
