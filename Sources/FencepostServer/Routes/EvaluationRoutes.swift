import FencepostHTTP
import FencepostJSON
import FencepostModel
import FencepostService
import HTTPTypes

/// Routes of evaluations of history.
extension API {
    var evaluationRoutes: [Route] {
        [
            Route(
                method: .post, path: "/v1/devices/{id}/evaluations", name: "postEvaluation",
                summary: "Evaluates the stored locations of a device again", tag: "Devices",
                access: .unbound(.admin), parameters: [.id("device")],
                body: Route.Body(
                    types: ["application/json"], schema: Schema.named("NewEvaluation"),
                    example: #"{"from":"2026-03-01T00:00:00Z","regions":"today"}"#),
                successes: [
                    Route.Success(
                        status: .accepted, type: RouteResponse.json, schema: Schema.named("Evaluation"),
                        text: "The evaluation runs in the background.")
                ],
                failures: [.notFound],
                partition: .device,
                handle: { call in try await requestEvaluation(call) }),
            Route(
                method: .get, path: "/v1/devices/{id}/evaluations", name: "getEvaluation",
                summary: "Shows whether the stored locations of a device are being evaluated again", tag: "Devices",
                access: .scope(.read), parameters: [.id("device")] + Route.Parameter.paging,
                successes: [
                    .json(
                        Schema.list(of: Schema.named("Evaluation")),
                        "The evaluation that waits or runs; an empty list without one.")
                ],
                partition: .device,
                handle: { call in
                    let task = try await histories().evaluation(of: try call.pathDevice())
                    return call.page(task.map { [$0] } ?? [], next: nil) { $0.value($1) }
                }),
        ]
    }

    private func requestEvaluation(_ call: Call) async throws -> RouteResponse {
        let device = try call.pathDevice()
        let root = try call.json().root
        guard let object = root.object else { throw Problem.invalid("invalid_shape", "The body has to be an object.") }
        for member in object where !["from", "to", "regions"].contains(member.name) {
            throw Problem.invalid("unknown_key", "There is no key \"\(member.name)\" here.")
        }
        func time(_ name: String) throws(Problem) -> Timestamp? {
            guard let element = root[name], !element.isNull else { return nil }
            guard let time = element.string.flatMap({ Timestamp(rfc3339: $0) }) else {
                throw Problem.invalid(
                    "invalid_value", "The request is invalid.",
                    [
                        Problem.Fault(
                            pointer: "/\(name)", code: "invalid_value", detail: "The value has to be an RFC 3339 time.")
                    ])
            }
            return time
        }
        guard
            let regions = EvaluationTask.Regions(
                rawValue: root["regions"]?.string ?? (root["regions"] == nil ? "then" : ""))
        else { throw Problem.invalid("invalid_value", "\"regions\" has to be \"then\" or \"today\".") }
        let now = clock.now()
        let (from, through) = (try time("from") ?? Timestamp(milliseconds: 0), try time("to") ?? now)
        guard from <= through else {
            throw Problem.invalid("invalid_value", "\"from\" has to be before \"to\".")
        }
        guard try await !store.locations(of: device, from: nil, to: nil, after: nil, limit: 1).isEmpty else {
            throw Problem.notFound("device")
        }
        var task = EvaluationTask(device, from: from, through: through, receivedAt: now, cause: .request)
        task.regions = regions
        try await histories().requestEvaluation(task)
        let wanted = task
        return RouteResponse(.accepted) { $0.value(wanted) }
    }
}

extension JSONWriter {
    fileprivate mutating func value(_ task: EvaluationTask) {
        beginObject()
        member("deviceId", task.deviceID.rawValue)
        member("from", task.from)
        member("to", task.through)
        member("regions", task.regions.rawValue)
        member("reason", task.cause.rawValue)
        endObject()
    }
}
