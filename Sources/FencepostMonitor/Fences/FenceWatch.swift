import FencepostGeometry
import FencepostModel

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// Whether a device that stands has left its fence, from its locations.
///
/// One fix never decides: a reflection or a fault of the receiver looks like a theft. It takes two in a row that are away, by
/// far more than their errors, and that agree with each other: both at one place, or one farther on than the other. A device
/// that has lately shown an outlier needs a third one, unless they are near each other or state that it drives. So does one whose
/// first fix away is farther than a vehicle comes in the time since the last fix at the place.
struct FenceWatch: Hashable, Sendable, Codable {
    /// A fix away from the place.
    struct Away: Hashable, Sendable, Codable {
        var time: Timestamp
        var coordinate: Coordinate
        /// Metres per second; `nil` if unknown.
        var speed: Double?
        /// How many uncertainties it is beyond the radius.
        var excess: Double
        /// Metres.
        var uncertainty: Double
        /// Metres from the centre.
        var distance: Double
        /// Whether it is farther from the place than a vehicle comes from there by then.
        var isSudden = false
    }

    /// What shows that the device has left.
    struct Breach: Hashable, Sendable {
        /// Metres from the centre.
        var distance: Double
        /// 0 to 1.
        var confidence: Double
        /// The uncertainty of the distance, in metres.
        var accuracy: Double
        /// The times of the fixes before that were away.
        var earlier: [Timestamp]
    }

    /// The root mean square of the distances from the centre, in metres.
    private(set) var spread: Double
    /// The last fixes, if they are away.
    private(set) var away: [Away] = []
    /// Counts outliers: each adds 1, and each fix forgets a share.
    private(set) var outliers = 0.0
    /// The last fix at the place, and how often it has been repeated to the last digit, up to `FenceRule.usualRepeats`.
    private var rest: Rest?

    private struct Rest: Hashable, Sendable, Codable {
        var time: Timestamp
        var coordinate: Coordinate
        var repeats = 0
    }

    /// A watch of a device whose fixes were so many metres from the centre before (root mean square).
    init(spread: Double) { self.spread = spread }

    /// Takes a fix, in time order.
    ///
    /// - Returns: what shows that the device has left, with the fix that does.
    mutating func take(_ location: Location, _ fence: Fence) -> Breach? {
        let stated = location.horizontalAccuracy ?? FixRule.defaultAccuracy
        guard stated <= FenceRule.worstAccuracy else { return nil }
        outliers *= 1 - 1 / FenceRule.outlierMemory
        let distance = Geodesic.distance(fence.center, location.coordinate)
        let uncertainty = uncertainty(of: stated, fence)
        let excess = (distance - fence.radius) / uncertainty
        guard excess > FenceRule.awayUncertainties else {
            if excess <= FenceRule.returnUncertainties { stay(location, distance, uncertainty) }
            return nil
        }
        var next = Away(
            time: location.timestamp, coordinate: location.coordinate, speed: location.speed, excess: excess,
            uncertainty: uncertainty, distance: distance)
        next.isSudden = isSudden(next, fence)
        guard let last = away.last else {
            away = [next]
            return nil
        }
        let agreement = agreement(of: last, and: next, fence)
        switch agreement {
        case .repeated: return nil
        case .contradicts:
            away = [next]
            return nil
        case .agrees, .isNear: away.append(next)
        }
        let isDriven = away.allSatisfy { $0.speed ?? 0 >= FenceRule.drivingSpeed }
        let needed = isDriven ? 2 : away[0].isSudden ? 3 : agreement == .isNear ? 2 : hasOutliers ? 3 : 2
        guard away.count >= needed else { return nil }
        return Breach(
            distance: distance, confidence: confidence(isAccuracyStated: location.horizontalAccuracy != nil),
            accuracy: uncertainty, earlier: away.dropLast().map(\.time))
    }

    /// Whether one of the last fixes was an outlier.
    private var hasOutliers: Bool { outliers > 0.37 }

