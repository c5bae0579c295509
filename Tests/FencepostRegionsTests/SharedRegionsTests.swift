import FencepostGeometry
import FencepostModel
import FencepostRegionFiles
import FencepostRegions
import FencepostTesting
import Foundation
import Testing

/// Real regions of the shared data, if it is present.
@Suite("Real region files", .enabled(if: SharedData.isPresent, "the shared data is missing"))
struct SharedRegionsTests {
    static let counts = [
        "antimeridian": 21, "circles": 855, "kr-seoul-districts": 25, "kr-seoul-neighbourhoods": 423,
        "nyc-boroughs": 5, "nyc-taxi-zones": 263, "nyc-tracts-manhattan": 288, "osm-helsinki-buildings": 479,
        "osm-helsinki-places": 61, "osm-monaco-places": 325, "world-countries-50m": 241,
    ]

    @Test("load without an error", arguments: counts.keys.sorted())
    func loads(name: String) {
        let set = RegionSet.load(paths: [SharedData.file("regions/\(name).geojson").path])
        #expect(set.diagnostics.map(\.description) == [])
        #expect(set.regions.count == Self.counts[name])
    }

    @Test("load as a folder, which gives the same regions as its files")
    func folder() {
        let set = RegionSet.load(paths: [SharedData.file("regions").path])
        #expect(set.regions.count == Self.counts.values.reduce(0, +))
        #expect(!set.hasErrors)
    }

    /// The files contain each country three times; the two forms without a split are simplified slightly more.
    @Test(
        "contain the same points in every notation across the antimeridian",
        arguments: ["fji", "rus", "usa", "kir", "nzl"])
    func forms(country: String) throws {
        let catalog = RegionSet.load(paths: [SharedData.file("regions/antimeridian.geojson").path]).catalog
        let split = try #require(catalog.handle(for: RegionID("am-\(country)-split")))
        let over = try #require(catalog.handle(for: RegionID("am-\(country)-over180")))
        let wrapped = try #require(catalog.handle(for: RegionID("am-\(country)-wrapped")))
        guard case .polygons(let shape)? = catalog[split]?.shape else { return }
        var query = RegionQuery(RegionIndex(catalog))
        var random = SeededGenerator(seed: 7)
        var inside = 0
        for polygon in shape.polygons {
            guard let box = Envelope(of: polygon.exterior.coordinates) else { continue }
            for _ in 0..<200 {
                let point = Coordinate(
                    latitude: .random(in: box.south...box.north, using: &random),
                    longitude: .random(in: box.west...box.east, using: &random))
                let found = try query.covering(point)
                // Positions at the split are rounded to four decimals.
                if try distance(to: over, from: point, &query) > 15 {
                    #expect(found.contains(over) == found.contains(wrapped), "\(point)")
                }
                if try distance(to: split, from: point, &query) > 1500 {
                    #expect(found.contains(split) == found.contains(over), "\(point)")
                    inside += found.contains(split) ? 1 : 0
                }
            }
        }
        #expect(inside > 50)
    }

    private func distance(
        to handle: RegionHandle, from point: Coordinate, _ query: inout RegionQuery
    ) throws -> Double {
        var near: [Proximity] = []
        try query.near(point, within: 1500, into: &near)
        return abs(near.first { $0.region == handle }?.signedDistance ?? .infinity)
    }

    @Test("contain Antarctica up to the pole")
    func antarctica() throws {
        let catalog = RegionSet.load(paths: [SharedData.file("regions/antimeridian.geojson").path]).catalog
        let handle = try #require(catalog.handle(for: RegionID("am-ata-split")))
        var query = RegionQuery(RegionIndex(catalog))
        for longitude in stride(from: -180.0, through: 180, by: 15) {
            // The file itself ends 120 m from the pole.
            for latitude in [-89.99, -89.9, -86] {
                #expect(try query.covering(Coordinate(latitude: latitude, longitude: longitude)).contains(handle))
            }
        }
    }
}
