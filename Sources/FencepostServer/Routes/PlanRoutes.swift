import FencepostAnalysis
import FencepostFormats
import FencepostHTTP
import FencepostJSON
import FencepostModel
import FencepostRegions
import FencepostService
import Foundation
import HTTPTypes

/// Routes of plans and their rounds (rules A45, E20).
extension API {
    var planRoutes: [Route] {
        [listPlans, postPlan, postPlanImport, getPlan, putPlan, deletePlan, listRounds]
    }

    static let planTag = "Plans"
    private static let planExample =
        #"{"name":"Night","timeZone":"Europe/Lisbon","places":[{"region":"gate","from":"22:00","to":"22:30"},"#
        + #"{"region":"hall","from":"23:45","to":"00:30+1","stay":300}],"days":"Mon-Fri","devices":["guard-1"]}"#

    private var listPlans: Route {
        Route(
            method: .get, path: "/v1/plans", name: "listPlans", summary: "Lists the plans by id", tag: Self.planTag,
            access: .unbound(.read), parameters: Route.Parameter.paging,
            successes: [.json(Schema.list(of: Schema.named("Plan")), "A page of plans.")],
            partition: .configuration,
            handle: { call in
                let limit = try call.limit()
                let after = try call.cursor(Cursor.id)
                let rest = try await store.plans().compactMap(\.current)
                    .filter { plan in after.map { RegionID($0) < RegionID(plan.id) } ?? true }
                let page = rest.prefix(limit)
                let next = rest.count > limit ? page.last.map { Cursor.encode(id: $0.id) } : nil
                return call.page(page, next: next) { $0.value($1) }
            })
    }

    private var getPlan: Route {
        Route(
            method: .get, path: "/v1/plans/{id}", name: "getPlan", summary: "Shows a plan", tag: Self.planTag,
            access: .unbound(.read), parameters: [.id("plan")],
            successes: [.json(Schema.named("Plan"), "The plan, with an ETag.")],
            partition: .configuration,
            handle: { call in
                guard let plan = try await storedPlan(call)?.current else { throw Problem.notFound("plan") }
                return RouteResponse { $0.value(plan) }.tagged()
            })
    }

    private var postPlan: Route {
        Route(
            method: .post, path: "/v1/plans", name: "postPlan",
            summary: "Adds a plan, whose rounds begin from now on", tag: Self.planTag,
            access: .unbound(.write), body: planBody,
            successes: [.created(Schema.named("Plan"), "The plan was added.")], failures: [.conflict],
            partition: .configuration,
            handle: { call in
                let plan = try await readPlan(try call.json().root, id: newID("pln_"))
                while true {
                    let former = try await store.plans().first { $0.id == plan.id }
                    guard former?.current == nil else {
                        throw Problem.conflict("plan_exists", "A plan with this id exists. Use PUT to replace it.")
                    }
                    if let response = try await save(plan, over: former, .created) { return response }
                }
            })
    }

    private var putPlan: Route {
        Route(
            method: .put, path: "/v1/plans/{id}", name: "putPlan",
            summary:
                "Adds or replaces a plan. A round that has begun ends without an event, and the next one follows the change",
            tag: Self.planTag, access: .unbound(.write), parameters: [.id("plan")], body: planBody,
            successes: [
                .json(Schema.named("Plan"), "The plan was replaced."),
                .created(Schema.named("Plan"), "The plan was added."),
            ],
            failures: [.preconditionFailed, .conflict], partition: .configuration,
            handle: { call in
                let root = try call.json().root
                let id = call.parameter("id")
                while true {
                    let former = try await storedPlan(call)
                    try call.precondition.check(former?.current.map(Self.tag))
                    let plan = try await readPlan(root, id: id, replacing: former?.current)
                    guard plan.id == id else {
                        throw Problem.invalid(
                            "id_mismatch", "The id in the body differs from the one in the path.",
                            [
                                Problem.Fault(
                                    pointer: "/id", code: "id_mismatch", detail: "The id has to be that of the path.")
                            ])
                    }
                    let status: HTTPResponse.Status = former?.current == nil ? .created : .ok
                    if let response = try await save(plan, over: former, status) { return response }
                }
            })
    }

