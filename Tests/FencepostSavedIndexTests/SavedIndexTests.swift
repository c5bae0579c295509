import FencepostGeometry
import FencepostModel
import FencepostRegionFiles
import FencepostRegions
import FencepostTesting
import FencepostWorkload
import Foundation
import Testing

@testable import FencepostFiles
@testable import FencepostSavedIndex

@Suite("A saved index")
struct SavedIndexTests {
    @Test("gives back every region as it was read")
    func regions() throws {
        let files = try SavedFiles()
        let set = RegionSet.load(paths: [files.regions])
        for severity in [Diagnostic.Severity.error, .warning] {
            #expect(set.diagnostics.contains { $0.severity == severity })
        }
        let saved = try files.save(set)
        #expect(saved.diagnostics == set.diagnostics)
        #expect(saved.index.catalog.count == set.regions.count)
        #expect(saved.index.catalog.regions.map(\.region) == set.regions)
        for (index, region) in set.regions.enumerated() {
            let handle = try #require(saved.index.catalog.handle(for: region.id))
            #expect(Int(handle.rawValue) == index)
            var shapeless = region
            shapeless.shape = .polygons(MultiPolygon([]))
            #expect(Array(saved.index.catalog.regionsWithoutShapes)[index].region == shapeless)
        }
        #expect(saved.index.catalog.handle(for: RegionID("nowhere")) == nil)
    }

    @Test("answers every query as the index that was built", arguments: 1...6 as ClosedRange<UInt64>)
    func queries(seed: UInt64) throws {
        let files = try SavedFiles()
        var set = RegionSet.load(paths: [files.regions])
        set.regions += City(share: 0.01).regions(200, seed: seed)
        let built = RegionIndex(set.catalog)
        let saved = try files.save(set).index
        var a = RegionQuery(built)
        var b = RegionQuery(saved)
        var random = SplitMix64(seed: seed)
        let points = QueryPoints(set.regions, &random)
        for point in points.all {
            #expect(try a.covering(point) == b.covering(point))
            var (near, alsoNear): ([Proximity], [Proximity]) = ([], [])
            try a.near(point, within: 60, into: &near)
            try b.near(point, within: 60, into: &alsoNear)
            #expect(near == alsoNear)
            #expect(a.safeRegion(around: point, searchRadius: 5) == b.safeRegion(around: point, searchRadius: 5))
        }
        var (together, alsoTogether) = (Coverings(), Coverings())
        try a.covering(points.all, into: &together)
        try b.covering(points.all, into: &alsoTogether)
        #expect(together.handles == alsoTogether.handles)
        for (start, end) in zip(points.all, points.all.dropFirst()).prefix(50) {
            #expect(try a.passThroughs(from: start, to: end) == b.passThroughs(from: start, to: end))
        }
    }

    @Test("can be changed like any other")
    func changes() throws {
        let files = try SavedFiles()
        let set = RegionSet.load(paths: [files.regions])
        let saved = try files.save(set).index
        var catalog = saved.catalog
        var moved = try #require(set.regions.first)
        moved.shape = .circle(Circle(center: Coordinate(latitude: -40, longitude: -70), radius: 10))
        let last = try #require(set.regions.last)
        catalog.update([moved], removing: [last.id])
        let handles = [moved.id, last.id].compactMap { catalog.handle(for: $0) }
        var query = RegionQuery(saved.updated(to: catalog, changed: handles))
        #expect(try query.covering(Coordinate(latitude: -40, longitude: -70)) == [handles[0]])
        #expect(catalog.count == set.regions.count - 1 && catalog.handleCount == set.regions.count)
        #expect(catalog.regions.map(\.region) == [moved] + set.regions.dropFirst().dropLast())
    }

    @Test("is outdated when a region file has another content, and only then")
    func staleness() throws {
        let files = try SavedFiles()
        let saved = try files.save(RegionSet.load(paths: [files.regions]))
        try saved.check(paths: [files.regions], options: RegionOptions())
        // The same content under another name.
        try FileManager.default.copyItem(atPath: files.regions, toPath: files.path("copy.geojson"))
        try saved.check(paths: [files.path("copy.geojson")], options: RegionOptions())
        func refusal(_ paths: [String], _ options: RegionOptions = RegionOptions()) -> SavedIndexError.Code? {
            do throws(SavedIndexError) {
                try saved.check(paths: paths, options: options)
                return nil
            } catch {
                return error.code
            }
        }
        #expect(refusal([files.regions], RegionOptions(repair: true)) == .outdated)
        #expect(refusal([files.regions], RegionOptions(idProperty: "name")) == .outdated)
        #expect(refusal([files.path("missing.geojson")]) == .outdated)
        #expect(refusal([files.regions, files.path("copy.geojson")]) == .outdated)
        var bytes = try Data(contentsOf: URL(filePath: files.regions))
        let index = try #require(bytes.firstIndex(of: UInt8(ascii: "A")))
        bytes[index] = UInt8(ascii: "B")
        try bytes.write(to: URL(filePath: files.regions))
        #expect(refusal([files.regions]) == .outdated)
    }

    @Test("is not written when a region file changes while it is read")
    func changeWhileReading() throws {
        let files = try SavedFiles()
        let set = RegionSet.load(paths: [files.regions])
        let sources = [try #require(RegionSourceFile(files.regions))]
        try Data("{}".utf8).write(to: URL(filePath: files.regions))
        #expect(throws: SavedIndexError.self) {
            try SavedIndex.write(
                set, RegionIndex(set.catalog), sources: sources, options: RegionOptions(),
                to: OutputFile(files.path("a.index")))
        }
        #expect(!FileManager.default.fileExists(atPath: files.path("a.index")))
    }

    @Test("of no regions has none")
    func none() throws {
        let files = try SavedFiles()
        let saved = try files.save(RegionSet())
        var query = RegionQuery(saved.index)
        #expect(saved.index.catalog.count == 0)
        #expect(try query.covering(Coordinate(latitude: 0, longitude: 0)) == [])
    }
}
