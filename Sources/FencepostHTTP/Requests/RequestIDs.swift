import FencepostModel
package import HTTPTypes
import Synchronization

/// Generates ids for requests without one. They are unique within a run of the service.
package final class RequestIDs: Sendable {
    private let key: UInt64
    private let count = Atomic<UInt64>(0)

    /// - Parameter key: a random number.
    package init(key: UInt64) {
        self.key = key
    }

    /// The id that a client gave its request; `nil` for none, or one that is not plain.
    package static func given(in headers: HTTPFields) -> String? {
        guard let given = headers[.requestID], !given.isEmpty, given.utf8.count <= 64,
            given.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { return nil }
        return given
    }

    package func next() -> String {
        // Each step is a bijection, so different counts give different ids. An id does not disclose the count.
        let count = count.add(1, ordering: .relaxed).newValue
        return String(SplitMix64.mix((count &- 1) &* SplitMix64.increment &+ key), radix: 36)
    }
}

extension HTTPField.Name {
    package static let requestID = HTTPField.Name(literal: "X-Request-Id")
}
