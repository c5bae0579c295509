import FencepostFormats
import FencepostGeometry
import FencepostJSON
import FencepostModel
import FencepostRegionFiles

/// What a file of another program says about one place or area, on the way to a region.
struct Place: Sendable {
    /// A geometry as the files have it.
    enum Geometry: Sendable {
        case point(Coordinate)
        case lines([[Coordinate]])
        /// Each with its rings, the exterior first.
        case polygons([[[Coordinate]]])
        /// A geometry of GeoJSON, unchanged.
        case json(JSONElement)
    }

    var id: String?
    var name: String?
    var geometry: Geometry
    /// Metres around a point.
    var radius: Double?
    /// Metres across a line.
    var width: Double?
    var tags: [String] = []
    var properties = PlaceProperties()
    /// Where the file has it.
    var position: Diagnostic.Position

    /// A place with a geometry at a position of the file.
    init(_ geometry: Geometry, name: String? = nil, at position: Diagnostic.Position) {
        self.geometry = geometry
        self.name = name.flatMap { $0.isEmpty ? nil : $0 }
        self.position = position
    }
}

extension Place {
    /// Takes lengths with their units, and with names in other letters than small ones, as databases write them: `RADIUS`.
    mutating func takeLengths() {
        func length(_ name: String) -> Double? {
            guard let found = properties.members.first(where: { $0.name.lowercased() == name })?.name,
                let element = properties.take(found)
            else { return nil }
            let length = element.double ?? element.string.flatMap(Self.metres)
            // What is no length is refused where the region is read.
            if length == nil { properties.add(found, element) }
            return length
        }
        if radius == nil { radius = length("radius") }
        if width == nil { width = length("width") }
    }

    private static func metres(_ text: String) -> Double? {
        guard let (number, factor) = LengthText.parts(of: text) else { return nil }
        return TableNumber.parse(number).map { $0 * factor }
    }

    /// Gives properties the names that Fencepost knows, which databases write without capitals or with other signs:
    /// `notifyonentry`, `MIN_ALTITUDE`.
    mutating func takePropertyNames() {
        for name in PropertyReader.namesInSeveralWords {
            guard !properties.members.contains(where: { $0.name == name }),
                let found = properties.members.first(where: {
                    $0.name.filter { !"_- ".contains($0) }.lowercased() == name.lowercased()
                })?.name
            else { continue }
            properties.rename(found, to: name)
        }
    }

    /// Gives Booleans and seconds, which tables and elements of XML have as texts, the types that they have in region files.
    mutating func takePropertyTypes() {
        for name in ["notifyOnEntry", "notifyOnExit"] {
            properties.change(name) { element in
                let text = element.string ?? (element.kind == .number ? element.text : "")
                return Self.booleans[text.lowercased()].map { JSONText($0 ? "true" : "false") }
            }
        }
        properties.change("dwell") { element in
            element.string.flatMap { TableNumber.parse($0) }.map { JSONText(JSONText.number($0)) }
        }
    }

    private static let booleans = [
        "true": true, "t": true, "yes": true, "y": true, "1": true,
        "false": false, "f": false, "no": false, "n": false, "0": false,
    ]
}

/// Further properties of a place: names, each once, with values of JSON.
struct PlaceProperties: Sendable {
    private(set) var members: [(name: String, value: JSONText)] = []
    private var names: Set<String> = []
    /// The last number of each name that came more than once.
    private var numbers: [String: Int] = [:]

    var isEmpty: Bool { members.isEmpty }

    /// Adds a text that is not empty.
    mutating func add(_ name: String, _ text: String) {
        guard !text.isEmpty else { return }
        var writer = JSONWriter()
        writer.value(text)
        add(name, JSONText(String(decoding: writer.bytes, as: UTF8.self)))
    }

    /// Adds an array of texts.
    mutating func add(_ name: String, texts: [String]) {
        var writer = JSONWriter()
        writer.beginArray()
        for text in texts { writer.value(text) }
        writer.endArray()
        add(name, JSONText(String(decoding: writer.bytes, as: UTF8.self)))
    }

    /// Adds a value that is not `null`.
    mutating func add(_ name: String, _ element: JSONElement) {
        guard !element.isNull else { return }
        add(name, JSONText(element.text))
    }

    /// Adds a value; a name that is there already gets a number.
    mutating func add(_ name: String, _ value: JSONText) {
        var unique = name
        while !names.insert(unique).inserted {
            let number = numbers[name, default: 1] + 1
            numbers[name] = number
            unique = "\(name)_\(number)"
        }
        members.append((unique, value))
    }

