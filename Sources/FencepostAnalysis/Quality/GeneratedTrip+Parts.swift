import FencepostModel

extension GeneratedTrip {
    /// A part of a trip by one mode, or a wait between two.
    enum Part: String {
        case walk, wait, bicycle, car, bus, metro, train

        /// `nil` for a wait.
        var mode: TravelMode? {
            switch self {
            case .wait: nil
            case .walk: .walking
            case .bicycle: .cycling
            case .car, .bus: .driving
            case .metro, .train: .rail
            }
        }
    }

    /// A part and its time.
    struct Leg {
        let mode: TravelMode
        let span: TimeSpan
    }

    /// How a phone records a trip.
    struct Sampling {
        /// Seconds between locations in motion.
        let interval: Double
        /// The true 68 % radius of the errors in metres, which is stated.
        let accuracy: Double
        /// The time constant of the errors in seconds; 0 for independent errors.
        let drift: Double

        /// A phone that navigates, one that records, and one that saves power; in the open, in a pocket, and in a vehicle or
        /// between houses. Errors of satellite positions drift over half a minute.
        static let phones: [Sampling] = [5.0, 15, 60].flatMap { interval in
            [6.0, 15, 35].map { Sampling(interval: interval, accuracy: $0, drift: 30) }
        }
    }

    mutating func add(_ part: Part, _ random: inout GeneratorRandom) {
        switch part {
        case .walk: streets(random.uniform(250...900), 1.0...1.6, blocks: 60...180, stops: 0.1, &random)
        // Shorter than the shortest visit.
        case .wait: pause(random.uniform(60...400))
        case .bicycle: streets(random.uniform(1500...5000), 3.5...6.5, blocks: 80...300, stops: 0.15, &random)
        case .car: traffic(random.uniform(4000...14_000), &random)
        case .bus: bus(random.uniform(3000...10_000), &random)
        case .metro: metro(halts: Int.random(in: 4...11, using: &random), &random)
        case .train: train(halts: Int.random(in: 2...6, using: &random), &random)
        }
    }

    // MARK: Rail

    /// Rapid transit: 60 to 80 km/h, 1.0 to 1.3 m/s², stations every 0.6 to 1.6 km, doors open for 20 to 45 s. Half of the lines
    /// go under the earth for two sections, without positions.
    private mutating func metro(halts: Int, _ random: inout GeneratorRandom) {
        let vehicle = GeneratorVehicle(
            topSpeed: random.uniform(17...22), acceleration: random.uniform(1.0...1.3),
            braking: random.uniform(1.0...1.2))
        let dark = random.chance(0.5) ? Int.random(in: 1...(halts - 2), using: &random) : halts + 2
        for section in 0...halts {
            let begin = now
            run(random.uniform(600...1600), vehicle, radius: 250, &random)
            if section == dark || section == dark + 1 { hide(begin...now) }
            if section < halts { pause(random.uniform(20...45)) }
        }
    }

    /// A regional train: 90 to 150 km/h, 0.4 to 0.8 m/s², stations every 2.5 to 10 km, 30 to 120 s at each.
    private mutating func train(halts: Int, _ random: inout GeneratorRandom) {
        let vehicle = GeneratorVehicle(
            topSpeed: random.uniform(25...42), acceleration: random.uniform(0.4...0.7),
            braking: random.uniform(0.5...0.8))
        for section in 0...halts {
            run(random.uniform(2500...10_000), vehicle, radius: 900, &random)
            if section < halts { pause(random.uniform(30...120)) }
        }
    }

    // MARK: Streets

    /// A bus: a stop every 200 to 450 m, where it halts 7 times in 10 for 10 to 30 s; traffic lights; a turn at one stop in four.
    private mutating func bus(_ length: Double, _ random: inout GeneratorRandom) {
        let vehicle = GeneratorVehicle(
            topSpeed: random.uniform(9...14), acceleration: random.uniform(0.8...1.2),
            braking: random.uniform(0.9...1.4))
        let goal = distance + length
        while distance < goal {
            run(random.uniform(200...450), vehicle, radius: 300, &random)
            if random.chance(0.7) { pause(random.uniform(10...30)) } else { pause(random.uniform(0...50)) }
            if random.chance(0.25) { turn(&random) }
        }
    }

    /// A car in the traffic of a city: blocks at 30 to 60 km/h, lights of 8 to 70 s at one corner in three, and queues of 100 to
    /// 600 m that move by car lengths.
    private mutating func traffic(_ length: Double, _ random: inout GeneratorRandom) {
        let goal = distance + length
        while distance < goal {
            let vehicle = GeneratorVehicle(
                topSpeed: random.uniform(8...16), acceleration: random.uniform(1.2...2.2),
                braking: random.uniform(1.2...2.5))
            if random.chance(0.12) {
                let queue = GeneratorVehicle(topSpeed: random.uniform(2...5), acceleration: 1, braking: 1.2)
                let end = distance + random.uniform(100...600)
                while distance < end {
                    run(random.uniform(15...70), queue, radius: 500, &random)
                    pause(random.uniform(3...20))
                }
            } else {
                run(random.uniform(80...500), vehicle, radius: 300, &random)
                if random.chance(0.35) { pause(random.uniform(8...70)) }
            }
            if random.chance(0.3) { turn(&random) }
        }
    }

    private mutating func turn(_ random: inout GeneratorRandom) { bend(by: random.pick([-.pi / 2, .pi / 2])) }

    /// From stand to stand; half of the way straight, half in curves of at least a radius in metres.
    private mutating func run(
        _ length: Double, _ vehicle: GeneratorVehicle, radius: Double, _ random: inout GeneratorRandom
    ) {
        var (curvature, left) = (0.0, random.uniform(0...400))
        for (meters, seconds) in vehicle.pieces(over: length) where meters > 0 {
            left -= meters
            if left < 0 {
                left = random.uniform(150...800)
                curvature = random.chance(0.5) ? 0 : random.uniform(-1...1) / radius
            }
            bend(by: curvature * meters)
            move(meters, meters / seconds)
        }
    }
}
