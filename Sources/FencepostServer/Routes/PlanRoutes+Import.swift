import FencepostGeometry
import FencepostHTTP
import FencepostJSON
import FencepostModel
import FencepostRegions
import FencepostService
import Foundation
import HTTPTypes

/// The route that makes plans of an iCalendar file.
extension API {
    var postPlanImport: Route {
        func parameter(_ name: String, _ schema: String, _ text: String) -> Route.Parameter {
            Route.Parameter(name: name, schema: schema, text: text)
        }
        return Route(
            method: .post, path: "/v1/plans/import", name: "importPlans",
            summary: "Adds plans of an iCalendar file: one for each set of dates, with a place for each event",
            tag: Self.planTag, access: .unbound(.write),
            parameters: [
                parameter("devices", Schema.text, "Whose rounds they are: ids or patterns, separated by commas."),
                parameter(
                    "groups", Schema.text, "Tags of groups, separated by commas; besides devices or instead of them."),
                parameter("name", Schema.text, "The name of the plans; by default that of the calendar."),
                .flag("ordered", "The places are to be visited in the order of their times."),
                parameter("grace", Schema.number, "As in a plan, in seconds."),
                parameter("stay", Schema.number, "The least stay at each place, in seconds; 0 by default."),
                timeZoneOfImport,
            ],
            // Generators of clients do not know the type of calendars.
            body: Route.Body(
                types: ["application/octet-stream"], mislabeledTypes: ["text/calendar", "text/plain"],
                schema: Schema.string),
            successes: [.created(Schema.named("ImportedPlans"), "The plans, and what was ignored.")],
            failures: [.conflict],
            partition: .configuration,
            handle: { call in
                guard let text = String(validating: call.body, as: UTF8.self) else {
                    throw Problem.unreadable("invalid_utf8", "The file has to be UTF-8.")
                }
                let file = ICalendarFile(text, zone: try zone(of: call))
                let (plans, problems) = try plans(of: file, call)
                if let problem = Problem.diagnostics(problems, "The calendar cannot be taken over.") { throw problem }
                for plan in plans { try await check(plan) }
                let room = StoredPlan.mostPlans - (try await store.plans().filter { $0.current != nil }.count)
                guard plans.count <= room else {
                    throw Problem.invalid(
                        "too_many_plans",
                        "The file gives \(plans.count) plans, and there is room for \(max(room, 0)) of "
                            + "\(StoredPlan.mostPlans): remove others first, or give events the same dates.")
                }
                let added = try await add(plans)
                return RouteResponse(.created) { writer in
                    writer.beginObject()
                    writer.array("data", added) { $0.value($1) }
                    writer.array("warnings", problems) { writer, problem in
                        writer.beginObject()
                        writer.member("line", problem.position.line ?? 1)
                        writer.member("code", problem.code)
                        writer.member("detail", problem.message)
                        writer.endObject()
                    }
                    writer.endObject()
                }
            })
    }

    private var timeZoneOfImport: Route.Parameter {
        Route.Parameter(
            name: "timeZone", schema: Schema.text,
            text: "The IANA name of the zone of times without one; by default that of the service.")
    }

    private func add(_ plans: [Plan]) async throws -> [Plan] {
        var added: [Plan] = []
        for plan in plans {
            // The id is new.
            if let stored = try await store(plan, over: nil) { added.append(stored) }
        }
        try await monitoring.alertRulesDidChange()
        return added
    }

