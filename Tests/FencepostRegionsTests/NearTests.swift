import FencepostGeometry
import FencepostModel
import FencepostRegions
import FencepostTesting
import FencepostWorkload
import Testing

@Suite("Distances to known regions") struct NearTests {
    /// Regions of all kinds: polygons that overlap, circles, corridors, and polygons of several parts.
    private func regions(_ city: City) -> [Region] {
        let polygons = city.regions(200, seed: 1)
        return polygons.enumerated().map { number, region in
            guard case .polygons(let shape) = region.shape,
                let center = shape.polygons.first?.exterior.coordinates.first
            else { return region }
            var region = region
            switch number % 8 {
            case 0: region.shape = .circle(Circle(center: center, radius: Double(10 + number)))
            case 1: region.shape = .corridor(Corridor(lines: [shape.polygons[0].exterior.coordinates], width: 30))
            case 2:
                if case .polygons(let other) = polygons[(number + 50) % polygons.count].shape {
                    region.shape = .polygons(MultiPolygon(shape.polygons + other.polygons))
                }
            default: break
            }
            return region
        }
    }

    @Test("are those of a search", arguments: [10.0, 75, 150, 800])
    func search(radius: Double) throws {
        let city = City(share: 0.01)
        let catalog = RegionCatalog(regions(city))
        var index = RegionIndex(catalog)
        // Some regions are in the second layer of the index.
        var changed = catalog
        let replaced = [3, 8, 9, 10].map { RegionHandle($0) }
        changed.update(replaced.compactMap { catalog[$0] })
        for step in 0..<2 {
            if step == 1 { index = index.updated(to: changed, changed: replaced) }
            var query = RegionQuery(index)
            var fleet = CityFleet(city, devices: 300, seed: 2)
            let all = catalog.regions.map(\.handle)
            for _ in 0..<500 {
                let position = fleet.fix().coordinate
                var (found, known): ([Proximity], [Proximity]) = ([], [])
                try query.near(position, within: radius, into: &found)
                let covering = try query.covering(position)
                try query.near(
                    LocalPlane(origin: position), within: radius, among: all, containing: covering, into: &known)
                #expect(known == found)
                #expect(found.filter(\.covers).map(\.region) == covering)
            }
        }
    }
}
