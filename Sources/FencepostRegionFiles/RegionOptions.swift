public import FencepostModel

/// Options for reading region files.
public struct RegionOptions: Hashable, Sendable {
    /// Makes invalid polygons valid (`GEOSMakeValid`) and reports a warning, instead of rejecting them.
    public var repair: Bool
    /// The property with a region's id, if it is neither the feature's `id` nor `properties.id`.
    public var idProperty: String?
    /// Metres around points, and to either side of lines, that have no length of their own. `nil` refuses them in GeoJSON and
    /// takes `defaultRadius` for the formats of other programs.
    public var radius: Double?
    /// The maximum sizes of each region.
    public var limits: Limits
    /// The id of the single region in the document, given by the request (`PUT /v1/regions/{id}`). A region without an
    /// id gets it, and a region with another id is an error (`id_mismatch`).
    public var id: RegionID?

    /// The maximum sizes of one region (rule L5); `nil` means no limit. Characters are Unicode code points: what is seen
    /// as one character can have any number of them.
    public struct Limits: Hashable, Sendable {
        /// Positions of a shape, those of all rings or lines together.
        public var vertices: Int?
        /// Characters of a name, a device pattern or an id.
        public var text: Int?
        /// Characters of a tag.
        public var tag: Int?
        /// Tags of a region.
        public var tags: Int?
        /// Dwell times of a region.
        public var dwells: Int?
        /// Patterns of `devices`.
        public var patterns: Int?
        /// Openings of a schedule.
        public var openings: Int?
        /// Days on which a schedule does not open.
        public var exceptions: Int?
        /// Bytes of `metadata` as compact JSON.
        public var metadata: Int?

        /// Limits of the three sizes; all others are unlimited.
        public init(vertices: Int? = nil, text: Int? = nil, metadata: Int? = nil) {
            self.vertices = vertices
            self.text = text
            self.metadata = metadata
        }

        /// For regions that were stored by a version without these limits.
        public static let none = Limits()

        /// For the user's own files: borders of real countries have more than 10 000 vertices. The other sizes are
        /// limited, because every event of a region repeats its name, tags and metadata.
        public static let file: Limits = {
            var limits = Limits(text: 256, metadata: 4096)
            limits.tag = 64
            limits.tags = 64
            limits.dwells = 32
            limits.patterns = 256
            limits.openings = 128
            limits.exceptions = 1024
            return limits
        }()

        /// For data from the network.
        public static let service: Limits = {
            var limits = file
            limits.vertices = 10_000
            return limits
        }()
    }

    /// Metres around the points of other programs, and to either side of their lines.
    public static let defaultRadius = 100.0
    /// The largest `radius`: half the circumference of the earth, in whole metres.
    public static let radiusLimit = 20_037_508.0

    /// Whether the region was accepted by an earlier version, so that later rules about ids do not apply to it.
    var isStored = false

    /// Whether an id that is made of a name causes a warning; programs that write files for others have none.
    package var warnsOfDerivedIDs = true

    /// For regions from the storage, which an earlier version may have accepted with other limits.
    public static let stored: RegionOptions = {
        var options = RegionOptions(limits: .none)
        options.isStored = true
        return options
    }()

    /// Options, by default those for the user's own files.
    public init(
        repair: Bool = false, idProperty: String? = nil, radius: Double? = nil, limits: Limits = .file,
        id: RegionID? = nil
    ) {
        self.repair = repair
        self.idProperty = idProperty
        self.radius = radius
        self.limits = limits
        self.id = id
    }
}
