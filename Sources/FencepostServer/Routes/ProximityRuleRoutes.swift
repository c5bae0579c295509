import FencepostEngine
import FencepostHTTP
import FencepostJSON
import FencepostModel
import FencepostMonitor
import FencepostService
import HTTPTypes

/// Routes of proximity rules (rules K11, A40). Those of the configuration are listed, and only it can change them.
extension API {
    var proximityRuleRoutes: [Route] {
        [
            listProximityRules, postProximityRule, getProximityRule, putProximityRule, patchProximityRule,
            deleteProximityRule,
        ]
    }

    private static let proximityTag = "Proximity"
    /// The most patterns of devices, and the most groups, of one rule.
    private static let mostPairNames = 500
    private static let proximityExample =
        #"{"distance":100,"devices":["kids/*"],"others":["dog"],"unaccompanied":true}"#

    private var listProximityRules: Route {
        Route(
            method: .get, path: "/v1/proximity-rules", name: "listProximityRules",
            summary: "Lists the proximity rules of the configuration and of the API by id", tag: Self.proximityTag,
            access: .unbound(.read), parameters: Route.Parameter.paging,
            successes: [.json(Schema.list(of: Schema.named("ProximityRule")), "A page of rules.")],
            partition: .configuration,
            handle: { call in
                let limit = try call.limit()
                let after = try call.cursor(Cursor.id)
                let all = try await proximityRules()
                let rest = all.filter { rule in after.map { RegionID($0) < RegionID(rule.rule.id) } ?? true }
                let page = rest.prefix(limit)
                let next = rest.count > limit ? page.last.map { Cursor.encode(id: $0.rule.id) } : nil
                return call.page(page, next: next) { $0.value($1.rule, source: $1.source.rawValue) }
            })
    }

    private var getProximityRule: Route {
        Route(
            method: .get, path: "/v1/proximity-rules/{id}", name: "getProximityRule", summary: "Shows a proximity rule",
            tag: Self.proximityTag, access: .unbound(.read), parameters: [.id("rule")],
            successes: [.json(Schema.named("ProximityRule"), "The rule, with an ETag.")],
            partition: .configuration,
            handle: { call in
                let id = call.parameter("id")
                guard let found = try await proximityRules().first(where: { $0.rule.id == id }) else {
                    throw Problem.notFound("proximity rule")
                }
                return RouteResponse { $0.value(found.rule, source: found.source.rawValue) }.tagged()
            })
    }

    private var postProximityRule: Route {
        Route(
            method: .post, path: "/v1/proximity-rules", name: "postProximityRule",
            summary: "Adds a proximity rule, which applies from the next location of each pair on",
            tag: Self.proximityTag,
            access: .unbound(.write), body: proximityBody("NewProximityRule"),
            successes: [.created(Schema.named("ProximityRule"), "The rule was added.")], failures: [.conflict],
            partition: .configuration,
            handle: { call in
                let rule = try await readProximityRule(try call.json().root, id: newID("prx_"))
                let exists = Problem.conflict(
                    "proximity_rule_exists", "A proximity rule with this id exists. Use PUT to replace it.")
                guard !isPairConfigured(rule.id) else { throw exists }
                switch try await store.changeProximityRule(
                    rule.id, from: nil, to: ProximityRuleFile.text(of: rule), limit: proximityRuleLimit)
                {
                case .done: return try await changedPairs(rule, .created)
                case .outdated: throw exists
                case .tooMany: throw tooManyProximityRules
                }
            })
    }

    private var putProximityRule: Route {
        Route(
            method: .put, path: "/v1/proximity-rules/{id}", name: "putProximityRule",
            summary: "Adds or replaces a proximity rule. Its pairs begin again",
            tag: Self.proximityTag, access: .unbound(.write), parameters: [.id("rule")],
            body: proximityBody("NewProximityRule"),
            successes: [
                .json(Schema.named("ProximityRule"), "The rule was replaced."),
                .created(Schema.named("ProximityRule"), "The rule was added."),
            ],
            failures: [.preconditionFailed, .conflict], partition: .configuration,
            handle: { call in
                let root = try call.json().root
                return try await replaceProximityRule(call) { _ in root }
            })
    }

