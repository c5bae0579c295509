import FencepostGeometry
import FencepostJSON
import FencepostModel

/// Reads the properties of one feature into what is wanted of its region.
///
/// A property that is null counts as absent: tools that hold regions in tables write one where a cell is empty.
struct PropertyReader {
    static let names = [
        "name", "tags", "notifyOnEntry", "notifyOnExit", "dwell", "initialState", "crossing", "schedule", "devices",
        "minAltitude", "maxAltitude", "expires", "metadata", "radius", "width",
    ]
    /// Those that a geometry asks for; to one that does not they are any other property.
    static let lengths = ["radius", "width"]

    private let members: [(name: String, value: JSONElement)]
    private let pointer: String
    private let file: String?
    private let options: RegionOptions
    private(set) var diagnostics: [Diagnostic] = []
    /// `radius` or `width`, when the geometry has asked for it.
    private var used: String?

    init(_ properties: JSONObject?, at pointer: String, file: String?, options: RegionOptions) {
        members = properties.map { $0.map { ($0.name, $0.value) } } ?? []
        self.pointer = pointer
        self.file = file
        self.options = options
    }

    mutating func read(into region: inout Region) {
        region.name = text("name")
        region.tags = texts("tags", orOne: false) ?? []
        region.notifyOnEntry = bool("notifyOnEntry") ?? true
        region.notifyOnExit = bool("notifyOnExit") ?? true
        region.dwells = dwells()
        region.initialState = oneOf("initialState", Region.InitialState.self) ?? .report
        region.crossing = oneOf("crossing", CrossingMode.self)
        region.schedule = schedule()
        region.devices = texts("devices", orOne: true).map { $0.map(GlobPattern.init) }
        region.minAltitude = number("minAltitude")
        region.maxAltitude = number("maxAltitude")
        if let low = region.minAltitude, let high = region.maxAltitude, low > high {
            error("out_of_range", at("minAltitude"), "minAltitude is above maxAltitude, so that nothing is between.")
        }
        region.expires = expires()
        region.metadata = metadata()
        region.otherProperties = others()
    }

    // MARK: For the geometry

    /// Metres; `nil` after saying why.
    mutating func length(_ name: String, of geometry: String, atMost limit: Double) -> Double? {
        used = name
        guard let value = value(name) else {
            error(
                "missing_\(name)", pointer,
                "A \(geometry) needs the property \"\(name)\", in metres, to be a region.")
            return nil
        }
        guard let meters = value.double else {
            error(
                "wrong_type", at(name), "\"\(name)\" has to be a number of metres, and is \(value.shortText).")
            return nil
        }
        guard meters >= 0 && meters <= limit else {
            error(
                "out_of_range", at(name),
                "\"\(name)\" has to be 0 to \(Int(limit)) metres, which is \(name == "width" ? "" : "half ")round the "
                    + "earth, and is \(value.shortText).")
            return nil
        }
        return meters
    }

    // MARK: Each property

    private mutating func dwells() -> [Duration] {
        guard let value = value("dwell") else { return [] }
        var found: Set<Duration> = []
        if let array = value.array {
            for (place, element) in array.enumerated() {
                if let dwell = dwell(element, at: at("dwell") + "/\(place)") { found.insert(dwell) }
            }
        } else if let dwell = dwell(value, at: at("dwell")) {
            found.insert(dwell)
        }
        return found.sorted()
    }

    private mutating func dwell(_ value: JSONElement, at place: String) -> Duration? {
        let duration: Duration?
        switch value.kind {
        case .number: duration = value.double.flatMap(Duration.init(wholeOrFractionalSeconds:))
        case .string: duration = Duration(iso8601: value.string ?? "")
        case .null, .bool, .array, .object:
            error(
                "wrong_type", place,
                "\"dwell\" has to be a number of seconds or a duration such as \"PT5M\", or an array of them, and is "
                    + "\(value.shortText).")
            return nil
        }
        guard let duration, duration.milliseconds > 0 else {
            error(
                "invalid_duration", place,
                "\(value.shortText) is no time to dwell: give seconds above 0, or an ISO 8601 duration of weeks, days, "
                    + "hours, minutes and seconds such as \"PT5M\".")
            return nil
        }
        return duration
    }

    private mutating func schedule() -> Schedule? {
        guard let value = value("schedule") else { return nil }
        var reader = ScheduleReader(at: at("schedule"), file: file)
        let schedule = reader.schedule(of: value)
        diagnostics += reader.diagnostics
        return schedule
    }

    private mutating func expires() -> Timestamp? {
        guard let value = value("expires") else { return nil }
        if let text = value.string {
            if let time = Timestamp(rfc3339: text) { return time }
        } else if let seconds = value.double, abs(seconds) < 1e15 {
            // As in locations: a number so large counts milliseconds.
            return Timestamp(milliseconds: Int64((abs(seconds) >= 1e11 ? seconds : seconds * 1000).rounded(.down)))
        } else if value.kind != .number {
            error(
                "wrong_type", at("expires"),
                "\"expires\" has to be a time such as \"2026-03-01T08:30:00Z\", and is \(value.shortText).")
            return nil
        }
        error(
            "invalid_timestamp", at("expires"),
            "\(value.shortText) is no time: write it as \"2026-03-01T08:30:00Z\", with an offset or Z at its end.")
        return nil
    }

