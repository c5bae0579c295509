import FencepostCrypto
import FencepostHTTP
import FencepostModel
import HTTPTypes
import Hummingbird

/// The headers by which the services of a process know requests that came from another node of the cluster, and its own.
///
/// The ports of a node set them after they have checked the signature of a request (`NodeSignature`), and remove what a client sent
/// under their names. They count only with a key that the process has made for itself and never sends.
enum Forwarding {
    /// The name of the header.
    static let name = HTTPField.Name(literal: "Fencepost-Forwarded")
    /// The name of the header with the part of the cluster that a request is about.
    static let partName = HTTPField.Name(literal: "Fencepost-Part")
    /// The name of the header, in answers between nodes, with the position of the configuration's log after a change.
    static let positionName = HTTPField.Name(literal: "Fencepost-Position")
    /// The names that no client may set.
    static let names = [name, partName, FanOutMark.name, PartitionImport.name]

    /// The part that a request of another node is about; `nil` for none.
    static func part(_ headers: HTTPFields) -> ClusterPartition? { headers[partName].flatMap { ClusterPartition($0) } }

    /// The value of the header.
    static func value(key: String, client: String) -> String { "\(key) \(client)" }

    /// In place of a client's address, in what a node asks for itself.
    static let ownClient = "-"

    /// In place of a client's address, for a command on this machine. No other machine can say so.
    static let localClient = "local"

    /// Whether a node of the cluster asks for itself. What it sends on for a client gets no answer that only nodes may have,
    /// such as a copy of the database.
    static func isOwn(_ headers: HTTPFields, key: String?) -> Bool { client(headers, key: key) == ownClient }

    /// The client's address, if the request comes from another node of the cluster.
    ///
    /// - Parameters:
    ///   - headers: of the request.
    ///   - key: the key of the process; `nil` for a single node, to which nothing is sent on.
    /// - Returns: `nil` for a request that comes from its client.
    static func client(_ headers: HTTPFields, key: String?) -> String? {
        guard let key, let value = headers[name], let space = value.firstIndex(of: " "),
            ConstantTime.areEqual(Array(value[..<space].utf8), Array(key.utf8))
        else { return nil }
        return String(value[space...].dropFirst())
    }

    /// A request with the headers that its ports have checked, in place of what its sender wrote under their names.
    ///
    /// - Parameters:
    ///   - request: the request.
    ///   - signature: what a node states; `nil` for a request of a client.
    ///   - key: the key of the process.
    /// - Returns: the request; the same for one of a client without such headers.
    static func marked(_ request: Request, _ signature: NodeSignature?, key: String) -> Request {
        guard signature != nil || names.contains(where: { request.headers[$0] != nil }) else { return request }
        var head = request.head
        for name in names { head.headerFields[name] = nil }
        if let signature {
            head.headerFields[name] = value(key: key, client: signature.client)
            head.headerFields[partName] = signature.part.map { "\($0)" }
            head.headerFields[PartitionImport.name] = signature.importID
            if signature.isOfFanOut { head.headerFields[FanOutMark.name] = key }
        }
        return Request(head: head, body: request.body)
    }
}
