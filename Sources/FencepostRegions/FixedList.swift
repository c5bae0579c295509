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
        let isLarge = size >= Self.largePage
        let memory = UnsafeMutableRawPointer.allocate(
            byteCount: size, alignment: isLarge ? Self.largePage : MemoryLayout<Element>.alignment)
        #if os(Linux)
            // A lookup reads anywhere in it: with small pages it would wait for their addresses, too. Only a wish.
            if isLarge { madvise(memory, size / Self.largePage * Self.largePage, MADV_HUGEPAGE) }
        #endif
        let start = memory.bindMemory(to: Element.self, capacity: elements.count + 1)
        elements.withUnsafeBufferPointer { source in
            if let first = source.baseAddress { start.initialize(from: first, count: source.count) }
        }
        address = UInt(bitPattern: start)
    }

    private static var largePage: Int { 1 << 21 }

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
