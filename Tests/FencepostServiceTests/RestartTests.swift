import FencepostFormats
import FencepostModel
import FencepostMonitor
import FencepostRegionFiles
import FencepostRegions
import Foundation
import Testing

@Suite("Restarting") struct RestartTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    private static func sampleDay() throws -> [Location] {
        var reader = LocationReader(try ByteSource(path: root.appending(path: "Regions/tracks/day.ndjson").path))
        var locations: [Location] = []
        while let records = try reader.next() {
            for case .location(let location, _) in records { locations.append(location) }
        }
        return locations
    }

    /// The events of one device, whose monitor is put away as JSON and restored after every fix, or is not.
    private func events(
        _ fixes: [Location], _ index: RegionIndex, _ settings: MonitorSettings, restarting: Bool
    ) throws -> [Event] {
        var monitor = DeviceMonitor(deviceID: fixes[0].deviceID, settings: settings)
        var query = RegionQuery(index)
        var proximities: [Proximity] = []
        var events: [Event] = []
        for fix in fixes {
            try query.near(fix.coordinate, within: 1000, into: &proximities)
            events += monitor.handle(.located(fix, proximities), WatchRules(index.catalog, settings))
            if restarting {
                let data = try JSONEncoder().encode(monitor.snapshot(in: index.catalog))
                let snapshot = try JSONDecoder().decode(DeviceMonitor.Snapshot.self, from: data)
                monitor = DeviceMonitor(snapshot, in: index.catalog, settings: settings)
            }
        }
        return events
    }

    @Test("after every fix changes no event of the sample day", arguments: CrossingMode.allCases)
    func changesNothing(crossing: CrossingMode) throws {
        let day = try Self.sampleDay()
        let regions = RegionSet.load(paths: [Self.root.appending(path: "Regions").path])
        let index = RegionIndex(regions.catalog)
        var settings = MonitorSettings()
        settings.crossing = crossing
        for (device, fixes) in Dictionary(grouping: day, by: \.deviceID) {
            let through = try events(fixes, index, settings, restarting: false)
            #expect(try events(fixes, index, settings, restarting: true) == through, "\(device)")
            #expect(!through.isEmpty)
        }
    }
}
