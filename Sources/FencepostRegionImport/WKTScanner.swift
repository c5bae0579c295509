import FencepostFormats
import FencepostGeometry
import FencepostModel

/// Reads well-known text: geometries of OGC Simple Features, EWKT of PostGIS, and the circles of Traccar.
struct WKTScanner {
    /// A geometry, with the circle's radius.
    struct Found {
        var geometry: Place.Geometry
        var radius: Double?
        var line: Int
    }

    struct Failure: Error {
        var message: String
        var line: Int
    }

    private let text: [UInt8]
    private var index = 0
    private(set) var line = 1

    init(_ text: some StringProtocol) { self.text = Array(text.utf8) }

    /// Skips what is between geometries.
    ///
    /// - Returns: whether there is another one.
    mutating func findNext() -> Bool {
        while index < text.count,
            text[index] <= 0x20 || text[index] == UInt8(ascii: ";") || text[index] == UInt8(ascii: ",")
        {
            advance()
        }
        return index < text.count
    }

    /// Skips the rest of the line.
    mutating func skipLine() {
        while index < text.count, text[index] != 0x0A { advance() }
    }

    /// Reads the next geometries: the parts of a collection, or one.
    mutating func geometries() throws(Failure) -> [Found] { try geometries(depth: 0) }

    /// The depth to which collections may be nested.
    private static let depthLimit = 16

    private mutating func geometries(depth: Int) throws(Failure) -> [Found] {
        guard depth < Self.depthLimit else { throw failure("collections are nested too deep") }
        let start = line
        var word = self.word()
        if word == "SRID" {
            try expect("=")
            let number = try self.number()
            guard number == 4326 || number == 0 else {
                throw failure(
                    "the reference system EPSG:\(Int(clamped: number)) is not WGS 84: convert it, in PostGIS by ST_Transform(geom, 4326)"
                )
            }
            try expect(";")
            word = self.word()
        }
        let (type, dimensions) = Self.parts(of: word)
        word = type
        guard Self.types.contains(word) else {
            throw failure(
                word.isEmpty
                    ? "a geometry begins with its type, such as POLYGON"
                    : "\(word.prefix(40)) is no geometry that can be a region: use POINT, LINESTRING, POLYGON or their MULTI types"
            )
        }
        let suffix = dimensions ?? self.word()
        guard ["", "Z", "M", "ZM", "EMPTY"].contains(suffix) else {
            throw failure("\(suffix.prefix(40)) after \(word) is not understood")
        }
        if suffix == "EMPTY" || self.word() == "EMPTY" { return [] }
        var found: [Found] = []
        switch word {
        case "POINT":
            found = [
                Found(
                    geometry: .point(try parenthesized { scanner throws(Failure) in try scanner.position() }),
                    line: start)
            ]
        case "CIRCLE": found = [try circle(start)]
        case "MULTIPOINT":
            found = try list { scanner throws(Failure) in
                scanner.peek() == "("
                    ? try scanner.parenthesized { scanner throws(Failure) in try scanner.position() }
                    : try scanner.position()
            }.map { Found(geometry: .point($0), line: start) }
        case "LINESTRING": found = [Found(geometry: .lines([try self.linePositions()]), line: start)]
        case "MULTILINESTRING": found = [Found(geometry: .lines(try rings()), line: start)]
        case "POLYGON": found = [Found(geometry: .polygons([try rings()]), line: start)]
        case "MULTIPOLYGON":
            found = [
                Found(
                    geometry: .polygons(try list { scanner throws(Failure) in try scanner.rings() }), line: start)
            ]
        default:
            found = try list { scanner throws(Failure) in try scanner.geometries(depth: depth + 1) }.flatMap { $0 }
        }
        return found
    }

    /// A type, and the dimensions that follow it without a space: `POLYGONZ` is written too.
    private static func parts(of word: String) -> (type: String, dimensions: String?) {
        for dimensions in ["ZM", "Z", "M"] where word.hasSuffix(dimensions) {
            let type = String(word.dropLast(dimensions.count))
            if types.contains(type) { return (type, dimensions) }
        }
        return (word, nil)
    }

    private static let types: Set<String> = [
        "POINT", "MULTIPOINT", "LINESTRING", "MULTILINESTRING", "POLYGON", "MULTIPOLYGON", "GEOMETRYCOLLECTION",
        "CIRCLE",
    ]

    // MARK: Parts

    private mutating func circle(_ start: Int) throws(Failure) -> Found {
        try expect("(")
        let center = try position()
        try expect(",")
        let radius = try number()
        try expect(")")
        return Found(geometry: .point(center), radius: radius, line: start)
    }

    private mutating func rings() throws(Failure) -> [[Coordinate]] {
        try list { scanner throws(Failure) in try scanner.linePositions() }
    }

    private mutating func linePositions() throws(Failure) -> [Coordinate] {
        try list { scanner throws(Failure) in try scanner.position() }
    }

    /// The first two numbers, in their order: longitude and latitude, as OGC writes them. Others are heights and measures.
    private mutating func position() throws(Failure) -> Coordinate {
        let first = try number()
        let second = try number()
        var others = 0
        while let next = peek(), next != ",", next != ")" {
            _ = try number()
            others += 1
            guard others <= 2 else { throw failure("a position has more than four numbers") }
        }
        return Coordinate(latitude: second, longitude: first)
    }

    private mutating func parenthesized<Value>(
        _ read: (inout WKTScanner) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        try expect("(")
        let value = try read(&self)
        try expect(")")
        return value
    }

    private mutating func list<Value>(
        _ read: (inout WKTScanner) throws(Failure) -> Value
    ) throws(Failure) -> [Value] {
        try expect("(")
        var values = [try read(&self)]
        while peek() == "," {
            advance()
            values.append(try read(&self))
        }
        try expect(")")
        return values
    }

    // MARK: Characters

    private mutating func skipSpace() {
        while index < text.count, text[index] <= 0x20 { advance() }
    }

    private mutating func peek() -> Character? {
        skipSpace()
        return index < text.count ? Character(Unicode.Scalar(text[index])) : nil
    }

    private mutating func advance() {
        if text[index] == 0x0A { line += 1 }
        index += 1
    }

    private mutating func word() -> String {
        skipSpace()
        let start = index
        while index < text.count, (0x41...0x5A).contains(text[index] & 0xDF) { index += 1 }
        return String(decoding: text[start..<index], as: UTF8.self).uppercased()
    }

    private mutating func number() throws(Failure) -> Double {
        skipSpace()
        let start = index
        while index < text.count, text[index] > 0x20, !"(),;=".utf8.contains(text[index]) { index += 1 }
        guard let number = TableNumber.parse(String(decoding: text[start..<index], as: UTF8.self), decimalComma: false)
        else {
            let found = String(decoding: text[start..<min(text.count, max(index, start + 1))].prefix(40), as: UTF8.self)
            throw failure(
                found.isEmpty ? "the text ends within a geometry" : "a number is expected, but found \"\(found)\"")
        }
        return number
    }

    private mutating func expect(_ character: Character) throws(Failure) {
        guard let found = peek() else { throw failure("the text ends within a geometry: \"\(character)\" is missing") }
        guard found == character else { throw failure("\"\(character)\" is expected, but found \"\(found)\"") }
        advance()
    }

    private func failure(_ message: String) -> Failure { Failure(message: message, line: line) }
}
