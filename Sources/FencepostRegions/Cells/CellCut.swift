/// A line across a cell, as whole numbers: what of a cell is on its one side, and what on its other.
///
/// A place in a cell is two fractions of 2³², which are what is left over when its column and row are found. The line
/// is where `a` times the one and `b` times the other and `c` come to nothing.
struct CellCut {
    let a, b: Int16
    /// In steps of `1 << shift`.
    let c: Int32

    static let flag: UInt32 = 1 << 31
    static let wordCount = 4
    static let shift: Int64 = 18

    /// What is not farther from 0 is in doubt: that of a place's numbers that were cut off counts for up to 2³² in each
    /// direction, since neither `a` nor `b` is more than the numbers that a cell is wide and high.
    static let doubt: Int64 = 3 << 32

    /// Whether a code is the place of a cut.
    @inline(__always)
    static func isCut(_ code: UInt32) -> Bool { code & (flag | 3) == flag | 3 }

    /// The code of one that is at a place.
    static func code(_ place: Int) -> UInt32 { UInt32(place) << 2 | 3 | flag }

    /// How far a place is on the line's upper side, times what `CellIndex` says.
    @inline(__always)
    static func height(_ words: UnsafePointer<UInt32>, _ x: UInt32, _ y: UInt32) -> Int64 {
        let slope = words[0]
        let a = Int64(Int16(truncatingIfNeeded: slope))
        let b = Int64(Int32(bitPattern: slope) >> 16)
        let c = Int64(Int32(bitPattern: words[1])) << shift
        return a &* Int64(x) &+ b &* Int64(y) &+ c
    }

    @inline(__always)
    static func isCertain(_ height: Int64) -> Bool {
        UInt64(bitPattern: height &+ doubt) > UInt64(bitPattern: 2 &* doubt)
    }

    /// 2 below, 3 above: which word of a cut goes on.
    @inline(__always)
    static func side(_ height: Int64) -> Int { 3 &+ Int(height >> 63) }
}

extension CellCut {
    static let mostSlope = 32_767.0

    /// Heights as fractions of 2³² below which a place is never certain, in whatever way its numbers were cut off.
    static let clear = 0.99

    /// Through a point of a cell.
    ///
    /// - Parameters:
    ///   - normal: one of its numbers is 1 or −1, the other one no larger.
    ///   - scale: at most `mostSlope`.
    init?(_ normal: SIMD2<Double>, through point: SIMD2<Double>, scale: Double) {
        let (a, b) = (Self.rounded(normal.x * scale), Self.rounded(normal.y * scale))
        let c = Self.rounded(-(a * point.x + b * point.y) * 0x1p32 / Double(1 << Self.shift))
        guard let a = Int16(exactly: a), let b = Int16(exactly: b), let c = Int32(exactly: c) else { return nil }
        self.init(a: a, b: b, c: c)
    }

    /// Of numbers far less than 2⁵¹, without a call.
    private static func rounded(_ number: Double) -> Double {
        (number + 0x1.8p52) - 0x1.8p52
    }

    /// How far a point of a cell is on the upper side, as a fraction of 2³².
    @inline(__always)
    func height(_ point: SIMD2<Double>) -> Double {
        Double(a) * point.x + Double(b) * point.y + Double(c) * (Double(1 << Self.shift) * 0x1p-32)
    }

    /// How far a point is on one side beyond what is in doubt.
    @inline(__always)
    func clearance(_ point: SIMD2<Double>, _ above: Bool) -> Double {
        (above ? height(point) : -height(point)) - Self.clear
    }
}
