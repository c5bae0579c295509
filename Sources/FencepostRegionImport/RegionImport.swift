import FencepostFormats
import FencepostJSON
public import FencepostModel
public import FencepostRegionFiles

/// Regions made of a file of another program, with what was left out and what was assumed.
public struct RegionImport: Sendable {
    /// How to read a file.
    public struct Options: Sendable {
        /// The format; `nil` for the one that the content shows.
        public var format: PlaceFormat?
        /// Metres around points, and to either side of lines, that have no length of their own.
        public var radius = RegionOptions.defaultRadius
        /// How the regions are checked, with the property of their ids.
        public var regions: RegionOptions

        /// Options for a format.
        public init(
            format: PlaceFormat? = nil, radius: Double = RegionOptions.defaultRadius,
            regions: RegionOptions = RegionOptions()
        ) {
            self.format = format
            self.radius = radius
            self.regions = regions
            self.regions.warnsOfDerivedIDs = false
        }
    }

    /// `nil` if the file is of none of the formats.
    public private(set) var format: PlaceFormat?
    /// The valid regions, in the order of the file.
    public private(set) var regions: [Region] = []
    /// Places that are no regions, each with its line or its pointer.
    public private(set) var diagnostics: [Diagnostic] = []
    /// Where the file has each region.
    public private(set) var positions: [Diagnostic.Position] = []
    /// What was assumed and what was not used.
    public private(set) var notes: [Note] = []

    /// Something that was assumed or not used.
    public struct Note: Sendable {
        /// The code of the warning.
        public var code: String
        /// A sentence without a full stop.
        public var text: String
    }

    private let name: String?
    private let options: Options

    /// Reads a file. A place that cannot be a region is left out, and the others are read.
    ///
    /// - Parameters:
    ///   - bytes: the file.
    ///   - name: its name in diagnostics; `nil` for standard input.
    ///   - options: how to read it.
    public init(_ bytes: [UInt8], name: String? = nil, options: Options = Options()) {
        (self.name, self.options) = (name, options)
        var reading = PlaceReading()
        do throws(PlaceProblem) {
            let text = PlainText.utf8(bytes)
            let format: PlaceFormat
            if let known = options.format {
                format = known
            } else {
                format = try PlaceFormat.detect(text, name: name).get()
            }
            self.format = format
            reading = try Self.places(text, format, name: name)
        } catch {
            diagnostics = [
                Diagnostic(code: "unreadable_places", file: name, at: error.position, error.message)
            ]
            return
        }
        diagnostics = reading.diagnostics
        notes = reading.notes.map { Note(code: "read_leniently", text: $0) }
        noteUnknownProperty(reading.places)
        check(completed(reading.places))
        for index in diagnostics.indices { diagnostics[index].file = name }
        notes += reading.ignored.map { Note(code: "not_used", text: "\($0.count) not used: \($0.what)") }
        if regions.isEmpty, diagnostics.isEmpty {
            diagnostics = [
                Diagnostic(code: "no_places", file: name, at: .file, "The file has no place that can be a region.")
            ]
        }
    }

