public import FencepostModel
public import FencepostSimulator

/// Writes the results of scenarios as one self-contained HTML page.
///
/// The page contains its style and script and makes no network requests. It is also well-formed XML. The same entries
/// give the same bytes.
public enum SimulationReport {
    /// One scenario and its outcome.
    public struct Entry: Sendable {
        /// The scenario as it was read.
        public var scenario: Scenario
        /// The result of every step.
        public var outcome: Outcome
        /// The fixes of the scenario's recording. Those of one device are in time order.
        public var track: [Location]
        /// The regions that the recording was evaluated against. The circles of services may be missing.
        public var regions: [Region]
        /// The gate that decided the deliveries.
        public var gate: RelaunchGate

        /// A scenario with its outcome, and what the map of the report shows.
        public init(
            _ scenario: Scenario, outcome: Outcome, track: [Location] = [], regions: [Region] = [],
            gate: RelaunchGate = RelaunchGate()
        ) {
            self.scenario = scenario
            self.outcome = outcome
            self.track = track
            self.regions = regions
            self.gate = gate
        }
    }

    /// The number of scenarios from which passed scenarios are collapsed.
    private static let foldedFrom = 12

    /// The report as one HTML document without references to other files.
    public static func html(for entries: [Entry]) -> String {
        var page = Markup()
        page.addRaw("<!DOCTYPE html>\n")
        page.element("html", ["lang": "en"]) {
            $0.element("head") { head(&$0, title: title(of: entries)) }
            $0.element("body") { page in
                OutcomeMark.define(in: &page)
                page.element("header", ["class": "page"]) { overview(of: entries, in: &$0) }
                page.element("main") {
                    for (index, entry) in entries.enumerated() {
                        let isOpen = entries.count < foldedFrom || !entry.outcome.passed
                        ScenarioSection(entry, number: index).write(isOpen: isOpen, in: &$0)
                    }
                }
                page.element("footer") { OutcomeMark.legend(in: &$0) }
                page.element("script", ["type": "module"]) { $0.addRaw(SharedDrawing.script + ReportScript.text) }
            }
        }
        page.addRaw("\n")
        return page.text
    }

    private static func head(_ page: inout Markup, title: String) {
        page.void("meta", ["charset": "utf-8"])
        page.void("meta", ["name": "viewport", "content": "width=device-width, initial-scale=1"])
        // The policy makes the browser enforce that the page loads nothing.
        page.void(
            "meta",
            [
                "http-equiv": "Content-Security-Policy",
                "content": "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'",
            ])
        page.element("title", title)
        page.element("style") { $0.addRaw(SharedDrawing.style + ReportStyle.text) }
    }

    private static func title(of entries: [Entry]) -> String {
        guard entries.count == 1, let only = entries.first else { return "Fencepost: simulation of scenarios" }
        return "Fencepost: \(ScenarioSection.name(of: only))"
    }

    /// The verdict first, then what the page is, and the list of several scenarios.
    private static func overview(of entries: [Entry], in page: inout Markup) {
        if entries.count == 1, let only = entries.first {
            page.element("h1") {
                ScenarioSection.verdict(of: only, in: &$0)
                $0.add(" ")
                $0.add(ScenarioSection.sentence(for: only.outcome))
            }
        } else {
            let failed = entries.count { !$0.outcome.passed }
            page.element(
                "h1", "\(Words.count(entries.count, "scenario")), \(failed == 0 ? "none" : "\(failed)") failed")
        }
        page.element("p", ["class": "kicker"], "Fencepost · what Core Location would have done")
        guard entries.count != 1 else { return }
        page.element("nav", ["aria-label": "Scenarios"]) {
            $0.element("ol", ["start": "0"]) {
                for (index, entry) in entries.enumerated() {
                    $0.element("li") {
                        ScenarioSection.verdict(of: entry, in: &$0)
                        $0.add(" ")
                        $0.element("a", ["href": "#s\(index)"], ScenarioSection.name(of: entry))
                    }
                }
            }
        }
    }
}
