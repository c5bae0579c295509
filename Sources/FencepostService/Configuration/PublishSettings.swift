import FencepostModel

/// What is published to the MQTT broker.
public struct PublishSettings: Hashable, Sendable, Codable {
    /// First level of the topics.
    public var prefix = "fencepost"
    /// First level of Home Assistant's discovery; `nil` for none.
    public var homeAssistant: String?
    /// First level of OwnTracks' topics for entries and exits; `nil` for none.
    public var ownTracks: String?
    /// Patterns of event types, regions and devices; empty for all.
    public var events: [String] = [], regions: [String] = [], devices: [String] = []
    /// Names of devices by id.
    public var names: [String: String] = [:]

    /// The id of the endpoint through whose queue the events go.
    public static let endpointID = "mqtt"

    /// The defaults.
    public init() {}

    /// The endpoint through whose queue the events go.
    ///
    /// - Parameter broker: host and port, for the URL that the list of endpoints shows.
    /// - Returns: a draft with the id `mqtt`.
    func draft(broker: String) -> EndpointFile.Draft {
        var endpoint = Endpoint(
            id: Self.endpointID, url: "mqtt://\(broker)/\(prefix)", secrets: [], createdAt: .distantPast)
        endpoint.kind = .mqtt
        endpoint.description = "MQTT broker"
        // What a retained topic has at the end is what happened last.
        endpoint.isOrdered = true
        endpoint.events = events.map(GlobPattern.init)
        endpoint.regions = regions.map(GlobPattern.init)
        endpoint.devices = devices.map(GlobPattern.init)
        var identity = Identity()
        for part in ["ordered", endpoint.url] + events + ["/"] + regions + ["/"] + devices { identity.add(part) }
        return EndpointFile.Draft(endpoint: endpoint, hash: identity.text(prefix: ""))
    }
}
