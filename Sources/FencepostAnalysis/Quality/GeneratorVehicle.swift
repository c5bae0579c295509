/// A vehicle between two stops: it accelerates evenly, keeps its speed, and brakes evenly.
struct GeneratorVehicle {
    /// Metres per second.
    let topSpeed: Double
    /// Metres per second squared.
    let acceleration, braking: Double

    /// A run from stand to stand over metres of length, as pieces of at most 3 s.
    func pieces(over length: Double) -> [(meters: Double, seconds: Double)] {
        let peak = min(topSpeed, (2 * length * acceleration * braking / (acceleration + braking)).squareRoot())
        let (rise, fall) = (peak / acceleration, peak / braking)
        let cruise = max(0, length / peak - (rise + fall) / 2)
        let total = rise + cruise + fall
        func distance(_ time: Double) -> Double {
            if time <= rise { return acceleration * time * time / 2 }
            if time <= rise + cruise { return peak * (time - rise / 2) }
            return length - braking * (total - time) * (total - time) / 2
        }
        let count = max(1, Int((total / 3).rounded(.up)))
        let times = (0...count).map { total * Double($0) / Double(count) }
        return zip(times, times.dropFirst()).map { (distance($1) - distance($0), $1 - $0) }
    }
}