    /// The regions as a region file, one feature per line.
    public static func file(of regions: [Region]) -> [UInt8] {
        var bytes = Array(#"{"type":"FeatureCollection","features":["#.utf8)
        for (index, region) in regions.enumerated() {
            var writer = JSONWriter()
            writer.value(region)
            bytes += Array((index == 0 ? "\n" : ",\n").utf8) + writer.bytes
        }
        return bytes + Array("\n]}\n".utf8)
    }

    // MARK: Reading

    private static func places(
        _ bytes: [UInt8], _ format: PlaceFormat, name: String?
    ) throws(PlaceProblem) -> PlaceReading {
        switch format {
        case .kml:
            var places = KMLPlaces()
            let problem = places.read(bytes, file: name)
            return places.finished().ended(by: problem)
        case .kmz: return try archived(bytes, name: name)
        case .gpx:
            var places = GPXPlaces()
            let problem = places.read(bytes, file: name)
            return places.reading.ended(by: problem)
        case .csv:
            guard var table = TablePlaces(bytes) else {
                throw PlaceProblem(
                    "The first row has to name the columns, with a latitude and a longitude (or with WKT, or geohash).",
                    at: .line(1))
            }
            return table.places()
        case .wkt: return TextPlaces.wellKnownText(bytes, isTraccar: false)
        case .wkb: return TextPlaces.wellKnownBinary(bytes)
        case .geohash: return TextPlaces.geohashes(bytes)
        case .geojsonl: return GeoJSONPlaces.places(lines: bytes)
        case .traccar where bytes.first != UInt8(ascii: "[") && bytes.first != UInt8(ascii: "{"):
            return TextPlaces.wellKnownText(bytes, isTraccar: true)
        case .geojson, .traccar, .owntracks, .topojson, .esri: break
        }
        let root: JSONElement
        do throws(JSONSyntaxError) {
            root = try JSONDocument(parsing: bytes).root
        } catch {
            throw PlaceProblem(
                "This is not JSON: \(error.message).", at: .position(line: error.line, column: error.column))
        }
        switch format {
        case .traccar: return JSONPlaces.traccar(root)
        case .owntracks: return JSONPlaces.ownTracks(root)
        case .topojson: return JSONPlaces.topoJSON(root)
        case .esri: return JSONPlaces.esri(root)
        case .geojson, .geojsonl, .kml, .kmz, .gpx, .wkt, .wkb, .csv, .geohash: return GeoJSONPlaces.places(root)
        }
    }

    /// The most bytes of a file in an archive: it is held in memory as a whole.
    private static let archivedLimit = 256 << 20

    /// The KML files of an archive: GDAL writes one for each layer, and one with links to them.
    private static func archived(_ bytes: [UInt8], name: String?) throws(PlaceProblem) -> PlaceReading {
        do throws(Rejection) {
            let archive = try ZipContent(bytes)
            let names = archive.names.filter { $0.lowercased().hasSuffix(".kml") }
            guard !names.isEmpty else {
                let hasShapefile = archive.names.contains { $0.lowercased().hasSuffix(".shp") }
                let file = name.map(ForeignRegionFormat.quoted) ?? "FILE"
                throw Rejection(
                    .invalidShape,
                    hasShapefile
                        ? "it is a zipped shapefile: ogr2ogr -f GeoJSON -lco RFC7946=YES regions.geojson /vsizip/\(file)"
                        : "the archive has no .kml file: unpack it and import its files")
            }
            var (reading, rest) = (PlaceReading(), archivedLimit)
            for kml in names {
                let content = try archive.bytes(of: kml, limit: rest)
                rest -= content.count
                var places = KMLPlaces()
                let problem = places.read(content, file: name)
                var part = places.finished(besides: names).ended(by: problem)
                if names.count > 1 {
                    for index in part.diagnostics.indices { part.diagnostics[index].message += " (\(kml))" }
                }
                reading.append(part)
            }
            return reading
        } catch {
            throw PlaceProblem("The archive gives no places: \(error.message).")
        }
    }

    /// Says that no place has the property that was named for the ids.
    private mutating func noteUnknownProperty(_ places: [Place]) {
        guard let wanted = options.regions.idProperty, !places.isEmpty else { return }
        guard !places.contains(where: { $0.properties.members.contains { $0.name == wanted } }) else { return }
        let names = places[0].properties.members.prefix(8).map { "\"\($0.name)\"" }.joined(separator: ", ")
        let known = names.isEmpty ? "" : ": the first one has \(names)"
        notes.append(
            Note(code: "unknown_property", text: "no place has the property \"\(wanted)\" for its id\(known)"))
    }

    /// Places with the lengths and the ids that they lack.
    private mutating func completed(_ places: [Place]) -> [Place] {
        var (circles, corridors, unnamed) = (0, 0, 0)
        let completed = places.map { place in
            var place = place
            place.takeLengths()
            place.takePropertyNames()
            place.takePropertyTypes()
            let hasRadius = place.properties.members.contains { $0.name == "radius" }
            let hasWidth = place.properties.members.contains { $0.name == "width" }
            switch place.geometry.dimension {
            case .point where place.radius == nil && !hasRadius:
                place.radius = options.radius
                circles += 1
            case .line where place.width == nil && !hasWidth:
                place.width = 2 * (place.radius ?? options.radius)
                corridors += 1
            case .point, .line, .area: break
            }
            if place.geometry.dimension != .point { place.radius = nil }
            if place.geometry.dimension != .line { place.width = nil }
            if place.id == nil, place.name.flatMap(DerivedID.id(name:)) == nil {
                place.id = "unnamed-\(PlaceWriter.mark(of: place))"
                unnamed += 1
            }
            return place
        }
        let radius = JSONText.number(options.radius)
        func note(_ code: String, _ count: Int, _ text: String) {
            if count > 0 { notes.append(Note(code: code, text: "\(count) \(text)")) }
        }
        note("assumed_length", circles, "without a radius: circles of \(radius) m (--radius)")
        note("assumed_length", corridors, "without a width: corridors of \(radius) m to either side (--radius)")
        note("derived_id", unnamed, "without a name: their ids are made of their shapes")
        return completed
    }

    /// Makes regions of places, and diagnostics of the others.
    private mutating func check(_ places: [Place]) {
        var all = read(places)
        if all.regions.isEmpty, !places.isEmpty {
            // One that violates RFC 7946 refuses the document, so each is read alone.
            let (good, bad) = places.reduce(into: ([Place](), [Place]())) { parts, place in
                if read([place]).isValid { parts.0.append(place) } else { parts.1.append(place) }
            }
            all = read(good)
            positions = Self.positions(of: all, good)
            for place in bad { diagnostics += explained(read([place]).diagnostics, [place]) }
            diagnostics += explained(all.diagnostics, good)
        } else {
            diagnostics += explained(all.diagnostics, places)
            positions = Self.positions(of: all, places)
        }
        regions = all.regions
    }

    private static func positions(of reading: RegionFile.Reading, _ places: [Place]) -> [Diagnostic.Position] {
        reading.positions.map { place(at: $0, of: places)?.position ?? $0 }
    }

    /// The place of which the feature at a position of the collection was made.
    private static func place(at position: Diagnostic.Position, of places: [Place]) -> Place? {
        guard case .pointer(let pointer) = position else { return nil }
        let parts = pointer.split(separator: "/")
        guard parts.count > 1, let index = Int(parts[1]), places.indices.contains(index) else { return nil }
        return places[index]
    }

    private func read(_ places: [Place]) -> RegionFile.Reading {
        RegionFile.read(PlaceWriter.collection(of: places), options: options.regions)
    }

    /// Diagnostics at the places of the file instead of the features made of them.
    private func explained(_ diagnostics: [Diagnostic], _ places: [Place]) -> [Diagnostic] {
        // Elements and columns have numbers as texts.
        diagnostics.filter { $0.code != "read_leniently" }.map { diagnostic in
            guard let place = Self.place(at: diagnostic.position, of: places) else { return diagnostic }
            var explained = diagnostic
            explained.position = place.position
            if let name = place.name { explained.message = "\"\(name)\": \(diagnostic.message)" }
            return explained
        }
    }
}

extension RegionFile.Reading {
    fileprivate var isValid: Bool { diagnostics.allSatisfy { $0.severity == .warning } && !regions.isEmpty }
}

extension PlaceReading {
    /// With the problem that ended a document of XML.
    fileprivate func ended(by problem: Diagnostic?) -> PlaceReading {
        guard let problem else { return self }
        var reading = self
        reading.refuse(
            "The rest of the file is left out: \(problem.message).", code: problem.code, at: problem.position)
        return reading
    }
}
