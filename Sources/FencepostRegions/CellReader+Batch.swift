import FencepostGeometry
import FencepostModel

/// What a walk of many coordinates through the cells needs beside them; one thread's.
struct CellBatch: ~Copyable {
    /// Coordinates that are looked up together: so many that memory is never waited for alone, and so few that all this
    /// stays in the nearest cache.
    static let most = 256

    /// The code of a coordinate of which cells cannot say for certain, or not in this batch.
    static let unsure: UInt32 = 1
    fileprivate static let mostListed = 4 * most

    /// The numbers of each coordinate.
    fileprivate let x, y: UnsafeMutablePointer<UInt32>
    let codes: UnsafeMutablePointer<UInt32>
    /// The places of those that are on their way.
    fileprivate let open: UnsafeMutablePointer<UInt32>
    /// Of coordinates in several regions: how many, and which.
    let lists: UnsafeMutablePointer<RegionHandle>
    fileprivate(set) var listed = 0
    /// What was read ahead of its time; it has to go somewhere.
    fileprivate var touched: UInt64 = 0

    /// - Parameter mostInLeaf: of the index that is read.
    init(mostInLeaf: Int) {
        x = .allocate(capacity: 4 * (Self.most + 1))
        x.initialize(repeating: 0, count: 4 * (Self.most + 1))
        // One more of each: what is not kept in a full list is written after it.
        y = x + (Self.most + 1)
        codes = y + (Self.most + 1)
        open = codes + (Self.most + 1)
        // Whoever is last to fit in may have the largest leaf, and who is not kept writes as much behind it.
        let room = Self.mostListed + 2 * (mostInLeaf + 1)
        lists = .allocate(capacity: room)
        lists.initialize(repeating: RegionHandle(0), count: room)
    }

    deinit {
        x.deallocate()
        lists.deallocate()
    }
}

extension CellReader {
    /// Sets `batch.codes` to what there is to say of each coordinate: 0 for no region, `handle << 2 | 2` for one,
    /// `place << 2 | 3` for a list in `batch.lists`, and `unsure`.
    ///
    /// Step by step for all of them: among many regions almost every step waits for memory, and so for that of many
    /// coordinates at a time. No step branches on what only one coordinate decides, as far as that can be.
    ///
    /// - Precondition: not more than `CellBatch.most`.
    func find(_ coordinates: UnsafeBufferPointer<Coordinate>, _ batch: inout CellBatch) {
        let (x, y, codes, open) = (batch.x, batch.y, batch.codes, batch.open)
        var count = 0
        let first = Node(words, root)
        var isOnSeam = false
        for place in 0..<coordinates.count {
            let coordinate = coordinates[place]
            isOnSeam = isOnSeam || abs(coordinate.longitude) == 180
            let (cell, isWithin) = grid.nearestCell(coordinate)
            (x[place], y[place]) = cell
            let code = first.code(cell.x, cell.y) & isWithin
            codes[place] = code
            // In any case, and kept only if it is a node: faster than a branch.
            open[count] = UInt32(truncatingIfNeeded: place)
            count &+= Int(code & ~(code >> 1) & 1)
        }
        var touched: UInt32 = 0
        while count > 0 {
            for number in 0..<count { touched ^= words[Int(codes[Int(open[number])] >> 2)] }
            var left = 0
            for number in 0..<count {
                let place = Int(open[number])
                let code = Node(words, codes[place]).code(x[place], y[place])
                codes[place] = code
                open[left] = UInt32(truncatingIfNeeded: place)
                left &+= Int(code & ~(code >> 1) & 1)
            }
            count = left
        }
        batch.touched ^= UInt64(touched)
        // Nobody needs the numbers any more.
        let shared = x
        var sharedCount = 0
        for place in 0..<coordinates.count {
            let code = codes[place]
            let (isLeaf, isShared) = (code & (code >> 1) & 1, code / CellIndex.Shared.flag)
            open[count] = UInt32(truncatingIfNeeded: place)
            count &+= Int(isLeaf & ~isShared)
            shared[sharedCount] = UInt32(truncatingIfNeeded: place)
            sharedCount &+= Int(isLeaf & isShared)
        }
        batch.listed = 0
        look(at: open, count, coordinates, &batch)
        look(at: shared, sharedCount, coordinates, &batch)
        guard isOnSeam else { return }
        // The same meridian is looked up from both of its sides.
        for place in 0..<coordinates.count where abs(coordinates[place].longitude) == 180 {
            codes[place] = CellBatch.unsure
        }
    }

    /// Replaces the codes of leaves.
    @inline(__always)
    private func look(
        at places: UnsafeMutablePointer<UInt32>, _ count: Int, _ coordinates: UnsafeBufferPointer<Coordinate>,
        _ batch: inout CellBatch
    ) {
        let codes = batch.codes
        var touched: UInt64 = 0
        for number in 0..<count { touched ^= UInt64(words[CellIndex.leaf(codes[Int(places[number])])]) }
        for number in 0..<count { touched ^= firstNumber(of: codes[Int(places[number])]).load(as: UInt64.self) }
        batch.touched ^= touched
        for number in 0..<count {
            let place = Int(places[number])
            let list = batch.lists + batch.listed
            let found = covering(coordinates[place], code: codes[place], into: list + 1)
            if UInt(bitPattern: found) <= 1 {
                codes[place] = (list[1].rawValue << 2 | 2) & (0 &- UInt32(truncatingIfNeeded: found))
            } else if found > 0 && batch.listed < CellBatch.mostListed {
                list[0] = RegionHandle(UInt32(truncatingIfNeeded: found))
                codes[place] = UInt32(truncatingIfNeeded: batch.listed) << 2 | 3
                batch.listed &+= found &+ 1
            } else {
                codes[place] = CellBatch.unsure
            }
        }
    }

    /// Where what a leaf looks at first begins: a vertex or a circle. Of other leaves anything that there is.
    @inline(__always)
    private func firstNumber(of code: UInt32) -> UnsafeRawPointer {
        let leaf = words + CellIndex.leaf(code)
        // The third word of either kind of leaf; the list of words has one more than it needs.
        let place = Int(leaf[2])
        if code & CellIndex.Shared.flag == 0 && leaf[0] & 1 == 1 && leaf[1] & 3 == CellIndex.Crossing.circle {
            return UnsafeRawPointer(circles + place)
        }
        // In words and in vertices there is always something at 0.
        return place < vertexCount
            ? vertices + place &* MemoryLayout<Coordinate>.stride : UnsafeRawPointer(words)
    }
}
