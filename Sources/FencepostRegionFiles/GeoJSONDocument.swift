import FencepostJSON
import FencepostModel

/// Checks the rules of RFC 7946 for the document as a whole. A violation rejects the whole document, because its author
/// intended another format.
struct GeoJSONDocument {
    let file: String?
    /// Violations, and warnings of what is no violation.
    private(set) var violations: [Diagnostic] = []

    init(file: String?) {
        self.file = file
    }

    struct Feature: Sendable {
        var element: JSONElement
        var pointer: String
    }

    static let geometryTypes = [
        "Point", "MultiPoint", "LineString", "MultiLineString", "Polygon", "MultiPolygon", "GeometryCollection",
    ]

    static let types: Set<String> = Set(geometryTypes).union(["Feature", "FeatureCollection"])

    /// Names of WGS 84 with the longitude first, the only reference system of RFC 7946, in the `crs` that GIS programs write.
    /// Files that name EPSG:4326 have the longitude first as well.
    private static let referenceSystems: Set<String> = [
        "urn:ogc:def:crs:OGC:1.3:CRS84", "urn:ogc:def:crs:OGC::CRS84", "OGC:CRS84", "CRS84",
        "http://www.opengis.net/def/crs/OGC/1.3/CRS84", "EPSG:4326", "urn:ogc:def:crs:EPSG::4326",
        "http://www.opengis.net/def/crs/EPSG/0/4326",
    ]

    /// The features of a Feature or FeatureCollection, not checked yet.
    mutating func features(of root: JSONElement, at pointer: String) -> [Feature] {
        if let format = ForeignRegionFormat(besidesGeoJSON: root) {
            violation(root.kind == .object ? "missing_member" : "wrong_type", pointer, format.message(file: file))
            return []
        }
        guard root.kind == .object else {
            violation(
                "wrong_type", pointer,
                "A region file must be a JSON object of type Feature or FeatureCollection, but this is \(root.kind.named)."
            )
            return []
        }
        guard let type = root["type"] else {
            violation(
                "missing_member", pointer, "The member \"type\" is missing: \"Feature\" or \"FeatureCollection\".")
            return []
        }
        switch type.string {
        case "Feature": return [Feature(element: root, pointer: pointer)]
        case "FeatureCollection": break
        case .some(let name) where Self.geometryTypes.contains(name):
            violation(
                "not_a_feature", pointer + "/type",
                "A bare \(name) cannot have an id: put it into the \"geometry\" of a Feature.")
            return []
        default:
            violation(
                "wrong_type", pointer + "/type",
                "\"type\" must be \"Feature\" or \"FeatureCollection\", but it is \(type.shortText).")
            return []
        }
        checkNames(of: root, at: pointer, deep: false)
        checkForeign(
            ["coordinates", "geometries", "geometry", "properties"], in: root, "FeatureCollection", at: pointer)
        checkCommon(root, at: pointer)
        guard let features = root["features"] else {
            violation("missing_member", pointer, "The member \"features\" is missing: an array of Features.")
            return []
        }
        guard let array = features.array else {
            violation(
                "wrong_type", pointer + "/features",
                "\"features\" must be an array of Features, but it is \(features.kind.named).")
            return []
        }
        for member in root.members
        where member.name != "features" && (member.value.kind == .object || member.value.kind == .array) {
            checkNames(of: member.value, at: pointer + "/" + member.name.asPointerToken, deep: true)
        }
        return array.enumerated().map { Feature(element: $1, pointer: "\(pointer)/features/\($0)") }
    }

    /// The rules for every GeoJSON object: no `crs` of another system, and a `bbox` of numbers.
    mutating func checkCommon(_ object: JSONElement, at pointer: String) {
        if let name = object["crs"]?["properties"]?["name"]?.string, Self.referenceSystems.contains(name) {
            violations.append(
                Diagnostic(
                    .warning, code: "crs_is_default", file: file, at: .pointer(pointer + "/crs"),
                    "\"crs\" names the reference system that GeoJSON always has (RFC 7946, section 4); it may be removed."
                ))
        } else if object["crs"] != nil {
            violation(
                "crs_not_supported", pointer + "/crs",
                "RFC 7946 has no \"crs\": remove the member and use positions in WGS 84, longitude first "
                    + "(ogr2ogr -lco RFC7946=YES does both).")
        }
        if let box = object["bbox"] {
            let numbers = box.array?.map(\.double) ?? []
            if !(numbers.count == 4 || numbers.count == 6) || numbers.contains(nil) {
                violation(
                    "wrong_type", pointer + "/bbox",
                    "\"bbox\" must be an array of four or six numbers: west, south, east, north; or it must be omitted."
                )
            }
        }
    }

    /// RFC 7946, section 7.1: members that belong to another type of GeoJSON object.
    mutating func checkForeign(_ names: [String], in object: JSONElement, _ type: String, at pointer: String) {
        for name in names where object[name] != nil {
            violation(
                "misplaced_member", pointer + "/" + name,
                "A \(type) cannot have a member \"\(name)\" (RFC 7946, section 7.1); remove or rename it.")
        }
    }

    /// No object may repeat a name, because readers differ in which of the two values they use.
    mutating func checkNames(of element: JSONElement, at pointer: String, deep: Bool) {
        switch element.kind {
        case .object:
            let members = element.members
            var seen: Set<ArraySlice<UInt8>> = []
            for (index, member) in members.enumerated() {
                let name = member.nameUTF8
                // For few names comparison is faster than hashing.
                let isRepeated =
                    members.count <= 8
                    ? members[..<index].contains { $0.nameUTF8 == name } : !seen.insert(name).inserted
                if isRepeated {
                    violation(
                        "duplicate_member", pointer + "/" + member.name.asPointerToken,
                        "The name \"\(member.name)\" occurs twice in one object; remove one of the two.")
                }
                if deep && (member.value.kind == .object || member.value.kind == .array) {
                    checkNames(of: member.value, at: pointer + "/" + member.name.asPointerToken, deep: true)
                }
            }
        case .array where deep:
            guard let array = element.array else { return }
            for (index, value) in array.enumerated() where value.kind == .object || value.kind == .array {
                checkNames(of: value, at: "\(pointer)/\(index)", deep: true)
            }
        case .array, .null, .bool, .number, .string: return
        }
    }

    /// Whether nothing violates RFC 7946.
    var isValid: Bool { violations.allSatisfy { $0.severity == .warning } }

    mutating func violation(_ code: String, _ pointer: String, _ message: String) {
        violations.append(Diagnostic(code: code, file: file, at: .pointer(pointer), message))
    }

    /// Returns the violations found so far and clears them.
    mutating func takeViolations() -> [Diagnostic] {
        defer { violations = [] }
        return violations
    }
}

extension JSONElement.Kind {
    /// The kind with its article, for messages.
    var named: String {
        switch self {
        case .null: "null"
        case .bool: "a Boolean"
        case .number: "a number"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }
}

extension JSONElement {
    /// The members of an object; empty for other values.
    var members: [JSONObject.Member] { object.map { Array($0) } ?? [] }

    /// The value for a message, truncated to 40 characters.
    var shortText: String {
        switch kind {
        case .array, .object: return kind.named
        case .null, .bool, .number, .string:
            return TextLimit.truncated(text, to: 40)
        }
    }
}

extension String {
    /// The string as one token of a JSON Pointer (RFC 6901).
    var asPointerToken: String {
        String(JSONPointer().appending(self).description.dropFirst())
    }
}
