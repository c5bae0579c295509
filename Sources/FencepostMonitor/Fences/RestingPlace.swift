public import FencepostGeometry
public import FencepostModel

/// Where a device stands, as far as its locations show.
public struct RestingPlace: Hashable, Sendable {
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
    public func restingPlace(at now: Timestamp) -> Result<RestingPlace, FenceObstacle> {
        guard hasFix else { return .failure(.noPosition) }
        let age = now.milliseconds - last.time.milliseconds
        guard age <= FenceRule.longestSilence else { return .failure(.stale) }
        if age <= FenceRule.speedMemory, last.knownSpeed ?? 0 > FenceRule.standingSpeed { return .failure(.moving) }
        switch visits.read({ $0.restingPlace }) ?? .at(lastPlace) {
        case .moving: return .failure(.moving)
        case .at(let place):
            guard place.horizontalAccuracy <= FenceRule.worstCenter else { return .failure(.inaccurate) }
            // Digits beyond a centimetre depend on the order of the arithmetic.
            func rounded(_ value: Double, _ scale: Double) -> Double { (value * scale).rounded() / scale }
            return .success(
                RestingPlace(
                    coordinate: Coordinate(
                        latitude: rounded(place.coordinate.latitude, 1e7),
                        longitude: rounded(place.coordinate.longitude, 1e7)),
                    horizontalAccuracy: rounded(place.horizontalAccuracy, 10), spread: rounded(place.spread, 10)))
        }
    }

    /// The last fix alone, for devices without a visit detector.
    private var lastPlace: RestingPlace {
        let accuracy = last.horizontalAccuracy ?? FixRule.defaultAccuracy
        return RestingPlace(
            coordinate: last.coordinate, horizontalAccuracy: accuracy, spread: accuracy * FenceRule.spreadOfAccuracy)
    }
}

extension VisitDetector {
    /// Where the last fixes are.
    enum Position {
        case at(RestingPlace)
        case moving
    }
}
