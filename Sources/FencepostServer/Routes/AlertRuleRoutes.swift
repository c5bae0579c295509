import FencepostHTTP
import FencepostJSON
import FencepostModel
import FencepostMonitor
import FencepostRegions
import FencepostService
import HTTPTypes

/// Routes of alert rules (rules K9, A31). Those of the configuration are listed, and only it can change them.
extension API {
    var alertRuleRoutes: [Route] {
        [listAlertRules, postAlertRule, getAlertRule, putAlertRule, patchAlertRule, deleteAlertRule]
    }

    private static let alertTag = "Alerts"
    /// The most patterns of devices, and the most groups, of one rule.
    private static let mostNames = 500
    private static let alertExample = #"{"type":"speed","above":"90 km/h","groups":["vans"]}"#

    private var listAlertRules: Route {
        Route(
            method: .get, path: "/v1/alert-rules", name: "listAlertRules",
            summary: "Lists the alert rules of the configuration and of the API by id", tag: Self.alertTag,
            access: .unbound(.read), parameters: Route.Parameter.paging,
            successes: [.json(Schema.list(of: Schema.named("AlertRule")), "A page of rules.")],
            partition: .configuration,
            handle: { call in
                let limit = try call.limit()
                let after = try call.cursor(Cursor.id)
                let all = try await alertRules()
                let rest = all.filter { rule in after.map { RegionID($0) < RegionID(rule.rule.id) } ?? true }
                let page = rest.prefix(limit)
                let next = rest.count > limit ? page.last.map { Cursor.encode(id: $0.rule.id) } : nil
                return call.page(page, next: next) { $0.value($1.rule, source: $1.source.rawValue) }
            })
    }

    private var getAlertRule: Route {
        Route(
            method: .get, path: "/v1/alert-rules/{id}", name: "getAlertRule", summary: "Shows an alert rule",
            tag: Self.alertTag, access: .unbound(.read), parameters: [.id("rule")],
            successes: [.json(Schema.named("AlertRule"), "The rule, with an ETag.")],
            partition: .configuration,
            handle: { call in
                let id = call.parameter("id")
                guard let found = try await alertRules().first(where: { $0.rule.id == id }) else {
                    throw Problem.notFound("alert rule")
                }
                return RouteResponse { $0.value(found.rule, source: found.source.rawValue) }.tagged()
            })
    }

    private var postAlertRule: Route {
        Route(
            method: .post, path: "/v1/alert-rules", name: "postAlertRule",
            summary: "Adds an alert rule, which applies from the next location of each device on", tag: Self.alertTag,
            access: .unbound(.write), body: alertBody("NewAlertRule"),
            successes: [.created(Schema.named("AlertRule"), "The rule was added.")], failures: [.conflict],
            partition: .configuration,
            handle: { call in
                let rule = try await readAlertRule(try call.json().root, id: newID("alr_"))
                let exists = Problem.conflict(
                    "alert_rule_exists", "An alert rule with this id exists. Use PUT to replace it.")
                guard !isConfigured(rule.id) else { throw exists }
                switch try await store.changeAlertRule(
                    rule.id, from: nil, to: AlertRuleFile.text(of: rule), limit: alertRuleLimit)
                {
                case .done: return try await changed(rule, .created)
                case .outdated: throw exists
                case .tooMany: throw tooManyAlertRules
                }
            })
    }

    private var putAlertRule: Route {
        Route(
            method: .put, path: "/v1/alert-rules/{id}", name: "putAlertRule",
            summary: "Adds or replaces an alert rule. An alert of another type or region ends without an event",
            tag: Self.alertTag, access: .unbound(.write), parameters: [.id("rule")], body: alertBody("NewAlertRule"),
            successes: [
                .json(Schema.named("AlertRule"), "The rule was replaced."),
                .created(Schema.named("AlertRule"), "The rule was added."),
            ],
            failures: [.preconditionFailed, .conflict], partition: .configuration,
            handle: { call in
                let root = try call.json().root
                return try await replaceAlertRule(call) { _ in root }
            })
    }

