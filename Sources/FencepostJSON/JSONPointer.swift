/// A place in a JSON document, as RFC 6901 writes it.
public struct JSONPointer: Hashable, Sendable, CustomStringConvertible {
    /// `""` is the whole document, `/features/0/properties/a~1b` a member of the name `a/b`.
    public let description: String

    /// The whole document.
    public init() {
        description = ""
    }

    private init(_ text: String) {
        description = text
    }

    /// The member of this name of the value that this points to.
    public func appending(_ name: String) -> JSONPointer {
        var text = description
        text.append("/")
        for scalar in name.unicodeScalars {
            switch scalar {
            case "~": text.append("~0")
            case "/": text.append("~1")
            default: text.unicodeScalars.append(scalar)
            }
        }
        return JSONPointer(text)
    }

    /// The element at this place, from 0, of the value that this points to.
    public func appending(_ index: Int) -> JSONPointer {
        JSONPointer(description + "/\(index)")
    }
}

extension JSONDocument {
    /// Where an object has a member of a name that an earlier member has.
    ///
    /// RFC 8259 leaves to each reader which of the two counts, so that two readers see two documents in one.
    public func duplicateNames() -> [JSONPointer] {
        var found: [JSONPointer] = []
        var path: [Step] = []
        search(root, at: &path, into: &found)
        return found
    }

    private enum Step {
        case name(JSONObject.Member)
        case index(Int)
    }

    private func search(_ element: JSONElement, at path: inout [Step], into found: inout [JSONPointer]) {
        if let array = element.array {
            for (index, element) in array.enumerated() where element.kind == .array || element.kind == .object {
                path.append(.index(index))
                search(element, at: &path, into: &found)
                path.removeLast()
            }
        } else if let object = element.object {
            let members = Array(object)
            for place in JSONDocument.placesOfDuplicates(in: members) {
                found.append(JSONDocument.pointer(path + [.name(members[place])]))
            }
            for member in members where member.value.kind == .array || member.value.kind == .object {
                path.append(.name(member))
                search(member.value, at: &path, into: &found)
                path.removeLast()
            }
        }
    }

    private static func placesOfDuplicates(in members: [JSONObject.Member]) -> [Int] {
        // Nearly all objects are small, and there comparing all pairs is faster than hashing.
        if members.count <= 16 {
            return members.indices.filter { place in
                members[..<place].contains { $0.nameUTF8 == members[place].nameUTF8 }
            }
        }
        var seen: Set<ArraySlice<UInt8>> = []
        return members.indices.filter { !seen.insert(members[$0].nameUTF8).inserted }
    }

    private static func pointer(_ path: [Step]) -> JSONPointer {
        path.reduce(JSONPointer()) { pointer, step in
            switch step {
            case .name(let member): pointer.appending(member.name)
            case .index(let index): pointer.appending(index)
            }
        }
    }
}
