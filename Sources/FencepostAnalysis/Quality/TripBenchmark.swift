public import FencepostGEOS
import FencepostGeometry
import FencepostModel
import FencepostMonitor

/// Trips with known lengths and modes: a stay, a way, and a stay, for each cell of a grid of what recordings differ in.
///
/// The ways are generated, because no public track has a true length. `docs/quality.md` says what they assume.
public struct TripBenchmark {
    /// The conditions of one trip.
    public struct Cell: Hashable, Sendable {
        public let ride: Ride
        /// Seconds between locations in motion.
        public let interval: Double
        /// The true 68 % radius of the errors in metres.
        public let accuracy: Double
        /// The time constant of the errors in seconds; 0 for independent errors.
        public let drift: Double

        var sampling: GeneratedTrip.Sampling {
            GeneratedTrip.Sampling(interval: interval, accuracy: accuracy, drift: drift)
        }
    }

    /// The kinds of travel.
    public enum Ride: String, Hashable, Sendable, CaseIterable {
        case walkGrid = "walk, streets"
        case walkPath = "walk, path"
        case bicycle, city, motorway, train, flight

        /// The mode that is right.
        public var mode: TravelMode {
            switch self {
            case .walkGrid, .walkPath: .walking
            case .bicycle: .cycling
            case .city, .motorway: .driving
            case .train: .rail
            case .flight: .air
            }
        }
    }

    /// The result for one trip.
    public struct Outcome: Sendable {
        public let cell: Cell
        /// The found trip that shares most of its time with the true one; `nil` if there is none.
        public let trip: Trip?
        /// The truth: metres, seconds in motion, and the speed not exceeded for 95 % of them.
        public let distance, movingSeconds, topSpeed: Double

        /// Relative error of the length, with its sign; `nil` without a trip.
        public var distanceError: Double? { trip.map { $0.distance / distance - 1 } }
        public var isRightMode: Bool { trip?.mode == cell.ride.mode }
    }

    public static let intervals = [1.0, 5, 15, 30, 60, 300]
    public static let accuracies = [5.0, 15, 40]
    public static let drifts = [0.0, 30]

    /// Runs all cells.
    public static func outcomes(seed: UInt64) throws(GEOSError) -> [Outcome] {
        var random = GeneratorRandom(seed: seed ^ 0x7219)
        var outcomes: [Outcome] = []
        for ride in Ride.allCases {
            for interval in intervals {
                for accuracy in accuracies {
                    for drift in drifts {
                        let cell = Cell(ride: ride, interval: interval, accuracy: accuracy, drift: drift)
                        outcomes.append(try outcome(of: cell, random.split(), number: outcomes.count))
                    }
                }
            }
        }
        return outcomes
    }

    private static func outcome(
        of cell: Cell, _ random: GeneratorRandom, number: Int
    ) throws(GEOSError) -> Outcome {
        var random = random
        let journey = GeneratedTrip(cell.ride, &random)
        let device = DeviceID("trip-\(number)")
        let trips = try PhoneEvaluation.trips(of: journey.record(cell.sampling, device: device, &random))
        let truth = TimeSpan(journey.departure, journey.arrival)
        let found = trips.map { trip in
            (trip, TimeSpan(trip.start.time, trip.end.time).clipped(to: truth)?.seconds ?? 0)
        }.filter { $0.1 > 0 }.max { $0.1 < $1.1 }
        return Outcome(
            cell: cell, trip: found?.0, distance: journey.distance, movingSeconds: journey.movingSeconds,
            topSpeed: journey.topSpeed)
    }
}
