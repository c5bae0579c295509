public import FencepostGEOS
import FencepostModel

extension TripBenchmark {
    /// A leg of a generated trip, and what was found in its time.
    public struct LegOutcome: Sendable {
        /// The name of the device, which has one trip.
        public let device: String
        /// The true mode.
        public let mode: TravelMode
        /// The true duration in seconds, and how many of them have the right mode.
        public let seconds, rightSeconds: Double
        /// The mode of most of its time; `nil` without a trip.
        public let foundMode: TravelMode?

        /// Whether most of the time has the right mode.
        public var isRight: Bool { foundMode == mode }
    }

    /// 18 trips with changes of the mode: to a train or a bus on foot, and to a train by bicycle.
    public static func changes(seed: UInt64) throws(GEOSError) -> [LegOutcome] {
        let chains: [[GeneratedTrip.Part]] = [
            [.walk, .wait, .train, .walk], [.walk, .wait, .bus, .walk], [.bicycle, .wait, .train, .walk],
        ]
        var random = GeneratorRandom(seed: seed ^ 0x7A1E_0007)
        var legs: [LegOutcome] = []
        for (number, chain) in chains.enumerated() {
            for (index, sampling) in GeneratedTrip.Sampling.phones.enumerated() where index % 3 != 2 {
                let name = "changeMode\(seed)-\(chain.map(\.rawValue).joined(separator: "-"))-\(number)\(index)"
                legs += try Self.legs(of: chain, name, sampling, random.split())
            }
        }
        return legs
    }

    /// 36 rides by metro, train, bus, and car in traffic.
    public static func rides(seed: UInt64) throws(GEOSError) -> [LegOutcome] {
        let chains: [[GeneratedTrip.Part]] = [
            [.walk, .wait, .metro, .walk], [.walk, .wait, .train, .walk], [.walk, .wait, .bus, .walk], [.car],
        ]
        var random = GeneratorRandom(seed: seed ^ 0x7A1E_0008)
        var legs: [LegOutcome] = []
        for chain in chains {
            for (index, sampling) in GeneratedTrip.Sampling.phones.enumerated() {
                let ride = chain.first { $0 != .walk && $0 != .wait } ?? .car
                let name = "railLegs\(seed)-\(ride.rawValue)-\(index)"
                legs += try Self.legs(of: chain, name, sampling, random.split()).filter { $0.mode != .walking }
            }
        }
        return legs
    }

    private static func legs(
        of chain: [GeneratedTrip.Part], _ name: String, _ sampling: GeneratedTrip.Sampling, _ random: GeneratorRandom
    ) throws(GEOSError) -> [LegOutcome] {
        var random = random
        let journey = GeneratedTrip(chain, &random)
        let device = DeviceID(name)
        let found = try PhoneEvaluation.trips(of: journey.record(sampling, device: device, &random)).flatMap(\.legs)
        return journey.legs.map { leg in
            var seconds: [TravelMode: Double] = [:]
            for part in found {
                guard let common = TimeSpan(part.start, part.end).clipped(to: leg.span) else { continue }
                seconds[part.mode, default: 0] += common.seconds
            }
            return LegOutcome(
                device: name, mode: leg.mode, seconds: leg.span.seconds, rightSeconds: seconds[leg.mode] ?? 0,
                foundMode: seconds.max { ($0.value, $0.key.rawValue) < ($1.value, $1.key.rawValue) }?.key)
        }
    }
}
