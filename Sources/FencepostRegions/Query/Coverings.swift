public import FencepostModel

/// The regions that cover each of several coordinates.
public struct Coverings: Sendable {
    /// The handles of all coordinates, one list after the other, with spare room beyond `handleCount`.
    @usableFromInline var buffer: [RegionHandle] = []
    private var handleCount = 0
    /// The end of each coordinate's list, with spare room beyond `count`.
    @usableFromInline var ends: [Int] = []
    /// The number of coordinates.
    public private(set) var count = 0

    /// The result of a query of no coordinates.
    public init() {}

    /// The regions that cover the coordinate at an index, by handle.
    public subscript(index: Int) -> ArraySlice<RegionHandle> {
        buffer[range(at: index)]
    }

    /// Where the regions of the coordinate at an index are in `handles`.
    @inlinable @inline(__always)
    public func range(at index: Int) -> Range<Int> {
        precondition(index < count)
        return (index == 0 ? 0 : ends[index - 1])..<ends[index]
    }

    /// Whether the coordinate at an index, which is not 0, has the same regions as the one before.
    @inlinable @inline(__always)
    public func isUnchanged(at index: Int) -> Bool {
        let (before, range) = (range(at: index - 1), range(at: index))
        guard before.count == range.count else { return false }
        for position in range where buffer[position] != buffer[position - range.count] { return false }
        return true
    }

    /// The region at a position of `handles`.
    @inlinable @inline(__always)
    public func handle(at position: Int) -> RegionHandle { buffer[position] }

    /// The handles of all coordinates, one list after the other.
    public var handles: ArraySlice<RegionHandle> { buffer[..<handleCount] }

    /// Removes all lists and reserves room for a number of coordinates.
    mutating func removeAll(reservingRoomFor coordinates: Int) {
        (handleCount, count) = (0, 0)
        if ends.count < coordinates { ends = Array(repeating: 0, count: coordinates) }
        reserveRoom(for: coordinates)
    }

    private mutating func reserveRoom(for more: Int) {
        let missing = handleCount + more + 1 - buffer.count
        guard missing > 0 else { return }
        buffer.append(contentsOf: repeatElement(RegionHandle(0), count: max(missing, buffer.count)))
    }

    /// Appends the results of a batch from one index on.
    ///
    /// - Returns: the first index that is uncertain, otherwise the end.
    mutating func append(_ batch: borrowing CellBatch, from start: Int, to end: Int) -> Int {
        reserveRoom(for: end - start + batch.listCount)
        var (index, written, list) = (start, handleCount, count)
        buffer.withUnsafeMutableBufferPointer { buffer in
            ends.withUnsafeMutableBufferPointer { ends in
                while index < end {
                    let classification = batch.classifications[index]
                    if classification & 1 == 0 {
                        // Written unconditionally and kept only if there is a region, which is faster than a branch.
                        buffer[written] = RegionHandle(classification >> 2)
                        written &+= Int(classification >> 1 & 1)
                    } else if classification & 2 != 0 {
                        let found = batch.lists + Int(classification >> 2)
                        for offset in 1...Int(found[0].rawValue) {
                            buffer[written] = found[offset]
                            written &+= 1
                        }
                    } else {
                        break
                    }
                    ends[list] = written
                    list &+= 1
                    index &+= 1
                }
            }
        }
        (handleCount, count) = (written, list)
        return index
    }

    mutating func append(_ list: [RegionHandle]) {
        reserveRoom(for: list.count)
        for handle in list {
            buffer[handleCount] = handle
            handleCount += 1
        }
        ends[count] = handleCount
        count += 1
    }
}
