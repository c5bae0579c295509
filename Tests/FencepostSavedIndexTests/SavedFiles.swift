import FencepostFiles
import FencepostGeometry
import FencepostModel
import FencepostRegionFiles
import FencepostRegions
import FencepostSavedIndex
import Foundation

/// A folder with a file of regions of all kinds, which is removed with the object.
final class SavedFiles {
    private let folder: URL
    let regions: String

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "saved-index-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        regions = folder.appending(path: "regions.geojson").path
        try Data(Self.text.utf8).write(to: URL(filePath: regions))
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    func path(_ name: String) -> String { folder.appending(path: name).path }

    /// Writes the regions with their index, and opens the file.
    func save(_ set: RegionSet) throws -> SavedIndex {
        let path = path("\(UUID()).index")
        try SavedIndex.write(
            set, RegionIndex(set.catalog), sources: [RegionSourceFile(regions)].compactMap { $0 },
            options: RegionOptions(), to: OutputFile(path))
        return try SavedIndex(path: path)
    }

    /// The bytes of a saved index of the regions and some more.
    func bytes(_ more: [Region] = []) throws -> [UInt8] {
        var set = RegionSet.load(paths: [regions])
        set.regions += more
        let path = path("\(UUID()).index")
        try SavedIndex.write(set, RegionIndex(set.catalog), sources: [], options: RegionOptions(), to: OutputFile(path))
        return Array(try Data(contentsOf: URL(filePath: path)))
    }

    /// Every property, every shape, an invalid region and a misspelt property.
    private static let text = """
        {"type": "FeatureCollection", "features": [
        {"type": "Feature", "id": "A", "properties": {"name": "Area", "tags": ["a", "Ä 2"], "dwell": ["PT5M", 90.5],
          "notifyOnEntry": false, "initialState": "silent", "crossing": "coreLocation", "metadata": {"k": [1, null]},
          "color": "red", "nmae": 3},
         "geometry": {"type": "Polygon", "coordinates": [[[0, 0], [1, 0], [1, 1], [0, 1], [0, 0]],
           [[0.4, 0.4], [0.6, 0.4], [0.5, 0.6], [0.4, 0.4]]]}},
        {"type": "Feature", "id": 7, "properties": {"radius": 250, "notifyOnExit": false, "minAltitude": -3.5,
          "maxAltitude": 120, "expires": "2030-01-01T00:00:00Z", "speedLimit": "50 mph", "width": 3},
         "geometry": {"type": "Point", "coordinates": [0.2, 0.3]}},
        {"type": "Feature", "id": "corridor", "properties": {"width": 60.25, "devices": ["van-*", "jane/?"],
          "crossing": "raw", "schedule": {"timeZone": "Europe/Lisbon", "weekly": ["Mon-Fri 08:00-18:30", "Sat 22:00-02:00"],
          "except": ["2026-12-25"]}},
         "geometry": {"type": "MultiLineString", "coordinates": [[[0.1, 0.1], [0.2, 0.15], [0.3, 0.1]], [[0.5, 0.1],
           [0.6, 0.2]]]}},
        {"type": "Feature", "id": "islands", "properties": {"crossing": "confirmed"},
         "geometry": {"type": "MultiPolygon", "coordinates": [[[[179, -17], [-179, -17], [-179, -16], [179, -16],
           [179, -17]]], [[[2, 2], [3, 2], [3, 3], [2, 2]]]]}},
        {"type": "Feature", "id": "bow", "properties": null,
         "geometry": {"type": "Polygon", "coordinates": [[[5, 5], [6, 6], [6, 5], [5, 6], [5, 5]]]}},
        {"type": "Feature", "id": "\\u00e9tude", "properties": {"speedLimit": 30},
         "geometry": {"type": "LineString", "coordinates": [[179.9, 10], [-179.9, 10.1]]}},
        {"type": "Feature", "id": "wide", "properties": {},
         "geometry": {"type": "Polygon", "coordinates": [[\(ring)]]}}
        ]}
        """

    /// A ring of so many edges that it has a hierarchy of boxes.
    private static var ring: String {
        let corners = (0..<400).map { corner in
            let (angle, radius) = (Double(corner) * .pi / 200, corner % 2 == 0 ? 0.5 : 0.45)
            return "[\(10 + radius * cos(angle)), \(20 + radius * sin(angle))]"
        }
        return (corners + [corners[0]]).joined(separator: ",")
    }
}

/// Points in, on and near the boundaries of regions.
struct QueryPoints {
    private(set) var all: [Coordinate] = []

    init(_ regions: [Region], _ random: inout SplitMix64) {
        var vertices: [Coordinate] = []
        for region in regions {
            switch region.shape {
            case .polygons(let shape):
                vertices += shape.polygons.flatMap { $0.rings.flatMap { $0.coordinates.prefix(30) } }
            case .circle(let circle): vertices.append(circle.center)
            case .corridor(let corridor): vertices += corridor.lines.joined()
            }
        }
        for vertex in vertices {
            all.append(vertex)
            let size = [1e-9, 1e-5, 1e-3, 0.1][Int(random.next() % 4)]
            all.append(
                Coordinate(
                    latitude: min(max(vertex.latitude + (random.unit() - 0.5) * size, -90), 90),
                    longitude: vertex.longitude + (random.unit() - 0.5) * size
                ).wrapped)
        }
        all.append(Coordinate(latitude: 89.9, longitude: 12))
    }
}
