import FencepostService

/// The settings of an endpoint that change the bytes of a message. Endpoints with equal views receive the same bytes.
struct MessageView: Hashable, Sendable {
    var format: Endpoint.Format
    var precision: Int?
    var includesLocation: Bool
    /// Apps whose decisions are included; empty for all.
    var apps: Set<String>

    init(_ endpoint: Endpoint) {
        format = endpoint.format
        precision = endpoint.precision.map { min(max($0, 0), 7) }
        includesLocation = endpoint.includesLocation
        apps = Set(endpoint.apps)
    }
}
