/// The index of a region in a catalog. An id keeps its handle through every change of the catalog.
public struct RegionHandle: Hashable, Comparable, Sendable {
    /// The index, from 0.
    public let rawValue: UInt32

    /// The handle with an index that a catalog has assigned.
    public init(_ rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// Whether a handle was assigned before another.
    public static func < (a: RegionHandle, b: RegionHandle) -> Bool { a.rawValue < b.rawValue }
}

/// The monitored regions, indexed by handle.
///
/// A value type: a changed copy assigns the same handle to the same region id.
public struct RegionCatalog: Sendable {
    /// Rises with every change.
    public private(set) var revision: UInt32 = 0
    /// Empty while the regions are those of `source`.
    private var entries: [Entry] = []
    private var handles: [RegionID: RegionHandle] = [:]
    /// Where the regions are until the first change; `nil` for regions in memory.
    private var source: (any RegionSource)?

    private struct Entry: Sendable {
        var region: Region?
        /// The revision that added the region, or added it again.
        var added: UInt32
    }

    /// A catalog without regions, at revision 0.
    public init() {}

    /// A catalog at revision 0, with handles in the order of the regions.
    ///
    /// - Precondition: the ids are unique. The reader of region files checks this.
    public init(_ regions: [Region]) {
        handles.reserveCapacity(regions.count)
        entries.reserveCapacity(regions.count)
        for region in regions {
            let handle = RegionHandle(UInt32(entries.count))
            precondition(handles.updateValue(handle, forKey: region.id) == nil, "region \(region.id) is there twice")
            entries.append(Entry(region: region, added: 0))
        }
    }

    /// Restores a stored catalog: each region with the revision that added it.
    ///
    /// - Precondition: the ids are unique.
    public init(_ regions: [(region: Region, added: UInt32)], revision: UInt32) {
        self.init(regions.map(\.region))
        for (index, entry) in regions.enumerated() { entries[index].added = entry.added }
        self.revision = revision
    }

    /// A catalog at revision 0 of regions that are read when they are asked for.
    public init(_ source: any RegionSource) { self.source = source }

    /// Whether each region is read when it is asked for, which takes time again and again.
    public var readsOnDemand: Bool { source != nil }

    /// The number of handles, including those of deleted regions.
    public var handleCount: Int { source?.count ?? entries.count }

    /// The number of regions, without deleted ones. O(n).
    public var count: Int { source?.count ?? entries.reduce(0) { $0 + ($1.region == nil ? 0 : 1) } }

    /// The region of a handle; `nil` if it was deleted.
    ///
    /// - Precondition: the catalog, or an earlier revision of it, assigned the handle.
    public subscript(handle: RegionHandle) -> Region? {
        if let source { return source.region(at: Int(handle.rawValue)) }
        return entries[Int(handle.rawValue)].region
    }

    /// The handle of an id, also of a deleted region; `nil` if the catalog never had the id.
    public func handle(for id: RegionID) -> RegionHandle? {
        if let source { return source.index(of: id).map { RegionHandle(UInt32($0)) } }
        return handles[id]
    }

    /// The revision that added the region of this handle.
    public func revision(addedIn handle: RegionHandle) -> UInt32 {
        source == nil ? entries[Int(handle.rawValue)].added : 0
    }

    /// Every region that is not deleted, in the order of the handles.
    public var regions: some Sequence<(handle: RegionHandle, region: Region)> {
        (0..<handleCount).lazy.compactMap { index in
            self[RegionHandle(UInt32(index))].map { (RegionHandle(UInt32(index)), $0) }
        }
    }

    /// As `regions`, but the shapes may be empty: those of regions in a file are not read.
    public var regionsWithoutShapes: some Sequence<(handle: RegionHandle, region: Region)> {
        (0..<handleCount).lazy.compactMap { index in
            let handle = RegionHandle(UInt32(index))
            if let source { return (handle, source.regionWithoutShape(at: index)) }
            return entries[index].region.map { (handle, $0) }
        }
    }

    /// Adds, replaces and removes regions in one revision.
    ///
    /// A replaced region keeps its handle, and a device inside stays inside until its next fix. A region that is removed
    /// and added again later keeps its handle too, but counts as new.
    public mutating func update(_ changed: [Region], removing removed: [RegionID] = []) {
        readAll()
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

    /// Takes the regions of the source into memory.
    private mutating func readAll() {
        guard let source else { return }
        entries.reserveCapacity(source.count)
        handles.reserveCapacity(source.count)
        for index in 0..<source.count {
            let region = source.region(at: index)
            handles[region.id] = RegionHandle(UInt32(index))
            entries.append(Entry(region: region, added: 0))
        }
        self.source = nil
    }
}

/// Regions that are somewhere else than in memory, such as in a file, and are read when they are asked for.
public protocol RegionSource: Sendable {
    /// The number of regions.
    var count: Int { get }

    /// A region by its index, from 0 and below `count`.
    func region(at index: Int) -> Region

    /// A region by its index, with an empty shape.
    func regionWithoutShape(at index: Int) -> Region

    /// The index of the region with an id; `nil` if there is none.
    func index(of id: RegionID) -> Int?
}

/// The position of one fix relative to one region.
public struct Proximity: Hashable, Sendable {
    /// The region, in the catalog of the query.
    public var region: RegionHandle
    /// The result of GEOS `covers`: inside or on the boundary.
    public var covers: Bool
    /// Metres from the fix to the region's boundary, negative inside.
    ///
    /// Infinite if the boundary is farther than the search radius of the query: `-.infinity` inside, `.infinity` outside.
    public var signedDistance: Double
    /// The diameter of the largest disc that fits into the region, in metres: a circle's diameter, a corridor's width,
    /// approximately that of the largest inscribed disc of a polygon.
    public var width: Double

    /// A position with the distance to the boundary, negative inside, and the width, both in metres.
    public init(region: RegionHandle, covers: Bool, signedDistance: Double, width: Double) {
        self.region = region
        self.covers = covers
        self.signedDistance = signedDistance
        self.width = width
    }
}
