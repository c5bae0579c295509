/// A region's place in a catalog; it stays with the id through every change of the catalog.
public struct RegionHandle: Hashable, Comparable, Sendable {
    public let rawValue: UInt32

    public init(_ rawValue: UInt32) {
        self.rawValue = rawValue
    }

    public static func < (a: RegionHandle, b: RegionHandle) -> Bool { a.rawValue < b.rawValue }
}

/// The regions that are watched, by handle.
///
/// A value: whoever changes it makes the next one, and a handle means the same region in both.
public struct RegionCatalog: Sendable {
    /// Rises with every change.
    public private(set) var revision: UInt32 = 0
    private var entries: [Entry] = []
    private var handles: [RegionID: RegionHandle] = [:]

    private struct Entry: Sendable {
        var region: Region?
        /// The revision in which the region came, or came again.
        var added: UInt32
    }

    public init() {}

    /// - Precondition: no id is there twice; the reader of region files sees to it.
    public init(_ regions: [Region]) {
        handles.reserveCapacity(regions.count)
        entries.reserveCapacity(regions.count)
        for region in regions {
            let handle = RegionHandle(UInt32(entries.count))
            precondition(handles.updateValue(handle, forKey: region.id) == nil, "region \(region.id) is there twice")
            entries.append(Entry(region: region, added: 0))
        }
    }

    /// Goes on where a catalog was left: each region with the revision in which it came.
    ///
    /// - Precondition: no id is there twice.
    public init(_ regions: [(region: Region, added: UInt32)], revision: UInt32) {
        self.init(regions.map(\.region))
        for (place, entry) in regions.enumerated() { entries[place].added = entry.added }
        self.revision = revision
    }

    /// How many handles there are, those of deleted regions included.
    public var handleCount: Int { entries.count }

    /// How many regions there are.
    public var count: Int { entries.reduce(0) { $0 + ($1.region == nil ? 0 : 1) } }

    public subscript(handle: RegionHandle) -> Region? { entries[Int(handle.rawValue)].region }

    public func handle(for id: RegionID) -> RegionHandle? { handles[id] }

    /// The revision in which the region of this handle came.
    public func revision(addedIn handle: RegionHandle) -> UInt32 { entries[Int(handle.rawValue)].added }

    /// Every region that is there, by handle.
    public var regions: some Sequence<(handle: RegionHandle, region: Region)> {
        entries.indices.lazy.compactMap { index in
            entries[index].region.map { (RegionHandle(UInt32(index)), $0) }
        }
    }

    /// Adds, replaces and removes in one step.
    ///
    /// A region that is replaced keeps its handle, and whoever is inside stays so until the next fix says otherwise;
    /// one that is removed and comes back later keeps its handle too, and is new.
    public mutating func update(_ changed: [Region], removing removed: [RegionID] = []) {
        revision += 1
        for id in removed {
            guard let handle = handles[id] else { continue }
            entries[Int(handle.rawValue)].region = nil
        }
        for region in changed {
            if let handle = handles[region.id] {
                if entries[Int(handle.rawValue)].region == nil { entries[Int(handle.rawValue)].added = revision }
                entries[Int(handle.rawValue)].region = region
            } else {
                handles[region.id] = RegionHandle(UInt32(entries.count))
                entries.append(Entry(region: region, added: revision))
            }
        }
    }
}

/// How one fix lies to one region.
public struct Proximity: Hashable, Sendable {
    public var region: RegionHandle
    /// Exactly what GEOS `covers` answers.
    public var covers: Bool
    /// Metres from the fix to the region's boundary, negative inside.
    ///
    /// Not finite where the boundary is farther than was asked for: `-.infinity` deep inside, `.infinity` far outside.
    public var signedDistance: Double
    /// How wide the region is at its widest place that a disc fits into, in metres: a circle's diameter, a corridor's
    /// width, about twice the radius of the largest disc inside a polygon.
    public var width: Double

    public init(region: RegionHandle, covers: Bool, signedDistance: Double, width: Double) {
        self.region = region
        self.covers = covers
        self.signedDistance = signedDistance
        self.width = width
    }
}
