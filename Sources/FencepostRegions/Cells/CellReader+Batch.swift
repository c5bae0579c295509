import FencepostGeometry
import FencepostModel

/// What a walk of many coordinates through the cells needs beside them; one thread's.
struct CellBatch: ~Copyable {
    /// Coordinates that are looked up together: so many that memory is never waited for alone, and so few that all this
    /// stays in the nearest cache.
    static let most = 256

    /// The code of a coordinate of which cells cannot say for certain, or not in this batch.
    static let unsure = CellIndex.unknown
    fileprivate static let mostListed = 4 * most

    /// The numbers of each coordinate.
    fileprivate let x, y: UnsafeMutablePointer<UInt32>
    /// What is left over of them in the cell that was found last.
    fileprivate let restX, restY: UnsafeMutablePointer<UInt32>
    let codes: UnsafeMutablePointer<UInt32>
    /// The places of those that have come to a node, to a cut or to a leaf.
    fileprivate let nodes, cuts, leaves: UnsafeMutablePointer<UInt32>
    /// Of coordinates in several regions: how many, and which.
    let lists: UnsafeMutablePointer<RegionHandle>
    fileprivate(set) var listed = 0
    /// What was read ahead of its time; it has to go somewhere.
    fileprivate var touched: UInt64 = 0

    /// - Parameter mostInLeaf: of the index that is read.
    init(mostInLeaf: Int) {
        // One more of each: what is not kept in a full list is written after it.
        let room = Self.most + 1
        x = .allocate(capacity: 8 * room)
        x.initialize(repeating: 0, count: 8 * room)
        (y, restX, restY, codes) = (x + room, x + 2 * room, x + 3 * room, x + 4 * room)
        (nodes, cuts, leaves) = (x + 5 * room, x + 6 * room, x + 7 * room)
        // Whoever is last to fit in may have the largest leaf, and who is not kept writes as much behind it.
        let listRoom = Self.mostListed + 2 * (mostInLeaf + 1)
        lists = .allocate(capacity: listRoom)
        lists.initialize(repeating: RegionHandle(0), count: listRoom)
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
        let open = ask(coordinates, batch)
        var (nodes, cuts) = share(open, batch)
        while nodes > 0 { (nodes, cuts) = goDown(nodes, cuts, &batch) }
        let leaves = cut(cuts, &batch)
        batch.listed = 0
        look(at: batch.leaves, leaves, coordinates, &batch)
        guard grid.reachesSeam else { return }
        // The same meridian is looked up from both of its sides.
        for place in 0..<coordinates.count where abs(coordinates[place].longitude) == 180 {
            batch.codes[place] = CellBatch.unsure
        }
    }

    /// Looks all of them up in the first node.
    ///
    /// - Returns: how many of them in `nodes` are not found yet.
    @inline(__always)
    private func ask(_ coordinates: UnsafeBufferPointer<Coordinate>, _ batch: borrowing CellBatch) -> Int {
        let (x, y, codes, restX, restY) = (batch.x, batch.y, batch.codes, batch.restX, batch.restY)
        let open = batch.nodes
        var count = 0
        for place in 0..<coordinates.count {
            let whole = grid.numbers(coordinates[place])
            (x[place], y[place]) = (UInt32(truncatingIfNeeded: whole.x), UInt32(truncatingIfNeeded: whole.y))
            let found = first.code(whole.x, whole.y)
            let code = (whole.x | whole.y) >> 32 == 0 ? found.code : 0
            (codes[place], restX[place], restY[place]) = (code, found.x, found.y)
            // In any case, and kept only if it is one: faster than a branch.
            open[count] = UInt32(truncatingIfNeeded: place)
            count &+= Int(code & 1)
        }
        return count
    }

