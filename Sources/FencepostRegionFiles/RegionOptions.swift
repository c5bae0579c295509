public import FencepostModel

/// How region files are read.
public struct RegionOptions: Hashable, Sendable {
    /// Makes invalid polygons valid (`GEOSMakeValid`) and says so in a warning, instead of refusing them.
    public var repair: Bool
    /// The property that holds a region's id, where it is neither the feature's `id` nor `properties.id`.
    public var idProperty: String?
    public var limits: Limits
    /// The id of the one region in the document, from elsewhere (`PUT /v1/regions/{id}`): a region that names none has
    /// it, and one that names another is an error (`id_mismatch`).
    public var id: RegionID?

    /// What one region may hold at most; `nil` is no limit.
    public struct Limits: Hashable, Sendable {
        public var vertices: Int?
        /// Characters of a name, a tag, a device pattern, an id.
        public var text: Int?
        /// Bytes of `metadata` as compact JSON.
        public var metadata: Int?

        public init(vertices: Int? = nil, text: Int? = nil, metadata: Int? = nil) {
            self.vertices = vertices
            self.text = text
            self.metadata = metadata
        }

        /// For files of one's own: real countries have more than 10 000 vertices.
        public static let none = Limits()
        /// For what comes over the network.
        public static let service = Limits(vertices: 10_000, text: 256, metadata: 4096)
    }

    public init(repair: Bool = false, idProperty: String? = nil, limits: Limits = .none, id: RegionID? = nil) {
        self.repair = repair
        self.idProperty = idProperty
        self.limits = limits
        self.id = id
    }
}
