package import HTTPTypes

/// The caller's trace: the header `traceparent` (W3C Trace Context, rule A11).
package struct TraceParent: Hashable, Sendable {
    /// The header's value: 55 characters.
    package let value: String
    /// 32 hexadecimal digits.
    package var traceID: Substring { value.dropFirst(3).prefix(32) }

    /// `nil` when the header is missing or invalid. Then the request has no trace.
    package init?(_ headers: HTTPFields) {
        guard let value = headers[.traceParent],
            let match = value.wholeMatch(of: /([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}/),
            match.1 != "ff", match.2.contains(where: { $0 != "0" }), match.3.contains(where: { $0 != "0" })
        else { return nil }
        self.value = value
    }
}

extension HTTPField.Name {
    package static let traceParent = HTTPField.Name(literal: "traceparent")
}
