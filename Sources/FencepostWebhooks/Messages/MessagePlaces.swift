import FencepostGeometry
import FencepostModel
import Synchronization

/// A region that a message for people is about.
struct MessagePlace: Hashable, Sendable {
    var id: String
    var name: PlaceName
}

/// What messages for people say of regions: their names, and whether one is somebody's home.
///
/// Events of visits have ids of regions only, so the names are those of the regions of now.
final class MessagePlaces: Sendable {
    private let regions: @Sendable () -> RegionCatalog
    /// Whether a region is somebody's home, for one revision of the regions: to find out reads all of them.
    private let homes = Mutex<(revision: UInt32, exist: Bool)?>(nil)

    /// `regions`: the regions of now.
    init(_ regions: @escaping @Sendable () -> RegionCatalog) { self.regions = regions }

    /// The regions of now.
    var catalog: RegionCatalog { regions() }

    /// Whether any region is somebody's home.
    var haveHome: Bool {
        let regions = regions()
        return homes.withLock { known in
            if let known, known.revision == regions.revision { return known.exist }
            let exist = (0..<regions.handleCount).contains { index in
                regions[RegionHandle(UInt32(index))]?.placeName.isHome == true
            }
            known = (regions.revision, exist)
            return exist
        }
    }

    /// The regions of an event. Of a visit the smallest comes first: of regions in each other it says best where somebody is.
    func places(of subject: MessageSubject) -> [MessagePlace] {
        if let name = subject.regionName {
            return subject.regions.map { MessagePlace(id: $0, name: name) }
        }
        guard !subject.regions.isEmpty else { return [] }
        let regions = regions()
        let found = subject.regions.map { id -> (place: MessagePlace, area: Double) in
            let region = regions.handle(for: RegionID(id)).flatMap { regions[$0] }
            let name = region?.placeName ?? PlaceName(id: RegionID(id), name: nil, tags: [])
            return (MessagePlace(id: id, name: name), region?.shape.area ?? .infinity)
        }
        return found.sorted { ($0.area, $0.place.id) < ($1.area, $1.place.id) }.map(\.place)
    }
}
