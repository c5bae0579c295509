import FencepostGEOS
import FencepostGeometry
import FencepostJSON
import FencepostModel

/// Reads features one after the other. One per thread, because a GEOS context is for one thread.
struct FeatureReader {
    /// The results for the features read so far.
    struct Result: Sendable {
        var regions: [Region] = []
        var pointers: [String] = []
        /// For each region whether its id is made of its name.
        var derived: [Bool] = []
        var diagnostics: [Diagnostic] = []
        /// Whether no feature violated RFC 7946.
        var isValid = true
    }

    let file: String?
    let options: RegionOptions
    let context = GEOSContext()
    var result = Result()
    private var document: GeoJSONDocument
    /// Whether the coordinates of the current geometry are nested wrongly; reported once, because all of them are then.
    var isNestedWrongly = false
    /// Whether the id of the current feature is made of its name.
    private var isDerived = false

    init(file: String?, options: RegionOptions) {
        self.file = file
        self.options = options
        document = GeoJSONDocument(file: file)
    }

    mutating func read(_ feature: JSONElement, at pointer: String) {
        let known = result.diagnostics.count
        isNestedWrongly = false
        isDerived = false
        let region = region(of: feature, at: pointer)
        result.isValid = result.isValid && document.isValid
        result.diagnostics += document.takeViolations()
        guard let region, !result.diagnostics[known...].contains(where: { $0.severity == .error }) else { return }
        result.regions.append(region)
        result.pointers.append(pointer)
        result.derived.append(isDerived)
    }

    private mutating func region(of feature: JSONElement, at pointer: String) -> Region? {
        guard feature.kind == .object else {
            document.violation("wrong_type", pointer, "A feature must be an object, but this is \(feature.kind.named).")
            return nil
        }
        guard let type = feature["type"] else {
            document.violation("missing_member", pointer, "The member \"type\" is missing: \"Feature\".")
            return nil
        }
        guard type.string == "Feature" else {
            document.violation(
                "wrong_type", pointer + "/type", "\"type\" must be \"Feature\" here, but it is \(type.shortText).")
            return nil
        }
        document.checkNames(of: feature, at: pointer, deep: false)
        document.checkForeign(["coordinates", "geometries", "features"], in: feature, "Feature", at: pointer)
        document.checkCommon(feature, at: pointer)
        let properties = checkedProperties(of: feature, at: pointer)
        let geometry = checkedGeometry(of: feature, at: pointer)
        for member in feature.members
        where !["geometry", "properties"].contains(member.name)
            && (member.value.kind == .object || member.value.kind == .array)
        {
            document.checkNames(of: member.value, at: pointer + "/" + member.name.asPointerToken, deep: true)
        }
        let id = self.id(of: feature, properties, at: pointer)
        guard let properties else { return nil }

        var reader = PropertyReader(
            properties.object, at: pointer + "/properties", file: file, options: options)
        var shape: Shape?
        if let geometry { shape = self.shape(of: geometry, properties: &reader, at: pointer + "/geometry") }
        var region = Region(id: id ?? RegionID(""), shape: shape ?? .corridor(Corridor(lines: [], width: 0)))
        reader.read(into: &region)
        result.diagnostics += reader.diagnostics
        return id == nil || shape == nil ? nil : region
    }

    /// `nil` is a violation of RFC 7946; a feature without properties has those of `null`.
    private mutating func checkedProperties(of feature: JSONElement, at pointer: String) -> JSONElement? {
        guard let properties = feature["properties"] else {
            document.violation(
                "missing_member", pointer, "The member \"properties\" is missing: an object, or null (RFC 7946, 3.2).")
            return nil
        }
        guard properties.kind == .object || properties.isNull else {
            document.violation(
                "wrong_type", pointer + "/properties",
                "\"properties\" must be an object or null, but it is \(properties.kind.named).")
            return nil
        }
        document.checkNames(of: properties, at: pointer + "/properties", deep: true)
        return properties
    }

    /// The geometry if it is an object of a type in GeoJSON. Its coordinates are not checked here.
    private mutating func checkedGeometry(of feature: JSONElement, at pointer: String) -> JSONElement? {
        guard let geometry = feature["geometry"] else {
            document.violation("missing_member", pointer, "The member \"geometry\" is missing.")
            return nil
        }
        let geometryPointer = pointer + "/geometry"
        if geometry.isNull {
            error("missing_geometry", geometryPointer, "A region needs a geometry, but it is null.")
            return nil
        }
        return checkedType(of: geometry, at: geometryPointer).map { _ in geometry }
    }

    /// The type of a geometry if it is an object of a type in GeoJSON.
    mutating func checkedType(of geometry: JSONElement, at pointer: String) -> String? {
        guard geometry.kind == .object else {
            document.violation(
                "wrong_type", pointer, "A geometry must be an object, but this is \(geometry.kind.named).")
            return nil
        }
        guard let type = geometry["type"] else {
            document.violation("missing_member", pointer, "The member \"type\" of the geometry is missing.")
            return nil
        }
        guard let name = type.string, GeoJSONDocument.geometryTypes.contains(name) else {
            document.violation(
                "wrong_type", pointer + "/type",
                "GeoJSON has no geometry type \(type.shortText): "
                    + "a region is a Polygon, MultiPolygon, Point, LineString or MultiLineString.")
            return nil
        }
        document.checkNames(of: geometry, at: pointer, deep: false)
        document.checkForeign(["geometry", "properties", "features"], in: geometry, "geometry", at: pointer)
        document.checkCommon(geometry, at: pointer)
        return name
    }

