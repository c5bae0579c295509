#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// A list that never changes, in memory that stays where it is.
///
/// For what is read at every question: who holds the list may read through its pointer, without counting a reference
/// each time as an array would.
final class FixedList<Element: Sendable>: Sendable {
    /// Of the first element. A number, since a pointer may point at what changes, and so is not `Sendable`; what this
    /// one points at is written in `init` alone.
    private let address: UInt
    let count: Int

    init(_ elements: [Element]) {
        count = elements.count
        // One more than there are, so that there is always an address.
        let size = (elements.count + 1) * MemoryLayout<Element>.stride
        let isLarge = size >= LargePages.size
        let memory = UnsafeMutableRawPointer.allocate(
            byteCount: size, alignment: isLarge ? LargePages.size : MemoryLayout<Element>.alignment)
        // A lookup reads anywhere in it: with small pages it would wait for their addresses, too.
        LargePages.wish(for: memory, byteCount: size)
        let start = memory.bindMemory(to: Element.self, capacity: elements.count + 1)
        elements.withUnsafeBufferPointer { source in
            if let first = source.baseAddress { start.initialize(from: first, count: source.count) }
        }
        address = UInt(bitPattern: start)
    }

    deinit {
        let memory = UnsafeMutablePointer(mutating: start)
        memory.deinitialize(count: count)
        UnsafeMutableRawPointer(memory).deallocate()
    }

    /// Valid as long as the list is.
    var start: UnsafePointer<Element> {
        guard let start = UnsafePointer<Element>(bitPattern: address) else {
            preconditionFailure("an allocation is never at address 0")
        }
        return start
    }

    subscript(place: Int) -> Element {
        precondition(place >= 0 && place < count)
        return start[place]
    }
}

/// Pages of two megabytes: fewer to ask the system for, and fewer to know the addresses of.
enum LargePages {
    static let size = 1 << 21

    /// Asks for them where memory holds whole ones that were not written to. Only a wish.
    static func wish(for memory: UnsafeMutableRawPointer, byteCount: Int) {
        #if os(Linux)
            let start = memory.alignedUp(toMultipleOf: size)
            let count = (byteCount - (start - memory)) / size
            if count > 0 { madvise(start, count * size, MADV_HUGEPAGE) }
        #endif
    }
}

extension Array {
    /// A list of so many of the same, for which large pages are asked.
    init(large element: Element, count: Int) {
        self.init(unsafeUninitializedCapacity: count) { buffer, initialized in
            if let start = buffer.baseAddress {
                LargePages.wish(for: start, byteCount: count * MemoryLayout<Element>.stride)
                start.initialize(repeating: element, count: count)
            }
            initialized = count
        }
    }

    /// An empty list with room for so many, for which large pages are asked.
    init(largeCapacity count: Int) {
        self.init(unsafeUninitializedCapacity: count) { buffer, _ in
            if let start = buffer.baseAddress {
                LargePages.wish(for: start, byteCount: count * MemoryLayout<Element>.stride)
            }
        }
    }
}