    /// The uncertainty of a distance from the centre in metres: what the fix states and what is known of the centre, or what the
    /// device has shown if that is more.
    private func uncertainty(of accuracy: Double, _ fence: Fence) -> Double {
        let error = max(accuracy, FenceRule.leastAccuracy)
        let center = max(FenceRule.centerError * fence.horizontalAccuracy, FenceRule.leastCenterError)
        return max((error * error + center * center).squareRoot(), spread / FenceRule.spreadOfAccuracy)
    }

    private func isSudden(_ fix: Away, _ fence: Fence) -> Bool {
        guard let rest else { return false }
        let seconds = Double(fix.time.milliseconds - rest.time.milliseconds) / 1000
        let longest = min(
            FenceRule.startingAcceleration / 2 * seconds * seconds,
            FenceRule.startingDistance + FenceRule.roadSpeed * seconds)
        return fix.distance - fence.radius - FenceRule.sameUncertainties * fix.uncertainty > longest
    }

    /// Takes a fix at the place.
    private mutating func stay(_ location: Location, _ distance: Double, _ uncertainty: Double) {
        if let nearest = away.map(\.distance).min(), uncertainty <= FenceRule.clearShare * nearest {
            // They were not away: the device has not come back in so short a time.
            away = []
            outliers += 1
        }
        let time = location.timestamp
        if let rest, uncertainty <= max(FenceRule.learntUncertainty, 2 * spread / FenceRule.spreadOfAccuracy) {
            let seconds = Double(time.milliseconds - rest.time.milliseconds) / 1000
            let rate = min(FenceRule.spreadRate, seconds / FenceRule.spreadTime)
            let limited = min(distance, FenceRule.spreadLimit * max(spread, uncertainty * FenceRule.spreadOfAccuracy))
            spread = (spread * spread + (limited * limited - spread * spread) * rate).squareRoot()
        }
        let isRepeated = rest?.coordinate == location.coordinate
        let repeats = isRepeated ? min((rest?.repeats ?? 0) + 1, FenceRule.usualRepeats) : 0
        rest = Rest(time: time, coordinate: location.coordinate, repeats: repeats)
    }

    private enum Agreement {
        case agrees, repeated, contradicts
        /// They agree, and are far nearer to each other than to the place.
        case isNear
    }

    private func agreement(of first: Away, and second: Away, _ fence: Fence) -> Agreement {
        let interval = second.time.milliseconds - first.time.milliseconds
        if first.coordinate == second.coordinate {
            let isUsual = rest?.repeats ?? 0 >= FenceRule.usualRepeats || interval >= FenceRule.repeatedSpan
            return isUsual ? .isNear : .repeated
        }
        let step = Geodesic.distance(first.coordinate, second.coordinate)
        let noise = FenceRule.sameUncertainties * max(first.uncertainty, second.uncertainty)
        if step <= FenceRule.nearStep * min(first.distance, second.distance) { return .isNear }
        if step <= noise { return .agrees }
        guard (step - noise) * 1000 <= FenceRule.fastest * Double(interval) else { return .contradicts }
        // Two faults are in any directions. Who leaves does not come back, or cross to the other side, between two fixes.
        guard second.distance >= FenceRule.onward * first.distance else { return .contradicts }
        let plane = LocalPlane(origin: fence.center)
        let (a, b) = (plane.project(first.coordinate), plane.project(second.coordinate))
        return a.east * b.east + a.north * b.north > 0 ? .agrees : .contradicts
    }

    /// The probability that neither an error of the positions nor outliers in a row explain the fixes away.
    private func confidence(isAccuracyStated: Bool) -> Double {
        let excess = away.map(\.excess).min() ?? 0
        // Of errors in the plane, 68 % are within 1.515 deviations.
        let error = exp(-(1.515 * excess) * (1.515 * excess) / 2)
        let share = FenceRule.usualOutliers + outliers / FenceRule.outlierMemory
        let chance = pow(min(share, 0.5), Double(away.count))
        let sum = 1 - error - chance - (isAccuracyStated ? 0 : 0.01)
        return (min(max(sum, 0), FenceRule.surest) * 1000).rounded() / 1000
    }
}
