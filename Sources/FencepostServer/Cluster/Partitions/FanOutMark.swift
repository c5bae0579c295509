import FencepostCrypto
import FencepostHTTP
import HTTPTypes

/// The header by which the leader of a partition knows that its answer becomes a part of one about all partitions.
///
/// Its value is the key that the process has made for itself, so no client can set it; between nodes it is a part of the signature.
enum FanOutMark {
    /// The name of the header in requests.
    static let name = HTTPField.Name(literal: "Fencepost-Fan-Out")
    /// The name of the header, in answers to such requests, with the percent-encoded device to which the caller is bound.
    static let device = HTTPField.Name(literal: "Fencepost-Device")

    /// Whether a request has the header with the key of the process; `nil` for a single node.
    static func isPresent(in headers: HTTPFields, key: String?) -> Bool {
        guard let key, let value = headers[name] else { return false }
        return ConstantTime.areEqual(Array(value.utf8), Array(key.utf8))
    }
}
