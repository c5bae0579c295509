import HTTPTypes

/// The trace that a caller is in (W3C Trace Context, rule A11).
struct TraceParent: Hashable, Sendable {
    /// As it was sent: 55 characters.
    let value: String
    /// 32 hexadecimal digits.
    var traceID: Substring { value.dropFirst(3).prefix(32) }

    /// `nil` when there is none, or it is not one: then the request begins a trace of its own, and none is handed on.
    init?(_ headers: HTTPFields) {
        guard let value = headers[.traceParent],
            let match = value.wholeMatch(of: /([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}/),
            match.1 != "ff", match.2.contains(where: { $0 != "0" }), match.3.contains(where: { $0 != "0" })
        else { return nil }
        self.value = value
    }
}

extension HTTPField.Name {
    static let traceParent = HTTPField.Name("traceparent") ?? .via
}
