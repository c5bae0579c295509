/// A value on the heap, made only when there is one: eight bytes where there is none.
///
/// An array of at most one element, so that it is a value like any other and is changed where it lies.
struct Boxed<Value: Hashable & Sendable>: Hashable, Sendable {
    private var storage: [Value]

    init(_ value: Value? = nil) {
        storage = value.map { [$0] } ?? []
    }

    var isEmpty: Bool { storage.isEmpty }
    var value: Value? { storage.first }

    /// Looks at the value without copying it, if there is one.
    @inline(__always)
    func look<Result>(_ body: (borrowing Value) -> Result) -> Result? {
        storage.isEmpty ? nil : body(storage[0])
    }

    mutating func set(_ value: Value) {
        if storage.isEmpty { storage = [value] } else { storage[0] = value }
    }

    mutating func clear() { storage = [] }

    /// Works on the value, if there is one.
    @inline(__always) @discardableResult
    mutating func update<Result>(_ body: (inout Value) -> Result) -> Result? {
        storage.isEmpty ? nil : body(&storage[0])
    }

    /// What it takes on the heap, in bytes.
    var heapByteCount: Int { storage.isEmpty ? 0 : HeapSize.ofArray(storage) }
}

/// What blocks on the heap take: what stands before an array's elements, and the allocator's rounding.
enum HeapSize {
    static func ofArray<Element>(_ array: [Element]) -> Int {
        guard array.capacity > 0 else { return 0 }
        // 32 bytes of Swift before the elements, 8 of malloc before all, in steps of 16.
        return (32 + array.capacity * MemoryLayout<Element>.stride + 8 + 15) / 16 * 16
    }
}
