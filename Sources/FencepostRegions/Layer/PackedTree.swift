import FencepostGeometry

/// A static R-tree over envelopes.
///
/// Envelopes are sorted along a Hilbert curve and packed full (Kamel and Faloutsos 1993). The tree is immutable.
struct PackedTree: Sendable {
    private static let fanOut = 16

    /// The envelopes in the order of the curve, then those of their parents, level by level; the root is last.
    let boxes: PinnedArray<Envelope>
    /// For each envelope its index in the array that the tree was built from.
    let items: PinnedArray<UInt32>
    /// The start of each level in `boxes`, and the number of boxes at the end.
    private let levels: [Int]

    init(_ envelopes: [Envelope]) {
        guard let world = envelopes[...].union else {
            (boxes, items, levels) = (PinnedArray([]), PinnedArray([]), [])
            return
        }
        // One number to compare: the key, then the index.
        var order = [UInt64](unsafeUninitializedCapacity: envelopes.count) { buffer, count in
            for (index, envelope) in envelopes.enumerated() {
                buffer.initializeElement(
                    at: index, to: UInt64(Hilbert.key(envelope, in: world)) << 32 | UInt64(index))
            }
            count = envelopes.count
        }
        order.sort()
        let levels = Self.levels(of: envelopes.count)
        var boxes: [Envelope] = []
        boxes.reserveCapacity(levels.last ?? 0)
        for item in order { boxes.append(envelopes[Int(truncatingIfNeeded: item & 0xFFFF_FFFF)]) }
        for (start, end) in zip(levels, levels.dropFirst().dropLast()) {
            for first in stride(from: start, to: end, by: Self.fanOut) {
                var box = boxes[first]
                for child in first + 1..<max(first + 1, min(first + Self.fanOut, end)) {
                    box.formUnion(boxes[child])
                }
                boxes.append(box)
            }
        }
        self.boxes = PinnedArray(boxes)
        items = PinnedArray(order.map { UInt32(truncatingIfNeeded: $0) })
        self.levels = levels
    }

    /// A tree in a file; `nil` unless it has the boxes for that many items.
    init?(boxes: PinnedArray<Envelope>, items: PinnedArray<UInt32>) {
        levels = Self.levels(of: items.count)
        guard boxes.count == levels.last ?? 0 else { return nil }
        (self.boxes, self.items) = (boxes, items)
    }

    /// The start of each level of a tree of that many envelopes, and the number of all boxes.
    private static func levels(of count: Int) -> [Int] {
        guard count > 0 else { return [] }
        var levels = [0, count]
        while levels[levels.count - 1] - levels[levels.count - 2] > 1 {
            let children = levels[levels.count - 1] - levels[levels.count - 2]
            levels.append(levels[levels.count - 1] + (children + Self.fanOut - 1) / Self.fanOut)
        }
        return levels
    }

    var byteCount: Int { boxes.byteCount + items.byteCount + levels.count * MemoryLayout<Int>.stride }

    /// Appends the index of each envelope that meets the given one, edges included, in no particular order.
    func search(_ envelope: Envelope, into found: inout [UInt32]) {
        search(Window(envelope), into: &found)
    }

    /// Appends the index of each envelope that meets a segment and one that contains it, and perhaps of some that the
    /// segment only nearly meets.
    func search(_ envelope: Envelope, along segment: StraightSegment, into found: inout [UInt32]) {
        search(SegmentWindow(envelope, segment), into: &found)
    }

    @inline(__always)
    private func search(_ window: some SearchWindow, into found: inout [UInt32]) {
        guard items.count > 0, window.meets(boxes.start[boxes.count - 1]) == 1 else { return }
        visit(level: levels.count - 2, node: 0, window, boxes.start, items.start, levels.span, &found)
    }

    /// Visits a node. The addresses and the span are parameters, because a reference to an array would be counted at
    /// every node.
    ///
    /// - Precondition: the node's own box meets the envelope.
    private func visit(
        level: Int, node: Int, _ window: some SearchWindow, _ boxes: UnsafePointer<Envelope>,
        _ items: UnsafePointer<UInt32>,
        _ levels: borrowing Span<Int>, _ found: inout [UInt32]
    ) {
        guard level > 0 else {
            found.append(items[node])
            return
        }
        let base = levels[level - 1]
        let count = levels[level] - base
        let first = node * Self.fanOut
        let children = boxes + (base + first)
        // One bit for each child. Which of them the window meets is unpredictable, so all are compared before a branch.
        var met = 0
        for slot in 0..<min(Self.fanOut, count - first) { met |= window.meets(children[slot]) &<< slot }
        while met != 0 {
            let slot = met.trailingZeroBitCount
            met &= met &- 1
            guard window.confirms(children[slot]) else { continue }
            let child = first + slot
            if level == 1 {
                found.append(items[child])
            } else {
                visit(level: level - 1, node: child, window, boxes, items, levels, &found)
            }
        }
    }
}

