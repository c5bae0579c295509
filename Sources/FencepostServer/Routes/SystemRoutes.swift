import FencepostJSON
import FencepostModel
import FencepostService
import HTTPTypes

/// What operators, browsers and programs ask of the service itself.
extension API {
    var systemRoutes: [Route] {
        [
            Route(
                method: .get, path: "/healthz", name: "getHealth", summary: "Says that the process is alive",
                tag: "System", access: .open, traffic: .exempt, refusesOtherParameters: false,
                successes: [.json(Schema.object, "It is.", example: #"{"status":"ok"}"#)],
                handle: { _ in Answer(text: #"{"status":"ok"}"#) }),
            Route(
                method: .get, path: "/readyz", name: "getReadiness", summary: "Says whether requests can be served",
                tag: "System", access: .open, traffic: .exempt, refusesOtherParameters: false,
                successes: [.json(Schema.named("Readiness"), "All is well.")], failures: [.serviceUnavailable],
                handle: { _ in await readiness() }),
            Route(
                method: .get, path: "/metrics", name: "getMetrics", summary: "Gives metrics in Prometheus' text format",
                tag: "System", access: .open, traffic: .exempt, refusesOtherParameters: false,
                successes: [
                    Route.Success(status: .ok, type: Self.metricsType, schema: Schema.string, text: "Metrics.")
                ],
                handle: { _ in Answer(type: Self.metricsType, text: metricsText()) }),
            Route(
                method: .get, path: "/v1/version", name: "getVersion", summary: "Says which version this is",
                tag: "System", access: .open, traffic: .exempt,
                successes: [.json(Schema.named("Version"), "The version.")],
                handle: { _ in
                    Answer { writer in
                        writer.beginObject()
                        writer.member("name", "fencepost")
                        writer.member("version", version)
                        writer.endObject()
                    }
                }),
        ]
    }

    /// The description of all routes, and of itself.
    func documentRoutes(_ document: String) -> [Route] {
        [
            Route(
                method: .get, path: "/openapi.json", name: "getOpenAPI", summary: "Describes this API", tag: "System",
                access: .open, traffic: .exempt, refusesOtherParameters: false,
                successes: [.json(Schema.object, "An OpenAPI 3.1 document.")],
                handle: { _ in Answer(text: document).tagged() })
        ]
    }

    private static let metricsType = "text/plain; version=0.0.4"

    private func readiness() async -> Answer {
        var checks: [HealthCheck] = []
        do {
            try await store.ping()
            checks.append(HealthCheck("database"))
        } catch {
            checks.append(HealthCheck("database", problem: "The store does not answer."))
        }
        let (isReady, reason) = monitoring.readiness()
        checks.append(HealthCheck("engine", problem: isReady ? nil : reason ?? "Fixes are not taken."))
        let skew = clock.skew().seconds
        checks.append(
            HealthCheck(
                "clock",
                problem: abs(skew) > 60 ? "The wall clock was set; the service follows it slowly." : nil))
        checks += await self.checks()
        // A clock that is being followed is worth knowing, and no reason to send nobody here.
        let isUp = checks.allSatisfy { $0.problem == nil || $0.name == "clock" }
        var answer = Answer(isUp ? .ok : .serviceUnavailable) { writer in
            writer.beginObject()
            writer.member("status", isUp ? "ok" : "unavailable")
            writer.name("checks")
            writer.beginObject()
            for check in checks {
                writer.name(check.name)
                writer.beginObject()
                writer.member("status", check.problem == nil ? "ok" : "failing")
                writer.member("detail", check.problem)
                writer.endObject()
            }
            writer.endObject()
            writer.endObject()
        }
        if !isUp { answer.headers[.retryAfter] = "5" }
        return answer
    }
}
