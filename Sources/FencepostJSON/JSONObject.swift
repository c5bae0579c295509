/// The elements of an array.
public struct JSONArray: Sequence, Sendable {
    let storage: JSONStorage
    let index: Int

    init(storage: JSONStorage, index: Int) {
        self.storage = storage
        self.index = index
    }

    init(_ element: JSONElement) {
        self.init(storage: element.storage, index: element.index)
    }

    /// Walks through the elements of an array in order.
    public struct Iterator: IteratorProtocol, Sendable {
        let storage: JSONStorage
        var index: Int
        let end: Int

        /// The next element; `nil` after the last one.
        public mutating func next() -> JSONElement? {
            guard index < end else { return nil }
            defer { index = storage.next(after: index) }
            return JSONElement(storage: storage, index: index)
        }
    }

    /// An iterator before the first element.
    public func makeIterator() -> Iterator {
        Iterator(storage: storage, index: index + 1, end: storage.next(after: index) - 1)
    }

    /// The number of elements. O(1) up to 2²⁴ − 2 elements, O(n) beyond.
    public var count: Int {
        storage.countOfContainer(index) ?? reduce(0) { count, _ in count + 1 }
    }

    /// Whether the array has no element. O(1).
    public var isEmpty: Bool { storage.next(after: index) == index + 2 }

    /// The exact number of elements.
    public var underestimatedCount: Int { count }
}

/// The members of an object.
public struct JSONObject: Sequence, Sendable {
    let storage: JSONStorage
    let index: Int

    init(storage: JSONStorage, index: Int) {
        self.storage = storage
        self.index = index
    }

    init(_ element: JSONElement) {
        self.init(storage: element.storage, index: element.index)
    }

    /// One name with its value.
    public struct Member: Sendable {
        let storage: JSONStorage
        let index: Int

        /// The name, without escapes.
        public var name: String { storage.string(index) }
        /// The name for a lookup among known ones, which have at most 64 bytes; empty for a longer one. Hashing a `String` takes
        /// time that grows with the square of a run of combining marks.
        public var shortName: String { storage.stringRange(index).count <= 64 ? name : "" }
        /// The UTF-8 bytes of the name, without the cost of a `String`.
        public var nameUTF8: ArraySlice<UInt8> { storage.strings[storage.stringRange(index)] }
        /// The value of the member.
        public var value: JSONElement { JSONElement(storage: storage, index: index + 1) }
    }

    /// Walks through the members of an object in the order of the text.
    public struct Iterator: IteratorProtocol, Sendable {
        let storage: JSONStorage
        var index: Int
        let end: Int

        /// The next member; `nil` after the last one.
        public mutating func next() -> Member? {
            guard index < end else { return nil }
            defer { index = storage.next(after: index + 1) }
            return Member(storage: storage, index: index)
        }
    }

    /// An iterator before the first member.
    public func makeIterator() -> Iterator {
        Iterator(storage: storage, index: index + 1, end: storage.next(after: index) - 1)
    }

    /// The number of members, including repeated names. O(1) up to 2²⁴ − 2 members, O(n) beyond.
    public var count: Int {
        storage.countOfContainer(index) ?? reduce(0) { count, _ in count + 1 }
    }

    /// Whether the object has no member. O(1).
    public var isEmpty: Bool { storage.next(after: index) == index + 2 }

    /// The exact number of members.
    public var underestimatedCount: Int { count }

    func first(named name: String) -> JSONElement? {
        var name = name
        return name.withUTF8 { wanted in
            var index = index + 1
            let end = storage.next(after: self.index) - 1
            while index < end {
                let range = storage.stringRange(index)
                if range.count == wanted.count, storage.strings[range].elementsEqual(wanted) {
                    return JSONElement(storage: storage, index: index + 1)
                }
                index = storage.next(after: index + 1)
            }
            return nil
        }
    }
}

extension JSONStorage {
    /// The number of elements; `nil` from 2^24 − 1, where simdjson stops counting.
    fileprivate func countOfContainer(_ index: Int) -> Int? {
        let count = Int(truncatingIfNeeded: payload(index) >> 32)
        return count < 0xFF_FFFF ? count : nil
    }
}
