/// The position of a span in its trace, as the header `traceparent` has it (W3C Trace Context).
public struct TraceContext: Hashable, Sendable {
    /// The two halves of the trace id; not both 0.
    public let traceID: (high: UInt64, low: UInt64)
    /// The span; not 0.
    public let spanID: UInt64
    /// Whether the caller records the trace.
    public let isSampled: Bool

    /// A position in a trace.
    ///
    /// - Precondition: neither id is 0.
    public init(traceID: (high: UInt64, low: UInt64), spanID: UInt64, isSampled: Bool) {
        precondition(traceID != (0, 0) && spanID != 0, "an id of a trace or a span is not 0")
        (self.traceID, self.spanID, self.isSampled) = (traceID, spanID, isSampled)
    }

    /// Reads the value of the header.
    ///
    /// - Parameter traceparent: 55 characters, such as `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`.
    ///
    /// The result is `nil` for an invalid value. The request then has no trace.
    public init?(traceparent: String) {
        var text = traceparent
        let read = text.withUTF8 { text -> (high: UInt64, low: UInt64, span: UInt64, flags: UInt64)? in
            guard text.count == 55, text[2] == UInt8(ascii: "-"), text[35] == UInt8(ascii: "-"),
                text[52] == UInt8(ascii: "-"),
                let version = Self.number(text, 0..<2), version != 0xff, let high = Self.number(text, 3..<19),
                let low = Self.number(text, 19..<35), let span = Self.number(text, 36..<52),
                let flags = Self.number(text, 53..<55), high | low != 0, span != 0
            else { return nil }
            return (high, low, span, flags)
        }
        guard let read else { return nil }
        self.init(traceID: (read.high, read.low), spanID: read.span, isSampled: read.flags & 1 == 1)
    }

    /// The number that hexadecimal digits in lower case are; `nil` for other characters.
    private static func number(_ text: UnsafeBufferPointer<UInt8>, _ range: Range<Int>) -> UInt64? {
        var number: UInt64 = 0
        for index in range {
            switch text[index] {
            case let byte where byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9"):
                number = number << 4 | UInt64(byte - UInt8(ascii: "0"))
            case let byte where byte >= UInt8(ascii: "a") && byte <= UInt8(ascii: "f"):
                number = number << 4 | UInt64(byte - UInt8(ascii: "a") + 10)
            default: return nil
            }
        }
        return number
    }

    /// Another span of the same trace.
    public func child(_ spanID: UInt64) -> TraceContext {
        TraceContext(traceID: traceID, spanID: spanID, isSampled: isSampled)
    }

    /// 32 hexadecimal digits.
    public var traceIDText: String {
        String(unsafeUninitializedCapacity: 32) { text in
            Self.write(traceID.high, text, at: 0)
            Self.write(traceID.low, text, at: 16)
            return 32
        }
    }

    /// The value of the header, in version 00.
    public var traceparent: String {
        String(unsafeUninitializedCapacity: 55) { text in
            let digits = (UInt8(ascii: "0"), UInt8(ascii: "-"))
            (text[0], text[1], text[2], text[35], text[52]) = (digits.0, digits.0, digits.1, digits.1, digits.1)
            Self.write(traceID.high, text, at: 3)
            Self.write(traceID.low, text, at: 19)
            Self.write(spanID, text, at: 36)
            (text[53], text[54]) = (digits.0, digits.0 + (isSampled ? 1 : 0))
            return 55
        }
    }

    /// Writes 16 hexadecimal digits.
    private static func write(_ number: UInt64, _ text: UnsafeMutableBufferPointer<UInt8>, at start: Int) {
        for index in 0..<16 {
            let digit = UInt8(truncatingIfNeeded: number >> (60 - 4 * UInt64(index)) & 15)
            text[start + index] = digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10
        }
    }

    /// Whether both are the same span of the same trace, with the same decision.
    public static func == (a: TraceContext, b: TraceContext) -> Bool {
        a.traceID == b.traceID && a.spanID == b.spanID && a.isSampled == b.isSampled
    }

    /// Hashes the ids.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(traceID.high)
        hasher.combine(traceID.low)
        hasher.combine(spanID)
    }
}
