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

    public struct Iterator: IteratorProtocol, Sendable {
        let storage: JSONStorage
        var index: Int
        let end: Int

        public mutating func next() -> JSONElement? {
            guard index < end else { return nil }
            defer { index = storage.next(after: index) }
            return JSONElement(storage: storage, index: index)
        }
    }

    public func makeIterator() -> Iterator {
        Iterator(storage: storage, index: index + 1, end: storage.next(after: index) - 1)
    }

    public var count: Int {
        storage.countOfContainer(index) ?? reduce(0) { count, _ in count + 1 }
    }

    public var isEmpty: Bool { storage.next(after: index) == index + 2 }

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

    public struct Member: Sendable {
        let storage: JSONStorage
        let index: Int

        public var name: String { storage.string(index) }
        public var nameUTF8: ArraySlice<UInt8> { storage.strings[storage.stringRange(index)] }
        public var value: JSONElement { JSONElement(storage: storage, index: index + 1) }
    }

    public struct Iterator: IteratorProtocol, Sendable {
        let storage: JSONStorage
        var index: Int
        let end: Int

        public mutating func next() -> Member? {
            guard index < end else { return nil }
            defer { index = storage.next(after: index + 1) }
            return Member(storage: storage, index: index)
        }
    }

    public func makeIterator() -> Iterator {
        Iterator(storage: storage, index: index + 1, end: storage.next(after: index) - 1)
    }

    public var count: Int {
        storage.countOfContainer(index) ?? reduce(0) { count, _ in count + 1 }
    }

    public var isEmpty: Bool { storage.next(after: index) == index + 2 }

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
