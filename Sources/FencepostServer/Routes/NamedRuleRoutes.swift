import FencepostHTTP
import FencepostJSON
import FencepostModel
import FencepostService
import HTTPTypes

/// The routes of one kind of rules (rules A31, A40). Those of the configuration are listed, and only it can change them.
struct NamedRuleRoutes<Rule: NamedRule>: Sendable {
    /// What the routes are called, and what they say about the rules.
    struct Texts: Sendable {
        /// The path of all rules.
        var path: String
        /// Their part of the names of operations and schemas, such as `AlertRule`.
        var type: String
        /// The rule as part of a sentence, with its article and without, and of the codes of problems.
        var article, noun, code: String
        var tag: String
        /// The begin of the ids that the service gives.
        var idPrefix: String
        /// What follows from an added, a replaced and a removed rule, as the end of the sentence that says so.
        var whenAdded, whenReplaced, whenRemoved: String
        /// A rule, and a change of one.
        var example, change: String

        /// The sentence part at its beginning.
        var capitalized: String { article.prefix(1).uppercased() + article.dropFirst() }
    }

    let api: API
    let texts: Texts
    /// The rules of the configuration.
    let configured: @Sendable () -> [Rule]
    /// Checks what a rule names, where that is not so in the rule that it replaces. Throws a `Problem`.
    let check: @Sendable (_ rule: Rule, _ former: Rule?) async throws -> Void

    var all: [Route] { [list, post, get, put, patch, delete] }

    /// Where a rule is from.
    private enum Source: String { case configuration, api }

    private var schema: String { Schema.named(texts.type) }
    private var store: any RuleStore { api.store }

    // MARK: Routes

    private var list: Route {
        Route(
            method: .get, path: texts.path, name: "list\(texts.type)s",
            summary: "Lists the \(texts.noun)s of the configuration and of the API by id", tag: texts.tag,
            access: .unbound(.read), parameters: Route.Parameter.paging,
            successes: [.json(Schema.list(of: schema), "A page of rules.")],
            partition: .configuration,
            handle: { call in
                let limit = try call.limit()
                let after = try call.cursor(Cursor.id)
                let rest = try await rules().filter { rule in
                    after.map { RegionID($0) < RegionID(rule.rule.id) } ?? true
                }
                let page = rest.prefix(limit)
                let next = rest.count > limit ? page.last.map { Cursor.encode(id: $0.rule.id) } : nil
                return call.page(page, next: next) { $0.value($1.rule, source: $1.source.rawValue) }
            })
    }

    private var get: Route {
        Route(
            method: .get, path: "\(texts.path)/{id}", name: "get\(texts.type)", summary: "Shows \(texts.article)",
            tag: texts.tag, access: .unbound(.read), parameters: [.id("rule")],
            successes: [.json(schema, "The rule, with an ETag.")],
            partition: .configuration,
            handle: { call in
                let id = call.parameter("id")
                guard let found = try await rules().first(where: { $0.rule.id == id }) else {
                    throw Problem.notFound(texts.noun)
                }
                return RouteResponse { $0.value(found.rule, source: found.source.rawValue) }.tagged()
            })
    }

    private var post: Route {
        Route(
            method: .post, path: texts.path, name: "post\(texts.type)",
            summary: "Adds \(texts.article), which \(texts.whenAdded)", tag: texts.tag,
            access: .unbound(.write), body: body,
            successes: [.created(schema, "The rule was added.")], failures: [.conflict],
            partition: .configuration,
            handle: { call in
                let rule = try await read(try call.json().root, id: api.newID(texts.idPrefix))
                let exists = Problem.conflict(
                    "\(texts.code)_exists",
                    "\(texts.capitalized) with this id exists. Use PUT to replace it.")
                guard !isConfigured(rule.id) else { throw exists }
                switch try await change(rule.id, from: nil, to: rule) {
                case .done: return try await changed(rule, .created)
                case .outdated: throw exists
                case .tooMany: throw tooMany
                }
            })
    }