/// What the boxes of a tree are compared with.
private protocol SearchWindow {
    /// 1 if both have a point in common, edges included, as far as the envelope of the search shows; else 0.
    func meets(_ box: Envelope) -> Int

    /// Whether a box that `meets` let pass is not too far away either.
    func confirms(_ box: Envelope) -> Bool
}

/// A query envelope that is compared in all four directions without branches, which would be unpredictable.
private struct Window: SearchWindow {
    private let least, most: SIMD2<Double>

    init(_ envelope: Envelope) {
        least = SIMD2(envelope.west, envelope.south)
        most = SIMD2(envelope.east, envelope.north)
    }

    @inline(__always)
    func meets(_ box: Envelope) -> Int {
        // From `all`, or from a mask that is read lane by lane, the compiler makes four branches.
        let met = (SIMD2(box.west, box.south) .<= most) .& (SIMD2(box.east, box.north) .>= least)
        let lanes = SIMD2<Int64>.zero.replacing(with: SIMD2(repeating: 1), where: met)
        return Int(truncatingIfNeeded: lanes[0] & lanes[1])
    }

    @inline(__always)
    func confirms(_ box: Envelope) -> Bool { true }
}

/// A query segment with an envelope that contains it. Most boxes that only the envelope meets lie on one side of the segment.
private struct SegmentWindow: SearchWindow {
    private let window: Window
    private let start, direction, extent: SIMD2<Double>

    /// Degrees, and a share of a box. Much more than the rounding errors of this test and of the intersections of the
    /// segment with the edges in a box.
    private static let margin = 1e-11

    init(_ envelope: Envelope, _ segment: StraightSegment) {
        window = Window(envelope)
        start = SIMD2(segment.start.longitude, segment.start.latitude)
        direction = SIMD2(segment.end.longitude, segment.end.latitude) - start
        extent = SIMD2(abs(direction.y), abs(direction.x))
    }

    @inline(__always)
    func meets(_ box: Envelope) -> Int { window.meets(box) }

    @inline(__always)
    func confirms(_ box: Envelope) -> Bool {
        // All corners are on one side of the line if the centre is farther from it than the box is wide across it.
        let (least, most) = (SIMD2(box.west, box.south), SIMD2(box.east, box.north))
        let center = (least + most) * 0.5 - start
        let half = (most - least) * (0.5 + Self.margin) + Self.margin
        return abs(direction.x * center.y - direction.y * center.x) <= (extent * half).sum()
    }
}

extension Envelope {
    mutating func formUnion(_ other: Envelope) {
        west = min(west, other.west)
        south = min(south, other.south)
        east = max(east, other.east)
        north = max(north, other.north)
    }
}

/// Positions on a Hilbert curve over a grid of 65 536 by 65 536 cells.
enum Hilbert {
    static func key(_ envelope: Envelope, in world: Envelope) -> UInt32 {
        func cell(_ value: Double, _ low: Double, _ high: Double) -> UInt32 {
            high > low ? UInt32(min(max((value - low) / (high - low), 0), 1) * 65_535) : 0
        }
        return key(
            x: cell((envelope.west + envelope.east) / 2, world.west, world.east),
            y: cell((envelope.south + envelope.north) / 2, world.south, world.north))
    }

    static func key(x: UInt32, y: UInt32) -> UInt32 {
        var (x, y, key) = (x, y, UInt32(0))
        var side: UInt32 = 1 << 15
        while side > 0 {
            let (right, upper) = (x & side != 0, y & side != 0)
            key &+= side &* side &* (right ? (upper ? 2 : 3) : (upper ? 1 : 0))
            // The curve enters each quadrant rotated, so neighbours on the curve are neighbours on the ground.
            if !upper {
                if right { (x, y) = (65_535 - x, 65_535 - y) }
                swap(&x, &y)
            }
            side >>= 1
        }
        return key
    }
}
