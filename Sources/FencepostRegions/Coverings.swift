public import FencepostModel

/// The regions that cover each of a list of coordinates.
public struct Coverings: Sendable {
    /// Those of all coordinates, one list after the other; with room for more behind `handleCount`.
    private var buffer: [RegionHandle] = []
    private var handleCount = 0
    /// Where the list of each coordinate ends; with room for more behind `count`.
    private var ends: [Int] = []
    /// How many coordinates there are.
    public private(set) var count = 0

    public init() {}

    /// The regions that cover the coordinate at a place, by handle.
    public subscript(place: Int) -> ArraySlice<RegionHandle> {
        precondition(place < count)
        return buffer[(place == 0 ? 0 : ends[place - 1])..<ends[place]]
    }

    /// Those of all coordinates, one list after the other.
    public var handles: ArraySlice<RegionHandle> { buffer[..<handleCount] }

    /// Forgets all, and makes room for so many coordinates.
    mutating func removeAll(makingRoomFor coordinates: Int) {
        (handleCount, count) = (0, 0)
        if ends.count < coordinates { ends = Array(repeating: 0, count: coordinates) }
        makeRoom(for: coordinates)
    }

    private mutating func makeRoom(for more: Int) {
        let missing = handleCount + more - buffer.count
        guard missing > 0 else { return }
        buffer.append(contentsOf: repeatElement(RegionHandle(0), count: max(missing, buffer.count)))
    }

    /// Appends the list of a coordinate that is in no region or in one.
    ///
    /// - Parameter code: 0 or `handle << 2 | 2`.
    @inline(__always)
    mutating func append(_ code: UInt32) {
        if handleCount == buffer.count { makeRoom(for: 1) }
        // Written in any case and kept only if it is one: faster than a branch.
        buffer[handleCount] = RegionHandle(code >> 2)
        handleCount &+= Int(code >> 1 & 1)
        ends[count] = handleCount
        count &+= 1
    }

    mutating func append(_ list: UnsafeBufferPointer<RegionHandle>) {
        makeRoom(for: list.count)
        for handle in list {
            buffer[handleCount] = handle
            handleCount &+= 1
        }
        ends[count] = handleCount
        count &+= 1
    }
}
