public import FencepostGeometry
public import FencepostModel

/// Notices that the fixes of one id come from two phones: they go back and forth between two tracks, faster than traffic does.
///
/// Only fast steps matter: between the fixes of two phones that send at different moments there is nearly always one. A
/// vehicle goes on after a fast step, or takes longer to come back; a lone outlier does so once. Two phones less than a
/// kilometre apart are not told apart from one with bad positions, nor are those that send so seldom that a car could go between
/// them.
public struct SecondPhone: Hashable, Sendable, Codable {
    /// Metres per second and metres from which on a step counts, accuracies taken off: 90 km/h from fix to fix, straight.
    static let fastStep = 25.0
    static let shortestStep = 1000.0
    /// Seconds after which a step says nothing of the next one.
    private static let memory = 1800.0
    /// After so many steps between the same two tracks they are two phones.
    private static let needed: UInt8 = 6
    /// Seconds for which it is known.
    private static let longest = 86_400.0

    /// The ends of the last fast step, and when it ended.
    private var from, to: Coordinate
    private var time: Timestamp
    /// The number of steps in a row that were between the same two tracks.
    private var count: UInt8 = 0

    /// The first fast step of a device.
    ///
    /// - Parameters:
    ///   - from: where it began.
    ///   - to: where it ended.
    ///   - time: when it ended.
    public init(from: Coordinate, to: Coordinate, at time: Timestamp) {
        (self.from, self.to, self.time) = (from, to, time)
    }

    /// Whether a step is one between two phones, or of a fast vehicle.
    ///
    /// - Parameters:
    ///   - meters: its length, less the accuracies of its ends.
    ///   - seconds: its duration.
    /// - Returns: whether one phone can hardly have made it.
    public static func isFast(meters: Double, seconds: Double) -> Bool {
        meters >= shortestStep && meters >= fastStep * seconds
    }

    /// Takes the next fast step.
    ///
    /// - Parameters:
    ///   - start: where it began.
    ///   - begin: when it began.
    ///   - end: where it ended.
    ///   - moment: when it ended.
    public mutating func step(
        from start: Coordinate, at begin: Timestamp, to end: Coordinate, at moment: Timestamp
    ) {
        // Several in a row that end elsewhere, as long as the device is not trusted to be there, are one step.
        if begin < time {
            (to, time) = (end, moment)
            return
        }
        let length = Geodesic.distance(from, to)
        let isSoon = (moment - time).seconds <= Self.memory
        let isReturn = isNear(start, to, than: from) && isNear(end, from, than: to)
        let isRepetition = isNear(start, from, than: to) && isNear(end, to, than: from)
        if isSoon, isReturn || isRepetition {
            count = min(count + 1, Self.needed)
        } else if isSoon, count > 0, Geodesic.distance(start, end) < length / 3 {
            // One of the phones travels.
            return
        } else {
            count = count == Self.needed && isSoon ? count - 1 : 0
        }
        (from, to, time) = (start, end, moment)
    }

    private func isNear(_ point: Coordinate, _ own: Coordinate, than other: Coordinate) -> Bool {
        2 * Geodesic.distance(point, own) < Geodesic.distance(point, other)
    }

    /// Where the other phone was last, if there are two: the end of the last fast step that is farther from the position of the
    /// device.
    ///
    /// - Parameter last: the last fix of the device.
    /// - Returns: `nil` if all of the device's fixes may be from one phone, or have been for a day.
    public func other(than last: Location) -> Coordinate? {
        guard count == Self.needed, (last.timestamp - time).seconds <= Self.longest else { return nil }
        let fromStart = Geodesic.distance(last.coordinate, from)
        return fromStart > Geodesic.distance(last.coordinate, to) ? from : to
    }
}
