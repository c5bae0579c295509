import FencepostHTTP
import FencepostJSON
import FencepostService
import HTTPTypes

/// The route of the cluster's state.
extension API {
    var clusterRoutes: [Route] {
        [
            Route(
                method: .get, path: "/v1/cluster", name: "getCluster",
                summary: "Shows who leads the cluster, how far each node's copy is, and how large the log is",
                tag: "System", access: .unbound(.admin),
                successes: [.json(Schema.named("Cluster"), "The cluster.")],
                failures: [.notFound, .serviceUnavailable],
                partition: .configuration,
                handle: { _ in
                    guard let cluster else { throw Problem.noCluster }
                    guard let report = await cluster.report() else {
                        throw Problem.unavailable("NATS does not answer.")
                    }
                    return RouteResponse { report.write(to: &$0) }
                })
        ]
    }
}
