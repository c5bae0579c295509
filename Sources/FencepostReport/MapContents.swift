import FencepostGeometry
import FencepostModel
import FencepostSimulator

/// The contents of a scenario's map: recording, regions, and the place of each event.
struct MapContents {
    struct MapEvent {
        var delivery: Delivery
        var step: Int
        var coordinate: Coordinate
    }

    /// The fixes of each device in time order. The devices have the order of their first fixes.
    private(set) var tracks: [[Location]] = []
    /// The regions of the recording, and the circles of the app's services.
    private(set) var regions: [Region]
    private(set) var mapEvents: [MapEvent] = []
    /// The regions that the app's services name or that an event names.
    let named: Set<String>

    init(_ entry: SimulationReport.Entry) {
        let services = entry.scenario.device.services + entry.scenario.steps.compactMap(\.verb.startedService)
        let events = entry.outcome.deliveries.map(\.event)
        named = Set(services.compactMap(\.identifier) + events.compactMap(\.identifier))
        regions = entry.regions
        var known = Set(entry.regions.map(\.id.rawValue))
        for service in services {
            guard let id = service.identifier, let center = service.center, center.count == 2,
                let radius = service.radius, known.insert(id).inserted
            else { continue }
            let circle = Circle(center: Coordinate(latitude: center[0], longitude: center[1]), radius: radius)
            regions.append(Region(id: RegionID(id), shape: .circle(circle)))
        }
        var trackIndexes: [DeviceID: Int] = [:]
        for location in entry.track {
            let index = trackIndexes[location.deviceID, default: tracks.count]
            if index == tracks.count { tracks.append([]) }
            trackIndexes[location.deviceID] = index
            tracks[index].append(location)
        }
        for delivery in entry.outcome.deliveries {
            guard let step = delivery.step, let coordinate = self.coordinate(of: delivery.event) else { continue }
            mapEvents.append(MapEvent(delivery: delivery, step: step, coordinate: coordinate))
        }
    }

    /// Whether there is anything to draw.
    var isEmpty: Bool { tracks.isEmpty && (mapEvents.isEmpty || regions.isEmpty) }

    /// The coordinates that the map shows: the recording and the relevant regions; without both, all regions.
    var extent: [Coordinate] {
        let matter = regions.filter { named.contains($0.id.rawValue) }
        let fixes = tracks.flatMap { $0.map(\.coordinate) }
        let shown = matter.isEmpty && fixes.isEmpty ? regions : matter
        let all = fixes + shown.flatMap { $0.outlines.flatMap(\.self) } + mapEvents.map(\.coordinate)
        guard let first = all.first else { return [] }
        return all.map { $0.near(first.longitude) }
    }

    /// The position of the device at its last fix before the event; without a recording, the middle of the region.
    private func coordinate(of event: ServiceEvent) -> Coordinate? {
        if let at = event.at {
            let before = tracks.compactMap { $0.last { $0.timestamp <= at } }
            if let last = before.max(by: { $0.timestamp < $1.timestamp }) { return last.coordinate }
        }
        guard let id = event.identifier else { return nil }
        return regions.first { $0.id.rawValue == id }?.middle
    }
}

extension Verb {
    fileprivate var startedService: ServiceObject? {
        if case .start(let object, _, _) = self { object } else { nil }
    }
}

extension Region {
    /// The boundary as rings; for a corridor, its lines and the corners of its bounding box.
    var outlines: [[Coordinate]] {
        switch shape {
        case .polygons(let polygons): polygons.polygons.flatMap(\.rings).map(\.coordinates)
        case .circle(let circle):
            [
                stride(from: 0.0, through: 360, by: 5).map {
                    Geodesic.destination(from: circle.center, azimuth: $0, distance: circle.radius)
                }
            ]
        case .corridor(let corridor):
            corridor.lines.map { line in
                line
                    + line.flatMap { point in
                        [0.0, 90, 180, 270].map {
                            Geodesic.destination(from: point, azimuth: $0, distance: corridor.width / 2)
                        }
                    }
            }
        }
    }

    /// The approximate position of the name.
    var middle: Coordinate? {
        switch shape {
        case .circle(let circle): return circle.center
        case .corridor(let corridor): return corridor.lines.first.flatMap { $0[$0.count / 2] }
        case .polygons(let polygons):
            guard let ring = polygons.polygons.first?.exterior.coordinates, let first = ring.first,
                let box = Envelope(of: ring.unrolled(from: first.longitude))
            else { return nil }
            return Coordinate(latitude: (box.south + box.north) / 2, longitude: (box.west + box.east) / 2)
        }
    }
}
