import FencepostJSON
import FencepostModel
import FencepostSimulator

/// The table of a scenario's steps: the verb, the effect, and the rules that decide.
struct StepTable {
    let scenario: Scenario
    let outcome: Outcome
    let trace: ScenarioTrace
    let prefix: String

    func write(in page: inout Markup) {
        // The roles keep the table a table where a narrow page lays the cells out as blocks.
        page.element("table", ["class": "steps", "role": "table"]) {
            $0.element("thead", ["role": "rowgroup"]) {
                $0.element("tr", ["role": "row"]) {
                    for title in ["Step", "Time", "What was done", "Effect", "Why"] {
                        $0.element("th", ["scope": "col", "role": "columnheader"], title)
                    }
                }
            }
            $0.element("tbody", ["role": "rowgroup"]) {
                for (index, step) in scenario.steps.enumerated() where outcome.steps.indices.contains(index) {
                    row(index, step, outcome.steps[index].report, in: &$0)
                }
            }
        }
    }

    private func row(_ index: Int, _ step: Step, _ report: StepReport, in page: inout Markup) {
        let moment = trace.moments[index]
        let deliveries = outcome.deliveries.filter { $0.step == index }
        let settled = outcome.deliveries.filter { $0.settled?.step == index }
        let warnings = (moment.warnings + deliveries.flatMap(\.warnings)).reduce(into: [RuleWarning]()) { known, next in
            if !known.contains(where: { $0.rule == next.rule }) { known.append(next) }
        }
        let isNothing = step.isWithoutEffect(report)
        let isBad = moment.crash != nil || !moment.errors.isEmpty
        let style = [isNothing ? "nothing" : nil, warnings.isEmpty ? nil : "doubtful", isBad ? "bad" : nil]
        page.element(
            "tr",
            [
                "id": "\(prefix)-step-\(index)", "role": "row", "tabindex": "0", "data-step": "\(prefix)-\(index)",
                "class": style.contains { $0 != nil } ? style.compactMap(\.self).joined(separator: " ") : nil,
            ]
        ) {
            $0.element("th", ["scope": "row", "role": "rowheader", "class": "number"], "\(index)")
            $0.element("td", ["role": "cell", "class": "time"]) { time(of: moment, in: &$0) }
            $0.element("td", ["role": "cell"]) {
                $0.element("code") { $0.addBreakable(step.verb.name) }
                $0.element("div", step.verb.words)
            }
            $0.element("td", ["role": "cell", "class": "effect"]) {
                effect(report, isNothing: isNothing, in: &$0)
                for prompt in moment.prompts { self.prompt(prompt, in: &$0) }
                for status in moment.callbacks { $0.element("div", "→ callback: \(status.rawValue)") }
                for error in moment.errors { self.error(error, in: &$0) }
            }
            $0.element("td", ["role": "cell", "class": "why"]) {
                for delivery in deliveries { self.delivery(delivery, in: &$0) }
                for delivery in settled { self.settlement(of: delivery, in: &$0) }
                if let crash = moment.crash { $0.element("p", "✕ \(crash.text)") }
                for note in report.notes where !deliveries.contains(where: { $0.because == note }) {
                    $0.element("p", note)
                }
                if !report.result.isEmpty { result(report.result, in: &$0) }
                for warning in warnings { Self.warning(warning, in: &$0) }
                Self.rules(
                    (report.rules + deliveries.flatMap(\.rules)).reduce(into: [RuleID]()) { known, next in
                        if !known.contains(next) { known.append(next) }
                    }, in: &$0)
            }
        }
    }

    private func time(of moment: ScenarioTrace.Moment, in page: inout Markup) {
        guard let clock = moment.clock?.rfc3339 else { return page.add("+\(Words.span(moment.elapsed))") }
        page.element("time", ["datetime": clock]) {
            $0.add(String(clock.prefix(10)) + " ")
            $0.element("span", ["class": "clock"], String(clock.dropFirst(11)))
        }
    }

    private func effect(_ report: StepReport, isNothing: Bool, in page: inout Markup) {
        if isNothing {
            page.element("span", ["class": "chip tint-neutral nothing"], "⊘ no effect")
        } else if let outcome = Delivery.Outcome(rawValue: report.effect) {
            OutcomeMark.chip(outcome, in: &page)
        } else {
            page.element("span", ["class": "chip"], report.effect)
        }
    }