    private mutating func id(of feature: JSONElement, _ properties: JSONElement?, at pointer: String) -> RegionID? {
        var candidates: [(JSONElement?, String)] = [
            (feature["id"], pointer + "/id"), (properties?["id"], pointer + "/properties/id"),
        ]
        if let id = feature["id"], id.kind != .string && id.kind != .number {
            document.violation(
                "wrong_type", pointer + "/id",
                "The id of a feature must be a string or a number, but it is \(id.kind.named).")
            return nil
        }
        if let name = options.idProperty {
            candidates.insert((properties?[name], pointer + "/properties/" + name.asPointerToken), at: 0)
        }
        guard let (found, idPointer) = candidates.first(where: { $0.0 != nil && $0.0?.isNull == false }), let found
        else {
            if let id = options.id { return checkedID(id.rawValue, at: pointer) }
            let name = properties?["name"].flatMap { $0.string ?? ($0.kind == .number ? $0.text : nil) }
            if let derived = name.flatMap(DerivedID.id(name:)) {
                isDerived = true
                if options.warnsOfDerivedIDs {
                    warning(
                        "derived_id", pointer,
                        "The feature has no \"id\": its id is made of its name (R3), and changes with it.")
                }
                return checkedID(derived, at: pointer)
            }
            let remedy =
                options.idProperty.map { "it has no property \"\($0)\" either" }
                ?? "or name the property with the ids by idProperty"
            error(
                "missing_id", pointer,
                "The region has no id and no name: give the feature an \"id\" or a property \"id\" or \"name\"; \(remedy)."
            )
            return nil
        }
        let text: String
        switch found.kind {
        case .string: text = found.string ?? ""
        case .number: text = found.int.map(String.init) ?? found.text
        case .null, .bool, .array, .object:
            error("wrong_type", idPointer, "An id must be a string or a number, but it is \(found.kind.named).")
            return nil
        }
        if let id = options.id, RegionID(text) != id {
            error(
                "id_mismatch", idPointer,
                "The feature has the id \(found.shortText), but the request is for \"\(id)\"; omit the id, or "
                    + "make both equal.")
            return nil
        }
        return checkedID(text, at: idPointer)
    }

    private mutating func checkedID(_ text: String, at pointer: String) -> RegionID? {
        if let problem = RegionID.problem(with: text, isStored: options.isStored) {
            error("invalid_id", pointer, problem)
            return nil
        }
        if let limit = options.limits.text, text.unicodeScalars.count > limit {
            error(
                "text_too_long", pointer,
                "An id may have at most \(limit) characters; this one has \(text.unicodeScalars.count).")
            return nil
        }
        return RegionID(text)
    }

    mutating func error(_ code: String, _ pointer: String, _ message: String) {
        result.diagnostics.append(Diagnostic(code: code, file: file, at: .pointer(pointer), message))
    }

    mutating func warning(_ code: String, _ pointer: String, _ message: String) {
        result.diagnostics.append(Diagnostic(.warning, code: code, file: file, at: .pointer(pointer), message))
    }

    mutating func violation(_ code: String, _ pointer: String, _ message: String) {
        isNestedWrongly = isNestedWrongly || code == "wrong_nesting"
        document.violation(code, pointer, message)
    }
}

extension RegionID {
    /// Why a text cannot be the id of a region (rule R3), with how to correct it; `nil` if it can.
    ///
    /// An id is part of a path (`/v1/regions/{id}`), where `.` and `..` name folders, and people compare ids by eye.
    /// `isStored` is whether an earlier version accepted the id; it refused only control characters.
    fileprivate static func problem(with text: String, isStored: Bool) -> String? {
        let scalars = text.unicodeScalars
        guard !text.isEmpty, !scalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F }) else {
            return "An id must have at least one character and no control characters."
        }
        guard !isStored else { return nil }
        if text == "." || text == ".." {
            return "\"\(text)\" cannot be an id, because it names a folder in a path: choose another id."
        }
        if scalars.allSatisfy(\.properties.isWhitespace) {
            return "An id cannot consist of spaces only: choose a visible id."
        }
        // Cc: control characters. Bidi_Control: marks that change the order in which text is shown. U+FEFF: the byte
        // order mark, which some editors put before the first id of a file.
        let invisible = scalars.first {
            $0.properties.generalCategory == .control || $0.isBidiControl || $0.value == 0xFEFF
        }
        guard let invisible else { return nil }
        let code = String(invisible.value, radix: 16, uppercase: true)
        let name = "U+" + String(repeating: "0", count: max(0, 4 - code.count)) + code
        return "The id contains the invisible character \(name): remove it."
    }
}

extension Unicode.Scalar {
    /// The property Bidi_Control of Unicode.
    fileprivate var isBidiControl: Bool {
        switch value {
        case 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}
