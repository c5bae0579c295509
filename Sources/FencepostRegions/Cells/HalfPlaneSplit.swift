/// One half-plane split of a cell: a line in integer coefficients with the contents of its two sides.
///
/// A position in a cell is a pair of fractions of 2³², the remainders of the column and row computation. The line is `a
/// · x + b · y + c = 0` in these fractions. A tree of splits is a binary space partition (BSP) of the cell.
struct HalfPlaneSplit {
    let a, b: Int16
    /// In units of `1 << shift`.
    let c: Int32

    static let flag: UInt32 = 1 << 31
    static let wordCount = 4
    static let shift: Int64 = 18

    /// The half width of the band around the line in which a position is uncertain. A position is truncated by up to
    /// 2³² times `a` and 2³² times `b` in each direction, because neither coefficient exceeds the cell's size in grid
    /// units.
    static let uncertainty: Int64 = 3 << 32

    /// Whether a classification is the offset of a split.
    @inline(__always)
    static func isSplit(_ classification: UInt32) -> Bool { classification & (flag | 3) == flag | 3 }

    /// The classification for a split at an offset.
    static func classification(_ offset: Int) -> UInt32 { UInt32(offset) << 2 | 3 | flag }

    /// The value of the line's equation at a position: positive above the line, negative below.
    @inline(__always)
    static func value(_ storage: UnsafePointer<UInt32>, _ x: UInt32, _ y: UInt32) -> Int64 {
        let slope = storage[0]
        let a = Int64(Int16(truncatingIfNeeded: slope))
        let b = Int64(Int32(bitPattern: slope) >> 16)
        let c = Int64(Int32(bitPattern: storage[1])) << shift
        return a &* Int64(x) &+ b &* Int64(y) &+ c
    }

    @inline(__always)
    static func isCertain(_ value: Int64) -> Bool {
        UInt64(bitPattern: value &+ uncertainty) > UInt64(bitPattern: 2 &* uncertainty)
    }

    /// The index of the word that holds the classification of the side: 2 below, 3 above.
    @inline(__always)
    static func childOffset(_ value: Int64) -> Int { 3 &+ Int(value >> 63) }
}

extension HalfPlaneSplit {
    static let maximumSlope = 32_767.0

    /// Values in fractions of 2³², below which a position is never certain however it was truncated.
    static let certaintyMargin = 0.99

    /// A line through a point of a cell; `nil` if its coefficients do not fit.
    ///
    /// One component of `normal` is 1 or −1, the other is no larger in magnitude. `scale` is at most `maximumSlope`.
    init?(_ normal: SIMD2<Double>, through point: SIMD2<Double>, scale: Double) {
        let (a, b) = (Self.roundedToInteger(normal.x * scale), Self.roundedToInteger(normal.y * scale))
        let c = Self.roundedToInteger(-(a * point.x + b * point.y) * 0x1p32 / Double(1 << Self.shift))
        guard let a = Int16(exactly: a), let b = Int16(exactly: b), let c = Int32(exactly: c) else { return nil }
        self.init(a: a, b: b, c: c)
    }

    /// Rounds to the nearest integer without a library call; for magnitudes far below 2⁵¹.
    private static func roundedToInteger(_ number: Double) -> Double {
        (number + 0x1.8p52) - 0x1.8p52
    }

    /// The value of the line's equation at a point of the cell, as a fraction of 2³².
    @inline(__always)
    func value(_ point: SIMD2<Double>) -> Double {
        Double(a) * point.x + Double(b) * point.y + Double(c) * (Double(1 << Self.shift) * 0x1p-32)
    }

    /// The distance of a point from the uncertain band, positive on the given side.
    @inline(__always)
    func clearance(_ point: SIMD2<Double>, _ above: Bool) -> Double {
        (above ? value(point) : -value(point)) - Self.certaintyMargin
    }
}
