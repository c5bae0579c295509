import FencepostHTTP
import FencepostJSON
import FencepostModel
import FencepostService
import HTTPTypes

/// Routes about the service itself.
extension API {
    var systemRoutes: [Route] {
        [
            Route(
                method: .get, path: "/healthz", name: "getHealth", summary: "Reports that the process is running",
                tag: "System", access: .open, traffic: .exempt, rejectsOtherParameters: false,
                successes: [.json(Schema.object, "It is.", example: #"{"status":"ok"}"#)],
                partition: .node,
                handle: { _ in RouteResponse(text: #"{"status":"ok"}"#) }),
            Route(
                method: .get, path: "/readyz", name: "getReadiness",
                summary: "Reports whether the service can handle requests",
                tag: "System", access: .open, traffic: .exempt, rejectsOtherParameters: false,
                successes: [.json(Schema.named("Readiness"), "All checks pass.")], failures: [.serviceUnavailable],
                partition: .node,
                handle: { _ in await readiness() }),
            Route(
                method: .get, path: "/metrics", name: "getMetrics",
                summary: "Exports metrics in Prometheus' text format",
                tag: "System", access: .open, traffic: .exempt, rejectsOtherParameters: false,
                successes: [
                    Route.Success(status: .ok, type: Self.metricsType, schema: Schema.string, text: "Metrics.")
                ],
                partition: .node,
                handle: { _ in RouteResponse(type: Self.metricsType, text: metricsText()) }),
            Route(
                method: .get, path: "/v1/version", name: "getVersion", summary: "Shows the version of the service",
                tag: "System", access: .open, traffic: .exempt,
                successes: [.json(Schema.named("Version"), "The version.")],
                partition: .configuration,
                handle: { _ in
                    RouteResponse { writer in
                        writer.beginObject()
                        writer.member("name", "fencepost")
                        writer.member("version", version)
                        writer.member("cluster", clusterName)
                        writer.endObject()
                    }
                }),
        ]
    }

    /// The routes of the OpenAPI document, which includes both, and of the AsyncAPI document.
    func documentRoutes(openAPI: String, asyncAPI: String) -> [Route] {
        [
            documentRoute(
                openAPI, path: "/openapi.json", name: "getOpenAPI", summary: "Describes this API",
                text: "An OpenAPI 3.1 document."),
            documentRoute(
                asyncAPI, path: "/asyncapi.json", name: "getAsyncAPI",
                summary: "Describes what the service sends without being asked", text: "An AsyncAPI 3.0 document."),
        ]
    }

    private func documentRoute(
        _ document: String, path: String, name: String, summary: String, text: String
    ) -> Route {
        Route(
            method: .get, path: path, name: name, summary: summary, tag: "System", access: .open, traffic: .exempt,
            rejectsOtherParameters: false, successes: [.json(Schema.object, text)], partition: .configuration,
            handle: { _ in RouteResponse(text: document).tagged() })
    }

    static let metricsType = "text/plain; version=0.0.4"

    private func readiness() async -> RouteResponse {
        var checks: [HealthCheck] = []
        do {
            try await store.ping()
            checks.append(HealthCheck("database"))
        } catch {
            checks.append(HealthCheck("database", problem: "The store does not respond."))
        }
        let (isReady, reason) = monitoring.readiness()
        checks.append(HealthCheck("engine", problem: isReady ? nil : reason ?? "Locations are not accepted."))
        checks.append(HealthCheck(clock.status()))
        checks += await self.checks()
        return .readiness(checks.map { ($0, nil) })
    }
}
