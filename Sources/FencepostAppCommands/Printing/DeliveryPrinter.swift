import FencepostGeometry
import FencepostModel
package import FencepostSimulator

/// Prints the answer of `explain`: three lines with the verdict, how sure it is and the reason, and with `--why` the
/// rules behind it.
package struct DeliveryPrinter {
    /// The state that was asked about, with the cause of a termination, and the answer.
    package typealias Case = (given: DeviceState, delivery: Delivery)

    /// One case, or one for each cause of a termination that the question left open.
    package let cases: [Case]
    /// Whether to print the rules, the evidence and the details.
    package let showsReasons: Bool

    /// Decides an event. A terminated app whose cause is not known is decided for the system and for the user, since the
    /// two differ.
    package init(_ event: ServiceEvent, for given: DeviceState, gate: RelaunchGate, showsReasons: Bool) {
        let causes: [Termination?] =
            given.lifecycle == .terminated && given.terminatedBy == nil ? [.system, .user] : [given.terminatedBy]
        cases = causes.map { cause in
            var device = given
            device.terminatedBy = cause
            return (device, gate.decide(event, for: device))
        }
        self.showsReasons = showsReasons
    }

    package var text: String {
        guard let first = cases.first else { return "" }
        var lines = cases.count == 1 ? Self.headline(first) : headlineOfBoth
        if showsReasons {
            for one in cases {
                if cases.count > 1 { lines += ["", "terminated by \(one.given.terminatedBy?.rawValue ?? "")"] }
                lines += Self.reasons(one.delivery)
            }
        }
        return lines.joined(separator: "\n")
    }

    private static func headline(_ one: Case) -> [String] {
        [
            "\(situation(one)): \(verdict(one))",
            certainty(one.delivery),
            "\(one.delivery.because) (decided by \(one.delivery.decidingRule.rawValue); --why shows the rules)",
        ]
    }

    /// The answers for both causes in three lines.
    private var headlineOfBoth: [String] {
        let (first, last) = (cases[0], cases[cases.count - 1])
        var open = first.given
        open.terminatedBy = nil
        let hint = "(--terminated-by says by whom; --why shows the rules)"
        if Self.verdict(first) == Self.verdict(last) {
            let certainties = [first, last].map { Self.certainty($0.delivery) }
            return [
                "\(Self.situation((open, first.delivery))): \(Self.verdict(first))",
                certainties[0] == certainties[1]
                    ? "\(certainties[0]), by the system or by the user"
                    : "by the system: \(certainties[0]); by the user: \(certainties[1])",
                "\(first.delivery.because) \(hint)",
            ]
        }
        return cases.map { one in
            "\(Self.situation(one)): \(Self.verdict(one)), \(Self.certainty(one.delivery))"
        } + ["\(first.delivery.because) By the user: \(last.delivery.because) \(hint)"]
    }

    private static func situation(_ one: Case) -> String {
        let (given, event) = (one.given, one.delivery.event)
        let state =
            "\(given.platform.rawValue) \(given.osVersion), \(given.grant.rawValue), \(given.lifecycle.rawValue)"
        return "\(event.service.rawValue), \(event.kind.rawValue) on \(state)"
            + (given.terminatedBy.map { " by \($0.rawValue)" } ?? "")
    }

    private static func verdict(_ one: Case) -> String {
        let outcome = one.delivery.outcome.rawValue
        if one.given.lifecycle == .terminated {
            return outcome + (one.delivery.relaunch ? "; the system relaunches the app" : "; the app is not relaunched")
        }
        return outcome + (one.delivery.appWoken ? "; the app is woken" : "")
    }

    /// How sure the answer is, with the uncertain rules.
    private static func certainty(_ delivery: Delivery) -> String {
        let uncertain = delivery.warnings.map(\.rule.rawValue)
        return delivery.certainty.words + (uncertain.isEmpty ? "" : ", by \(uncertain.joined(separator: ", "))")
    }

    private static func reasons(_ delivery: Delivery) -> [String] {
        var lines = ["", "  decided by \(describe(delivery.decidingRule))"]
        let others = delivery.rules.filter { $0 != delivery.decidingRule }
        if !others.isEmpty { lines += ["", "  also considered"] + others.map { "    \(describe($0))" } }
        for warning in delivery.warnings {
            let rule = Rule[warning.rule]
            // The evidence follows line by line, so a text that repeats it is left out.
            let text = !rule.evidence.isEmpty && warning.text.hasPrefix(rule.text) ? rule.text : warning.text
            lines += ["", "  uncertain: \(warning.rule.rawValue): \(text)"] + rule.evidence.map { "    \($0.summary)" }
        }
        if let key = delivery.launchKeyIsPresent {
            let answer =
                key
                ? "the location key, unless the app is scene-based (RELAUNCH-31)"
                : "no location key; the app is scene-based"
            lines += ["", "  launch options: \(answer)"]
        }
        if let range = delivery.runtimeRange {
            lines += [
                "",
                "  run time: from \(Int(clamped: range.lowerBound.seconds)) to \(Int(clamped: range.upperBound.seconds)) "
                    + "seconds were observed, and none is documented; begin a background task at once (DISPUTE-12)",
            ]
        }
        if let profile = delivery.monitorProfile {
            lines += ["", "  monitors: \(profile), \(delivery.copies) per crossing"]
        }
        if let latency = delivery.latency {
            lines += ["", "  may be late by \(Int(clamped: latency.seconds / 60)) minutes"]
        }
        return lines + ["", "  known: \(delivery.confidence.rawValue)", "  sure: \(delivery.certainty.words)"]
    }

    private static func describe(_ id: RuleID) -> String { "\(id.rawValue): \(Rule[id].text)" }
}
