import FencepostHTTP
import FencepostJSON
import FencepostService
import FencepostSimulator
import HTTPTypes

/// The Core Location rules that decisions name by id, with their sources.
extension API {
    var listRules: Route {
        Route(
            method: .get, path: "/v1/rules", name: "listRules",
            summary: "Lists the rules of Core Location that decisions name, family by family, with their sources",
            tag: "Apps",
            access: .scope(.read), parameters: Route.Parameter.paging,
            successes: [.json(Schema.list(of: Schema.named("Rule")), "A page of rules.")],
            partition: .configuration,
            handle: { call in
                let limit = try call.limit()
                let start = min(Int(clamping: try call.cursor(Cursor.number) ?? 0), Rule.all.count)
                let page = Rule.all[start...].prefix(limit)
                let next = page.endIndex < Rule.all.count ? Cursor.encode(number: Int64(page.endIndex)) : nil
                return call.page(page, next: next) { writer, rule in
                    writer.beginObject()
                    writer.member("id", rule.id.rawValue)
                    writer.member("text", rule.text)
                    writer.member("scope", rule.scope.isEmpty ? nil : rule.scope)
                    writer.member("confidence", rule.confidence.rawValue)
                    writer.list("sources", rule.sources)
                    writer.name("references")
                    writer.beginArray()
                    for source in rule.references { writer.value(source) }
                    writer.endArray()
                    writer.endObject()
                }
            })
    }
}
