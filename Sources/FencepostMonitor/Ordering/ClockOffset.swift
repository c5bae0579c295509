import FencepostGeometry

/// How far the clock of one live device is ahead of the arrival of its fixes.
///
/// A fix cannot arrive before it was made, so a lone one that does has a wrong time. A device whose fixes are ahead by the same
/// amount again and again, as one in another time zone, has a wrong clock, and its fixes are as good as any.
struct ClockOffset: Hashable, Sendable, Codable {
    /// An offset that counts, and one from which a fix is not evaluated until it is recognised, in milliseconds: clocks of
    /// phones and of servers differ by seconds.
    static let noticed: Int64 = 30_000
    static let tolerated: Int64 = 60_000
    /// Offsets that differ by less are the same one; fixes also arrive late.
    private static let spread: Int64 = 60_000
    /// After so many fixes with the same offset it is recognised.
    private static let needed: UInt8 = 3

    /// In recorded fixes, milliseconds after the fix before from which one waits for the next ones.
    static let leap: Int64 = 600_000
    /// So many fixes after a leap show that time has passed, and so many that go on from before it, that it has not.
    static let agreements = 5
    static let contradictions: UInt8 = 2

    /// Milliseconds; 0 if the clock is right.
    private var offset: Int32 = 0
    /// The number of fixes in a row with this offset, at most `needed`.
    private var count: UInt8 = 0

    /// Whether the last fixes were ahead.
    var isOff: Bool { count > 0 }

    /// Seconds, if the offset is recognised.
    var recognized: Int? { count >= Self.needed ? (Int(offset) + 500) / 1000 : nil }

    /// Takes how far a new fix is ahead of its arrival, in milliseconds; below 0 if it arrived later than it was made.
    ///
    /// - Returns: whether its time is wrong.
    mutating func isAhead(by ahead: Int64) -> Bool {
        let known = Int64(offset)
        if ahead <= Self.noticed {
            // One that arrives much later than it was made says nothing of the clock.
            if ahead > -Self.spread { self = ClockOffset() }
            return false
        }
        if count >= Self.needed, ahead < known - Self.spread { return false }
        if count > 0, abs(ahead - known) <= Self.spread {
            count = min(count + 1, Self.needed)
        } else {
            count = 1
        }
        offset = Int32(clamped: Double(ahead))
        return ahead > Self.tolerated && count < Self.needed
    }
}
