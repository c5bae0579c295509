import FencepostModel
import HTTPTypes

/// The header by which the nodes of a cluster know requests that one of them sends on to the leader: a key that only
/// they have, and the address of the client.
enum Forwarding {
    /// The name of the header.
    static let name = HTTPField.Name("Fencepost-Forwarded") ?? .via

    /// The name of the header with the part of the cluster that a request is about. It counts only with the key.
    static let partName = HTTPField.Name("Fencepost-Part") ?? .via
    /// The name of the header, in answers between nodes, with the position of the configuration's log after a change.
    static let positionName = HTTPField.Name("Fencepost-Position") ?? .via

    /// The part that a request of another node is about; `nil` for none.
    static func part(_ headers: HTTPFields) -> ClusterPart? { headers[partName].flatMap { ClusterPart($0) } }

    /// The value of the header.
    static func value(key: String, client: String) -> String { "\(key) \(client)" }

    /// In place of a client's address, in what a node asks for itself.
    static let ownClient = "-"

    /// In place of a client's address, for a command on the machine of the node that sends its request on.
    static let localClient = "local"

    /// Whether a node of the cluster asks for itself. What it sends on for a client gets no answer that only nodes may have,
    /// such as a copy of the database, although it has the key too.
    static func isOwn(_ headers: HTTPFields, key: String?) -> Bool { client(headers, key: key) == ownClient }

    /// The client's address, if the request comes from another node of the cluster.
    ///
    /// - Parameters:
    ///   - headers: of the request.
    ///   - key: the cluster's key; `nil` for a single node, to which nothing is sent on.
    /// - Returns: `nil` for a request that comes from its client.
    static func client(_ headers: HTTPFields, key: String?) -> String? {
        guard let key, let value = headers[name], value.utf8.count > key.utf8.count else { return nil }
        // In constant time: the key is a secret.
        var difference: UInt8 = 0
        for (given, known) in zip(value.utf8, key.utf8) { difference |= given ^ known }
        let rest = value.dropFirst(key.count)
        guard difference == 0, rest.first == " " else { return nil }
        return String(rest.dropFirst())
    }
}