    private var put: Route {
        Route(
            method: .put, path: "\(texts.path)/{id}", name: "put\(texts.type)",
            summary: "Adds or replaces \(texts.article). \(texts.whenReplaced)", tag: texts.tag,
            access: .unbound(.write), parameters: [.id("rule")], body: body,
            successes: [.json(schema, "The rule was replaced."), .created(schema, "The rule was added.")],
            failures: [.preconditionFailed, .conflict], partition: .configuration,
            handle: { call in
                let root = try call.json().root
                return try await replace(call) { _ in root }
            })
    }

    private var patch: Route {
        Route(
            method: .patch, path: "\(texts.path)/{id}", name: "patch\(texts.type)",
            summary: "Changes \(texts.article) by a JSON merge patch (RFC 7396)", tag: texts.tag,
            access: .unbound(.write), parameters: [.id("rule")],
            body: Route.Body(
                types: ["application/merge-patch+json", "application/json"],
                schema: Schema.named("\(texts.type)Change"), example: texts.change),
            successes: [.json(schema, "The changed rule.")],
            failures: [.preconditionFailed, .conflict], partition: .configuration,
            handle: { call in
                let patch = try call.json().root
                guard patch.object != nil else {
                    throw Problem.invalid("invalid_value", "A change has to be a JSON object.")
                }
                return try await replace(call) { current in
                    guard let current else { throw Problem.notFound(texts.noun) }
                    let merged = MergePatch.apply(patch, to: try JSONDocument(parsing: current.text).root)
                    return try JSONDocument(parsing: merged).root
                }
            })
    }

    private var delete: Route {
        Route(
            method: .delete, path: "\(texts.path)/{id}", name: "delete\(texts.type)",
            summary: "Removes \(texts.article). \(texts.whenRemoved)", tag: texts.tag,
            access: .unbound(.write), parameters: [.id("rule")], successes: [.noContent("The rule was removed.")],
            failures: [.preconditionFailed, .conflict], partition: .configuration,
            handle: { call in
                while true {
                    guard let current = try await stored(call) else { throw Problem.notFound(texts.noun) }
                    if call.precondition.ifMatch != nil { try call.precondition.check(Self.tag(current)) }
                    guard try await change(current.id, from: current, to: nil) == .done else { continue }
                    try await api.monitoring.alertRulesDidChange()
                    return .noContent
                }
            })
    }

    private var body: Route.Body {
        Route.Body(types: ["application/json"], schema: Schema.named("New\(texts.type)"), example: texts.example)
    }

    // MARK: Reading

    /// The rules of both, by id. A rule of the configuration hides a stored one with its id.
    private func rules() async throws -> [(rule: Rule, source: Source)] {
        let configured = configured().map { (rule: $0, source: Source.configuration) }
        let stored = try await store.rules(Rule.self).filter { !isConfigured($0.id) }
            .compactMap(\.rule).map { (rule: $0, source: Source.api) }
        return (configured + stored).sorted { RegionID($0.rule.id) < RegionID($1.rule.id) }
    }

    private func isConfigured(_ id: String) -> Bool { configured().contains { $0.id == id } }

    /// How many rules may be stored.
    private var limit: Int { max(0, RuleFile<Rule>.maximumRules - configured().count) }

    private var tooMany: Problem {
        let configured = configured().count
        let others = configured > 0 ? ", of which \(configured) are of the configuration" : ""
        return .invalid(
            "too_many_\(texts.code)s",
            "There are as many \(texts.noun)s as there may be, \(RuleFile<Rule>.maximumRules)\(others): remove one first, "
                + "or put more devices into one rule.")
    }

    /// The stored rule of a call; `nil` when there is none.
    ///
    /// - Throws: a conflict for a rule of the configuration.
    private func stored(_ call: Call) async throws -> StoredRule<Rule>? {
        let id = call.parameter("id")
        guard !isConfigured(id) else {
            let file = api.ruleOrigins[Rule.kind].map { " (\($0))" } ?? ""
            let key = Rule.kind.pointer.dropFirst().replacing("/", with: ".")
            throw Problem.conflict(
                "\(texts.code)_is_configured",
                "This rule is in \(key) of the configuration\(file): change it there and start the service again.")
        }
        return try await store.rules(Rule.self).first { $0.id == id }
    }

