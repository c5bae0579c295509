import FencepostModel

/// A `RegionLayer.Part` in eight bytes, in which every value is a part: it may come from a file.
struct PackedPart: Sendable {
    private let handle: UInt32
    /// An index, and in its two lowest bits what it is the index of.
    private let content: UInt32

    /// What the index is the index of.
    enum Content: UInt32 { case polygon, circle, corridor, antimeridianBoundary }

    /// The largest number of outlines, circles or corridors.
    static let indexLimit = 1 << 30

    /// Packs a part. A corridor is appended to the corridors.
    init(_ part: RegionLayer.Part, _ corridors: inout [CorridorLine]) {
        let (content, index): (Content, Int)
        switch part.kind {
        case .polygon(let outline): (content, index) = (.polygon, outline)
        case .circle(let circle): (content, index) = (.circle, circle)
        case .corridor(let outline, let halfWidth):
            (content, index) = (.corridor, corridors.count)
            corridors.append(CorridorLine(outline: UInt64(outline), halfWidth: halfWidth))
        case .antimeridianBoundary(let outline): (content, index) = (.antimeridianBoundary, outline)
        }
        precondition(index < Self.indexLimit, "too many regions")
        handle = part.region.rawValue
        self.content = UInt32(index) << 2 | content.rawValue
    }

    var region: RegionHandle { RegionHandle(handle) }

    /// The index of an outline, a circle or a corridor, and which of them.
    var reference: (content: Content, index: Int) {
        let index = Int(self.content >> 2)
        switch self.content & 3 {
        case 0: return (.polygon, index)
        case 1: return (.circle, index)
        case 2: return (.corridor, index)
        default: return (.antimeridianBoundary, index)
        }
    }

    /// The outline of a polygon; `nil` for other parts.
    var polygon: Int? { content & 3 == 0 ? Int(content >> 2) : nil }

    @inline(__always)
    func part(_ corridors: [CorridorLine]) -> RegionLayer.Part {
        let kind: RegionLayer.Part.Kind
        let (content, index) = reference
        switch content {
        case .polygon: kind = .polygon(index)
        case .circle: kind = .circle(index)
        case .corridor: kind = .corridor(Int(corridors[index].outline), corridors[index].halfWidth)
        case .antimeridianBoundary: kind = .antimeridianBoundary(index)
        }
        return RegionLayer.Part(region: region, kind: kind)
    }
}

/// One line of a corridor.
struct CorridorLine: Sendable {
    var outline: UInt64
    /// Metres.
    var halfWidth: Double
}
