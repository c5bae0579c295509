/// The time of receivers whose week counter has rolled over.
///
/// Satellites of the GPS send the number of the week in ten bits (IS-GPS-200, 20.3.3.3.1.1), so every 1024 weeks it begins again at
/// 0, and old receivers, of which many were built into phones and trackers, go back by so many weeks.
extension Timestamp {
    /// Milliseconds in 1024 weeks.
    private static let rollover: Int64 = 1024 * 7 * 86_400_000
    /// Milliseconds by which the times compared may differ.
    private static let tolerance: Int64 = 86_400_000

    /// Whether this is 1024 weeks before another time, give or take a day.
    ///
    /// - Parameter other: the time of the arrival, or of another fix of the same recording.
    /// - Returns: false for any other difference.
    public func isRolledOver(from other: Timestamp) -> Bool {
        let span = other.milliseconds - milliseconds
        return (Self.rollover - Self.tolerance...Self.rollover + Self.tolerance).contains(span)
    }

    /// This time 1024 weeks later.
    public var withoutRollover: Timestamp { after(Self.rollover) }
}
