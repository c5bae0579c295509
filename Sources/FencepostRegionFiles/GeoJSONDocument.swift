import FencepostJSON
import FencepostModel

/// What RFC 7946 asks of a document as such; a breach refuses all of it, since who wrote it meant something else.
struct GeoJSONDocument {
    let file: String?
    private(set) var breaches: [Diagnostic] = []

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

    /// The features of a Feature or FeatureCollection; each of them is still to be checked.
    mutating func features(of root: JSONElement, at pointer: String) -> [Feature] {
        guard root.kind == .object else {
            breach(
                "wrong_type", pointer,
                "A region file is a JSON object of type Feature or FeatureCollection, and this is \(root.kind.named).")
            return []
        }
        guard let type = root["type"] else {
            breach("missing_member", pointer, "The member \"type\" is missing: \"Feature\" or \"FeatureCollection\".")
            return []
        }
        switch type.string {
        case "Feature": return [Feature(element: root, pointer: pointer)]
        case "FeatureCollection": break
        case .some(let name) where Self.geometryTypes.contains(name):
            breach(
                "not_a_feature", pointer + "/type",
                "A bare \(name) has no place for an id: put it into the \"geometry\" of a Feature.")
            return []
        default:
            breach(
                "wrong_type", pointer + "/type",
                "\"type\" has to be \"Feature\" or \"FeatureCollection\", and is \(type.shortText).")
            return []
        }
        checkNames(of: root, at: pointer, deep: false)
        checkForeign(
            ["coordinates", "geometries", "geometry", "properties"], in: root, "FeatureCollection", at: pointer)
        checkCommon(root, at: pointer)
        guard let features = root["features"] else {
            breach("missing_member", pointer, "The member \"features\" is missing: an array of Features.")
            return []
        }
        guard let array = features.array else {
            breach(
                "wrong_type", pointer + "/features",
                "\"features\" has to be an array of Features, and is \(features.kind.named).")
            return []
        }
        for member in root.members
        where member.name != "features" && (member.value.kind == .object || member.value.kind == .array) {
            checkNames(of: member.value, at: pointer + "/" + member.name.asPointerToken, deep: true)
        }
        return array.enumerated().map { Feature(element: $1, pointer: "\(pointer)/features/\($0)") }
    }

    /// What holds for every object of GeoJSON: no `crs`, and a `bbox` of numbers.
    mutating func checkCommon(_ object: JSONElement, at pointer: String) {
        if object["crs"] != nil {
            breach(
                "crs_not_supported", pointer + "/crs",
                "RFC 7946 knows no \"crs\": take the member out and give positions in WGS 84, longitude first "
                    + "(ogr2ogr -lco RFC7946=YES does both).")
        }
        if let box = object["bbox"] {
            let numbers = box.array?.map(\.double) ?? []
            if !(numbers.count == 4 || numbers.count == 6) || numbers.contains(nil) {
                breach(
                    "wrong_type", pointer + "/bbox",
                    "\"bbox\" has to be an array of four or six numbers: west, south, east, north; or left out.")
            }
        }
    }

    /// RFC 7946, 7.1: members that belong to another type of GeoJSON object.
    mutating func checkForeign(_ names: [String], in object: JSONElement, _ type: String, at pointer: String) {
        for name in names where object[name] != nil {
            breach(
                "misplaced_member", pointer + "/" + name,
                "A \(type) cannot have a member \"\(name)\" (RFC 7946, section 7.1); take it out or rename it.")
        }
    }

    /// No object may have one name twice: which of the two counts is left to each reader, so that no two agree.
    mutating func checkNames(of element: JSONElement, at pointer: String, deep: Bool) {
        switch element.kind {
        case .object:
            let members = element.members
            var seen: Set<ArraySlice<UInt8>> = []
            for (place, member) in members.enumerated() {
                let name = member.nameUTF8
                // A few names are compared faster than hashed.
                let isRepeated =
                    members.count <= 8
                    ? members[..<place].contains { $0.nameUTF8 == name } : !seen.insert(name).inserted
                if isRepeated {
                    breach(
                        "duplicate_member", pointer + "/" + member.name.asPointerToken,
                        "The name \"\(member.name)\" is there twice in one object; keep one of the two.")
                }
                if deep && (member.value.kind == .object || member.value.kind == .array) {
                    checkNames(of: member.value, at: pointer + "/" + member.name.asPointerToken, deep: true)
                }
            }
        case .array where deep:
            guard let array = element.array else { return }
            for (place, value) in array.enumerated() where value.kind == .object || value.kind == .array {
                checkNames(of: value, at: "\(pointer)/\(place)", deep: true)
            }
        case .array, .null, .bool, .number, .string: return
        }
    }

    mutating func breach(_ code: String, _ pointer: String, _ message: String) {
        breaches.append(Diagnostic(code: code, file: file, at: .pointer(pointer), message))
    }

    /// Hands over what was found so far.
    mutating func takeBreaches() -> [Diagnostic] {
        defer { breaches = [] }
        return breaches
    }
}

extension JSONElement.Kind {
    /// For sentences.
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
    /// Those of an object; none of anything else.
    var members: [JSONObject.Member] { object.map { Array($0) } ?? [] }

    /// The value for a sentence, cut where it is long.
    var shortText: String {
        switch kind {
        case .array, .object: return kind.named
        case .null, .bool, .number, .string:
            let text = text
            return text.count > 40 ? text.prefix(39) + "…" : text
        }
    }
}

extension String {
    /// As one token of a JSON Pointer (RFC 6901).
    var asPointerToken: String {
        String(JSONPointer().appending(self).description.dropFirst())
    }
}
