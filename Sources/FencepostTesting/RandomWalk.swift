import FencepostGeometry
public import FencepostModel

/// Four devices that walk at random in and out of three circles, with late and duplicate fixes.
public enum RandomWalk {
    /// The time of the first fix.
    public static let start = Timestamp(seconds: 1_772_000_000)

    /// Three overlapping circles of 350 m in Paris, with a dwell of two minutes each.
    public static let regions: [Region] = [("a", 48.85, 2.35), ("b", 48.855, 2.36), ("c", 48.845, 2.34)].map {
        name, latitude, longitude in
        var region = Region(
            id: RegionID(name),
            shape: .circle(Circle(center: Coordinate(latitude: latitude, longitude: longitude), radius: 350)))
        region.dwells = [.seconds(120)]
        return region
    }

    /// Fixes in the order of their arrival: one each 20 s, a twentieth of them ten minutes late, a fifteenth repeated.
    public static func fixes(seed: UInt64, count: Int) -> [Location] {
        var random = SeededGenerator(seed: seed)
        var positions = (0..<4).map { _ in Coordinate(latitude: 48.85, longitude: 2.35) }
        var fixes: [Location] = []
        for step in 0..<count {
            let device = Int.random(in: 0..<4, using: &random)
            positions[device].latitude += Double.random(in: -0.002...0.002, using: &random)
            positions[device].longitude += Double.random(in: -0.003...0.003, using: &random)
            positions[device].latitude = min(max(positions[device].latitude, 48.84), 48.86)
            positions[device].longitude = min(max(positions[device].longitude, 2.33), 2.37)
            var time = start + .seconds(step * 20)
            if Int.random(in: 0..<20, using: &random) == 0 { time = time - .seconds(600) }
            fixes.append(
                Location(
                    deviceID: DeviceID("walker/\(device)"), timestamp: time, coordinate: positions[device],
                    horizontalAccuracy: 8))
            if Int.random(in: 0..<15, using: &random) == 0, let duplicate = fixes.randomElement(using: &random) {
                fixes.append(duplicate)
            }
        }
        return fixes
    }
}
