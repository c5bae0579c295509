import FencepostGeometry
import FencepostJSON
import FencepostModel

/// Reads the properties of one feature into a region.
///
/// A property with the value null counts as absent: tools that hold regions in tables write null for an empty cell.
package struct PropertyReader {
    static let names = [
        "name", "tags", "notifyOnEntry", "notifyOnExit", "dwell", "initialState", "crossing", "schedule", "devices",
        "minAltitude", "maxAltitude", "expires", "metadata", "speedLimit", "radius", "width",
    ]
    /// The names in which a capital begins a word.
    package static let namesInSeveralWords = names.filter { $0.contains(where: \.isUppercase) }
    /// Properties that only some geometries use; for others they are unknown properties.
    static let lengths = ["radius", "width"]

    private let members: [(name: String, value: JSONElement)]
    private let pointer: String
    private let file: String?
    private let options: RegionOptions
    private(set) var diagnostics: [Diagnostic] = []
    /// `radius` or `width`, if the geometry has read it.
    private var used: String?

    init(_ properties: JSONObject?, at pointer: String, file: String?, options: RegionOptions) {
        members = properties.map { $0.map { ($0.name, $0.value) } } ?? []
        self.pointer = pointer
        self.file = file
        self.options = options
    }

    mutating func read(into region: inout Region) {
        region.name = name()
        region.tags = tags()
        region.notifyOnEntry = bool("notifyOnEntry") ?? true
        region.notifyOnExit = bool("notifyOnExit") ?? true
        region.dwells = dwells()
        region.initialState = oneOf("initialState", Region.InitialState.self) ?? .report
        region.crossing = oneOf("crossing", CrossingMode.self)
        region.schedule = schedule()
        region.devices = texts(
            "devices", allowingOne: true, atMost: options.limits.patterns, of: options.limits.text
        ).map { $0.map(GlobPattern.init) }
        region.minAltitude = number("minAltitude")
        region.maxAltitude = number("maxAltitude")
        if let low = region.minAltitude, let high = region.maxAltitude, low > high {
            error("out_of_range", at("minAltitude"), "minAltitude is above maxAltitude, so no altitude matches.")
        }
        region.expires = expires()
        region.speedLimit = speedLimit()
        region.metadata = metadata()
        region.otherProperties = others()
    }

    // MARK: As tables and other programs write them

    /// A name; a number becomes its text.
    private mutating func name() -> String? {
        guard let number = value("name"), number.kind == .number else { return text("name") }
        warning("read_leniently", at("name"), "\"name\" is a number, which is read as a text: write it in quotes.")
        return number.text
    }

    /// Tags; a text has them with semicolons or commas between them.
    private mutating func tags() -> [String] {
        guard let text = value("tags")?.string else {
            return texts("tags", allowingOne: false, atMost: options.limits.tags, of: options.limits.tag) ?? []
        }
        warning("read_leniently", at("tags"), "\"tags\" is a text, which is divided: write an array of strings.")
        let tags = text.split(separator: text.contains(";") ? ";" : ",").map { part in
            String(part.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
        }.filter { !$0.isEmpty }
        guard !exceeds("tags", tags.count, options.limits.tags) else { return [] }
        if let limit = options.limits.tag, let long = tags.first(where: { $0.unicodeScalars.count > limit }) {
            error(
                "text_too_long", at("tags"),
                "A tag may have at most \(limit) characters, but one has \(long.unicodeScalars.count).")
            return []
        }
        return tags
    }

    /// A number in quotes; `nil` for another value.
    private mutating func numberInText(_ value: JSONElement, _ name: String) -> Double? {
        guard let text = value.string, text.allSatisfy({ $0.isASCII && ($0.isNumber || "+-.eE ".contains($0)) }),
            let number = Double(text.filter { $0 != " " }), number.isFinite
        else { return nil }
        warning("read_leniently", at(name), "\"\(name)\" is a number in quotes: write it without them.")
        return number
    }

    // MARK: For the geometry

    /// Metres; `nil` after a diagnostic.
    mutating func length(_ name: String, of geometry: String, atMost limit: Double) -> Double? {
        used = name
        guard let value = value(name) else {
            if let radius = options.radius {
                warning(
                    "assumed_length", pointer,
                    "The \(geometry) has no \"\(name)\": the option \"radius\" gives it one.")
                return min(limit, name == "width" ? 2 * radius : radius)
            }
            error(
                "missing_\(name)", pointer,
                "A \(geometry) needs the property \"\(name)\", in metres, to be a region.")
            return nil
        }
        guard let meters = value.double ?? numberInText(value, name) else {
            error(
                "wrong_type", at(name), "\"\(name)\" must be a number of metres, but it is \(value.shortText).")
            return nil
        }
        guard meters >= 0 && meters <= limit else {
            error(
                "out_of_range", at(name),
                "\"\(name)\" must be 0 to \(Int(clamped: limit)) metres, which is \(name == "width" ? "" : "half ")the "
                    + "circumference of the earth, but it is \(value.shortText).")
            return nil
        }
        return meters
    }

    // MARK: Each property

    private mutating func dwells() -> [Duration] {
        guard let value = value("dwell") else { return [] }
        var found: Set<Duration> = []
        if let array = value.array {
            guard !exceeds("dwell", array.count, options.limits.dwells) else { return [] }
            for (index, element) in array.enumerated() {
                if let dwell = dwell(element, at: at("dwell") + "/\(index)") { found.insert(dwell) }
            }
        } else if let dwell = dwell(value, at: at("dwell")) {
            found.insert(dwell)
        }
        return found.sorted()
    }

    private mutating func dwell(_ value: JSONElement, at pointer: String) -> Duration? {
        let duration: Duration?
        switch value.kind {
        case .number: duration = value.double.flatMap(Duration.init(wholeOrFractionalSeconds:))
        case .string: duration = Duration(iso8601: value.string ?? "")
        case .null, .bool, .array, .object:
            error(
                "wrong_type", pointer,
                "\"dwell\" must be a number of seconds or a duration such as \"PT5M\", or an array of them, but it is "
                    + "\(value.shortText).")
            return nil
        }
        guard let duration, duration.milliseconds > 0 else {
            error(
                "invalid_duration", pointer,
                "\(value.shortText) is not a dwell time: use seconds above 0, or an ISO 8601 duration of weeks, days, "
                    + "hours, minutes and seconds such as \"PT5M\".")
            return nil
        }
        return duration
    }

    private mutating func schedule() -> Schedule? {
        guard let value = value("schedule") else { return nil }
        var reader = ScheduleReader(at: at("schedule"), file: file, limits: options.limits)
        let schedule = reader.schedule(of: value)
        diagnostics += reader.diagnostics
        return schedule
    }

    private mutating func expires() -> Timestamp? {
        guard let value = value("expires") else { return nil }
        if let text = value.string {
            if let time = Timestamp(rfc3339: text) { return time }
        } else if let number = value.double, number.magnitude < 1e15 {
            // As in locations: a number this large is in milliseconds.
            let milliseconds = number.magnitude >= 1e11 ? number : number * 1000
            return Timestamp(milliseconds: Int64(clamped: milliseconds.rounded(.down)))
        } else if value.kind != .number {
            error(
                "wrong_type", at("expires"),
                "\"expires\" must be a time such as \"2026-03-01T08:30:00Z\", but it is \(value.shortText).")
            return nil
        }
        error(
            "invalid_timestamp", at("expires"),
            "\(value.shortText) is not a time: write it as \"2026-03-01T08:30:00Z\", with an offset or Z at the end.")
        return nil
    }

    private mutating func speedLimit() -> SpeedLimit? {
        guard let value = value("speedLimit") else { return nil }
        if let limit = value.double.flatMap({ SpeedLimit($0) }) ?? value.string.flatMap({ SpeedLimit($0) }) {
            return limit
        }
        error(
            value.kind == .number || value.kind == .string ? "out_of_range" : "wrong_type", at("speedLimit"),
            "\"speedLimit\" must be a number of km/h above 0 and at most 10000, or a text with a unit such as "
                + "\"50 mph\", \"12 knots\" or \"22 m/s\", but it is \(value.shortText).")
        return nil
    }

    private mutating func metadata() -> JSONText? {
        guard let value = value("metadata") else { return nil }
        let text = value.text
        if let limit = options.limits.metadata, text.utf8.count > limit {
            error(
                "metadata_too_large", at("metadata"),
                "\"metadata\" may have at most \(limit) bytes; this one has \(text.utf8.count). Every event of the "
                    + "region repeats it: keep what receivers need, such as a key into your own data.")
            return nil
        }
        return JSONText(text)
    }

    /// Unknown properties are kept; a name similar to a known one gives a warning.
    private mutating func others() -> JSONText? {
        var writer = JSONWriter()
        var isEmpty = true
        for (name, value) in members where name != "id" {
            if Self.names.contains(name) {
                guard Self.lengths.contains(name) && name != used && !value.isNull else { continue }
                warning(
                    "unused_property", at(name),
                    "\"\(name)\" has no effect for this type of geometry: "
                        + "a radius belongs to a Point, a width to a LineString or MultiLineString.")
            } else if let meant = Self.suggestion(by: name) {
                warning(
                    "misspelt_property", at(name),
                    "Unknown property \"\(name)\"; did you mean \"\(meant)\"?")
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
    /// Names as short as `name` and `tags` are two edits away from many other words (`date`, `lane`). For these the
    /// first letter or all other letters must match.
    static func suggestion(by name: String) -> String? {
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
        return checkedText(value, name, at: at(name), atMost: options.limits.text)
    }

    private mutating func checkedText(
        _ value: JSONElement, _ name: String, at pointer: String, atMost limit: Int?
    ) -> String? {
        guard let text = value.string else {
            error("wrong_type", pointer, "\"\(name)\" must be a string here, but it is \(value.shortText).")
            return nil
        }
        if let limit, text.unicodeScalars.count > limit {
            error(
                "text_too_long", pointer,
                "This may have at most \(limit) characters, but it has \(text.unicodeScalars.count).")
            return nil
        }
        return text
    }

    /// Whether a list is too long (rule L5); then a diagnostic is reported.
    private mutating func exceeds(_ name: String, _ count: Int, _ limit: Int?) -> Bool {
        guard let limit, count > limit else { return false }
        diagnostics.append(.tooManyValues(name, count, atMost: limit, file: file, at: at(name)))
        return true
    }

    private mutating func texts(
        _ name: String, allowingOne: Bool, atMost limit: Int?, of length: Int?
    ) -> [String]? {
        guard let value = value(name) else { return nil }
        if allowingOne, value.kind == .string {
            return checkedText(value, name, at: at(name), atMost: length).map { [$0] }
        }
        guard let array = value.array else {
            error(
                "wrong_type", at(name),
                "\"\(name)\" must be an array of strings\(allowingOne ? " or one string" : ""), but it is \(value.shortText)."
            )
            return nil
        }
        guard !exceeds(name, array.count, limit) else { return nil }
        return array.enumerated().compactMap { index, element in
            checkedText(element, name, at: at(name) + "/\(index)", atMost: length)
        }
    }

    private mutating func bool(_ name: String) -> Bool? {
        guard let value = value(name) else { return nil }
        guard let bool = value.bool else {
            error("wrong_type", at(name), "\"\(name)\" must be true or false, but it is \(value.shortText).")
            return nil
        }
        return bool
    }

    private mutating func number(_ name: String) -> Double? {
        guard let value = value(name) else { return nil }
        guard let number = value.double ?? numberInText(value, name) else {
            error("wrong_type", at(name), "\"\(name)\" must be a number of metres, but it is \(value.shortText).")
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
            "\"\(name)\" must be one of \(choices), but it is \(value.shortText).")
        return nil
    }

    private mutating func error(_ code: String, _ pointer: String, _ message: String) {
        diagnostics.append(Diagnostic(code: code, file: file, at: .pointer(pointer), message))
    }

    private mutating func warning(_ code: String, _ pointer: String, _ message: String) {
        diagnostics.append(Diagnostic(.warning, code: code, file: file, at: .pointer(pointer), message))
    }
}

extension Diagnostic {
    /// A list of a region is too long (rule L5).
    static func tooManyValues(
        _ name: String, _ count: Int, atMost limit: Int, file: String?, at pointer: String
    ) -> Diagnostic {
        Diagnostic(
            code: "too_many_values", file: file, at: .pointer(pointer),
            "\"\(name)\" may have at most \(limit) entries, but it has \(count): remove some, or make several regions.")
    }
}
