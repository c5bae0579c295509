/// How long a device takes that has moved while no fix came, for visits and crossings alike.
///
/// Short distances are walked, and long ones mostly not.
enum WayInSilence {
    /// Metres that are walked, and metres per second for them and for the rest. The speed of a walk is less than that of
    /// somebody who goes straight.
    static let walkingDistance = 400.0
    static let walkingSpeed = 1.22
    static let ridingSpeed = 6.0

    /// Seconds for so many metres.
    static func seconds(over distance: Double) -> Double {
        min(distance, walkingDistance) / walkingSpeed + max(0, distance - walkingDistance) / ridingSpeed
    }
}
