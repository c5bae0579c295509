import FencepostHTTP
import FencepostService

/// Checks what a route declares before the body is read: the names of the query's parameters, of which each comes once, their values
/// where these are of a fixed set, and the body's media type.
struct CheckRequest: RequestStage {
    func handle(_ exchange: inout Exchange) throws {
        if exchange.route?.rejectsOtherParameters == true {
            try Self.checkNames(exchange.call.query, exchange.route?.parameters ?? [])
        }
        if exchange.route?.hasKnownValues == true {
            try Self.checkValues(exchange.call.query, exchange.route?.parameters ?? [])
        }
        if exchange.route?.rejectsOtherParameters == true {
            try Self.checkRepetition(exchange.call.query, exchange.route?.parameters ?? [])
        }
        if let body = exchange.route?.body, let type = exchange.call.contentType, !body.accepts(type) {
            throw Problem.unsupportedMediaType(body.types)
        }
    }

    private static func checkNames(_ query: Query, _ parameters: [Route.Parameter]) throws(Problem) {
        guard !query.items.isEmpty else { return }
        let known = parameters.filter { $0.source == .query }.map(\.name)
        for item in query.items where !known.contains(item.name) {
            throw .parameter(
                item.name, known.isEmpty ? "the route has none." : "the route has \(known.joined(separator: ", ")).",
                code: "unknown_parameter")
        }
        // An empty cursor would be the first page again, and an empty filter everything (rule A5).
        if let name = query.emptyNames.first {
            throw .parameter(name, "it is empty: leave it out, or give it a value.", code: "empty_parameter")
        }
    }

    /// Refuses a value that is none of a parameter's fixed set: a misspelt filter would give nothing, or everything.
    private static func checkValues(_ query: Query, _ parameters: [Route.Parameter]) throws(Problem) {
        guard !query.items.isEmpty else { return }
        for parameter in parameters where parameter.source == .query && parameter.values != .any {
            for text in query.all(parameter.name) {
                switch parameter.values {
                case .any: break
                case .words(let words):
                    guard words.contains(text) else {
                        throw .unknownValue(of: parameter.name, text, known: words)
                    }
                case .eventTypes:
                    for type in text.split(separator: ",") {
                        guard let problem = EventTypeFilter.problem(with: String(type)) else { continue }
                        throw .unknownValue(of: parameter.name, problem)
                    }
                }
            }
        }
    }

    private static func checkRepetition(_ query: Query, _ parameters: [Route.Parameter]) throws(Problem) {
        // One of two values would count, and which one nobody would know. Types of events may come one by one.
        for (index, item) in query.items.enumerated()
        where query.items[..<index].contains(where: { $0.name == item.name }) {
            guard parameters.first(where: { $0.name == item.name })?.values != .eventTypes else { continue }
            throw .parameter(item.name, "it comes twice: give it once.", code: "repeated_parameter")
        }
    }
}
