/// Texts by the order in which they came first.
struct TextDictionary {
    private(set) var texts: [String] = []
    private var indices: [String: UInt32] = [:]
    /// Most texts are the same as the one before.
    private var last: (text: String, index: UInt32)?

    mutating func index(of text: String) -> UInt32 {
        if let last, last.text == text { return last.index }
        let index: UInt32
        if let known = indices[text] {
            index = known
        } else {
            index = UInt32(texts.count)
            texts.append(text)
            indices[text] = index
        }
        last = (text, index)
        return index
    }

    mutating func removeAll() {
        texts.removeAll(keepingCapacity: true)
        indices.removeAll(keepingCapacity: true)
        last = nil
    }

    /// The pages of a column with these indices.
    ///
    /// - Parameters:
    ///   - indices: of the values that are not null.
    ///   - levels: the begin of the data.
    ///   - values: how many values the data has, with those that are null.
    ///   - nulls: how many of these are null.
    /// - Returns: pages with the dictionary, or without it where most texts are there once.
    func pages(_ indices: [UInt32], levels: [UInt8], values: Int, nulls: Int) -> ColumnPages {
        var data = levels
        let isUseful = texts.count <= indices.count / 2
        if isUseful {
            let width = max(1, 32 - UInt32(max(0, texts.count - 1)).leadingZeroBitCount)
            data.append(UInt8(width))
            data += LevelEncoding.encode(indices, width: width)
        } else {
            for index in indices { data.append(text: texts[Int(index)]) }
        }
        var dictionary: [UInt8] = []
        if isUseful { for text in texts { dictionary.append(text: text) } }
        return ColumnPages(
            dictionary: isUseful && !texts.isEmpty ? (dictionary, texts.count) : nil, data: data,
            encoding: isUseful && !texts.isEmpty ? .dictionary : .plain, values: values, nulls: nulls,
            range: range)
    }

    /// The first and the last text in the order of their bytes; `nil` without texts, and for texts that are too long for a footer.
    private var range: (least: [UInt8], greatest: [UInt8])? {
        guard var least = texts.first?.utf8 else { return nil }
        var greatest = least
        for text in texts {
            if text.utf8.lexicographicallyPrecedes(least) { least = text.utf8 }
            if greatest.lexicographicallyPrecedes(text.utf8) { greatest = text.utf8 }
        }
        guard least.count <= 256, greatest.count <= 256 else { return nil }
        return (Array(least), Array(greatest))
    }
}

/// A column with texts, of which many are the same.
public struct TextColumn: ParquetColumn {
    private var dictionary = TextDictionary()
    private var indices: [UInt32] = []
    private var presence: Presence

    /// An empty column.
    public init(isOptional: Bool = false) { presence = Presence(isOptional: isOptional) }

    /// Appends a text, or null to an optional column.
    public mutating func append(_ text: String?) {
        presence.append(text != nil)
        if let text { indices.append(dictionary.index(of: text)) }
    }

    public mutating func removeAll() {
        dictionary.removeAll()
        indices.removeAll(keepingCapacity: true)
        presence.removeAll()
    }

    public var pages: ColumnPages {
        dictionary.pages(indices, levels: presence.bytes, values: presence.rows, nulls: presence.nulls)
    }
}

/// A column with lists of texts. A list may be empty and is never null.
public struct TextListColumn: ParquetColumn {
    private var dictionary = TextDictionary()
    private var indices: [UInt32] = []
    /// 0 for the first element of a list, and for an empty list.
    private var repetitions: [UInt32] = []
    /// 0 for an empty list.
    private var definitions: [UInt32] = []

    /// An empty column.
    public init() {}

    /// Appends a list.
    public mutating func append(_ texts: some Collection<String>) {
        if texts.isEmpty {
            repetitions.append(0)
            definitions.append(0)
        }
        for (position, text) in texts.enumerated() {
            repetitions.append(position == 0 ? 0 : 1)
            definitions.append(1)
            indices.append(dictionary.index(of: text))
        }
    }

    public mutating func removeAll() {
        dictionary.removeAll()
        indices.removeAll(keepingCapacity: true)
        repetitions.removeAll(keepingCapacity: true)
        definitions.removeAll(keepingCapacity: true)
    }

    public var pages: ColumnPages {
        dictionary.pages(
            indices, levels: Presence.bytes(repetitions, width: 1) + Presence.bytes(definitions, width: 1),
            values: definitions.count, nulls: definitions.count - indices.count)
    }
}

/// A column with texts of which each is there once, such as JSON: kept as it is written.
public struct BytesColumn: ParquetColumn {
    private var bytes: [UInt8] = []
    private var presence: Presence

    /// An empty column.
    public init(isOptional: Bool = false) { presence = Presence(isOptional: isOptional) }

    /// How many bytes the values have.
    public var byteCount: Int { bytes.count }

    /// Appends a value, or null to an optional column.
    public mutating func append(_ value: String?) {
        presence.append(value != nil)
        if let value { bytes.append(text: value) }
    }

    /// Appends a value of a known number of bytes.
    mutating func append(count: Int, _ write: (UnsafeMutableRawBufferPointer) -> Void) {
        presence.append(true)
        bytes.append(count32: count)
        withUnsafeTemporaryAllocation(byteCount: count, alignment: 8) { buffer in
            write(buffer)
            bytes.append(contentsOf: buffer)
        }
    }

    public mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        presence.removeAll()
    }

    public var pages: ColumnPages {
        ColumnPages(
            data: presence.bytes + bytes, encoding: .plain, values: presence.rows, nulls: presence.nulls)
    }
}

extension [UInt8] {
    fileprivate mutating func append(text: String) {
        append(count32: text.utf8.count)
        append(contentsOf: text.utf8)
    }

    fileprivate mutating func append(count32 count: Int) {
        Swift.withUnsafeBytes(of: UInt32(count).littleEndian) { append(contentsOf: $0) }
    }
}
