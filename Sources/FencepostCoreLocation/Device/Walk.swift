#if !canImport(CoreLocation)
    import FencepostGeometry
    import FencepostModel
    import Foundation

    /// The numbers that Core Location leaves open and that the rules say nothing of; a test may choose others.
    public struct DeviceParameters: Hashable, Sendable {
        /// Metres per second of a move that names no speed: a car in town.
        public var speed = 14.0
        /// The time between two fixes on the move.
        public var fixInterval: Duration = .seconds(1)
        /// Metres, of every fix with full accuracy.
        public var horizontalAccuracy = 5.0
        /// Metres, of every fix with reduced accuracy, and the half of the area that it stands for.
        public var reducedAccuracy = 5000.0
        /// After how long at one place a visit is told of. Real devices are late by minutes, by a time unknown.
        public var visitDelay: Duration = .seconds(300)
        /// Metres from where it began that a stay reaches.
        public var visitRadius = 100.0

        public init() {}
    }

    /// Where the device is and was, as far as monitoring looks back.
    struct Walk: Sendable {
        enum Key: Hashable, Sendable {
            case region(String)
            case condition(monitor: String?, identifier: String)
        }

        var place: Coordinate?
        /// Metres per second and degrees, while it moves.
        var motion: (speed: Double, course: Double)?
        var watches: [Key: BoundaryWatch] = [:]
        var stay: Stay?
        /// Where the last significant change was told of, and when.
        var significant: (place: Coordinate, at: Timestamp)?
        /// The area that an app with reduced accuracy is told of, and since when.
        var coarse: (place: Coordinate, at: Timestamp)?

        struct Stay: Sendable {
            var place: Coordinate
            var since: Timestamp
            var isTold = false
        }

        init(at place: Coordinate?, since: Timestamp) {
            self.place = place
            stay = place.map { Stay(place: $0, since: since) }
        }

        mutating func forget(_ key: Key) { watches[key] = nil }
    }

    /// A circle that the device is in or out of, by the cushion and the stay of rule REGION-07.
    struct BoundaryWatch: Hashable, Sendable {
        let center: Coordinate
        let radius: Double
        /// What was last told, or found at the start.
        private(set) var isInside: Bool
        /// When it will be taken for crossed if the device stays there.
        private(set) var deadline: Timestamp?

        init(center: Coordinate, radius: Double, place: Coordinate) {
            self.center = center
            self.radius = radius
            isInside = Geodesic.distance(center, place) <= radius
        }

        /// Takes where the device now is.
        mutating func handle(_ place: Coordinate, at now: Timestamp, cushion: Double, stay: Duration) {
            let distance = Geodesic.distance(center, place)
            // On the way in at most half the radius, so that a small circle can be entered at all.
            let isBeyond = isInside ? distance >= radius + cushion : distance <= radius - min(cushion, radius / 2)
            deadline = isBeyond ? deadline ?? (now + stay) : nil
        }

        /// Whether the crossing is to be told now.
        mutating func comesDue(at now: Timestamp) -> Bool {
            guard let deadline, deadline <= now else { return false }
            isInside.toggle()
            self.deadline = nil
            return true
        }
    }

    extension Coordinate {
        /// The middle of the cell that stands for all places in it, at most `reach` metres away from each.
        func coarse(reach: Double) -> Coordinate {
            // A square cell reaches farthest at its corners; no degree on the ellipsoid has more than 111.7 kilometres.
            let side = reach * 2.0.squareRoot() / 111_700
            let row = (latitude / side).rounded(.down)
            // Meridians are widest apart at the edge that is nearest to the equator.
            let edge = min(abs(row), abs(row + 1)) * side
            let width = side / max(cos(edge * .pi / 180), 0.01)
            let column = (longitude / width).rounded(.down)
            return Coordinate(
                latitude: min(max((row + 0.5) * side, -90), 90),
                longitude: min(max((column + 0.5) * width, -180), 180))
        }
    }
#endif
