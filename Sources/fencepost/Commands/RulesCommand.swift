import ArgumentParser
import FencepostJSON
import FencepostSimulator

/// The Core Location rules by id.
struct Rules: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Prints the Core Location rules that decisions name, by id.",
        discussion: """
            Example:
              fencepost rules RELAUNCH-04 VISIT-01
            """)

    @Flag(name: .long, help: "One JSON array of objects.")
    var json = false

    @Argument(help: "Ids such as RELAUNCH-04, or families such as RELAUNCH; none prints all.")
    var ids: [String] = []

    func run() throws {
        let rules = try chosen()
        if json {
            var writer = JSONWriter()
            writer.beginArray()
            for rule in rules { writer.value(rule) }
            writer.endArray()
            writer.newline()
            print(String(decoding: writer.bytes, as: UTF8.self), terminator: "")
        } else {
            print(rules.map(Self.describe).joined(separator: "\n"))
        }
    }

    private func chosen() throws -> [Rule] {
        guard !ids.isEmpty else { return Rule.all }
        return try ids.flatMap { id in
            let name = id.uppercased()
            let found = Rule.all.filter { $0.id.rawValue == name || $0.id.rawValue.hasPrefix(name + "-") }
            guard found.isEmpty else { return found }
            let hint = nearest(to: name, in: Rule.all.map(\.id.rawValue)).map { "; did you mean \($0)?" } ?? "."
            throw ValidationError("There is no rule \(id)\(hint)")
        }
    }

    private static func describe(_ rule: Rule) -> String {
        let scope = rule.scope.isEmpty ? "" : " · \(rule.scope)"
        let sources = rule.sources.isEmpty ? "" : "\n    sources: \(rule.sources.joined(separator: " "))"
        let known = rule.confidences.map(\.rawValue).joined(separator: ", ")
        return "\(rule.id.rawValue)\(scope) · \(known)\n    \(rule.text)\(sources)"
    }
}

extension JSONWriter {
    /// A rule as `rules --json` prints it.
    fileprivate mutating func value(_ rule: Rule) {
        beginObject()
        for (name, text) in [
            ("id", rule.id.rawValue), ("scope", rule.scope), ("text", rule.text),
            ("confidence", rule.confidence.rawValue),
        ] {
            self.name(name)
            value(text)
        }
        for (name, texts) in [("confidences", rule.confidences.map(\.rawValue)), ("sources", rule.sources)] {
            self.name(name)
            beginArray()
            for text in texts { value(text) }
            endArray()
        }
        endObject()
    }
}
