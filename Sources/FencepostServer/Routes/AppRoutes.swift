import FencepostEngine
import FencepostHTTP
import FencepostJSON
import FencepostModel
import FencepostService
import FencepostSimulator
import HTTPTypes

/// Routes of simulated apps, their steps, and the decisions of the relaunch rules.
extension API {
    var appRoutes: [Route] { [listApps, postApp, getApp, putApp, deleteApp, postSteps, appDecisions, explain] }

    private static let body = Route.Body(
        types: ["application/json"], schema: Schema.named("NewApp"),
        example: #"{"id":"courier","given":{"grant":"always","lifecycle":"terminated","terminatedBy":"system"},"#
            + #""devices":["jane/*"],"services":[{"service":"visits"}]}"#)

    private var listApps: Route {
        Route(
            method: .get, path: "/v1/apps", name: "listApps", summary: "Lists simulated apps by id", tag: "Apps",
            access: .unbound(.read), parameters: Route.Parameter.paging,
            successes: [.json(Schema.list(of: Schema.named("App")), "A page of apps.")],
            partition: .configuration,
            handle: { call in
                let limit = try call.limit()
                let after = try call.cursor(Cursor.id)
                let apps = monitoring.apps().filter { after == nil || RegionID(after ?? "") < RegionID($0.app.id) }
                    .sorted { RegionID($0.app.id) < RegionID($1.app.id) }
                let page = apps.prefix(limit)
                let next = apps.count > limit ? page.last.map { Cursor.encode(id: $0.app.id) } : nil
                return call.page(page, next: next) { $0.raw($1.json) }
            })
    }

    private func app(_ call: Call) throws(Problem) -> WatchedApp {
        let id = call.parameter("id")
        guard let app = monitoring.apps().first(where: { $0.app.id == id }) else { throw .notFound("app") }
        return app
    }

    private var getApp: Route {
        Route(
            method: .get, path: "/v1/apps/{id}", name: "getApp", summary: "Shows a simulated app", tag: "Apps",
            access: .unbound(.read), parameters: [.id("app")],
            successes: [.json(Schema.named("App"), "The app, with an ETag.")],
            partition: .configuration,
            handle: { call in RouteResponse(text: try app(call).json).tagged() })
    }

    private var postApp: Route {
        Route(
            method: .post, path: "/v1/apps", name: "postApp", summary: "Adds a simulated app", tag: "Apps",
            access: .unbound(.write), body: API.body,
            successes: [.created(Schema.named("App"), "The app was added.")], failures: [.conflict],
            partition: .configuration,
            handle: { call in
                let stored = try Self.stored(try call.json().root)
                try await monitoring.editApps { apps in
                    guard !apps.contains(where: { $0.app.id == stored.id }) else {
                        throw Problem.conflict("app_exists", "An app with this id exists. Use PUT to replace it.")
                    }
                    try Self.checkNumber(ofApps: apps.count)
                    return AppEdit(changed: [stored])
                }
                return appResponse(.created, stored)
            })
    }

    private var putApp: Route {
        Route(
            method: .put, path: "/v1/apps/{id}", name: "putApp",
            summary: "Adds or replaces a simulated app, which starts in the given state", tag: "Apps",
            access: .unbound(.write), parameters: [.id("app")],
            body: Route.Body(
                types: ["application/json"], schema: Schema.named("ReplacedApp"),
                example: #"{"given":{"grant":"always"},"services":[{"service":"visits"}]}"#),
            successes: [
                .json(Schema.named("App"), "The app was replaced."),
                .created(Schema.named("App"), "The app was added."),
            ],
            failures: [.preconditionFailed],
            partition: .configuration,
            handle: { call in
                let id = call.parameter("id")
                let stored = try Self.stored(try call.json().root, id: id)
                let precondition = call.precondition
                let isNew = !monitoring.apps().contains { $0.app.id == id }
                try await monitoring.editApps { apps in
                    let current = apps.first { $0.app.id == id }
                    try precondition.check(current.map { EntityTag(of: $0.json.utf8) })
                    if current == nil { try Self.checkNumber(ofApps: apps.count) }
                    return AppEdit(changed: [stored])
                }
                return appResponse(isNew ? .created : .ok, stored)
            })
    }

    private func appResponse(_ status: HTTPResponse.Status, _ stored: StoredApp) -> RouteResponse {
        let json = monitoring.apps().first { $0.app.id == stored.id }?.json ?? stored.definition
        let response = RouteResponse(status, text: json).tagged()
        return status == .created ? response.located(at: "/v1/apps/\(stored.id.percentEncoded)") : response
    }

    private var deleteApp: Route {
        Route(
            method: .delete, path: "/v1/apps/{id}", name: "deleteApp", summary: "Removes a simulated app",
            tag: "Apps", access: .unbound(.write), parameters: [.id("app")],
            successes: [.noContent("The app was removed.")], failures: [.preconditionFailed],
            partition: .configuration,
            handle: { call in
                let id = call.parameter("id")
                let precondition = call.precondition
                try await monitoring.editApps { apps in
                    guard let current = apps.first(where: { $0.app.id == id }) else { throw Problem.notFound("app") }
                    if precondition.ifMatch != nil { try precondition.check(EntityTag(of: current.json.utf8)) }
                    return AppEdit(removed: [id])
                }
                return .noContent
            })
    }

    /// Refuses one app more than rule L6 allows.
    private static func checkNumber(ofApps count: Int) throws(Problem) {
        guard count >= AppFile.maximumApps else { return }
        throw .invalid(
            "too_many_apps",
            "There are \(count) apps, and there may be at most \(AppFile.maximumApps): remove one first, or put more "
                + "devices into the patterns of one app.")
    }

    /// Reads one app. Members that would make the reader open a file are errors.
    private static func stored(_ root: JSONElement, id: String? = nil) throws(Problem) -> StoredApp {
        guard root.object != nil else { throw .invalid("invalid_value", "An app has to be a JSON object.") }
        try FilePaths.refuse(in: root)
        if let name = root["name"], name.string == nil {
            let detail = "The value has to be a string."
            throw .invalid(
                "invalid_value", "The app is invalid.",
                [Problem.Fault(pointer: "/name", code: "invalid_value", detail: detail)])
        }
        var definition = root.text
        if let id {
            if let named = root["id"], named.string != id {
                throw .invalid(
                    "id_mismatch", "The id in the body differs from the one in the path.",
                    [Problem.Fault(pointer: "/id", code: "id_mismatch", detail: "The id has to be that of the path.")])
            }
            if root["id"] == nil {
                var writer = JSONWriter()
                writer.value(id)
                definition = definition.prependingMembers("\"id\":\(String(decoding: writer.bytes, as: UTF8.self)),")
            }
        }
        let (apps, diagnostics) = AppFile.read(definition.utf8, file: "app")
        if let problem = Problem.diagnostics(diagnostics, "The app is invalid.") { throw problem }
        guard let app = apps.first, apps.count == 1 else {
            throw .invalid("invalid_value", "The body contains no app.")
        }
        return StoredApp(id: app.id, definition: definition)
    }

    // MARK: Steps and decisions

    private var postSteps: Route {
        Route(
            method: .post, path: "/v1/apps/{id}/steps", name: "postSteps",
            summary:
                "Applies steps to a simulated app on every device, such as a termination, a launch or a new setting",
            tag: "Apps", access: .unbound(.write), parameters: [.id("app")],
            body: Route.Body(
                types: ["application/json"], schema: Schema.named("Steps"),
                example: #"{"do":"terminate","#
                    + #""by":"user"}"#),
            successes: [.json(Schema.named("StepReports"), "The result of each step.")],
            partition: .configuration,
            handle: { call in
                let id = call.parameter("id")
                let steps = try Self.steps(try call.json().root)
                guard let reports = try await monitoring.take(steps: steps, app: id) else {
                    throw Problem.notFound("app")
                }
                return RouteResponse { writer in
                    writer.beginObject()
                    writer.array("steps", reports.enumerated()) { writer, entry in
                        writer.value(entry.element, at: entry.offset, of: steps)
                    }
                    writer.endObject()
                }
            })
    }

    /// Maximum number of steps per request.
    private static let stepLimit = 1000

    /// One step, an array of steps, or `{"steps":[…]}`.
    private static func steps(_ root: JSONElement) throws(Problem) -> [AppStep] {
        try FilePaths.refuse(in: root)
        var elements: [(JSONElement, JSONPointer)] = []
        if let array = root.array ?? root["steps"]?.array {
            let base = root.array == nil ? JSONPointer().appending("steps") : JSONPointer()
            elements = array.enumerated().map { ($1, base.appending($0)) }
        } else {
            elements = [(root, JSONPointer())]
        }
        guard !elements.isEmpty, elements.count <= stepLimit else {
            throw .invalid("invalid_value", "A request has to contain 1 to \(stepLimit) steps.")
        }
        var (steps, problems): ([AppStep], [Diagnostic]) = ([], [])
        for (element, pointer) in elements {
            let (step, diagnostics) = ScenarioReader(file: nil).step(element, at: pointer)
            problems += diagnostics
            if let step { steps.append(AppStep(step, json: element.text)) }
        }
        if let problem = Problem.diagnostics(problems, "A step is invalid. No step was applied.") { throw problem }
        guard steps.count == elements.count else { throw .invalid("invalid_value", "A step is invalid.") }
        return steps
    }

    private var appDecisions: Route {
        Route(
            method: .get, path: "/v1/apps/{id}/decisions", name: "listDecisions",
            summary: "Lists the decisions of the relaunch rules about events, oldest first", tag: "Apps",
            access: .unbound(.read),
            parameters: [.id("app"), .deviceID, .from, .to] + Route.Parameter.paging,
            successes: [.json(Schema.list(of: Schema.named("Decision")), "A page of decisions.")],
            partition: .pages(.time("timestamp")),
            handle: { call in
                let limit = try call.limit()
                let app = try app(call).app.id
                let found = try await store.decisions(
                    of: app, try call.filter(), after: try call.cursor(Cursor.number) ?? 0, limit: limit + 1)
                return call.page(
                    found.prefix(limit), next: Cursor.next(found, limit, \.number),
                    cursors: found.prefix(limit).map { Cursor.encode(number: $0.number) }
                ) { writer, row in
                    var members = JSONWriter()
                    members.beginObject()
                    members.member("eventId", row.decision.eventID)
                    members.member("deviceId", row.decision.deviceID.rawValue)
                    members.member("timestamp", row.decision.timestamp)
                    let text = String(decoding: members.bytes.dropFirst(), as: UTF8.self)
                    writer.raw(row.decision.body.prependingMembers(text + ","))
                }
            })
    }

    private var explain: Route {
        Route(
            method: .post, path: "/v1/explain", name: "explain",
            summary: "Decides whether iOS would deliver an event and relaunch a terminated app for it, and why",
            tag: "Apps", access: .scope(.read),
            parameters: [
                Route.Parameter(
                    name: "policy", words: SimulatorPolicy.self,
                    text: "Which interpretation of disputed rules applies.")
            ],
            body: Route.Body(
                types: ["application/json"], schema: Schema.named("Question"),
                example: #"{"given":{"grant":"always","lifecycle":"terminated"},"#
                    + #""event":{"service":"visits","kind":"arrival"}}"#),
            successes: [.json(Schema.named("Delivery"), "The decision about the event.")],
            partition: .configuration,
            handle: { call in
                let policy = try call.word("policy", SimulatorPolicy.self) ?? .lenient
                try FilePaths.refuse(in: try call.json().root)
                let (question, diagnostics) = ScenarioReader(file: nil).question(call.body)
                if let problem = Problem.diagnostics(diagnostics, "The body is invalid.") { throw problem }
                guard let (given, event) = question else {
                    throw Problem.invalid("invalid_value", "The body is invalid.")
                }
                return RouteResponse { $0.value(RelaunchGate(policy: policy).decide(event, for: given)) }
            })
    }
}

/// Checks that a request names no property list file. Only app files may do that (rule L3).
enum FilePaths {
    static func refuse(in root: JSONElement) throws(Problem) {
        var faults: [Problem.Fault] = []
        search(root, JSONPointer(), &faults)
        guard faults.isEmpty else { throw .invalid("invalid_value", "A request cannot name files.", faults) }
    }

    private static func search(_ element: JSONElement, _ pointer: JSONPointer, _ faults: inout [Problem.Fault]) {
        if let object = element.object {
            for member in object {
                let memberPointer = pointer.appending(member.name)
                if ["infoPlist", "entitlements"].contains(member.name), member.value.kind == .string {
                    faults.append(
                        Problem.Fault(
                            pointer: memberPointer.description, code: "invalid_value",
                            detail: "The value has to be an array of keys. Only app files can name a file."))
                } else {
                    search(member.value, memberPointer, &faults)
                }
            }
        } else if let array = element.array {
            for (index, element) in array.enumerated() { search(element, pointer.appending(index), &faults) }
        }
    }
}

extension WatchedApp {
    /// The app file, with the app's state on a device without any state.
    fileprivate var json: String {
        let given = simulation.device
        var writer = JSONWriter()
        writer.name("state")
        writer.beginObject()
        writer.member("grant", given.grant.rawValue)
        writer.member("reportedStatus", given.reportedStatus.rawValue)
        writer.member("accuracy", given.accuracy.rawValue)
        writer.member("lifecycle", given.lifecycle.rawValue)
        writer.member("terminatedBy", given.terminatedBy?.rawValue)
        writer.member("stepsTaken", stored.steps.count)
        writer.endObject()
        return stored.definition.appendingMembers("," + String(decoding: writer.bytes, as: UTF8.self))
    }
}

extension JSONWriter {
    fileprivate mutating func value(_ report: StepReport, at index: Int, of steps: [AppStep]) {
        beginObject()
        member("step", index)
        let verb = index < steps.count ? (try? JSONDocument(parsing: steps[index].json))?.root["do"]?.string : nil
        member("do", verb)
        member("effect", report.effect)
        list("rules", report.rules.map(\.rawValue))
        list("notes", report.notes)
        if !report.result.isEmpty {
            name("result")
            value(AnswerValue.members(report.result))
        }
        endObject()
    }
}
