/// A field of the schema of a Parquet file.
public struct ParquetField: Hashable, Sendable {
    /// The type of values as they are stored.
    public enum Physical: Int32, Hashable, Sendable {
        case boolean = 0
        case int32 = 1
        case int64 = 2
        case float = 4
        case double = 5
        case bytes = 6
    }

    /// What values mean, where the physical type does not say it.
    public enum Meaning: Hashable, Sendable {
        /// Text in UTF-8.
        case text
        /// A JSON value in UTF-8.
        case json
        /// Milliseconds since 1970 in UTC.
        case timestamp
    }

    /// What a field contains.
    public enum Content: Hashable, Sendable {
        /// One value.
        case value(Physical, Meaning?)
        /// Any number of texts, none of which is null.
        case texts
        /// Fields below it.
        case group([ParquetField])
    }

    /// The name, as readers show it.
    public var name: String
    /// What it contains.
    public var content: Content
    /// Whether it may be null.
    public var isOptional: Bool

    /// A field.
    public init(_ name: String, _ content: Content, isOptional: Bool = false) {
        (self.name, self.content, self.isOptional) = (name, content, isOptional)
    }

    /// A field with texts.
    public static func text(_ name: String, isOptional: Bool = false) -> Self {
        Self(name, .value(.bytes, .text), isOptional: isOptional)
    }

    /// A field with times.
    public static func time(_ name: String, isOptional: Bool = false) -> Self {
        Self(name, .value(.int64, .timestamp), isOptional: isOptional)
    }

    /// A field with floating numbers.
    public static func number(_ name: String, isOptional: Bool = false) -> Self {
        Self(name, .value(.double, nil), isOptional: isOptional)
    }

    /// The leaves, in the order in which a file has their columns.
    func leaves(below path: [String] = []) -> [Leaf] {
        let path = path + [name]
        switch content {
        case .value(let physical, let meaning):
            return [Leaf(path: path, physical: physical, meaning: meaning)]
        case .texts: return [Leaf(path: path + ["list", "element"], physical: .bytes, meaning: .text)]
        case .group(let fields): return fields.flatMap { $0.leaves(below: path) }
        }
    }

    /// A field without fields below it.
    struct Leaf {
        var path: [String]
        var physical: Physical
        var meaning: Meaning?
    }
}

// MARK: - The schema in the footer

extension ParquetField {
    /// An element of the flattened tree that the footer has.
    struct Element {
        var name: String
        /// 0 required, 1 optional, 2 repeated; `nil` for the root.
        var repetition: Int32?
        var physical: Physical?
        var meaning: Meaning?
        var isList = false
        var children: Int32?
    }

    /// The elements of the field, itself first.
    var elements: [Element] {
        let repetition: Int32 = isOptional ? 1 : 0
        switch content {
        case .value(let physical, let meaning):
            return [Element(name: name, repetition: repetition, physical: physical, meaning: meaning)]
        case .texts:
            return [
                Element(name: name, repetition: repetition, isList: true, children: 1),
                Element(name: "list", repetition: 2, children: 1),
                Element(name: "element", repetition: 0, physical: .bytes, meaning: .text),
            ]
        case .group(let fields):
            return [Element(name: name, repetition: repetition, children: Int32(fields.count))]
                + fields.flatMap(\.elements)
        }
    }
}

extension ThriftWriter {
    mutating func members(of element: ParquetField.Element) {
        if let physical = element.physical { field(1, physical.rawValue) }
        if let repetition = element.repetition { field(3, repetition) }
        field(4, element.name)
        if let children = element.children { field(5, children) }
        // The older form of the meaning, for older readers, and then the present one.
        switch (element.meaning, element.isList) {
        case (.text, _):
            field(6, Int32(0))
            field(10) { $0.field(1) { _ in } }
        case (.json, _):
            field(6, Int32(19))
            field(10) { $0.field(12) { _ in } }
        case (.timestamp, _):
            field(6, Int32(9))
            field(10) { type in
                type.field(8) { timestamp in
                    timestamp.field(1, true)
                    timestamp.field(2) { unit in unit.field(1) { _ in } }
                }
            }
        case (nil, true):
            field(6, Int32(3))
            field(10) { $0.field(3) { _ in } }
        case (nil, false): break
        }
    }
}
