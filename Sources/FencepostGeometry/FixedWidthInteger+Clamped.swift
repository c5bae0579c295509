/// Conversions and sums that have a result for every input.
///
/// Numbers from outside, and numbers computed from them, may have any value; the language's own operations end the
/// process where the result does not fit. The lint `totality` says where these have to be used instead.
extension FixedWidthInteger {
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

// Each type has its own conversion: one over all types would convert its ends by generic code, a hundred instructions each time.

extension Int {
    /// The number, rounded towards zero. Beyond the range of the type it is the nearest end; NaN is 0.
    @inlinable
    public init(clamped number: Double) {
        self = number >= -0x1p63 ? (number < 0x1p63 ? Int(number) : .max) : number.isNaN ? 0 : .min
    }
}

extension Int64 {
    /// The number, rounded towards zero. Beyond the range of the type it is the nearest end; NaN is 0.
    @inlinable
    public init(clamped number: Double) {
        self = number >= -0x1p63 ? (number < 0x1p63 ? Int64(number) : .max) : number.isNaN ? 0 : .min
    }
}

extension UInt64 {
    /// The number, rounded towards zero. Beyond the range of the type it is the nearest end; NaN is 0.
    @inlinable
    public init(clamped number: Double) {
        self = number >= 0 ? (number < 0x1p64 ? UInt64(number) : .max) : number.isNaN ? 0 : .min
    }
}

extension Int32 {
    /// The number, rounded towards zero. Beyond the range of the type it is the nearest end; NaN is 0.
    @inlinable
    public init(clamped number: Double) {
        self = number >= -0x1p31 ? (number < 0x1p31 ? Int32(number) : .max) : number.isNaN ? 0 : .min
    }
}

extension Int16 {
    /// The number, rounded towards zero. Beyond the range of the type it is the nearest end; NaN is 0.
    @inlinable
    public init(clamped number: Double) {
        self = number >= -0x1p15 ? (number < 0x1p15 ? Int16(number) : .max) : number.isNaN ? 0 : .min
    }
}

extension UInt16 {
    /// The number, rounded towards zero. Beyond the range of the type it is the nearest end; NaN is 0.
    @inlinable
    public init(clamped number: Double) {
        self = number >= 0 ? (number < 0x1p16 ? UInt16(number) : .max) : number.isNaN ? 0 : .min
    }
}

extension Int8 {
    /// The number, rounded towards zero. Beyond the range of the type it is the nearest end; NaN is 0.
    @inlinable
    public init(clamped number: Double) {
        self = number >= -0x1p7 ? (number < 0x1p7 ? Int8(number) : .max) : number.isNaN ? 0 : .min
    }
}

extension UInt8 {
    /// The number, rounded towards zero. Beyond the range of the type it is the nearest end; NaN is 0.
    @inlinable
    public init(clamped number: Double) {
        self = number >= 0 ? (number < 0x1p8 ? UInt8(number) : .max) : number.isNaN ? 0 : .min
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