    private mutating func metadata() -> JSONText? {
        guard let value = value("metadata") else { return nil }
        let text = value.text
        if let limit = options.limits.metadata, text.utf8.count > limit {
            error(
                "metadata_too_large", at("metadata"),
                "\"metadata\" may have at most \(limit) bytes; this has \(text.utf8.count).")
            return nil
        }
        return JSONText(text)
    }

    /// What is not known is kept; a name that is nearly a known one is told of.
    private mutating func others() -> JSONText? {
        var writer = JSONWriter()
        var isEmpty = true
        for (name, value) in members where name != "id" {
            if Self.names.contains(name) {
                guard Self.lengths.contains(name) && name != used && !value.isNull else { continue }
                warning(
                    "unused_property", at(name),
                    "\"\(name)\" means nothing for this type of geometry: "
                        + "a radius belongs to a Point, a width to a LineString or MultiLineString.")
            } else if let meant = Self.nameMeant(by: name) {
                warning(
                    "misspelt_property", at(name),
                    "Fencepost does not know the property \"\(name)\"; \"\(meant)\" was probably meant.")
            }
            if isEmpty { writer.beginObject() }
            isEmpty = false
            writer.name(name)
            writer.value(value)
        }
        guard !isEmpty else { return nil }
        writer.endObject()
        return JSONText(String(decoding: writer.bytes, as: UTF8.self))
    }

    /// The known name at an edit distance of 1 or 2.
    ///
    /// Words as short as `name` and `tags` are two edits away from many that mean something else (`date`, `lane`):
    /// of those the first letter has to be right, or the rest.
    static func nameMeant(by name: String) -> String? {
        guard let meant = nearest(to: name, in: names) else { return nil }
        if meant.count > 4 || meant.first == name.first { return meant }
        let rests = [name.dropFirst(), name[...]].contains { $0 == meant.dropFirst() || $0 == meant }
        return rests || name.prefix(2).reversed() == Array(meant.prefix(2)) ? meant : nil
    }

    // MARK: Types

    private func value(_ name: String) -> JSONElement? {
        members.first { $0.name == name && !$0.value.isNull }?.value
    }

    private func at(_ name: String) -> String { pointer + "/" + name.asPointerToken }

    private mutating func text(_ name: String) -> String? {
        guard let value = value(name) else { return nil }
        return checkedText(value, name, at: at(name))
    }

    private mutating func checkedText(_ value: JSONElement, _ name: String, at place: String) -> String? {
        guard let text = value.string else {
            error("wrong_type", place, "\"\(name)\" has to be a string here, and is \(value.shortText).")
            return nil
        }
        if let limit = options.limits.text, text.count > limit {
            error("text_too_long", place, "This may have at most \(limit) characters, and has \(text.count).")
            return nil
        }
        return text
    }

    private mutating func texts(_ name: String, orOne: Bool) -> [String]? {
        guard let value = value(name) else { return nil }
        if orOne, value.kind == .string { return checkedText(value, name, at: at(name)).map { [$0] } }
        guard let array = value.array else {
            error(
                "wrong_type", at(name),
                "\"\(name)\" has to be an array of strings\(orOne ? " or one string" : ""), and is \(value.shortText).")
            return nil
        }
        return array.enumerated().compactMap { place, element in
            checkedText(element, name, at: at(name) + "/\(place)")
        }
    }

    private mutating func bool(_ name: String) -> Bool? {
        guard let value = value(name) else { return nil }
        guard let bool = value.bool else {
            error("wrong_type", at(name), "\"\(name)\" has to be true or false, and is \(value.shortText).")
            return nil
        }
        return bool
    }

    private mutating func number(_ name: String) -> Double? {
        guard let value = value(name) else { return nil }
        guard let number = value.double else {
            error("wrong_type", at(name), "\"\(name)\" has to be a number of metres, and is \(value.shortText).")
            return nil
        }
        return number
    }

    private mutating func oneOf<Choice: CaseIterable & RawRepresentable<String>>(
        _ name: String, _ type: Choice.Type
    ) -> Choice? {
        guard let value = value(name) else { return nil }
        if let choice = value.string.flatMap(Choice.init(rawValue:)) { return choice }
        let choices = Choice.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
        error(
            value.kind == .string ? "unknown_value" : "wrong_type", at(name),
            "\"\(name)\" has to be one of \(choices), and is \(value.shortText).")
        return nil
    }

    private mutating func error(_ code: String, _ place: String, _ message: String) {
        diagnostics.append(Diagnostic(code: code, file: file, at: .pointer(place), message))
    }

    private mutating func warning(_ code: String, _ place: String, _ message: String) {
        diagnostics.append(Diagnostic(.warning, code: code, file: file, at: .pointer(place), message))
    }
}
