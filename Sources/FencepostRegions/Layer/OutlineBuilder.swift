import FencepostGeometry

/// Collects the edges of an index in the layout of `Outlines`.
struct OutlineBuilder {
    private(set) var vertices: [Coordinate] = []
    private(set) var blocks: [Outlines.Block] = []
    private(set) var boxes: [Envelope] = []
    private(set) var nodes: [Envelope] = []
    private(set) var levels: [Outlines.Level] = []
    private(set) var outlines: [Outlines.Outline] = []
    private(set) var runs: [EdgeRun] = []

    /// Adds an outline.
    ///
    /// - Returns: its index in `Outlines.outlines`.
    mutating func append(_ chains: [[Coordinate]]) -> Int {
        let firstBlock = blocks.count
        for chain in chains where chain.count > 1 {
            let base = vertices.count
            vertices.append(contentsOf: chain)
            for first in stride(from: 0, to: chain.count - 1, by: Outlines.edgesPerBlock) {
                let edges = min(Outlines.edgesPerBlock, chain.count - 1 - first)
                blocks.append(Outlines.Block(first: UInt32(base + first), edges: UInt32(edges)))
                boxes.append(box(around: base + first, edges))
            }
        }
        let firstLevel = levels.count
        var level = blocks.count - firstBlock > Outlines.fanOut ? Array(boxes[firstBlock...]) : []
        while level.count > Outlines.fanOut {
            level = stride(from: 0, to: level.count, by: Outlines.fanOut).map { first in
                var box = level[first]
                for child in level[first..<min(first + Outlines.fanOut, level.count)] { box.formUnion(child) }
                return box
            }
            levels.append(.init(nodes.count..<nodes.count + level.count))
            nodes.append(contentsOf: level)
        }
        outlines.append(
            Outlines.Outline(
                blocks: .init(firstBlock..<blocks.count), levels: .init(firstLevel..<levels.count)))
        runs.append(run(since: firstBlock))
        return outlines.count - 1
    }

    private func box(around first: Int, _ edges: Int) -> Envelope {
        let start = vertices[first]
        var box = Envelope(
            west: start.longitude, south: start.latitude, east: start.longitude, north: start.latitude)
        for vertex in first + 1...first + edges {
            let next = vertices[vertex]
            box.west = min(box.west, next.longitude)
            box.east = max(box.east, next.longitude)
            box.south = min(box.south, next.latitude)
            box.north = max(box.north, next.latitude)
        }
        return box
    }

    /// The run that is the outline whose first block is given; `none` if it is more than a run.
    private func run(since firstBlock: Int) -> EdgeRun {
        guard blocks.count == firstBlock + 1 else { return .none }
        let block = blocks[firstBlock]
        for edge in Int(block.first)..<Int(block.first) + Int(block.edges)
        where Outlines.isOnAntimeridian(vertices[edge], vertices[edge + 1]) {
            return .none
        }
        return EdgeRun(first: block.first, edges: block.edges)
    }

    func envelope(of outline: Int) -> Envelope? { boxes[outlines[outline].blocks.range].union }
}

extension ArraySlice<Envelope> {
    /// The smallest envelope around all; `nil` for no envelope.
    var union: Envelope? {
        guard var box = first else { return nil }
        for other in dropFirst() { box.formUnion(other) }
        return box
    }
}
