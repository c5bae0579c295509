/// Paths that only the nodes of a cluster send requests to, with the cluster's key.
enum PartitionPaths {
    /// Returns when the partition has the configuration as of `?position=`.
    static let configuration = "/v1/cluster/configuration"
    /// The rights of the user with a session.
    static let session = "/v1/cluster/session"
    /// Turns an endpoint off, as a partition has.
    static let endpoint = "/v1/cluster/endpoint"
}
