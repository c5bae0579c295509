import FencepostHTTP
import FencepostJSON
import FencepostModel
import FencepostService
import HTTPTypes

/// Routes of the reports that are sent to endpoints on a schedule (rule A29).
extension API {
    private static let tag = "Reports"
    private static let path = "/v1/report-schedules"
    private static let example =
        #"{"name":"Vans, last week","group":"vans","frequency":"weekly","at":"07:00","endpoints":["office-mail"]}"#

    var reportRoutes: [Route] {
        [listReportSchedules, postReportSchedule, getReportSchedule, putReportSchedule, patchReportSchedule]
            + [deleteReportSchedule, sendReport]
    }

    private var listReportSchedules: Route {
        Route(
            method: .get, path: Self.path, name: "listReportSchedules", summary: "Lists report schedules by id",
            tag: Self.tag, access: .unbound(.read),
            successes: [.json(Schema.list(of: Schema.named("ReportSchedule")), "All schedules, on one page.")],
            partition: .configuration,
            handle: { call in
                let now = clock.now()
                return call.page(try await store.reportSchedules(), next: nil) { $0.value($1, at: now) }
            })
    }

    private var getReportSchedule: Route {
        Route(
            method: .get, path: Self.path + "/{id}", name: "getReportSchedule", summary: "Shows a report schedule",
            tag: Self.tag, access: .unbound(.read), parameters: [.id("report schedule")],
            successes: [.json(Schema.named("ReportSchedule"), "The schedule, with an ETag.")],
            failures: [.notFound], partition: .configuration,
            handle: { call in response(try await reportSchedule(call)) })
    }

    private var postReportSchedule: Route {
        Route(
            method: .post, path: Self.path, name: "postReportSchedule",
            summary: "Adds a report that is sent to endpoints every day, week or month", tag: Self.tag,
            access: .unbound(.write),
            body: Route.Body(
                types: ["application/json"], schema: Schema.named("NewReportSchedule"), example: Self.example),
            successes: [.created(Schema.named("ReportSchedule"), "The schedule was added.")], failures: [.conflict],
            partition: .configuration,
            handle: { call in
                var schedule = try await read(call, over: nil)
                if schedule.id.isEmpty { schedule.id = newID("rep_") }
                try await checkNumberOfReportSchedules()
                guard try await store.add(schedule) else {
                    throw Problem.conflict("report_schedule_exists", "A report schedule with this id exists.")
                }
                return response(schedule, .created)
            })
    }

    private var putReportSchedule: Route {
        Route(
            method: .put, path: Self.path + "/{id}", name: "putReportSchedule",
            summary: "Adds or replaces a report schedule", tag: Self.tag, access: .unbound(.write),
            parameters: [.id("report schedule")],
            body: Route.Body(
                types: ["application/json"], schema: Schema.named("NewReportSchedule"), example: Self.example),
            successes: [
                .json(Schema.named("ReportSchedule"), "The schedule was replaced."),
                .created(Schema.named("ReportSchedule"), "The schedule was added."),
            ],
            failures: [.preconditionFailed], partition: .configuration,
            handle: { call in
                while true {
                    let id = call.parameter("id")
                    let current = try await store.reportSchedules().first { $0.id == id }
                    try call.precondition.check(current.map(Self.tag))
                    var schedule = try await read(call, over: nil)
                    guard schedule.id.isEmpty || schedule.id == id else {
                        throw Problem.invalid("id_mismatch", "The id in the body differs from the one in the path.")
                    }
                    guard id.utf8.allSatisfy({ Self.idCharacters.contains($0) }), id.utf8.count <= 256 else {
                        throw Problem.invalid(
                            "invalid_value", "An id can only contain letters, digits, \"-\" and \"_\".")
                    }
                    schedule.id = id
                    if let current {
                        let changed = continued(current, as: schedule)
                        if try await store.replace(current, with: changed) { return response(changed) }
                    } else {
                        try await checkNumberOfReportSchedules()
                        if try await store.add(schedule) { return response(schedule, .created) }
                    }
                }
            })
    }

