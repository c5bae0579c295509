public import FencepostGeometry
public import FencepostModel

/// Where a device stands, as far as its locations show.
public struct StandingPosition: Hashable, Sendable {
    /// The mean of its fixes there, weighted by accuracy and time.
    public var coordinate: Coordinate
    /// Radius of 68 % confidence, in metres.
    public var horizontalAccuracy: Double
    /// How far its fixes mostly are from the coordinate, in metres.
    public var spread: Double
}

extension DeviceMonitor {
    /// Where the device stands: by its visit, or by its last fixes at one place. One fix elsewhere changes nothing.
    ///
    /// - Parameter now: the time at which it is asked for.
    /// - Returns: the place, or why there is none.
    public func standingPosition(at now: Timestamp) -> Result<StandingPosition, FenceObstacle> {
        guard hasFix else { return .failure(.noPosition) }
        let age = now.milliseconds - last.time.milliseconds
        guard age <= FenceRule.longestSilence else { return .failure(.stale) }
        if age <= FenceRule.speedMemory, last.knownSpeed ?? 0 > FenceRule.standingSpeed { return .failure(.moving) }
        switch visits.read({ $0.standingPosition }) ?? .at(lastPosition) {
        // The visit detector leaves out what is too inaccurate.
        case .moving: return .failure((last.horizontalAccuracy ?? 0) > FenceRule.worstCenter ? .inaccurate : .moving)
        case .at(let position):
            guard position.horizontalAccuracy <= FenceRule.worstCenter else { return .failure(.inaccurate) }
            // Digits beyond a centimetre depend on the order of the arithmetic.
            func rounded(_ value: Double, _ scale: Double) -> Double { (value * scale).rounded() / scale }
            return .success(
                StandingPosition(
                    coordinate: Coordinate(
                        latitude: rounded(position.coordinate.latitude, 1e7),
                        longitude: rounded(position.coordinate.longitude, 1e7)),
                    horizontalAccuracy: rounded(position.horizontalAccuracy, 10), spread: rounded(position.spread, 10)))
        }
    }

    /// The last fix alone, for devices without a visit detector.
    private var lastPosition: StandingPosition {
        let accuracy = last.horizontalAccuracy ?? FixRule.defaultAccuracy
        return StandingPosition(
            coordinate: last.coordinate, horizontalAccuracy: accuracy, spread: accuracy * FenceRule.spreadOfAccuracy)
    }
}

extension VisitDetector {
    /// Where the last fixes are.
    enum Position {
        case at(StandingPosition)
        case moving
    }
}
