public import FencepostGeometry
public import FencepostModel

extension RegionIndex {
    /// The regions whose envelope touches one of these, by handle.
    ///
    /// A region reaches as far as its circle or corridor does; one that is cut at 180° of longitude has an envelope on
    /// each side.
    public func regions(intersecting envelopes: [Envelope]) -> [RegionHandle] {
        var found: [UInt32] = []
        for envelope in envelopes { parts.tree.search(envelope, into: &found) }
        return Set(found.map { parts.list[Int(parts.owners[Int($0)])].region }).sorted()
    }
}
