import FencepostGeometry
public import FencepostModel
public import FencepostSimulator

/// Detects the moves that Core Location's significant-change service reports: a minimum distance and a minimum time after
/// the last one.
public struct MoveDetector: Hashable, Sendable {
    /// Where the current move started: the whole state of the detector.
    public private(set) var last: Location?
    private let parameters: SimulatorParameters

    /// A detector for a device.
    ///
    /// - Parameters:
    ///   - parameters: distance and time of a move.
    ///   - last: of the detector to continue; `nil` for a new one.
    public init(_ parameters: SimulatorParameters = SimulatorParameters(), last: Location? = nil) {
        self.parameters = parameters
        self.last = last
    }

    /// Takes the next fix.
    ///
    /// - Parameter location: in time order. The distance counts without the accuracies, so that a fix from a cell tower
    ///   is not a move.
    /// - Returns: the move that this fix completes; `nil` for most. The first move starts at the first fix.
    public mutating func take(_ location: Location) -> ServiceEvent? {
        guard let before = last else {
            last = location
            return nil
        }
        let uncertainty = max(location.horizontalAccuracy ?? 0, before.horizontalAccuracy ?? 0)
        let meters = Geodesic.distance(before.coordinate, location.coordinate)
        guard meters - uncertainty >= parameters.significantDistance,
            location.timestamp - before.timestamp >= parameters.significantInterval
        else { return nil }
        last = location
        var event = ServiceEvent(.significantChange, .moved, at: location.timestamp)
        event.meters = meters
        return event
    }
}