    private var deletePlan: Route {
        Route(
            method: .delete, path: "/v1/plans/{id}", name: "deletePlan",
            summary: "Ends a plan. Its rounds until now stay, one that has begun ends without an event",
            tag: Self.planTag,
            access: .unbound(.write), parameters: [.id("plan")], successes: [.noContent("The plan has ended.")],
            failures: [.preconditionFailed, .conflict], partition: .configuration,
            handle: { call in
                while true {
                    guard let former = try await storedPlan(call), let current = former.current else {
                        throw Problem.notFound("plan")
                    }
                    if call.precondition.ifMatch != nil { try call.precondition.check(Self.tag(current)) }
                    let ended = former.replaced(by: nil, at: clock.now())
                    let change = try await store.changePlan(ended, from: former.text, limit: StoredPlan.mostPlans)
                    guard change == .done else { continue }
                    try await monitoring.alertRulesDidChange()
                    return .noContent
                }
            })
    }

    private var planBody: Route.Body {
        Route.Body(types: ["application/json"], schema: Schema.named("NewPlan"), example: Self.planExample)
    }

    // MARK: Changes

    /// The plan of a call, which may have ended; `nil` when there is none.
    func storedPlan(_ call: Call) async throws -> StoredPlan? {
        let id = call.parameter("id")
        return try await store.plans().first { $0.id == id }
    }

    /// Reads a plan, and checks that what it names exists.
    ///
    /// - Parameters:
    ///   - root: the body. `since`, which answers have, is ignored.
    ///   - id: the id of a plan that states none.
    ///   - former: the plan that is replaced; what it names already is not checked again.
    /// - Returns: the plan.
    /// - Throws: a `Problem`.
    private func readPlan(_ root: JSONElement, id: String, replacing former: Plan? = nil) async throws -> Plan {
        let (plan, problems) = PlanFile.read(
            try root.without("since"), id: id, zone: services.zone.current ?? defaultZone, at: clock.now())
        guard let plan else {
            let detail = "The plan is invalid."
            throw Problem.diagnostics(problems, detail) ?? .invalid("invalid_value", detail)
        }
        try await check(plan, replacing: former)
        return plan
    }

    /// Checks that the regions and groups of a plan exist.
    func check(_ plan: Plan, replacing former: Plan? = nil) async throws {
        let catalog = monitoring.regions().catalog
        let known = Set(former?.stops.map(\.region) ?? [])
        let faults = plan.stops.enumerated().compactMap { index, stop -> Problem.Fault? in
            guard !known.contains(stop.region), catalog.handle(for: stop.region).flatMap({ catalog[$0] }) == nil else {
                return nil
            }
            return Problem.Fault(
                pointer: "/places/\(index)/region", code: "unknown_region",
                detail: "There is no region \"\(stop.region.rawValue)\": add it first.")
        }
        guard faults.isEmpty else { throw Problem.invalid("unknown_region", faults[0].detail, faults) }
        guard let groups = plan.groups else { return }
        let tags = Set(try await store.groups().map(\.tag)).union(former?.groups ?? [])
        if let index = groups.firstIndex(where: { !tags.contains($0) }) {
            let detail = "There is no group \"\(groups[index])\": an administrator adds it."
            throw Problem.invalid(
                "unknown_group", detail,
                [Problem.Fault(pointer: "/groups/\(index)", code: "unknown_group", detail: detail)])
        }
    }

    /// Stores a plan, and waits until the monitor applies it.
    ///
    /// - Returns: the response; `nil` when somebody else has changed the plan meanwhile.
    private func save(
        _ plan: Plan, over former: StoredPlan?, _ status: HTTPResponse.Status
    ) async throws -> RouteResponse? {
        guard let stored = try await store(plan, over: former) else { return nil }
        try await monitoring.alertRulesDidChange()
        let response = RouteResponse(status) { $0.value(stored) }.tagged()
        return status == .created ? response.located(at: "/v1/plans/\(plan.id.percentEncoded)") : response
    }

    /// Stores a plan.
    ///
    /// - Returns: the plan as it applies; `nil` when somebody else has changed it meanwhile.
    func store(_ plan: Plan, over former: StoredPlan?) async throws -> Plan? {
        let next = (former ?? StoredPlan(id: plan.id, versions: [])).replaced(by: plan, at: clock.now())
        switch try await store.changePlan(next, from: former?.text, limit: StoredPlan.mostPlans) {
        case .done: return next.current
        case .outdated: return nil
        case .tooMany:
            throw Problem.invalid(
                "too_many_plans",
                "There are as many plans as there may be, \(StoredPlan.mostPlans): remove one first, or put more places or "
                    + "devices into one plan.")
        }
    }

    private static func tag(_ plan: Plan) -> EntityTag {
        var writer = JSONWriter()
        writer.value(plan)
        return EntityTag(of: writer.bytes)
    }
}
