import FencepostFormats
import FencepostModel
import HTTPTypes

/// Which part of a cluster a request is about, by its method, path and query.
enum PartRoutes {
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

    /// Lists and reports of which the query may name the only device.
    private static let lists: Set<String> = [
        "locations", "events", "visits", "reports", "quarantine", "timeline", "trips", "summaries", "places",
    ]
    /// What a token that is bound to a device sees only of it: lists of devices, and what an id names.
    private static let devices: Set<String> = ["devices", "events", "imports"]

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
        // As the table of routes: segments are decoded after the path was split.
        let segments = path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
            .map { String(percentEncoded: $0) }
        guard path.hasPrefix("/"), !segments.contains(nil) else { return .configuration }
        let names = segments.compactMap(\.self)
        switch names.first {
        case "healthz", "readyz", "metrics": return names.count == 1 ? .node : .configuration
        case "pub": return names.count == 1 ? .ingest : .configuration
        case "ingest": return .ingest
        case "v1": return owner(of: method, names.dropFirst(), query, bound)
        default: return .configuration
        }
    }

    /// The owner of a request, by the segments behind `v1`.
    private static func owner(
        of method: HTTPRequest.Method, _ names: ArraySlice<String>, _ query: Query?, _ bound: DeviceID?
    ) -> Owner {
        guard let name = names.first else { return .configuration }
        let isRead = method == .get || method == .head
        if names.count == 1, method == .post, name == "locations" { return .ingest }
        if names.count == 1, method == .post, name == "imports" { return bound.map { .device($0) } ?? .importFile }
        if names.count > 1, name == "devices" {
            // A name that no device can have is refused by any of them.
            let device = try? DeviceID(validating: names[names.startIndex + 1])
            return device.map { .device($0) } ?? .configuration
        }
        let isDecisions = names.count == 3 && name == "apps" && names.last == "decisions"
        if isRead, names.count == 1 && lists.contains(name) || isDecisions {
            guard let text = query?["deviceId"] else { return bound.map { .device($0) } ?? .partitions }
            let device = try? DeviceID(validating: text)
            return device.map { .device($0) } ?? .configuration
        }
        let isOfBoundDevice =
            names.count <= 2 && devices.contains(name) || isRead && names.count == 3 && name == "regions"
        if let bound, isOfBoundDevice { return .device(bound) }
        return .partitions
    }
}
