#if !canImport(CoreLocation) || SimulatedCoreLocation
    import FencepostGeometry
    import FencepostModel
    import Foundation

    /// The numbers of the simulated device that neither Core Location nor the rules define.
    public struct DeviceParameters: Hashable, Sendable {
        /// The speed of a move without a speed, in metres per second: a car in town.
        public var speed = 14.0
        /// The time between two fixes during a move.
        public var fixInterval: Duration = .seconds(1)
        /// The accuracy of every fix with full accuracy, in metres.
        public var horizontalAccuracy = 5.0
        /// The accuracy of every fix with reduced accuracy, in metres. It is also half the size of the area that the
        /// fix stands for.
        public var reducedAccuracy = 5000.0
        /// The time at one place after which a visit is reported. Real devices are later by an unknown number of
        /// minutes.
        public var visitDelay: Duration = .seconds(300)
        /// The radius of a stay around its first place, in metres.
        public var visitRadius = 100.0

        /// Makes the default numbers.
        public init() {}
    }

    /// Where the device is, and what monitoring remembers of its movement.
    struct Movement: Sendable {
        enum Key: Hashable, Sendable {
            case region(String)
            case condition(monitor: String?, identifier: String)
        }

        var place: Coordinate?
        /// Speed in metres per second and course in degrees during a move; `nil` at rest.
        var motion: (speed: Double, course: Double)?
        /// The time of the last fix at another place, or of the start of updates.
        var restingSince: Timestamp
        var watches: [Key: BoundaryWatch] = [:]
        var stay: Stay?
        /// Place and time of the last reported significant change.
        var significant: (place: Coordinate, at: Timestamp)?
        /// The area that an app with reduced accuracy gets, and the time from which it counts.
        var coarse: (place: Coordinate, at: Timestamp)?

        struct Stay: Sendable {
            var place: Coordinate
            var since: Timestamp
            var isReported = false
        }

        init(at place: Coordinate?, since: Timestamp) {
            self.place = place
            restingSince = since
            stay = place.map { Stay(place: $0, since: since) }
        }

        mutating func forget(_ key: Key) { watches[key] = nil }
    }

    /// A circle, and whether the device is inside, by the cushion and the stay of rule REGION-07.
    struct BoundaryWatch: Hashable, Sendable {
        let center: Coordinate
        let radius: Double
        /// The side that was reported last, or found at the start.
        private(set) var isInside: Bool
        /// When the crossing counts if the device stays beyond the boundary.
        private(set) var deadline: Timestamp?

        init(center: Coordinate, radius: Double, place: Coordinate) {
            self.center = center
            self.radius = radius
            isInside = Geodesic.distance(center, place) <= radius
        }

        /// Takes the new place of the device.
        mutating func handle(_ place: Coordinate, at now: Timestamp, margin: Double, stay: Duration) {
            let distance = Geodesic.distance(center, place)
            // An entry needs at most half the radius, so that the device can enter a small circle at all.
            let isBeyond = isInside ? distance >= radius + margin : distance <= radius - min(margin, radius / 2)
            deadline = isBeyond ? deadline ?? (now + stay) : nil
        }

        /// Whether the crossing is reported now.
        mutating func comesDue(at now: Timestamp) -> Bool {
            guard let deadline, deadline <= now else { return false }
            isInside.toggle()
            self.deadline = nil
            return true
        }
    }

    extension Coordinate {
        /// The centre of the cell that stands for all places in it, at most `reach` metres away from each.
        func coarse(maximumDistance: Double) -> Coordinate {
            // The corners of a square cell are farthest from its centre. A degree on the ellipsoid has at most 111.7
            // kilometres.
            let side = maximumDistance * 2.0.squareRoot() / 111_700
            let row = (latitude / side).rounded(.down)
            // Meridians are farthest apart at the edge that is nearest to the equator.
            let edge = min(row.magnitude, (row + 1).magnitude) * side
            let width = side / max(cos(edge * .pi / 180), 0.01)
            let column = (longitude / width).rounded(.down)
            return Coordinate(
                latitude: min(max((row + 0.5) * side, -90), 90),
                longitude: min(max((column + 0.5) * width, -180), 180))
        }
    }
#endif
