/// Conversions and sums that have a result for every input.
///
/// Numbers from outside, and numbers computed from them, may have any value; the language's own operations end the
/// process where the result does not fit. The lint `totality` says where these have to be used instead.
extension FixedWidthInteger {
    /// The number, rounded towards zero. Beyond the range of the type it is the nearest end; NaN is 0.
    @inlinable
    public init(clamped number: Double) {
        // NaN fails all three comparisons. The upper end may be rounded up, and is then no number of the type.
        if number >= Double(Self.min), number < Double(Self.max) {
            self = Self(number)
        } else if number >= Double(Self.max) {
            self = .max
        } else if number < Double(Self.min) {
            self = .min
        } else {
            self = 0
        }
    }

    /// The sum; beyond the range of the type the nearest end.
    @inlinable
    public func addingClamped(_ other: Self) -> Self {
        let (sum, isBeyond) = addingReportingOverflow(other)
        return isBeyond ? (other < 0 ? .min : .max) : sum
    }

    /// The difference; beyond the range of the type the nearest end.
    @inlinable
    public func subtractingClamped(_ other: Self) -> Self {
        let (difference, isBeyond) = subtractingReportingOverflow(other)
        return isBeyond ? (other < 0 ? .max : .min) : difference
    }

    /// The product; beyond the range of the type the nearest end.
    @inlinable
    public func multipliedClamped(by other: Self) -> Self {
        let (product, isBeyond) = multipliedReportingOverflow(by: other)
        return isBeyond ? ((self < 0) != (other < 0) ? .min : .max) : product
    }
}

extension BinaryFloatingPoint {
    /// The number, at most `limit` from 0; NaN is 0.
    @inlinable
    public func bounded(by limit: Self) -> Self {
        if magnitude <= limit { return self }
        return isNaN ? 0 : self < 0 ? -limit : limit
    }
}