    private func prompt(_ prompt: Prompt, in page: inout Markup) {
        page.element("div") {
            $0.add("▣ prompt ")
            $0.element("strong", prompt.kind.rawValue)
            $0.add(": " + prompt.buttons.map(\.rawValue).joined(separator: ", "))
            if let key = prompt.descriptionKey { $0.element("div", ["class": "muted"]) { $0.addBreakable(key) } }
        }
    }

    private func error(_ error: ServiceError, in page: inout Markup) {
        page.element("div") {
            $0.element("span", ["class": "chip tint-red"], "✕ error")
            $0.add(
                " \(error.code.domain) \(error.code.code), \(error.code.name)\(error.region.map { ": " + $0 } ?? "")")
        }
    }

    private func delivery(_ delivery: Delivery, in page: inout Markup) {
        page.element("p", ["class": "because"]) {
            if delivery.relaunch { $0.element("span", ["class": "chip tint-green"], "↻ app started") }
            if delivery.appWoken { $0.element("span", ["class": "chip tint-green"], "↑ app woken") }
            $0.add(delivery.because + " ")
            $0.element("span", ["class": "muted"], "\(delivery.decidingRule.rawValue), \(delivery.confidence.rawValue)")
        }
        guard let settled = delivery.settled else { return }
        page.element("p") {
            $0.add("Settled in ")
            $0.element("a", ["href": "#\(prefix)-step-\(settled.step)"], "step \(settled.step)")
            $0.add(": \(OutcomeMark.words(settled.outcome)).")
        }
    }

    private func settlement(of delivery: Delivery, in page: inout Markup) {
        guard let settled = delivery.settled else { return }
        page.element("p") {
            OutcomeMark.chip(settled.outcome, in: &$0)
            if settled.relaunch { $0.element("span", ["class": "chip tint-green"], "↻ app started") }
            $0.add("the event of ")
            if let step = delivery.step { $0.element("a", ["href": "#\(prefix)-step-\(step)"], "step \(step)") }
            $0.add(", \(delivery.event.words) ")
            $0.element("span", ["class": "muted"], settled.decidingRule.rawValue)
        }
    }

    private func result(_ members: [AnswerValue.Member], in page: inout Markup) {
        page.element("p", ["class": "answer"]) {
            for member in members {
                $0.element("span") {
                    $0.add("\(member.name): ")
                    $0.element("code", Self.words(member.value))
                }
                $0.add(" ")
            }
        }
    }

    /// A text unchanged, any other value as JSON.
    private static func words(_ value: AnswerValue) -> String {
        if case .text(let text) = value { return text }
        var writer = JSONWriter()
        writer.value(value)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    static func warning(_ warning: RuleWarning, in page: inout Markup) {
        page.element("p", ["class": "warning"]) {
            $0.element(
                "span", ["class": "chip tint-amber"],
                "⚠ \(Rule[warning.rule].confidence == .disputed ? "disputed" : "inferred")")
            $0.add("\(warning.text) ")
            $0.element("span", ["class": "muted"], warning.rule.rawValue)
        }
    }

    static func rules(_ ids: [RuleID], in page: inout Markup) {
        guard !ids.isEmpty else { return }
        page.element("details", ["class": "rules"]) {
            $0.element("summary") {
                $0.add("\(Words.count(ids.count, "rule")): ")
                $0.element("span", ["class": "muted"], ids.map(\.rawValue).joined(separator: ", "))
            }
            $0.element("dl") {
                for id in ids {
                    let rule = Rule[id]
                    $0.element("dt") {
                        $0.element("strong", id.rawValue)
                        let scope = rule.scope.isEmpty ? "" : "\(rule.scope), "
                        $0.element("span", ["class": "muted"], " \(scope)\(rule.confidence.rawValue)")
                    }
                    $0.element("dd", rule.text)
                }
            }
        }
    }
}

extension Step {
    /// Whether a call unexpectedly did nothing. A wait in which nothing happens does not count.
    func isWithoutEffect(_ report: StepReport) -> Bool {
        if case .wait = verb { return false }
        return report.effect == "none"
    }
}
