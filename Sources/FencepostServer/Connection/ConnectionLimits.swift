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
    /// Maximum number of connections. More of them wait in the system's queue.
    public var connections = 10_000

    /// The defaults of the documentation.
    public init() {}
}
