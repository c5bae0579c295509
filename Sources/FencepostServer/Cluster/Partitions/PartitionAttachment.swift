public import FencepostModel

/// The place of a part's service behind the ports of a node: the service handles the requests about its part while it is
/// attached.
public struct PartitionAttachment: Sendable {
    /// The ports.
    public let router: NodeRouter
    /// The part.
    public let part: ClusterPartition

    init(router: NodeRouter, part: ClusterPartition) {
        (self.router, self.part) = (router, part)
    }

    /// How the cluster divides its devices.
    public var partitions: Partitioning { router.partitions }

    /// Forgets tokens and sessions that the part's API has read. To be called after their rows in its store were changed
    /// without the API, such as by the mirror of the configuration.
    public func configurationDidChange() { router.api(of: part)?.configurationDidChange() }

    /// The key by which the services of this process know what its ports have checked.
    var key: String { router.key }

    /// The port of the API; `nil` before it was bound.
    var port: Int? { router.port }

    /// Lets the API handle requests from now on.
    func attach(_ main: RequestHandler, osmand: RequestHandler) {
        router.api(of: part)?.attach(main, osmand: osmand)
    }

    /// Stops the API from taking requests. Returns when it has answered the requests that it took, or after a time.
    func detach(within time: Duration) async { await router.api(of: part)?.detach(within: time) }
}