    private var patchAlertRule: Route {
        Route(
            method: .patch, path: "/v1/alert-rules/{id}", name: "patchAlertRule",
            summary: "Changes an alert rule by a JSON merge patch (RFC 7396)", tag: Self.alertTag,
            access: .unbound(.write), parameters: [.id("rule")],
            body: Route.Body(
                types: ["application/merge-patch+json", "application/json"], schema: Schema.named("AlertRuleChange"),
                example: #"{"above":"80 km/h"}"#),
            successes: [.json(Schema.named("AlertRule"), "The changed rule.")],
            failures: [.preconditionFailed, .conflict], partition: .configuration,
            handle: { call in
                let patch = try call.json().root
                guard patch.object != nil else {
                    throw Problem.invalid("invalid_value", "A change has to be a JSON object.")
                }
                return try await replaceAlertRule(call) { current in
                    guard let current else { throw Problem.notFound("alert rule") }
                    let merged = MergePatch.apply(patch, to: try JSONDocument(parsing: current.text).root)
                    return try JSONDocument(parsing: merged).root
                }
            })
    }

    private var deleteAlertRule: Route {
        Route(
            method: .delete, path: "/v1/alert-rules/{id}", name: "deleteAlertRule",
            summary: "Removes an alert rule. Its alerts end without an event", tag: Self.alertTag,
            access: .unbound(.write), parameters: [.id("rule")], successes: [.noContent("The rule was removed.")],
            failures: [.preconditionFailed, .conflict], partition: .configuration,
            handle: { call in
                while true {
                    let current = try await storedAlertRule(call)
                    guard let current else { throw Problem.notFound("alert rule") }
                    if call.precondition.ifMatch != nil { try call.precondition.check(Self.tag(current)) }
                    let change = try await store.changeAlertRule(
                        current.id, from: current.text, to: nil, limit: alertRuleLimit)
                    guard change == .done else { continue }
                    try await monitoring.alertRulesDidChange()
                    return .noContent
                }
            })
    }

    private func alertBody(_ schema: String) -> Route.Body {
        Route.Body(types: ["application/json"], schema: Schema.named(schema), example: Self.alertExample)
    }

    // MARK: Reading

    /// Where a rule is from.
    private enum RuleSource: String { case configuration, api }

    /// The rules of both, by id. A rule of the configuration hides a stored one with its id.
    private func alertRules() async throws -> [(rule: AlertRule, source: RuleSource)] {
        let configured = monitoring.configuredAlerts().map { (rule: $0, source: RuleSource.configuration) }
        let stored = try await store.alertRules().filter { !isConfigured($0.id) }
            .compactMap(\.rule).map { (rule: $0, source: RuleSource.api) }
        return (configured + stored).sorted { RegionID($0.rule.id) < RegionID($1.rule.id) }
    }

    private func isConfigured(_ id: String) -> Bool { monitoring.configuredAlerts().contains { $0.id == id } }

    /// How many rules may be stored.
    private var alertRuleLimit: Int { max(0, AlertRuleFile.maximumRules - monitoring.configuredAlerts().count) }

    private var tooManyAlertRules: Problem {
        let configured = monitoring.configuredAlerts().count
        let others = configured > 0 ? ", of which \(configured) are of the configuration" : ""
        return .invalid(
            "too_many_alert_rules",
            "There are as many alert rules as there may be, \(AlertRuleFile.maximumRules)\(others): remove one first, or "
                + "put more devices into one rule.")
    }

    /// The stored rule of a call; `nil` when there is none.
    ///
    /// - Throws: a conflict for a rule of the configuration.
    private func storedAlertRule(_ call: Call) async throws -> StoredAlertRule? {
        let id = call.parameter("id")
        guard !isConfigured(id) else {
            let file = alertOrigin.map { " (\($0))" } ?? ""
            throw Problem.conflict(
                "alert_rule_is_configured",
                "This rule is in monitor.alerts of the configuration\(file): change it there and start the service again."
            )
        }
        return try await store.alertRules().first { $0.id == id }
    }

    /// Reads a rule, and checks that what it names exists.
    ///
    /// - Parameters:
    ///   - root: the body. `source`, which answers have, is ignored.
    ///   - id: the id of a rule that states none.
    ///   - former: the rule that is replaced; what it names already is not checked again.
    /// - Returns: the rule.
    /// - Throws: a `Problem`.
    private func readAlertRule(
        _ root: JSONElement, id: String, replacing former: AlertRule? = nil
    ) async throws -> AlertRule {
        let (rule, problem) = AlertRuleFile.read(try root.without("source"), id: id, zone: services.zone.current)
        guard let rule else {
            let detail = "The alert rule is invalid."
            throw Problem.diagnostics(problem.map { [$0] } ?? [], detail) ?? .invalid("invalid_value", detail)
        }
        func refuse(_ pointer: String, _ detail: String) -> Problem {
            .invalid("invalid_value", detail, [Problem.Fault(pointer: pointer, code: "invalid_value", detail: detail)])
        }
        for (name, texts) in [("devices", rule.devices?.map(\.rawValue) ?? []), ("groups", rule.groups ?? [])] {
            guard texts.count <= Self.mostNames, texts.allSatisfy({ $0.utf8.count <= 256 }) else {
                throw refuse("/\(name)", "This has to be at most \(Self.mostNames) texts of at most 256 bytes each.")
            }
        }
        if let region = rule.watchedRegion, region != former?.watchedRegion,
            monitoring.regions().catalog.handle(for: region).flatMap({ monitoring.regions().catalog[$0] }) == nil
        {
            throw refuse("/region", "There is no region \"\(region.rawValue)\": add it first.")
        }
        if let groups = rule.groups {
            let known = Set(try await store.groups().map(\.tag)).union(former?.groups ?? [])
            if let index = groups.firstIndex(where: { !known.contains($0) }) {
                throw refuse("/groups/\(index)", "There is no group \"\(groups[index])\": an administrator adds it.")
            }
        }
        return rule
    }

    // MARK: Changes

    /// Adds or replaces the rule of a call, again when somebody else changes it meanwhile.
    private func replaceAlertRule(
        _ call: Call, by body: (StoredAlertRule?) throws -> JSONElement
    ) async throws -> RouteResponse {
        let id = call.parameter("id")
        while true {
            let current = try await storedAlertRule(call)
            try call.precondition.check(current.map(Self.tag))
            let former = current.flatMap(\.rule)
            let rule = try await readAlertRule(try body(current), id: id, replacing: former)
            guard rule.id == id else {
                throw Problem.invalid(
                    "id_mismatch", "The id in the body differs from the one in the path.",
                    [Problem.Fault(pointer: "/id", code: "id_mismatch", detail: "The id has to be that of the path.")])
            }
            switch try await store.changeAlertRule(
                id, from: current?.text, to: AlertRuleFile.text(of: rule), limit: alertRuleLimit)
            {
            case .done: return try await changed(rule, current == nil ? .created : .ok)
            case .outdated: continue
            case .tooMany: throw tooManyAlertRules
            }
        }
    }

    /// The response after a rule was stored, once the monitor applies it.
    private func changed(_ rule: AlertRule, _ status: HTTPResponse.Status) async throws -> RouteResponse {
        try await monitoring.alertRulesDidChange()
        let response = RouteResponse(status) { $0.value(rule, source: RuleSource.api.rawValue) }.tagged()
        return status == .created ? response.located(at: "/v1/alert-rules/\(rule.id.percentEncoded)") : response
    }

    private static func tag(_ stored: StoredAlertRule) -> EntityTag {
        var writer = JSONWriter()
        if let rule = stored.rule { writer.value(rule, source: RuleSource.api.rawValue) }
        return EntityTag(of: writer.bytes)
    }
}

extension AlertRule {
    /// The region that it is restricted to, or that its time of day is about.
    fileprivate var watchedRegion: RegionID? {
        switch condition {
        case .absent(let region, _), .present(let region, _): region
        case .speed, .battery, .accuracy, .jump, .unplugged, .silent: region
        }
    }
}
