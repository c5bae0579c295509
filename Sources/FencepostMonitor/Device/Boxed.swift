/// An optional value on the heap: eight bytes where it is absent.
///
/// An array of at most one element, so that it is a value and can be changed in place.
struct Boxed<Value: Hashable & Sendable>: Hashable, Sendable {
    private var storage: [Value]

    init(_ value: Value? = nil) {
        storage = value.map { [$0] } ?? []
    }

    var isEmpty: Bool { storage.isEmpty }
    var value: Value? { storage.first }

    /// The value of a box that is never empty.
    @inline(__always)
    var content: Value { storage[0] }

    /// Reads the value without a copy, if there is one.
    @inline(__always)
    func read<Result>(_ body: (borrowing Value) -> Result) -> Result? {
        storage.isEmpty ? nil : body(storage[0])
    }

    mutating func set(_ value: Value) {
        if storage.isEmpty { storage = [value] } else { storage[0] = value }
    }

    mutating func clear() { storage = [] }

    /// Changes the value in place, if there is one.
    @inline(__always) @discardableResult
    mutating func update<Result>(_ body: (inout Value) -> Result) -> Result? {
        storage.isEmpty ? nil : body(&storage[0])
    }

    /// The size of its heap block, in bytes.
    var heapByteCount: Int { storage.isEmpty ? 0 : HeapSize.ofArray(storage) }
}

/// The sizes of heap blocks.
enum HeapSize {
    static func ofArray<Element>(_ array: [Element]) -> Int {
        guard array.capacity > 0 else { return 0 }
        // 32 bytes of Swift before the elements and 8 of malloc before the block, in multiples of 16.
        return (32 + array.capacity * MemoryLayout<Element>.stride + 8 + 15) / 16 * 16
    }
}
