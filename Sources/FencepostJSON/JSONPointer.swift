/// A JSON Pointer (RFC 6901): a position in a JSON document.
public struct JSONPointer: Hashable, Sendable, CustomStringConvertible {
    /// `""` is the whole document, `/features/0/properties/a~1b` the member with the name `a/b`.
    public let description: String

    /// The whole document.
    public init() {
        description = ""
    }

    private init(_ text: String) {
        description = text
    }

    /// The member with this name of the value that this points to.
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

    /// The element at this index of the value that this points to.
    public func appending(_ index: Int) -> JSONPointer {
        JSONPointer(description + "/\(index)")
    }
}

extension JSONDocument {
    /// The pointers of members whose object has an earlier member with the same name.
    ///
    /// RFC 8259 leaves it to readers which of the two they use, so two readers could read two different documents.
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
            for index in JSONDocument.indicesOfDuplicates(in: members) {
                found.append(JSONDocument.pointer(path + [.name(members[index])]))
            }
            for member in members where member.value.kind == .array || member.value.kind == .object {
                path.append(.name(member))
                search(member.value, at: &path, into: &found)
                path.removeLast()
            }
        }
    }

    fileprivate static func indicesOfDuplicates(in members: [JSONObject.Member]) -> [Int] {
        // Almost all objects are small, where comparing all pairs is faster than hashing.
        if members.count <= 16 {
            return members.indices.filter { index in
                members[..<index].contains { $0.nameUTF8 == members[index].nameUTF8 }
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

extension JSONObject {
    /// The first name that an earlier member has too.
    public var firstRepeatedName: String? {
        let members = Array(self)
        return JSONDocument.indicesOfDuplicates(in: members).first.map { members[$0].name }
    }
}