    /// The value of a name, which is removed.
    mutating func take(_ name: String) -> JSONElement? {
        guard names.contains(name), let index = members.firstIndex(where: { $0.name == name }) else { return nil }
        names.remove(name)
        return try? JSONDocument(parsing: members.remove(at: index).value.rawValue).root
    }

    /// Changes the value of a name where `change` gives another one.
    mutating func change(_ name: String, _ change: (JSONElement) -> JSONText?) {
        guard let index = members.firstIndex(where: { $0.name == name }),
            let element = try? JSONDocument(parsing: members[index].value.rawValue).root, let value = change(element)
        else { return }
        members[index].value = value
    }

    /// Gives a member another name, which no member has.
    mutating func rename(_ name: String, to other: String) {
        guard let index = members.firstIndex(where: { $0.name == name }), names.insert(other).inserted else { return }
        names.remove(name)
        members[index].name = other
    }

    /// The text of the first of these names that has one, in any case of its letters; it stays where it is not `name` itself.
    mutating func takeName() -> String? {
        for wanted in Self.headings {
            guard let found = members.first(where: { $0.name.lowercased() == wanted }),
                let element = try? JSONDocument(parsing: found.value.rawValue).root
            else { continue }
            let text = element.string ?? (element.kind == .number ? element.text : "")
            guard !text.isEmpty else { continue }
            if found.name == "name" || found.name == "Name" { _ = take(found.name) }
            return text
        }
        return nil
    }

    /// The tags of a property `tags`, which is removed: an array, or a text with semicolons or commas.
    mutating func takeTags() -> [String] {
        guard let element = take("tags") else { return [] }
        if let array = element.array { return array.compactMap(\.string) }
        return element.string.map(Self.tags) ?? []
    }

    /// The parts of a text with semicolons, or else with commas.
    static func tags(_ text: String) -> [String] {
        text.split(separator: text.contains(";") ? ";" : ",").map { $0.trimmed }.filter { !$0.isEmpty }
    }

    /// What programs call the name of a place, in lower case.
    static let headings = [
        "name", "title", "label", "place", "ort", "bezeichnung", "nom", "nombre", "nome", "naam", "desc", "description",
    ]
}

/// The places of a file, with what was left out.
struct PlaceReading {
    var places: [Place] = []
    var diagnostics: [Diagnostic] = []
    /// What was not used and is no fault, in words with its number.
    var ignored: [(what: String, count: Int)] = []
    /// What was assumed, in sentences.
    var notes: [String] = []

    /// The kinds that are counted apart.
    private static let ignoredKinds = 32

    mutating func ignore(_ kind: String, _ count: Int = 1) {
        guard count > 0 else { return }
        let isKnown = ignored.count < Self.ignoredKinds || ignored.contains { $0.what == kind }
        let what = isKnown ? kind : "others"
        if let index = ignored.firstIndex(where: { $0.what == what }) {
            ignored[index].count += count
        } else {
            ignored.append((what, count))
        }
    }

    /// Adds what another file of an archive has.
    mutating func append(_ other: PlaceReading) {
        places += other.places
        diagnostics += other.diagnostics
        notes += other.notes
        for (what, count) in other.ignored { ignore(what, count) }
    }

    mutating func refuse(_ message: String, code: String = "unreadable_place", at position: Diagnostic.Position) {
        diagnostics.append(Diagnostic(code: code, at: position, message))
    }
}

extension StringProtocol {
    /// Without white space around it.
    var trimmed: String {
        var text = Substring(self)
        while text.first?.isWhitespace == true { text.removeFirst() }
        while text.last?.isWhitespace == true { text.removeLast() }
        return String(text)
    }
}

extension Place.Geometry {
    /// With latitude and longitude exchanged.
    var swapped: Place.Geometry {
        func swap(_ line: [Coordinate]) -> [Coordinate] {
            line.map { Coordinate(latitude: $0.longitude, longitude: $0.latitude) }
        }
        switch self {
        case .point(let point): return .point(Coordinate(latitude: point.longitude, longitude: point.latitude))
        case .lines(let lines): return .lines(lines.map(swap))
        case .polygons(let polygons): return .polygons(polygons.map { $0.map(swap) })
        case .json: return self
        }
    }

    /// Whether a latitude is beyond the poles, so the axes are likely to be exchanged.
    var hasLatitudeBeyondPole: Bool {
        func isBeyond(_ line: [Coordinate]) -> Bool { line.contains { $0.latitude.magnitude > 90 } }
        return switch self {
        case .point(let point): isBeyond([point])
        case .lines(let lines): lines.contains(where: isBeyond)
        case .polygons(let polygons): polygons.contains { $0.contains(where: isBeyond) }
        case .json: false
        }
    }
}
