import FencepostService

/// The settings of an endpoint that change the bytes of a message. Endpoints with equal views receive the same bytes.
struct MessageView: Hashable, Sendable {
    var format: Endpoint.Format
    var precision: Int?
    var includesLocation: Bool
    /// Apps whose decisions are included; empty for all.
    var apps: Set<String>
    /// Whether a template reads the message, and nobody sees its members. It has notes.
    var isForPeople: Bool

    init(_ endpoint: Endpoint) {
        format = endpoint.format
        precision = endpoint.precision.map { min(max($0, 0), 7) }
        includesLocation = endpoint.includesLocation
        apps = Set(endpoint.apps)
        isForPeople = endpoint.kind.isForPeople
    }
}
