import FencepostGeometry
import FencepostModel
import FencepostTesting

/// A simulated device that stays at places and moves between them, with the errors of phones: input for property tests.
struct WanderingDevice {
    private var random: SeededGenerator

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    private mutating func uniform(_ range: ClosedRange<Double>) -> Double { .random(in: range, using: &random) }

    /// Fixes in time order.
    mutating func fixes(_ count: Int) -> [Location] {
        let plane = LocalPlane(origin: Coordinate(latitude: uniform(-60...60), longitude: uniform(-180...180)))
        let interval = [2.0, 15, 60, 600][Int.random(in: 0..<4, using: &random)]
        var time = Timestamp(seconds: 1_772_000_000)
        var (east, north) = (0.0, 0.0)
        var (eastward, northward) = (0.0, 0.0)
        var fixes: [Location] = []
        while fixes.count < count {
            let isHole = uniform(0...1) < 0.02
            let seconds = isHole ? uniform(300...20_000) : interval * uniform(0.5...1.5)
            time = time + .seconds(seconds)
            if uniform(0...1) < 0.02 + interval / 3000 {
                let isStop = uniform(0...1) < 0.5
                eastward = isStop ? 0 : uniform(-12...12)
                northward = isStop ? 0 : uniform(-12...12)
            }
            if !isHole {
                east += eastward * seconds
                north += northward * seconds
            }
            let accuracy = uniform(0...1) < 0.05 ? 1500 : uniform(4...80)
            let isMoving = eastward != 0 || northward != 0
            var fix = Location(
                deviceID: DeviceID("wanderer"), timestamp: time,
                coordinate: plane.unproject(
                    east: east + uniform(-1...1) * accuracy, north: north + uniform(-1...1) * accuracy),
                horizontalAccuracy: uniform(0...1) < 0.05 ? nil : accuracy)
            if isMoving, accuracy < 40 { fix.speed = (eastward * eastward + northward * northward).squareRoot() }
            fixes.append(fix)
        }
        return fixes
    }
}
