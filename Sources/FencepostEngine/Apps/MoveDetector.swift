import FencepostGeometry
public import FencepostModel
public import FencepostSimulator

/// Finds the moves that Core Location's significant-change service tells of: so far and so long after the last one.
public struct MoveDetector: Hashable, Sendable {
    /// Where the move that goes on began: all that has to be kept.
    public private(set) var last: Location?
    private let parameters: SimulatorParameters

    /// - Parameter last: of a detector before, to go on where it was.
    public init(_ parameters: SimulatorParameters = SimulatorParameters(), last: Location? = nil) {
        self.parameters = parameters
        self.last = last
    }

    /// - Parameter location: fixes in time order; how far one is from the last is counted without its accuracy, so that
    ///   the fix of a cell tower is no move.
    /// - Returns: the move that this fix completes, if it does. The first fix is where the first move begins.
    public mutating func take(_ location: Location) -> ServiceEvent? {
        guard let before = last else {
            last = location
            return nil
        }
        let blur = max(location.horizontalAccuracy ?? 0, before.horizontalAccuracy ?? 0)
        let meters = Geodesic.distance(before.coordinate, location.coordinate)
        guard meters - blur >= parameters.significantDistance,
            location.timestamp - before.timestamp >= parameters.significantInterval
        else { return nil }
        last = location
        var event = ServiceEvent(.significantChange, .moved, at: location.timestamp)
        event.meters = meters
        return event
    }
}
