/// The primary geometry column of a GeoParquet file with the column of bounding boxes that covers it.
///
/// Geometries are WKB in longitude and latitude. The boxes are of single precision and rounded outwards, so that a reader which
/// skips by them loses no row.
public struct GeometryColumn {
    /// The types of geometries that files can have.
    public enum Kind: String, Sendable {
        case point = "Point"
        case line = "LineString"
    }

    /// The name of the column with the geometries.
    public static let name = "geometry"
    /// The name of the column with the boxes.
    static let coverName = "bbox"

    private let kind: Kind
    private let isOptional: Bool
    private var geometries: BytesColumn
    private var (west, south, east, north): (Bounds, Bounds, Bounds, Bounds)
    /// The box of all rows since the begin of the file; `nil` before the first geometry.
    private var extent: (west: Double, south: Double, east: Double, north: Double)?

    private typealias Bounds = NumberColumn<Float>

    /// An empty column.
    public init(_ kind: Kind, isOptional: Bool = false) {
        (self.kind, self.isOptional) = (kind, isOptional)
        geometries = BytesColumn(isOptional: isOptional)
        (west, south) = (Bounds(isOptional: isOptional), Bounds(isOptional: isOptional))
        (east, north) = (Bounds(isOptional: isOptional), Bounds(isOptional: isOptional))
    }

    /// Appends a point.
    public mutating func append(longitude: Double, latitude: Double) {
        geometries.append(count: 21) { bytes in
            Self.writeHead(1, to: bytes)
            bytes.storeBytes(of: longitude.bitPattern.littleEndian, toByteOffset: 5, as: UInt64.self)
            bytes.storeBytes(of: latitude.bitPattern.littleEndian, toByteOffset: 13, as: UInt64.self)
        }
        cover(longitude, latitude, longitude, latitude)
    }

    /// Appends a line.
    ///
    /// - Precondition: there are at least two positions.
    public mutating func append(line: [(longitude: Double, latitude: Double)]) {
        precondition(line.count >= 2, "a line has at least two positions")
        geometries.append(count: 9 + 16 * line.count) { bytes in
            Self.writeHead(2, to: bytes)
            bytes.storeBytes(of: UInt32(line.count).littleEndian, toByteOffset: 5, as: UInt32.self)
            for (index, position) in line.enumerated() {
                let offset = 9 + 16 * index
                bytes.storeBytes(
                    of: position.longitude.bitPattern.littleEndian, toByteOffset: offset, as: UInt64.self)
                bytes.storeBytes(
                    of: position.latitude.bitPattern.littleEndian, toByteOffset: offset + 8, as: UInt64.self)
            }
        }
        let (longitudes, latitudes) = (line.map(\.longitude), line.map(\.latitude))
        cover(
            longitudes.min() ?? 0, latitudes.min() ?? 0, longitudes.max() ?? 0, latitudes.max() ?? 0)
    }

    /// Appends no geometry to an optional column.
    public mutating func appendNull() {
        geometries.append(nil)
        west.append(nil)
        south.append(nil)
        east.append(nil)
        north.append(nil)
    }

    /// Removes all rows. The extent stays, as it is that of the file.
    public mutating func removeAll() {
        geometries.removeAll()
        west.removeAll()
        south.removeAll()
        east.removeAll()
        north.removeAll()
    }

    /// How many bytes the geometries have.
    public var byteCount: Int { geometries.byteCount }

    /// The columns, in the order of the fields.
    public var columns: [any ParquetColumn] { [geometries, west, south, east, north] }

    /// The fields of both columns.
    public var fields: [ParquetField] {
        let bounds = ["xmin", "ymin", "xmax", "ymax"].map { ParquetField($0, .value(.float, nil)) }
        return [
            ParquetField(Self.name, .value(.bytes, nil), isOptional: isOptional),
            ParquetField(Self.coverName, .group(bounds), isOptional: isOptional),
        ]
    }

    /// The value of the key `geo` in the footer of the file (GeoParquet 1.1).
    ///
    /// Without `crs` the coordinates are those of OGC:CRS84: longitude and latitude on WGS 84.
    public var metadata: String {
        let cover = ["xmin", "ymin", "xmax", "ymax"].map { "\"\($0)\":[\"\(Self.coverName)\",\"\($0)\"]" }
        var column = "\"encoding\":\"WKB\",\"geometry_types\":[\(extent == nil ? "" : "\"\(kind.rawValue)\"")]"
        if let extent {
            column += ",\"bbox\":[\(extent.west),\(extent.south),\(extent.east),\(extent.north)]"
        }
        column += ",\"covering\":{\"bbox\":{\(cover.joined(separator: ","))}}"
        return "{\"version\":\"1.1.0\",\"primary_column\":\"\(Self.name)\",\"columns\":{\"\(Self.name)\":{\(column)}}}"
    }

    // MARK: - Rows

    /// The byte order and the type of WKB.
    private static func writeHead(_ type: UInt32, to bytes: UnsafeMutableRawBufferPointer) {
        bytes[0] = 1
        bytes.storeBytes(of: type.littleEndian, toByteOffset: 1, as: UInt32.self)
    }

    private mutating func cover(_ west: Double, _ south: Double, _ east: Double, _ north: Double) {
        self.west.append(Float(atMost: west))
        self.south.append(Float(atMost: south))
        self.east.append(Float(atLeast: east))
        self.north.append(Float(atLeast: north))
        guard let known = extent else {
            extent = (west, south, east, north)
            return
        }
        extent = (min(known.west, west), min(known.south, south), max(known.east, east), max(known.north, north))
    }
}

extension Float {
    fileprivate init(atMost value: Double) {
        let nearest = Float(value)
        self = Double(nearest) > value ? nearest.nextDown : nearest
    }

    fileprivate init(atLeast value: Double) {
        let nearest = Float(value)
        self = Double(nearest) < value ? nearest.nextUp : nearest
    }
}
