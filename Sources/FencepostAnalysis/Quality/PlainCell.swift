/// The values that the devices of a generated plain benchmark vary in, and one draw of them.
struct PlainCell {
    enum Field: String { case honest, absent, optimistic, constant }
    enum SpeedField: String { case absent, zero, unknown, exact = "true", fast }
    enum Outline: String { case circle, pentagon, rectangle, cross }
    enum Stay: String { case pass, short, some, long }
    enum Margin: String { case deep, edge }
    enum Rest: String { case noisy, frozen }
    enum Motion: String {
        case walk, run, car, train

        var metersPerSecond: Double {
            switch self {
            case .walk: 1.2
            case .run: 3.6
            case .car: 17
            case .train: 42
            }
        }
    }

    /// Seconds between fixes.
    let interval: Int
    /// True radius of 68 % of the errors, in metres.
    var accuracy = 10
    /// What the accuracy says: within 10 % of the truth, nothing, 60 % of it, always 12 m.
    var field = Field.honest
    /// What the speed says: nothing, always 0, always −1, the truth, two and a half times the truth.
    var speed = SpeedField.exact
    var motion = Motion.walk
    /// Radius of the circle, or of the largest circle about the centre of the polygon, in metres.
    var radius = 150
    var outline = Outline.circle
    /// A pass without a stop, or a stay of so many intervals.
    var stay = Stay.some
    /// Where the device stays: well inside, or up to one and a half accuracies from the boundary.
    var margin = Margin.deep
    /// Fraction of the fixes that jump.
    var outliers = 0.0
    /// Whether a device at rest has new errors, or repeats its first position to the last digit.
    var rest = Rest.noisy
    /// Seconds over which errors decorrelate; 0 for independent ones.
    var drift = 0
    /// Whether the device falls silent after the first clear fix of a crossing.
    var isSilent = false

    /// Seconds of the stay; 0 for a pass.
    var staySeconds = 0.0

    static let intervals = [2, 10, 20, 45, 90, 180, 420, 1200]

    /// Draws the other values of a cell until they go together.
    init(interval: Int, _ random: inout GeneratorRandom) {
        self.interval = interval
        repeat { draw(&random) } while !isPossible
    }

    private mutating func draw(_ random: inout GeneratorRandom) {
        accuracy = random.pick([4, 10, 22, 45, 80, 150])
        field = random.pick([.honest, .honest, .honest, .absent, .optimistic, .constant])
        speed = random.pick([.absent, .zero, .unknown, .exact, .fast])
        motion = random.pick([.walk, .run, .car, .train])
        radius = random.pick([35, 80, 150, 300, 700])
        outline = random.pick([.circle, .circle, .pentagon, .rectangle, .cross])
        stay = random.pick([.pass, .short, .some, .long])
        margin = random.pick([.deep, .deep, .deep, .edge])
        outliers = random.pick([0, 0, 0, 0, 0.02, 0.04])
        rest = random.pick([.noisy, .noisy, .frozen])
        drift = random.pick([0, 90])
        isSilent = random.chance(0.3) && outliers == 0
        let unit = max(Double(interval), 50)
        staySeconds =
            switch stay {
            case .pass: 0
            case .short: unit * random.uniform(1.3...2.3)
            case .some: unit * random.uniform(3...7)
            case .long: unit * random.uniform(9...18)
            }
    }

    private var isPossible: Bool {
        let (meters, size) = (Double(accuracy), Double(radius))
        // Without a right accuracy nobody can know how much is clear: only where a default would do.
        switch field {
        case .honest: if size < 2 * meters { return false }
        case .absent, .constant: if accuracy > 22 || size < 2 * meters { return false }
        case .optimistic: if accuracy > 80 || size < 3 * meters { return false }
        }
        if motion == .train, radius < 150 { return false }
        if margin == .edge, stay == .pass || field == .optimistic || field == .constant { return false }
        // A fix lies within the region.
        if stay == .pass, 2 * size / motion.metersPerSecond < 1.2 * Double(interval) { return false }
        if margin == .edge, outline != .circle { return false }
        // On foot at short intervals across large regions, a recording would be mostly the way.
        return 4 * (2 * size + 5 * meters) / motion.metersPerSecond / Double(interval) < 200
    }

    /// The cell as labels of the grid.
    var labels: [PlainLabel] {
        [
            PlainLabel("interval", "\(interval)"), PlainLabel("accuracy", "\(accuracy)"),
            PlainLabel("field", field.rawValue), PlainLabel("speed", speed.rawValue),
            PlainLabel("radius", "\(radius)"), PlainLabel("shape", outline.rawValue),
            PlainLabel("motion", motion.rawValue), PlainLabel("place", margin.rawValue),
            PlainLabel("outliers", outliers == 0 ? "0" : "\(outliers)"), PlainLabel("rest", rest.rawValue),
            PlainLabel("drift", "\(drift)"), PlainLabel("stay", stay.rawValue),
            PlainLabel("silence", isSilent ? "1" : "0"),
        ]
    }
}