    /// Reads a rule, and checks that what it names exists.
    ///
    /// - Parameters:
    ///   - root: the body. `source`, which answers have, is ignored.
    ///   - id: the id of a rule that states none.
    ///   - former: the rule that is replaced; what it names already is not checked again.
    /// - Returns: the rule.
    /// - Throws: a `Problem`.
    private func read(_ root: JSONElement, id: String, replacing former: Rule? = nil) async throws -> Rule {
        let zone = api.services.zone.current
        let (rule, problem) = RuleFile<Rule>.read(try root.without("source"), id: id, zone: zone)
        guard let rule else {
            let detail = "The \(texts.noun) is invalid."
            throw Problem.diagnostics(problem.map { [$0] } ?? [], detail) ?? .invalid("invalid_value", detail)
        }
        try await check(rule, former)
        return rule
    }

    // MARK: Changes

    /// Adds or replaces the rule of a call, again when somebody else changes it meanwhile.
    private func replace(
        _ call: Call, by body: (StoredRule<Rule>?) throws -> JSONElement
    ) async throws -> RouteResponse {
        let id = call.parameter("id")
        while true {
            let current = try await stored(call)
            try call.precondition.check(current.map(Self.tag))
            let rule = try await read(try body(current), id: id, replacing: current?.rule)
            guard rule.id == id else {
                throw Problem.invalid(
                    "id_mismatch", "The id in the body differs from the one in the path.",
                    [Problem.Fault(pointer: "/id", code: "id_mismatch", detail: "The id has to be that of the path.")])
            }
            switch try await change(id, from: current, to: rule) {
            case .done: return try await changed(rule, current == nil ? .created : .ok)
            case .outdated: continue
            case .tooMany: throw tooMany
            }
        }
    }

    private func change(_ id: String, from former: StoredRule<Rule>?, to rule: Rule?) async throws -> RuleChange {
        try await store.changeRule(
            id, of: Rule.kind, from: former?.text, to: rule.map { RuleFile.text(of: $0) }, limit: limit)
    }

    /// The response after a rule was stored, once the monitor applies it.
    private func changed(_ rule: Rule, _ status: HTTPResponse.Status) async throws -> RouteResponse {
        try await api.monitoring.alertRulesDidChange()
        let response = RouteResponse(status) { $0.value(rule, source: Source.api.rawValue) }.tagged()
        return status == .created ? response.located(at: "\(texts.path)/\(rule.id.percentEncoded)") : response
    }

    private static func tag(_ stored: StoredRule<Rule>) -> EntityTag {
        var writer = JSONWriter()
        if let rule = stored.rule { writer.value(rule, source: Source.api.rawValue) }
        return EntityTag(of: writer.bytes)
    }
}

/// What both kinds of rules check.
extension API {
    /// The most patterns of devices, and the most groups, of one rule.
    private static let mostNames = 500

    /// Refuses a value of a rule.
    func refusal(_ pointer: String, _ detail: String) -> Problem {
        .invalid("invalid_value", detail, [Problem.Fault(pointer: pointer, code: "invalid_value", detail: detail)])
    }

    /// Refuses a rule with too many names of devices or groups, or with too long ones.
    func checkNames(_ members: [(name: String, texts: [String])]) throws {
        for (name, texts) in members {
            guard texts.count <= Self.mostNames, texts.allSatisfy({ $0.utf8.count <= 256 }) else {
                throw refusal(
                    "/\(name)", "This has to be at most \(Self.mostNames) texts of at most 256 bytes each.")
            }
        }
    }

    /// Refuses a rule that names a group which does not exist, unless the former rule does.
    func checkGroups(_ members: [(name: String, tags: [String])], known former: [String]) async throws {
        guard members.contains(where: { !$0.tags.isEmpty }) else { return }
        let known = Set(try await store.groups().map(\.tag)).union(former)
        for (name, tags) in members {
            if let index = tags.firstIndex(where: { !known.contains($0) }) {
                throw refusal("/\(name)/\(index)", "There is no group \"\(tags[index])\": an administrator adds it.")
            }
        }
    }
}
