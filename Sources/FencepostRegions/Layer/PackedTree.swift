import FencepostGeometry

/// A static R-tree over envelopes.
///
/// Envelopes are sorted along a Hilbert curve and packed full (Kamel and Faloutsos 1993). The tree is immutable.
struct PackedTree: Sendable {
    private static let fanOut = 16

    /// The envelopes in the order of the curve, then those of their parents, level by level; the root is last.
    private var boxes: [Envelope] = []
    /// The start of each level in `boxes`, and the number of boxes at the end.
    private var levels: [Int] = []
    /// For each envelope its index in the array that the tree was built from.
    private var items: [UInt32] = []

    init(_ envelopes: [Envelope]) {
        guard let world = Envelope(of: envelopes.lazy.flatMap(\.corners)) else { return }
        let keys = envelopes.map { Hilbert.key($0, in: world) }
        items = (0..<UInt32(envelopes.count)).sorted { (keys[Int($0)], $0) < (keys[Int($1)], $1) }
        boxes.reserveCapacity(envelopes.count * Self.fanOut / (Self.fanOut - 1) + 8)
        for item in items { boxes.append(envelopes[Int(item)]) }
        levels = [0, boxes.count]
        while boxes.count - levels[levels.count - 2] > 1 {
            let children = levels[levels.count - 2]..<boxes.count
            for first in stride(from: children.lowerBound, to: children.upperBound, by: Self.fanOut) {
                var box = boxes[first]
                for child in boxes[first..<min(first + Self.fanOut, children.upperBound)].dropFirst() {
                    box.formUnion(child)
                }
                boxes.append(box)
            }
            levels.append(boxes.count)
        }
    }

    var byteCount: Int {
        boxes.count * MemoryLayout<Envelope>.stride + levels.count * MemoryLayout<Int>.stride
            + items.count * MemoryLayout<UInt32>.stride
    }

    /// Appends the index of each envelope that meets the given one, edges included, in no particular order.
    func search(_ envelope: Envelope, into found: inout [UInt32]) {
        guard let root = boxes.last, root.intersects(envelope) else { return }
        // Spans, because an array would be retained and released at every node.
        visit(level: levels.count - 2, node: 0, Window(envelope), boxes.span, levels.span, items.span, &found)
    }

    /// Visits a node. The spans are parameters because a span cannot be stored in the tree.
    ///
    /// - Precondition: the node's own box meets the envelope.
    private func visit(
        level: Int, node: Int, _ window: Window, _ boxes: borrowing Span<Envelope>,
        _ levels: borrowing Span<Int>, _ items: borrowing Span<UInt32>, _ found: inout [UInt32]
    ) {
        guard level > 0 else {
            found.append(items[node])
            return
        }
        let base = levels[level - 1]
        let count = levels[level] - base
        for child in node * Self.fanOut..<min((node + 1) * Self.fanOut, count)
        where window.meets(boxes[base + child]) {
            if level == 1 {
                found.append(items[child])
            } else {
                visit(level: level - 1, node: child, window, boxes, levels, items, &found)
            }
        }
    }
}

/// A query envelope that is compared in all four directions without branches, which would be unpredictable.
private struct Window {
    private let least, most: SIMD2<Double>

    init(_ envelope: Envelope) {
        least = SIMD2(envelope.west, envelope.south)
        most = SIMD2(envelope.east, envelope.north)
    }

    /// Whether both have a point in common, edges included.
    @inline(__always)
    func meets(_ box: Envelope) -> Bool {
        all((SIMD2(box.west, box.south) .<= most) .& (SIMD2(box.east, box.north) .>= least))
    }
}

extension Envelope {
    var corners: [Coordinate] {
        [Coordinate(latitude: south, longitude: west), Coordinate(latitude: north, longitude: east)]
    }

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
