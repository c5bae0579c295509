public import FencepostModel

/// Options for reading region files.
public struct RegionOptions: Hashable, Sendable {
    /// Makes invalid polygons valid (`GEOSMakeValid`) and reports a warning, instead of rejecting them.
    public var repair: Bool
    /// The property with a region's id, if it is neither the feature's `id` nor `properties.id`.
    public var idProperty: String?
    public var limits: Limits
    /// The id of the single region in the document, given by the request (`PUT /v1/regions/{id}`). A region without an
    /// id gets it, and a region with another id is an error (`id_mismatch`).
    public var id: RegionID?

    /// The maximum sizes of one region; `nil` means no limit.
    public struct Limits: Hashable, Sendable {
        public var vertices: Int?
        /// Characters of a name, a tag, a device pattern or an id.
        public var text: Int?
        /// Bytes of `metadata` as compact JSON.
        public var metadata: Int?

        public init(vertices: Int? = nil, text: Int? = nil, metadata: Int? = nil) {
            self.vertices = vertices
            self.text = text
            self.metadata = metadata
        }

        /// For the user's own files: borders of real countries have more than 10 000 vertices.
        public static let none = Limits()
        /// For data from the network.
        public static let service = Limits(vertices: 10_000, text: 256, metadata: 4096)
    }

    public init(repair: Bool = false, idProperty: String? = nil, limits: Limits = .none, id: RegionID? = nil) {
        self.repair = repair
        self.idProperty = idProperty
        self.limits = limits
        self.id = id
    }
}
