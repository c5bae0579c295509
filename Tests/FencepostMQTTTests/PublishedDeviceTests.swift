import FencepostGeometry
import FencepostJSON
import FencepostModel
import Testing

@testable import FencepostMQTT

@Suite("The place of a device") struct PublishedDeviceTests {
    private static func circle(_ id: String, _ name: String?, _ radius: Double, tags: [String] = []) -> PublishedRegion
    {
        var region = Region(
            id: RegionID(id), shape: .circle(Circle(center: Coordinate(latitude: 1, longitude: 2), radius: radius)))
        (region.name, region.tags) = (name, tags)
        return PublishedRegion(region)
    }

    private static func zone(_ regions: PublishedRegion...) -> String {
        PublishedDevice(
            id: DeviceID("a"), name: "A", location: nil, regions: regions, visit: nil, isStale: false
        ).zone
    }

    @Test("is the smallest region, and the first id of equal ones")
    func smallest() {
        #expect(Self.zone(Self.circle("a", "Town", 900), Self.circle("b", "Office", 100)) == "Office")
        #expect(Self.zone(Self.circle("b", "Second", 100), Self.circle("a", "First", 100)) == "First")
        #expect(Self.zone() == "not_home")
    }

    @Test("is home in a region with that name, id or tag, however small the others are")
    func home() {
        for home in [
            Self.circle("x", "HOME", 500), Self.circle("home", "Zuhause", 500),
            Self.circle("y", "Zuhause", 500, tags: ["Home"]),
        ] {
            #expect(Self.zone(Self.circle("a", "Room", 5), home) == "home")
        }
        #expect(Self.zone(Self.circle("x", "Home office", 50)) == "Home office")
    }

    @Test("has an id for a blank name, and at most 255 code points")
    func names() {
        #expect(Self.zone(Self.circle("a", " ", 5)) == "a")
        let long = Self.zone(Self.circle("a", String(repeating: "e\u{301}", count: 300), 5))
        #expect(long.unicodeScalars.count == 255 && long.hasSuffix("…"))
        let fits = String(repeating: "x", count: 255)
        #expect(Self.zone(Self.circle("a", fits, 5)) == fits)
    }

    @Test("compares the areas of all shapes")
    func areas() {
        func ring(_ size: Double) -> LinearRing {
            LinearRing(
                [(0.0, 0.0), (0, size), (size, size), (size, 0), (0, 0)].map {
                    Coordinate(latitude: 48 + $0.0, longitude: 16 + $0.1)
                })
        }
        let square = Shape.polygons(MultiPolygon([Polygon(exterior: ring(0.01))])).area
        #expect(abs(square / (1113.2 * cosine48 * 1111.9) - 1) < 0.01)
        let frame = Shape.polygons(MultiPolygon([Polygon(exterior: ring(0.01), interiors: [ring(0.005)])])).area
        #expect(abs(frame / square - 0.75) < 0.001)
        #expect(
            abs(Shape.circle(Circle(center: Coordinate(latitude: 48, longitude: 16), radius: 10)).area - 314.16) < 0.1)
        let line = [Coordinate(latitude: 48, longitude: 16), Coordinate(latitude: 48.01, longitude: 16)]
        let corridor = Shape.corridor(Corridor(lines: [line], width: 20)).area
        #expect(abs(corridor - (1111.9 * 20 + 314.16)) < 200)
    }

    private let cosine48 = 0.66913
}
