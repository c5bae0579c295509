import FencepostFormats
import FencepostHTTP
import FencepostModel
import HTTPTypes

/// Which part of a cluster a request is about, by its method, path and query.
enum PartitionRoutes {
    /// Who answers a request.
    enum Owner: Hashable, Sendable {
        /// The node that gets it.
        case node
        /// The leader of the configuration, which has everything that is not named here.
        case configuration
        /// The leader of a device's partition.
        case device(DeviceID)
        /// The node that gets it decodes locations, and the leaders of the devices' partitions store them.
        case ingest
        /// A file of locations of any devices.
        case importFile
        /// Perhaps all partitions: a list, a stream, or what an id without its device names.
        case partitions
    }

    /// The owner of a request.
    ///
    /// - Parameters:
    ///   - method: the method; `HEAD` is as `GET`.
    ///   - path: the path as it was sent, without the query.
    ///   - query: the decoded query; `nil` when it cannot be decoded.
    ///   - bound: the device that the caller's token is bound to; `nil` for none.
    /// - Returns: the owner; for a request that no route takes, the configuration, which refuses it.
    static func owner(
        of method: HTTPRequest.Method, _ path: some StringProtocol, _ query: Query?, bound: DeviceID? = nil
    ) -> Owner {
        guard let (route, parameters) = API.outline.match(method, path) else { return .configuration }
        return owner(of: route, parameters, query, bound: bound)
    }

    /// The owner of a request that was matched with a route.
    static func owner(
        of route: Route, _ parameters: [String: String], _ query: Query?, bound: DeviceID? = nil
    ) -> Owner {
        let rule = route.partition
        if rule.isOfNamedDevice, let name = namedDevice(of: query) { return owner(ofDevice: name) }
        switch rule {
        case .configuration: return .configuration
        case .node: return .node
        case .divided: return .ingest
        case .file: return bound.map { .device($0) } ?? .importFile
        case .device: return owner(ofDevice: parameters["id"] ?? "")
        // What an id names, a bound token sees if it is of its device.
        case .pages, .list, .trips, .visits, .presences, .rounds, .summaries, .boundDevice, .suggestions, .oneHasIt,
            .imports,
            .import:
            return bound.map { .device($0) } ?? .partitions
        case .stream, .shared, .sum, .endpointHealth, .endpoints, .endpoint, .tokens, .token, .regionFromSuggestion:
            return .partitions
        }
    }

    /// The `deviceId` of a request about one device; `nil` for none, and for a pattern.
    static func namedDevice(of query: Query?) -> String? {
        query?["deviceId"].flatMap { DeviceChoice.isPattern($0) ? nil : $0 }
    }

    /// A name that no device can have is refused by any part.
    private static func owner(ofDevice name: String) -> Owner {
        (try? DeviceID(validating: name)).map { .device($0) } ?? .configuration
    }
}
