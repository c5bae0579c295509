/// Timeouts and limits of connections (rule L1).
public struct ConnectionLimits: Hashable, Sendable {
    /// Maximum time from the first byte of a request to the end of its header.
    public var headerTime = Duration.seconds(10)
    /// Maximum time from the end of the header to the end of the body.
    public var bodyTime = Duration.seconds(30)
    /// Maximum time between two requests.
    public var idleTime = Duration.seconds(60)
    /// Maximum bytes of the request line and all header fields.
    public var headerBytes = 16 << 10
    /// Maximum number of connections. For more of them idle ones are closed (rule L9).
    public var connections = 10_000
    /// Maximum number of connections of one address.
    public var connectionsPerAddress = 1_000
    /// Connections beyond the maximum that are kept for questions about the health of the service.
    public var reserve = 64
    /// Maximum number of readers of event streams.
    public var streams = 256
    /// Maximum number of readers with one token.
    public var streamsPerToken = 64
    /// Descriptors that are kept for files, for endpoints and for connections beyond the maximum.
    public static let otherDescriptors = 256

    /// The limits for a process that may open so many descriptors.
    public func bounded(byDescriptors descriptors: Int) -> ConnectionLimits {
        var limits = self
        limits.connections = min(connections, max(descriptors - Self.otherDescriptors, descriptors / 4, 1))
        limits.connectionsPerAddress = min(connectionsPerAddress, limits.connections)
        return limits
    }

    /// The defaults of the documentation.
    public init() {}
}
