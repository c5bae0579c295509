import FencepostGeometry
import FencepostJSON
public import FencepostModel
import FencepostRegionFiles

/// Real places as polygons, and which leg of a log begins, ends or is at which.
public struct PhonePlaces: Sendable {
    /// A leg that begins, ends or is at a place.
    struct Mark: Hashable, Sendable {
        enum Part: String, CaseIterable {
            /// The whole leg is at the place.
            case whole = "loc"
            case start = "start_loc"
            case end = "end_loc"
        }

        var part: Part
        /// When the place had this polygon; a day more counts.
        var valid: TimeSpan
        var region: RegionID
    }

    /// One for each polygon. A device that starts inside reports no entry.
    public let regions: [Region]
    private let marks: [PhoneLegName: [Mark]]

    /// The marks of a leg at the time at which it starts.
    func marks(of leg: PhoneLegName, at time: Timestamp) -> [Mark] {
        (marks[leg] ?? []).filter { $0.valid.start <= time && time <= $0.valid.end + .seconds(86_400) }
    }

    /// The name of a place, which several polygons may share.
    func name(of region: RegionID) -> String { names[region] ?? region.rawValue }
    private let names: [RegionID: String]

    /// Whether a position is in a polygon: an odd number of edges lies to the east of it.
    func contains(_ coordinate: Coordinate, in region: RegionID) -> Bool {
        var isInside = false
        for ring in rings[region] ?? [] {
            for (a, b) in zip(ring, ring.dropFirst())
            where (a.latitude > coordinate.latitude) != (b.latitude > coordinate.latitude) {
                let fraction = (coordinate.latitude - a.latitude) / (b.latitude - a.latitude)
                if coordinate.longitude < a.longitude + fraction * (b.longitude - a.longitude) { isInside.toggle() }
            }
        }
        return isInside
    }
    private let rings: [RegionID: [[Coordinate]]]
}

extension PhonePlaces {
    /// Reads `places.json`; `docs/quality.md` has its members.
    ///
    /// - Parameters:
    ///   - bytes: the file.
    ///   - file: its name in errors.
    /// - Throws: `BenchmarkError` with the place or the leg, and the member.
    public init(reading bytes: some Collection<UInt8>, file: String) throws {
        let root = try PhoneRecord.root(of: bytes, file: file)
        var regions: [Region] = []
        var names: [RegionID: String] = [:]
        var rings: [RegionID: [[Coordinate]]] = [:]
        for record in try root.elements("places") {
            let region = try Self.region(of: record)
            guard names.updateValue(try record.text("name"), forKey: region.id) == nil else {
                throw record.error("another place has this \"id\"")
            }
            if case .polygons(let shape) = region.shape {
                rings[region.id] = shape.polygons.flatMap { $0.rings.map(\.coordinates) }
            }
            regions.append(region)
        }
        guard let legs = root.element["legs"]?.object else { throw root.error("\"legs\" is not an object") }
        var marks: [PhoneLegName: [Mark]] = [:]
        for leg in legs {
            let record = PhoneRecord(element: leg.value, origin: "\(file): leg \(leg.name)")
            let parts = leg.name.split(separator: "|", omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 2 else { throw record.error("its name is not TRIP|LEG") }
            for part in Mark.Part.allCases where record.element[part.rawValue] != nil {
                for entry in try record.elements(part.rawValue) {
                    let mark = try Self.mark(part, entry)
                    guard names[mark.region] != nil else { throw entry.error("no place has the id \(mark.region)") }
                    marks[PhoneLegName(trip: parts[0], leg: parts[1]), default: []].append(mark)
                }
            }
        }
        self.regions = regions
        self.names = names
        self.rings = rings
        self.marks = marks
    }

    /// The region of a place, by the rules of a region file.
    private static func region(of record: PhoneRecord) throws -> Region {
        guard let rings = record.element["coordinates"] else { throw record.error("\"coordinates\" is missing") }
        var writer = JSONWriter()
        writer.beginObject()
        writer.name("type")
        writer.value("Feature")
        writer.name("properties")
        writer.beginObject()
        for (name, text) in [("id", try record.text("id")), ("initialState", "silent")] {
            writer.name(name)
            writer.value(text)
        }
        writer.endObject()
        writer.name("geometry")
        writer.beginObject()
        writer.name("type")
        writer.value("Polygon")
        writer.name("coordinates")
        writer.value(rings)
        writer.endObject()
        writer.endObject()
        let reading = RegionFile.read(writer.bytes)
        guard let region = reading.regions.first else {
            throw record.error(reading.diagnostics.first?.message ?? "it is not a region")
        }
        return region
    }

    /// A mark: an array of the seconds since 1970 from which and until which it is valid, a name, and the id of a place.
    private static func mark(_ part: Mark.Part, _ entry: PhoneRecord) throws -> Mark {
        let values: [JSONElement] = entry.element.array.map { Array($0) } ?? []
        guard values.count == 4, let start = values[0].double, let end = values[1].double, let id = values[3].string
        else { throw entry.error("it is not [from, until, name, id of the place]") }
        return Mark(
            part: part, valid: TimeSpan(Timestamp(secondsSince1970: start), Timestamp(secondsSince1970: end)),
            region: RegionID(id))
    }
}
