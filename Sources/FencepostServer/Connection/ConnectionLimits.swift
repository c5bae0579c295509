/// How long and how much a connection may ask for before a request is understood (rule L1).
public struct ConnectionLimits: Hashable, Sendable {
    /// From the first byte of a request to the end of its header.
    public var headerTime = Duration.seconds(10)
    /// From the end of the header to the end of the body, however steadily it trickles.
    public var bodyTime = Duration.seconds(30)
    /// Between two requests.
    public var idleTime = Duration.seconds(60)
    /// Bytes of the request line and all header fields.
    public var headerBytes = 16 << 10
    /// Connections at a time; more wait in the system's queue.
    public var connections = 10_000

    public init() {}
}