    private var patchReportSchedule: Route {
        Route(
            method: .patch, path: Self.path + "/{id}", name: "patchReportSchedule",
            summary: "Changes a report schedule by a JSON merge patch (RFC 7396)", tag: Self.tag,
            access: .unbound(.write), parameters: [.id("report schedule")],
            body: Route.Body(
                types: ["application/json", "application/merge-patch+json"],
                schema: Schema.named("ReportSchedulePatch"), example: #"{"state":"disabled"}"#),
            successes: [.json(Schema.named("ReportSchedule"), "The changed schedule.")],
            failures: [.notFound, .preconditionFailed], partition: .configuration,
            handle: { call in
                while true {
                    let current = try await reportSchedule(call)
                    try call.precondition.check(Self.tag(current))
                    let schedule = try await read(call, over: current)
                    guard schedule.id == current.id else {
                        throw Problem.invalid("id_mismatch", "The id of a report schedule cannot be changed.")
                    }
                    let changed = continued(current, as: schedule)
                    if try await store.replace(current, with: changed) { return response(changed) }
                }
            })
    }

    private var deleteReportSchedule: Route {
        Route(
            method: .delete, path: Self.path + "/{id}", name: "deleteReportSchedule",
            summary: "Removes a report schedule. Reports on their way are still sent", tag: Self.tag,
            access: .unbound(.write), parameters: [.id("report schedule")],
            successes: [.noContent("The schedule was removed.")], failures: [.notFound, .preconditionFailed],
            partition: .configuration,
            handle: { call in
                while true {
                    let current = try await reportSchedule(call)
                    try call.precondition.check(Self.tag(current))
                    if try await store.remove(current) { return .noContent }
                }
            })
    }

    private var sendReport: Route {
        Route(
            method: .post, path: Self.path + "/{id}/send", name: "sendReport",
            summary: "Sends the report of the last day, week or month that has ended, now", tag: Self.tag,
            access: .unbound(.write), parameters: [.id("report schedule")],
            successes: [.json(Schema.named("SentReport"), "The report is on its way to these endpoints.")],
            failures: [.notFound, .conflict], partition: .configuration,
            handle: { call in
                while true {
                    let schedule = try await reportSchedule(call)
                    let now = clock.now()
                    let run = schedule.timing.latest(at: now)
                    let (event, deliveries) = endpoints.report(schedule, run, at: now, isAskedFor: true)
                    guard !deliveries.isEmpty else {
                        throw Problem.conflict(
                            "no_active_endpoint",
                            "None of the schedule's endpoints exists and is active: enable one first."
                        )
                    }
                    guard try await store.send(schedule, as: schedule, event, deliveries, at: now) else { continue }
                    signal.raise()
                    for delivery in deliveries { endpoints.deliveriesDidChange(of: delivery.endpointID) }
                    return RouteResponse { writer in
                        writer.beginObject()
                        writer.member("eventId", event.id)
                        writer.member("from", run.start)
                        writer.member("to", run.end)
                        writer.list("endpoints", deliveries.map(\.endpointID))
                        writer.endObject()
                    }
                }
            })
    }

    // MARK: Reading and saving

    private func reportSchedule(_ call: Call) async throws -> ReportSchedule {
        let id = call.parameter("id")
        guard let found = try await store.reportSchedules().first(where: { $0.id == id }) else {
            throw Problem.notFound("report schedule")
        }
        return found
    }

    /// Reads a schedule, and checks that its endpoints exist and take files, and that its group exists.
    private func read(_ call: Call, over base: ReportSchedule?) async throws -> ReportSchedule {
        var reader = try ReportScheduleReader(try call.json().root, over: base, zone: defaultZone)
        let schedule = try reader.schedule(at: clock.now())
        func refuse(_ pointer: String, _ detail: String) -> Problem {
            .invalid(
                "invalid_value", detail, [Problem.Fault(pointer: pointer, code: "invalid_value", detail: detail)])
        }
        let known = try await store.endpoints()
        for (index, id) in schedule.endpoints.enumerated() {
            guard let endpoint = known.first(where: { $0.id == id }) else {
                throw refuse("/endpoints/\(index)", "There is no endpoint \"\(id)\": add it first.")
            }
            if let problem = endpoint.kind.reportProblem { throw refuse("/endpoints/\(index)", problem) }
        }
        if let tag = schedule.parameters["group"], try await !store.groups().contains(where: { $0.tag == tag }) {
            throw refuse("/group", "There is no group with the tag \"\(tag)\": add it first.")
        }
        return schedule
    }

    /// A changed schedule, which goes on where it was. With other times it begins now, as after a pause.
    private func continued(_ current: ReportSchedule, as schedule: ReportSchedule) -> ReportSchedule {
        var changed = schedule
        (changed.createdAt, changed.lastSent) = (current.createdAt, current.lastSent)
        if schedule.timing == current.timing, current.isActive { changed.since = current.since }
        return changed
    }

    private func checkNumberOfReportSchedules() async throws {
        guard try await store.reportSchedules().count >= ReportSchedule.limit else { return }
        throw Problem.invalid(
            "too_many_report_schedules",
            "There may be at most \(ReportSchedule.limit) report schedules: remove one first.")
    }

    private func response(_ schedule: ReportSchedule, _ status: HTTPResponse.Status = .ok) -> RouteResponse {
        let now = clock.now()
        let response = RouteResponse(status) { $0.value(schedule, at: now) }.tagged(Self.tag(schedule))
        return status == .created ? response.located(at: Self.path + "/\(schedule.id)") : response
    }

    /// The tag is of what people set: it stays when a report was sent.
    private static func tag(_ schedule: ReportSchedule) -> EntityTag {
        var writer = JSONWriter()
        writer.beginObject()
        writer.members(of: schedule)
        writer.endObject()
        return EntityTag(of: writer.bytes)
    }
}
