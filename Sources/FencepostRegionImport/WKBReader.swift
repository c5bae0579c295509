import FencepostGeometry

/// Reads well-known binary: ISO WKB and EWKB of PostGIS.
struct WKBReader {
    struct Failure: Error { var message: String }

    private let bytes: [UInt8]
    private var index = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The bytes of hexadecimal digits; `nil` for another text.
    static func bytes(hex text: some StringProtocol) -> [UInt8]? {
        let digits = Array(text.utf8)
        guard digits.count.isMultiple(of: 2), !digits.isEmpty else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(digits.count / 2)
        func value(_ digit: UInt8) -> UInt8? {
            switch digit {
            case 0x30...0x39: digit - 0x30
            case 0x41...0x46: digit - 0x37
            case 0x61...0x66: digit - 0x57
            default: nil
            }
        }
        for offset in stride(from: 0, to: digits.count, by: 2) {
            guard let high = value(digits[offset]), let low = value(digits[offset + 1]) else { return nil }
            bytes.append(high << 4 | low)
        }
        return bytes
    }

    /// Whether every byte was read.
    var isAtEnd: Bool { index >= bytes.count }

    /// Reads the next geometry: one, or the parts of a collection.
    mutating func geometries(depth: Int = 0) throws(Failure) -> [Place.Geometry] {
        guard depth < 16 else { throw Failure(message: "collections are nested too deep") }
        let (type, isBig, dimensions) = try header()
        switch type {
        case 1: return [.point(try position(isBig, dimensions))]
        case 2: return [.lines([try positions(isBig, dimensions)])]
        case 3: return [.polygons([try rings(isBig, dimensions)])]
        case 4, 5, 6, 7:
            var parts: [Place.Geometry] = []
            for _ in 0..<(try count(isBig, atLeast: 5)) { parts += try geometries(depth: depth + 1) }
            return type == 5 || type == 6 ? Self.joined(parts) : parts
        default: throw Failure(message: "the geometry has the type \(type), which cannot be a region")
        }
    }

    private static func joined(_ parts: [Place.Geometry]) -> [Place.Geometry] {
        var lines: [[Coordinate]] = []
        var polygons: [[[Coordinate]]] = []
        for part in parts {
            switch part {
            case .lines(let more): lines += more
            case .polygons(let more): polygons += more
            case .point, .json: break
            }
        }
        return (lines.isEmpty ? [] : [.lines(lines)]) + (polygons.isEmpty ? [] : [.polygons(polygons)])
    }

    /// The type without flags, the order of bytes, and the numbers of a position.
    private mutating func header() throws(Failure) -> (type: UInt32, isBig: Bool, dimensions: Int) {
        guard index < bytes.count, bytes[index] <= 1 else { throw Failure(message: "this is not well-known binary") }
        let isBig = bytes[index] == 0
        index += 1
        let number = try integer(isBig)
        var dimensions = 2 + (number & 0x8000_0000 != 0 ? 1 : 0) + (number & 0x4000_0000 != 0 ? 1 : 0)
        let plain = number & 0x0FFF_FFFF
        switch plain / 1000 {
        case 1, 2: dimensions = 3
        case 3: dimensions = 4
        default: break
        }
        if number & 0x2000_0000 != 0 {
            let system = try integer(isBig)
            guard system == 4326 || system == 0 else {
                throw Failure(
                    message:
                        "the reference system EPSG:\(system) is not WGS 84: convert it, in PostGIS by ST_Transform(geom, 4326)"
                )
            }
        }
        return (plain % 1000, isBig, dimensions)
    }

    private mutating func rings(_ isBig: Bool, _ dimensions: Int) throws(Failure) -> [[Coordinate]] {
        var rings: [[Coordinate]] = []
        for _ in 0..<(try count(isBig, atLeast: 4)) { rings.append(try positions(isBig, dimensions)) }
        return rings
    }

    private mutating func positions(_ isBig: Bool, _ dimensions: Int) throws(Failure) -> [Coordinate] {
        var positions: [Coordinate] = []
        for _ in 0..<(try count(isBig, atLeast: 8 * dimensions)) { positions.append(try position(isBig, dimensions)) }
        return positions
    }

    private mutating func position(_ isBig: Bool, _ dimensions: Int) throws(Failure) -> Coordinate {
        let longitude = try double(isBig)
        let latitude = try double(isBig)
        for _ in 2..<max(2, dimensions) { _ = try double(isBig) }
        return Coordinate(latitude: latitude, longitude: longitude)
    }

    /// A number of parts, each of which has at least so many bytes.
    private mutating func count(_ isBig: Bool, atLeast size: Int) throws(Failure) -> Int {
        let count = Int(try integer(isBig))
        guard count <= (bytes.count - index) / size else { throw Failure(message: "the geometry is cut off") }
        return count
    }

    private mutating func integer(_ isBig: Bool) throws(Failure) -> UInt32 {
        UInt32(truncatingIfNeeded: try word(4, isBig))
    }

    private mutating func double(_ isBig: Bool) throws(Failure) -> Double {
        Double(bitPattern: try word(8, isBig))
    }

    private mutating func word(_ size: Int, _ isBig: Bool) throws(Failure) -> UInt64 {
        guard bytes.count - index >= size else { throw Failure(message: "the geometry is cut off") }
        let part = bytes[index..<index + size]
        index += size
        var value: UInt64 = 0
        for byte in isBig ? Array(part) : part.reversed() { value = value << 8 | UInt64(byte) }
        return value
    }
}