    /// The plans of a file, and what is wrong with it or ignored.
    private func plans(of file: ICalendarFile, _ call: Call) throws -> (plans: [Plan], problems: [Diagnostic]) {
        var problems = file.diagnostics
        let base = try base(of: call)
        let stay = Duration.milliseconds(Int64(clamped: (try call.number("stay", in: 0...86_400) ?? 0) * 1000))
        let regions = RegionNames(monitoring.regions().catalog)
        var plans: [Plan] = []
        for entry in file.entries {
            guard let region = regions.region(of: entry, &problems) else { continue }
            guard Double((entry.end - entry.start) * 60) >= stay.seconds else {
                problems.append(
                    Diagnostic(
                        code: "stay_too_long", at: .line(entry.line),
                        "The window is shorter than the stay: shorten \"stay\"."))
                continue
            }
            let stop = Plan.Stop(region: region, start: entry.start, end: entry.end, stay: stay)
            let index = plans.firstIndex { $0.calendar == entry.calendar && $0.timeZone == entry.timeZone }
            if plans.contains(where: { plan in
                plan.timeZone == entry.timeZone && plan.calendar == entry.calendar
                    && plan.stops.contains { $0.overlaps(stop) }
            }) {
                problems.append(
                    Diagnostic(
                        code: "windows_overlap", at: .line(entry.line),
                        "The window overlaps with that of another event of these dates at region \"\(region.rawValue)\": a "
                            + "visit would count twice. Remove one, or change its times."))
                continue
            }
            if let index, plans[index].stops.count < Plan.mostStops {
                plans[index].stops.append(stop)
                continue
            }
            var plan = base
            (plan.id, plan.calendar, plan.timeZone) = (newID("pln_"), entry.calendar, entry.timeZone)
            plan.name = base.name ?? file.name ?? (entry.summary.isEmpty ? nil : entry.summary)
            plan.stops = [stop]
            plans.append(plan)
            if plan.nextRound(after: clock.now()) == nil {
                problems.append(
                    Diagnostic(code: "plan_in_past", at: .line(entry.line), "All dates of this event are in the past."))
            }
        }
        for index in plans.indices { plans[index].stops.sort { ($0.start, $0.end) < ($1.start, $1.end) } }
        return (plans, problems.sorted { ($0.position.line ?? 0) < ($1.position.line ?? 0) })
    }

    /// What all plans of a request have in common.
    private func base(of call: Call) throws(Problem) -> Plan {
        func names(_ name: String) -> [String]? {
            call.query[name].map { $0.split(separator: ",").map(String.init) }.flatMap { $0.isEmpty ? nil : $0 }
        }
        var plan = Plan(id: "", [], PlanCalendar(), timeZone: .gmt, since: clock.now())
        plan.devices = names("devices")?.map { GlobPattern($0) }
        plan.groups = names("groups")
        guard plan.devices != nil || plan.groups != nil else {
            throw .parameter("devices", "it or \"groups\" is needed: whose round it is. Write * for all devices.")
        }
        plan.name = call.query["name"]
        plan.isOrdered = try call.flag("ordered")
        if let grace = try call.number("grace", in: 0...Plan.graces.upperBound.seconds) {
            plan.grace = .milliseconds(Int64(clamped: grace * 1000))
        }
        return plan
    }
}

/// Finds regions by what calendars call them.
private struct RegionNames {
    private var ids: [String: [RegionID]] = [:]

    init(_ catalog: RegionCatalog) {
        for (_, region) in catalog.regionsWithoutShapes {
            for name in Set([
                region.id.rawValue.lowercased(), region.name?.lowercased() ?? region.id.rawValue.lowercased(),
            ]) {
                ids[name, default: []].append(region.id)
            }
        }
    }

    func region(of entry: ICalendarFile.Entry, _ problems: inout [Diagnostic]) -> RegionID? {
        let names = [entry.location, entry.summary].filter { !$0.isEmpty }
        for name in names {
            switch ids[name.lowercased()] {
            case let found? where found.count == 1: return found[0]
            case let found?:
                let list = found.sorted().prefix(5).map(\.rawValue).joined(separator: ", ")
                problems.append(
                    Diagnostic(
                        code: "ambiguous_region", at: .line(entry.placeLine),
                        "Several regions are called \"\(name)\": write the id of one, such as \(list)."))
                return nil
            case nil: continue
            }
        }
        problems.append(
            Diagnostic(
                code: "unknown_region", at: .line(entry.placeLine),
                "There is no region called \(names.map { "\"\($0)\"" }.joined(separator: " or ")): add one, or write the id or "
                    + "name of a region as LOCATION."))
        return nil
    }
}
