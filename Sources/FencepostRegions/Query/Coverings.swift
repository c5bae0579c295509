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
        let missing = handleCount + more + 1 - buffer.count
        guard missing > 0 else { return }
        buffer.append(contentsOf: repeatElement(RegionHandle(0), count: max(missing, buffer.count)))
    }

    /// Appends what a batch has found from one place on.
    ///
    /// - Returns: the first place at which it is not sure, else the end.
    mutating func append(_ batch: borrowing CellBatch, from start: Int, to end: Int) -> Int {
        makeRoom(for: end - start + batch.listed)
        var (place, written, list) = (start, handleCount, count)
        buffer.withUnsafeMutableBufferPointer { buffer in
            ends.withUnsafeMutableBufferPointer { ends in
                while place < end {
                    let code = batch.codes[place]
                    if code & 1 == 0 {
                        // Written in any case and kept only if it is one: faster than a branch.
                        buffer[written] = RegionHandle(code >> 2)
                        written &+= Int(code >> 1 & 1)
                    } else if code & 2 != 0 {
                        let found = batch.lists + Int(code >> 2)
                        for number in 1...Int(found[0].rawValue) {
                            buffer[written] = found[number]
                            written &+= 1
                        }
                    } else {
                        break
                    }
                    ends[list] = written
                    list &+= 1
                    place &+= 1
                }
            }
        }
        (handleCount, count) = (written, list)
        return place
    }

    mutating func append(_ list: [RegionHandle]) {
        makeRoom(for: list.count)
        for handle in list {
            buffer[handleCount] = handle
            handleCount += 1
        }
        ends[count] = handleCount
        count += 1
    }
}
