import FencepostFiles

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// An immutable array at a fixed address.
///
/// Used for data that every lookup reads: while the object lives, its pointer can be read without the reference
/// counting that an array needs per access.
final class PinnedArray<Element: Sendable>: Sendable {
    /// The address of the first element. It is an integer because pointers are not `Sendable`; the memory is written
    /// only in `init`.
    private let address: UInt
    let count: Int
    /// The file that the elements are in; `nil` if they are in memory of the array.
    private let file: MappedFile?

    convenience init(_ elements: [Element]) {
        self.init(count: elements.count) { start in
            elements.withUnsafeBufferPointer { source in
                if let first = source.baseAddress { start.initialize(from: first, count: source.count) }
            }
        }
    }

    /// - Parameters:
    ///   - count: the number of elements.
    ///   - initialize: initializes all of them.
    init(count: Int, _ initialize: (UnsafeMutablePointer<Element>) -> Void) {
        self.count = count
        file = nil
        // One extra element, so an empty list has an address too.
        let size = (count + 1) * MemoryLayout<Element>.stride
        let isLarge = size >= HugePages.size
        let memory = UnsafeMutableRawPointer.allocate(
            byteCount: size, alignment: isLarge ? HugePages.size : MemoryLayout<Element>.alignment)
        // Lookups access it at random; with small pages each would also miss the TLB.
        HugePages.request(for: memory, byteCount: size)
        let start = memory.bindMemory(to: Element.self, capacity: count + 1)
        initialize(start)
        address = UInt(bitPattern: start)
    }

    /// The elements in a part of a mapped file.
    ///
    /// - Precondition: the part is in the file, at an offset that is a multiple of the element's alignment.
    init(_ part: MappedFile.Part, as type: Element.Type = Element.self) where Element: BitwiseCopyable {
        count = part.byteCount / MemoryLayout<Element>.stride
        file = part.file
        address = part.address
        precondition(address % UInt(MemoryLayout<Element>.alignment) == 0, "the part of a file is not aligned")
    }

    deinit {
        guard file == nil else { return }
        let memory = UnsafeMutablePointer(mutating: start)
        memory.deinitialize(count: count)
        UnsafeMutableRawPointer(memory).deallocate()
    }

    /// The size of the elements in bytes.
    var byteCount: Int { count * MemoryLayout<Element>.stride }

    /// Valid while the object lives.
    var start: UnsafePointer<Element> {
        guard let start = UnsafePointer<Element>(bitPattern: address) else {
            preconditionFailure("an allocation is never at address 0")
        }
        return start
    }

    subscript(index: Int) -> Element {
        precondition(index >= 0 && index < count)
        return start[index]
    }

    /// The same without a check in a release build, for indices that come from the index itself.
    @inline(__always)
    subscript(unchecked index: Int) -> Element {
        assert(index >= 0 && index < count)
        return start[index]
    }
}

/// Pages of 2 MiB, which cause fewer page faults and fewer TLB misses.
enum HugePages {
    static let size = 1 << 21

    /// Asks the system for huge pages in memory that was not written yet. This is a hint; it never fails.
    static func request(for memory: UnsafeMutableRawPointer, byteCount: Int) {
        #if os(Linux)
            let start = memory.alignedUp(toMultipleOf: size)
            let count = (byteCount - (start - memory)) / size
            if count > 0 { madvise(start, count * size, MADV_HUGEPAGE) }
        #endif
    }
}

extension Array {
    /// An array of equal elements, with a request for huge pages.
    init(hugePages element: Element, count: Int) {
        self.init(unsafeUninitializedCapacity: count) { buffer, initialized in
            if let start = buffer.baseAddress {
                HugePages.request(for: start, byteCount: count * MemoryLayout<Element>.stride)
                start.initialize(repeating: element, count: count)
            }
            initialized = count
        }
    }

    /// An empty array with reserved capacity and a request for huge pages.
    init(hugePagesCapacity count: Int) {
        self.init(unsafeUninitializedCapacity: count) { buffer, _ in
            if let start = buffer.baseAddress {
                HugePages.request(for: start, byteCount: count * MemoryLayout<Element>.stride)
            }
        }
    }
}
