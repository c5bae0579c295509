/// How a cluster of several partitions answers the requests of a route.
enum PartitionRule: Hashable, Sendable {
    /// The configuration has what it is about.
    case configuration
    /// Its path names a device, whose partition answers.
    case device
    /// The node that takes it decodes locations, and divides them by device.
    case divided
    /// All partitions get the file, and each takes what belongs to its devices.
    case file
    /// The node that takes it answers, about itself.
    case node
    /// Pages of a list, merged; also with rows that the configuration has, such as the messages of reports.
    case pages(RowOrder, withConfiguration: Bool = false)
    /// A list without pages, merged.
    case list(RowOrder)
    /// Trips, in their formats.
    case trips
    /// Visits: pages of a list, or files with all of a period.
    case visits
    /// Presences in an area: pages of a list, or files with all of a query.
    case presences
    /// Rounds of a plan: a list without pages, or a file with all of them.
    case rounds
    /// Figures that are added up before they are written.
    case summaries
    /// The event stream, merged.
    case stream
    /// The positions that a share link shows, each from its device's partition.
    case shared
    /// One partition has it, or the configuration, and the others answer 404.
    case oneHasIt
    /// Imports, of which each partition has the share of its devices under the same id.
    case imports
    /// As `imports`, one of them.
    case `import`
    /// Each partition does its share, and the numbers in the answers are added up.
    case sum
    /// The results of an endpoint in all partitions.
    case endpointHealth
    /// The configuration has the endpoints, and each partition disables its own copy of one that fails.
    case endpoints
    /// As `endpoints`, for one of them.
    case endpoint
    /// The configuration has the tokens, and each partition knows when its senders have used them.
    case tokens
    /// As `tokens`, for one of them.
    case token
    /// It is about the device to which the token is bound, and an error without one.
    case boundDevice
    /// Suggestions and exports. As `boundDevice`; without one it would need the rows of all partitions at once, and is refused.
    case suggestions
    /// Reads the place from its partition, then writes the region to the configuration.
    case regionFromSuggestion

    /// Whether a request with `deviceId` is about that device alone.
    var isOfNamedDevice: Bool {
        switch self {
        case .pages, .list, .trips, .visits, .presences, .rounds, .summaries, .boundDevice, .suggestions: true
        case .configuration, .device, .divided, .file, .node, .stream, .shared, .oneHasIt, .sum, .endpointHealth,
            .endpoints, .endpoint, .tokens, .token, .imports, .import, .regionFromSuggestion:
            false
        }
    }
}