    private var patchProximityRule: Route {
        Route(
            method: .patch, path: "/v1/proximity-rules/{id}", name: "patchProximityRule",
            summary: "Changes a proximity rule by a JSON merge patch (RFC 7396)", tag: Self.proximityTag,
            access: .unbound(.write), parameters: [.id("rule")],
            body: Route.Body(
                types: ["application/merge-patch+json", "application/json"],
                schema: Schema.named("ProximityRuleChange"),
                example: #"{"distance":80}"#),
            successes: [.json(Schema.named("ProximityRule"), "The changed rule.")],
            failures: [.preconditionFailed, .conflict], partition: .configuration,
            handle: { call in
                let patch = try call.json().root
                guard patch.object != nil else {
                    throw Problem.invalid("invalid_value", "A change has to be a JSON object.")
                }
                return try await replaceProximityRule(call) { current in
                    guard let current else { throw Problem.notFound("proximity rule") }
                    let merged = MergePatch.apply(patch, to: try JSONDocument(parsing: current.text).root)
                    return try JSONDocument(parsing: merged).root
                }
            })
    }

    private var deleteProximityRule: Route {
        Route(
            method: .delete, path: "/v1/proximity-rules/{id}", name: "deleteProximityRule",
            summary: "Removes a proximity rule. Its pairs end without an event", tag: Self.proximityTag,
            access: .unbound(.write), parameters: [.id("rule")], successes: [.noContent("The rule was removed.")],
            failures: [.preconditionFailed, .conflict], partition: .configuration,
            handle: { call in
                while true {
                    let current = try await storedProximityRule(call)
                    guard let current else { throw Problem.notFound("proximity rule") }
                    if call.precondition.ifMatch != nil { try call.precondition.check(Self.pairTag(current)) }
                    let change = try await store.changeProximityRule(
                        current.id, from: current.text, to: nil, limit: proximityRuleLimit)
                    guard change == .done else { continue }
                    try await monitoring.alertRulesDidChange()
                    return .noContent
                }
            })
    }

    private func proximityBody(_ schema: String) -> Route.Body {
        Route.Body(types: ["application/json"], schema: Schema.named(schema), example: Self.proximityExample)
    }

    // MARK: Reading

    /// Where a rule is from.
    private enum PairRuleSource: String { case configuration, api }

    /// The rules of both, by id. A rule of the configuration hides a stored one with its id.
    private func proximityRules() async throws -> [(rule: ProximityRule, source: PairRuleSource)] {
        let configured = monitoring.configuredProximity().map { (rule: $0, source: PairRuleSource.configuration) }
        let stored = try await store.proximityRules().filter { !isPairConfigured($0.id) }
            .compactMap(\.rule).map { (rule: $0, source: PairRuleSource.api) }
        return (configured + stored).sorted { RegionID($0.rule.id) < RegionID($1.rule.id) }
    }

    private func isPairConfigured(_ id: String) -> Bool { monitoring.configuredProximity().contains { $0.id == id } }

    /// How many rules may be stored.
    private var proximityRuleLimit: Int {
        max(0, ProximityRuleFile.maximumRules - monitoring.configuredProximity().count)
    }

    private var tooManyProximityRules: Problem {
        let configured = monitoring.configuredProximity().count
        let others = configured > 0 ? ", of which \(configured) are of the configuration" : ""
        return .invalid(
            "too_many_proximity_rules",
            "There are as many proximity rules as there may be, \(ProximityRuleFile.maximumRules)\(others): remove one first, or "
                + "put more devices into one rule.")
    }

    /// The stored rule of a call; `nil` when there is none.
    ///
    /// - Throws: a conflict for a rule of the configuration.
    private func storedProximityRule(_ call: Call) async throws -> StoredProximityRule? {
        let id = call.parameter("id")
        guard !isPairConfigured(id) else {
            let file = alertOrigin.map { " (\($0))" } ?? ""
            throw Problem.conflict(
                "proximity_rule_is_configured",
                "This rule is in monitor.proximity of the configuration\(file): change it there and start the service again."
            )
        }
        return try await store.proximityRules().first { $0.id == id }
    }

    /// Reads a rule, and checks that what it names exists.
    ///
    /// - Parameters:
    ///   - root: the body. `source`, which answers have, is ignored.
    ///   - id: the id of a rule that states none.
    ///   - former: the rule that is replaced; what it names already is not checked again.
    /// - Returns: the rule.
    /// - Throws: a `Problem`.
    private func readProximityRule(
        _ root: JSONElement, id: String, replacing former: ProximityRule? = nil
    ) async throws -> ProximityRule {
        let (rule, problem) = ProximityRuleFile.read(try root.without("source"), id: id, zone: services.zone.current)
        guard let rule else {
            let detail = "The proximity rule is invalid."
            throw Problem.diagnostics(problem.map { [$0] } ?? [], detail) ?? .invalid("invalid_value", detail)
        }
        func refuse(_ pointer: String, _ detail: String) -> Problem {
            .invalid("invalid_value", detail, [Problem.Fault(pointer: pointer, code: "invalid_value", detail: detail)])
        }
        for (name, texts) in [
            ("devices", rule.devices?.map(\.rawValue) ?? []), ("groups", rule.groups ?? []),
            ("others", rule.others?.map(\.rawValue) ?? []), ("otherGroups", rule.otherGroups ?? []),
        ] {
            guard texts.count <= Self.mostPairNames, texts.allSatisfy({ $0.utf8.count <= 256 }) else {
                throw refuse(
                    "/\(name)", "This has to be at most \(Self.mostPairNames) texts of at most 256 bytes each.")
            }
        }
        let known = Set(try await store.groups().map(\.tag)).union(former?.groups ?? []).union(
            former?.otherGroups ?? [])
        for (name, tags) in [("groups", rule.groups ?? []), ("otherGroups", rule.otherGroups ?? [])] {
            if let index = tags.firstIndex(where: { !known.contains($0) }) {
                throw refuse("/\(name)/\(index)", "There is no group \"\(tags[index])\": an administrator adds it.")
            }
        }
        if isDivided(rule) {
            throw refuse(
                "/others",
                "These devices are kept by different partitions of the cluster, which compare none with each other.")
        }
        try await checkPairs(rule)
        return rule
    }

    /// Whether a rule names single devices only, of which no partition has two that it watches.
    private func isDivided(_ rule: ProximityRule) -> Bool {
        guard let partitioning = partition?.partitioning, rule.groups == nil, rule.otherGroups == nil,
            let names = rule.devices?.map(\.rawValue), !names.contains(where: { $0.contains("*") || $0.contains("?") })
        else { return false }
        let others = rule.others?.map(\.rawValue) ?? names
        guard !others.contains(where: { $0.contains("*") || $0.contains("?") }) else { return false }
        return !names.contains { name in
            others.contains {
                $0 != name && partitioning.part(of: DeviceID($0)) == partitioning.part(of: DeviceID(name))
            }
        }
    }

    /// Refuses a rule with which the rules would watch more pairs of known devices than they may.
    private func checkPairs(_ rule: ProximityRule) async throws {
        let groups = Dictionary(
            try await store.groups().map { ($0.tag, $0.devices) }, uniquingKeysWith: { first, _ in first })
        let others = try await proximityRules().map(\.rule).filter { $0.id != rule.id }
        var watch = ProximityWatch((others + [rule]).map { $0.resolved(in: groups) })
        for device in monitoring.devices(after: nil, in: nil, limit: .max) { watch.add(device.deviceID) }
        guard watch.pairCount > ProximityRule.maximumPairs else { return }
        throw Problem.invalid(
            "too_many_pairs",
            "With this rule \(watch.pairCount) pairs of devices would be watched, and \(ProximityRule.maximumPairs) may be: "
                + "name fewer devices, or watch them against fewer others.")
    }

    // MARK: Changes

    /// Adds or replaces the rule of a call, again when somebody else changes it meanwhile.
    private func replaceProximityRule(
        _ call: Call, by body: (StoredProximityRule?) throws -> JSONElement
    ) async throws -> RouteResponse {
        let id = call.parameter("id")
        while true {
            let current = try await storedProximityRule(call)
            try call.precondition.check(current.map(Self.pairTag))
            let former = current.flatMap(\.rule)
            let rule = try await readProximityRule(try body(current), id: id, replacing: former)
            guard rule.id == id else {
                throw Problem.invalid(
                    "id_mismatch", "The id in the body differs from the one in the path.",
                    [Problem.Fault(pointer: "/id", code: "id_mismatch", detail: "The id has to be that of the path.")])
            }
            switch try await store.changeProximityRule(
                id, from: current?.text, to: ProximityRuleFile.text(of: rule), limit: proximityRuleLimit)
            {
            case .done: return try await changedPairs(rule, current == nil ? .created : .ok)
            case .outdated: continue
            case .tooMany: throw tooManyProximityRules
            }
        }
    }

    /// The response after a rule was stored, once the monitor applies it.
    private func changedPairs(_ rule: ProximityRule, _ status: HTTPResponse.Status) async throws -> RouteResponse {
        try await monitoring.alertRulesDidChange()
        let response = RouteResponse(status) { $0.value(rule, source: PairRuleSource.api.rawValue) }.tagged()
        return status == .created ? response.located(at: "/v1/proximity-rules/\(rule.id.percentEncoded)") : response
    }

    private static func pairTag(_ stored: StoredProximityRule) -> EntityTag {
        var writer = JSONWriter()
        if let rule = stored.rule { writer.value(rule, source: PairRuleSource.api.rawValue) }
        return EntityTag(of: writer.bytes)
    }
}
