package import ArgumentParser
import FencepostJSON
import FencepostSimulator

/// The Core Location rules by id, with the sources that they rest on.
package struct Rules: ParsableCommand {
    package init() {}

    package static let configuration = CommandConfiguration(
        abstract: "Prints the Core Location rules that decisions name, by id, with their sources.",
        discussion: """
            Example:
              fencepost rules RELAUNCH-04 VISIT-01
              fencepost rules --sources W19 D-VISITS
            """)

    @Flag(name: .long, help: "One JSON array of objects.")
    package var json = false

    @Flag(name: .long, help: "The reference page in Markdown.")
    package var markdown = false

    @Flag(name: .long, help: "The sources of the rules; the arguments are keys such as W19.")
    package var sources = false

    @Argument(help: "Ids such as RELAUNCH-04, or families such as RELAUNCH. Without arguments, all are printed.")
    package var ids: [String] = []

    package func validate() throws {
        guard markdown else { return }
        if json { throw ValidationError("--json and --markdown exclude each other.") }
        if !ids.isEmpty { throw ValidationError("--markdown prints the whole page and takes no ids.") }
    }

    package func run() throws {
        if markdown {
            print(sources ? RulePages.sources : RulePages.rules, terminator: "")
        } else if sources {
            try show(chosenSources(), json: { $0.value($1) }, text: Self.describe)
        } else {
            try show(chosenRules(), json: { $0.value($1) }, text: Self.describe)
        }
    }

    private func show<Item>(
        _ items: [Item], json write: (inout JSONWriter, Item) -> Void, text: (Item) -> String
    ) {
        guard json else { return print(items.map(text).joined(separator: "\n")) }
        var writer = JSONWriter()
        writer.beginArray()
        for item in items { write(&writer, item) }
        writer.endArray()
        writer.newline()
        print(String(decoding: writer.bytes, as: UTF8.self), terminator: "")
    }

    private func chosenRules() throws -> [Rule] {
        guard !ids.isEmpty else { return Rule.all }
        return try ids.flatMap { id in
            let name = id.uppercased()
            let found = Rule.all.filter { $0.id.rawValue == name || $0.id.rawValue.hasPrefix(name + "-") }
            guard found.isEmpty else { return found }
            let hint = nearest(to: name, in: Rule.all.map(\.id.rawValue)).map { "; did you mean \($0)?" } ?? "."
            throw ValidationError("There is no rule \(id)\(hint)")
        }
    }

    private func chosenSources() throws -> [RuleSource] {
        guard !ids.isEmpty else { return RuleSource.all }
        return try ids.map { key in
            if let source = RuleSource.all.first(where: { $0.key.lowercased() == key.lowercased() }) { return source }
            let hint = nearest(to: key, in: RuleSource.all.map(\.key)).map { "; did you mean \($0)?" } ?? "."
            throw ValidationError("There is no source \(key)\(hint)")
        }
    }

    private static func describe(_ rule: Rule) -> String {
        let scope = rule.scope.isEmpty ? "" : " · \(rule.scope)"
        let known =
            rule.confidences.map(\.rawValue).joined(separator: ", ") + (rule.likelihood.map { " (\($0))" } ?? "")
        let head = "\(rule.id.rawValue)\(scope) · \(known)\n    \(rule.text)"
        let evidence = rule.evidence.map { "    \($0.summary)" }
        return ([head] + evidence + rule.references.map { "    source \(describe($0))" }).joined(separator: "\n")
    }

    /// One line: the key, and what is known of title, publisher, version and address.
    private static func describe(_ source: RuleSource) -> String {
        let parts = [source.title, source.publisher, source.version, source.address].compactMap(\.self)
        return "\(source.key): \(parts.joined(separator: " · "))"
    }
}

extension JSONWriter {
    private mutating func value(_ evidence: RuleEvidence) {
        beginObject()
        if let relaunches = evidence.relaunches {
            name("relaunches")
            value(relaunches)
        }
        name("supports")
        value(evidence.supports)
        for (name, text) in [
            ("verdict", evidence.verdict), ("date", evidence.date), ("system", evidence.system),
            ("situation", evidence.situation),
            ("observed", evidence.observed), ("source", evidence.source),
        ] {
            self.name(name)
            value(text)
        }
        endObject()
    }

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
        name("references")
        beginArray()
        for source in rule.references { value(source) }
        endArray()
        name("likelihood")
        if let likelihood = rule.likelihood { value(likelihood) } else { null() }
        name("evidence")
        beginArray()
        for one in rule.evidence { value(one) }
        endArray()
        endObject()
    }
}
