import FencepostEngine
import FencepostFormats
import FencepostJSON
import FencepostModel
import FencepostMonitor
import FencepostRegions
import FencepostTesting
import FencepostWorkload
import Foundation
import Testing

/// A file watched among so many regions that they are loaded ahead of the locations, against one location after the other
/// without shortcuts.
@Suite("A file watched in a city full of regions") struct CityWatchTests {
    @Test("has the same events, for each mode and with changed regions", arguments: [CrossingMode.raw, .confirmed])
    func sameEvents(mode: CrossingMode) throws {
        let regions = City().regions(24_000, seed: 5)
        var catalog = RegionCatalog(regions)
        // A region without a record of its own in the index, and one that is gone.
        let before = RegionIndex(catalog)
        let changed = try [7, 9].map { try #require(catalog.handle(for: regions[$0].id)) }
        catalog.update([Region(id: regions[7].id, shape: regions[8].shape)], removing: [regions[9].id])
        let index = before.updated(to: catalog, changed: changed)
        try #require(index.byteCount > 32 << 20)
        var settings = MonitorSettings()
        (settings.crossing, settings.visits) = (mode, nil)

        var fleet = CityFleet(City(), devices: 200, seed: 3)
        let locations = (0..<8000).map { _ in fleet.fix() }
        var writer = JSONWriter()
        for location in locations {
            writer.value(location)
            writer.newline()
        }
        let path = FileManager.default.temporaryDirectory.appending(path: "city-\(UUID()).ndjson")
        try Data(writer.bytes).write(to: path)
        defer { try? FileManager.default.removeItem(at: path) }

        var options = FileWatch.Options(
            index, settings: settings, rules: FixRules(defaultDevice: DeviceID("default")))
        options.format = .ndjson
        let watch = FileWatch([.success(try #require(try LineFile.find(path: path.path, format: .ndjson)))], options)
        var watched = EventEncoder(.ndjson)
        try watch.run { report in
            report.write(to: &watched) { _ in }
            return true
        }
        for event in try watch.finish() { watched.encode(event, explains: false) }

        var engine = MonitorEngine(index, settings: settings, isThorough: true)
        var expected = EventEncoder(.ndjson)
        for location in locations {
            _ = try engine.accept(location) { expected.encode($0, explains: false) }
        }
        try engine.finish { expected.encode($0, explains: false) }
        let (bytes, wanted) = (watched.takeBytes(), expected.takeBytes())
        #expect(wanted.count > 500_000)
        #expect(bytes == wanted, "\(mode)")
    }
}