    /// Leaves only nodes in `nodes`, and puts the others into `cuts`.
    @inline(__always)
    private func share(_ count: Int, _ batch: borrowing CellBatch) -> (nodes: Int, cuts: Int) {
        let (codes, nodes, others) = (batch.codes, batch.nodes, batch.cuts)
        var (nodeCount, otherCount) = (0, 0)
        for number in 0..<count {
            let place = nodes[number]
            let isOther = Int(codes[Int(place)] >> 1 & 1)
            (nodes[nodeCount], others[otherCount]) = (place, place)
            nodeCount &+= 1 &- isOther
            otherCount &+= isOther
        }
        return (nodeCount, otherCount)
    }

    /// Goes one node down.
    @inline(__always)
    private func goDown(_ nodeCount: Int, _ cutCount: Int, _ batch: inout CellBatch) -> (nodes: Int, cuts: Int) {
        let (codes, nodes, others) = (batch.codes, batch.nodes, batch.cuts)
        var touched: UInt32 = 0
        for number in 0..<nodeCount { touched ^= words[Int(codes[Int(nodes[number])] >> 2)] }
        batch.touched ^= UInt64(touched)
        var (left, otherCount) = (0, cutCount)
        for number in 0..<nodeCount {
            let place = Int(nodes[number])
            let found = code(inNode: codes[place], batch.x[place], batch.y[place])
            (codes[place], batch.restX[place], batch.restY[place]) = found
            let (isOpen, isOther) = (Int(found.code & 1), Int(found.code >> 1 & 1))
            (nodes[left], others[otherCount]) = (UInt32(truncatingIfNeeded: place), UInt32(truncatingIfNeeded: place))
            left &+= isOpen & ~isOther
            otherCount &+= isOpen & isOther
        }
        return (left, otherCount)
    }

    /// Holds each against the cuts of its cell.
    ///
    /// - Returns: how many leaves there are in `leaves`.
    @inline(__always)
    private func cut(_ count: Int, _ batch: inout CellBatch) -> Int {
        let (codes, cuts, leaves) = (batch.codes, batch.cuts, batch.leaves)
        var touched: UInt32 = 0
        for number in 0..<count { touched ^= words[CellIndex.place(codes[Int(cuts[number])])] }
        batch.touched ^= UInt64(touched)
        var (open, leafCount) = (0, 0)
        for number in 0..<count {
            let place = cuts[number]
            let isCut = Int(codes[Int(place)] / CellCut.flag)
            (cuts[open], leaves[leafCount]) = (place, place)
            open &+= isCut
            leafCount &+= 1 &- isCut
        }
        while open > 0 {
            var left = 0
            for number in 0..<open {
                let place = Int(cuts[number])
                let cut = words + CellIndex.place(codes[place])
                let height = CellCut.height(cut, batch.restX[place], batch.restY[place])
                let next = cut[CellCut.side(height)]
                let code = CellCut.isCertain(height) ? next : CellBatch.unsure
                codes[place] = code
                (cuts[left], leaves[leafCount]) = (UInt32(truncatingIfNeeded: place), UInt32(truncatingIfNeeded: place))
                let (isOpen, isCut) = (Int(code & (code >> 1) & 1), Int(code / CellCut.flag))
                left &+= isOpen & isCut
                leafCount &+= isOpen & ~isCut
            }
            open = left
        }
        return leafCount
    }

    /// Replaces the codes of leaves.
    @inline(__always)
    private func look(
        at places: UnsafeMutablePointer<UInt32>, _ count: Int, _ coordinates: UnsafeBufferPointer<Coordinate>,
        _ batch: inout CellBatch
    ) {
        let codes = batch.codes
        var touched: UInt64 = 0
        for number in 0..<count { touched ^= UInt64(words[CellIndex.place(codes[Int(places[number])])]) }
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
        let leaf = words + CellIndex.place(code)
        // The third word; the list of words has one more than it needs.
        let place = Int(leaf[2])
        if leaf[0] & 1 == 1 && leaf[1] & 3 == CellIndex.Crossing.circle {
            return UnsafeRawPointer(circles + place)
        }
        // In words and in vertices there is always something at 0.
        return place < vertexCount
            ? UnsafeRawPointer(vertices + place) : UnsafeRawPointer(words)
    }
}
