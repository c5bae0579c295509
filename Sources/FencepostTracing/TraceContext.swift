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
    public init?(traceparent: some StringProtocol) {
        let bytes = traceparent.utf8
        guard bytes.count == 55 else { return nil }
        var (version, high, low, span, flags) = (UInt64(0), UInt64(0), UInt64(0), UInt64(0), UInt64(0))
        for (index, byte) in bytes.enumerated() {
            if index == 2 || index == 35 || index == 52 {
                guard byte == UInt8(ascii: "-") else { return nil }
                continue
            }
            let digit: UInt64
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = UInt64(byte - UInt8(ascii: "0"))
            case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = UInt64(byte - UInt8(ascii: "a")) + 10
            default: return nil
            }
            switch index {
            case ..<2: version = version << 4 | digit
            case ..<19: high = high << 4 | digit
            case ..<35: low = low << 4 | digit
            case ..<52: span = span << 4 | digit
            default: flags = flags << 4 | digit
            }
        }
        guard version != 0xff, high | low != 0, span != 0 else { return nil }
        self.init(traceID: (high, low), spanID: span, isSampled: flags & 1 == 1)
    }

    /// Another span of the same trace.
    public func child(_ spanID: UInt64) -> TraceContext {
        TraceContext(traceID: traceID, spanID: spanID, isSampled: isSampled)
    }

    /// 32 hexadecimal digits.
    public var traceIDText: String { Self.hexadecimal(traceID.high) + Self.hexadecimal(traceID.low) }

    /// The value of the header, in version 00.
    public var traceparent: String {
        "00-\(traceIDText)-\(Self.hexadecimal(spanID))-\(isSampled ? "01" : "00")"
    }

    private static func hexadecimal(_ number: UInt64) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
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
