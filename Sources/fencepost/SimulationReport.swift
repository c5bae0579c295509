import FencepostModel
import FencepostSimulator

/// The outcomes of scenarios as one HTML page that needs nothing from elsewhere.
struct SimulationReport {
    private var html = ""

    static func page(of outcomes: [Outcome]) -> String {
        var report = SimulationReport()
        let failed = outcomes.count { !$0.passed }
        report.html = """
            <!doctype html>
            <html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
            <title>Core Location scenarios</title><style>\(style)</style></head><body>
            <h1>Core Location scenarios</h1>
            <p>\(Prose.count(outcomes.count, "scenario")), \(failed) failed.</p>

            """
        for outcome in outcomes { report.add(outcome) }
        report.addRules(outcomes)
        return report.html + "</body></html>\n"
    }

    private static let style = """
        :root{color-scheme:light dark}
        body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}
        table{border-collapse:collapse;width:100%;margin:.5rem 0 1rem}
        td,th{border:1px solid #8888;padding:.25rem .5rem;text-align:left;vertical-align:top}
        h2{margin-top:2rem}code{font-size:.9em}.wide{overflow-x:auto}
        """

    private mutating func add(_ outcome: Outcome) {
        let name = outcome.name.isEmpty ? "(no name)" : outcome.name
        html += "<section><h2>\(outcome.passed ? "Passed" : "Failed"): \(Self.escaped(name))</h2>\n"
        if let failures = outcome.failures, !failures.isEmpty {
            table(
                "What is not as expected", ["Where", "Expected", "Actual"],
                failures.map { [Self.code($0.path), Self.code($0.expected), Self.code($0.actual)] })
        }
        table(
            "Steps", ["Step", "Effect", "Rules", "Notes"],
            outcome.steps.enumerated().map { index, step in
                [
                    "\(index) \(Self.escaped(step.name))", Self.escaped(step.report.effect),
                    Self.links(step.report.rules),
                    step.report.notes.map(Self.escaped).joined(separator: "<br>"),
                ]
            })
        table(
            "Deliveries", ["Event", "Outcome", "Decided by", "Why"],
            outcome.deliveries.map { delivery in
                let place = delivery.event.identifier.map { " \($0)" } ?? ""
                let event = "\(delivery.event.service.rawValue)\(place) \(delivery.event.kind.rawValue)"
                let launch = delivery.relaunch ? ", app started" : delivery.appWoken ? ", app woken" : ""
                let later = delivery.settled.map { "; then \($0.outcome.rawValue)" } ?? ""
                return [
                    Self.escaped(event), delivery.outcome.rawValue + launch + later,
                    Self.links([delivery.decidingRule]),
                    Self.escaped(delivery.because),
                ]
            })
        let final = outcome.final.given
        var facts = [
            ["Grant", final.grant.rawValue], ["Reported to the app", final.reportedStatus.rawValue],
            ["Settings shows", final.settingsRow?.rawValue ?? "no row"], ["State", final.lifecycle.rawValue],
            ["Launches", "\(outcome.final.launches)"],
        ]
        if !outcome.callbacks.isEmpty {
            facts.append(["The app was told", outcome.callbacks.map(\.rawValue).joined(separator: ", ")])
        }
        if !outcome.appMust.isEmpty { facts.append(["The app must", outcome.appMust.joined(separator: ", ")]) }
        if !outcome.appNeedNot.isEmpty { facts.append(["It need not", outcome.appNeedNot.joined(separator: ", ")]) }
        if !outcome.missingKeys.isEmpty { facts.append(["Missing keys", outcome.missingKeys.joined(separator: ", ")]) }
        facts += outcome.errors.map { ["Error", "\($0.code.domain) \($0.code.code) \($0.code.name)"] }
        if let crash = outcome.crash { facts.append(["Crash", crash.text]) }
        facts += outcome.warnings.map { ["Uncertain: \($0.rule.rawValue)", $0.text] }
        table("In the end", ["What", "Value"], facts.map { $0.map(Self.escaped) })
        html += "</section>\n"
    }

    /// The rules that were named, each with its sentence.
    private mutating func addRules(_ outcomes: [Outcome]) {
        let named = Set(outcomes.flatMap { $0.steps.flatMap(\.report.rules) + $0.deliveries.map(\.decidingRule) })
        guard !named.isEmpty else { return }
        html += "<section><h2>Rules</h2>\n"
        table(
            "The rules that decided", ["Rule", "Known", "What it says"],
            Rule.all.filter { named.contains($0.id) }.map { rule in
                let id = rule.id.rawValue
                return ["<span id=\"\(id)\">\(id)</span>", rule.confidence.rawValue, Self.escaped(rule.text)]
            })
        html += "</section>\n"
    }

    /// - Parameter rows: cells of HTML.
    private mutating func table(_ caption: String, _ heads: [String], _ rows: [[String]]) {
        guard !rows.isEmpty else { return }
        html += "<div class=\"wide\"><table><caption>\(caption)</caption><thead><tr>"
        html += heads.map { "<th scope=\"col\">\($0)</th>" }.joined()
        html += "</tr></thead><tbody>\n"
        for row in rows { html += "<tr>" + row.map { "<td>\($0)</td>" }.joined() + "</tr>\n" }
        html += "</tbody></table></div>\n"
    }

    private static func links(_ rules: [RuleID]) -> String {
        rules.map { "<a href=\"#\($0.rawValue)\">\($0.rawValue)</a>" }.joined(separator: " ")
    }

    private static func code(_ text: String) -> String { "<code>\(escaped(text))</code>" }

    /// Names come from files, so nothing of them may become markup.
    private static func escaped(_ text: String) -> String {
        var escaped = ""
        for character in text.unicodeScalars {
            switch character {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            default: escaped.unicodeScalars.append(character)
            }
        }
        return escaped
    }
}
