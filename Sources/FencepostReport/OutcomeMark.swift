import FencepostSimulator

/// The symbol of an event's outcome. Each outcome has its own shape, so no information depends on colour.
enum OutcomeMark {
    static func tone(_ outcome: Delivery.Outcome) -> Tone {
        switch outcome {
        case .delivered: .green
        case .queued: .blue
        case .held: .violet
        case .dropped: .red
        case .notMonitored: .neutral
        case .lost: .amber
        }
    }

    static func words(_ outcome: Delivery.Outcome) -> String {
        switch outcome {
        case .delivered: "delivered"
        case .queued: "queued"
        case .held: "held"
        case .dropped: "dropped"
        case .notMonitored: "not monitored"
        case .lost: "lost"
        }
    }

    static func meaning(_ outcome: Delivery.Outcome) -> String {
        switch outcome {
        case .delivered: "the app gets it"
        case .queued: "waits until the app runs again"
        case .held: "waits for the user’s answer to the second prompt"
        case .dropped: "never reaches the app"
        case .notMonitored: "the service produces nothing now"
        case .lost: "the app runs, but nothing in it takes the event"
        }
    }

    /// The shapes, which the page uses by id.
    static func define(in page: inout Markup) {
        page.element(
            "svg", ["class": "away", "width": "0", "height": "0", "aria-hidden": "true", "focusable": "false"]
        ) { $0.addRaw(SharedDrawing.outcomeMarks) }
    }

    /// The symbol without its word, for a text that contains the word.
    static func icon(_ outcome: Delivery.Outcome, in page: inout Markup) {
        page.element("svg", ["class": "icon", "width": "20", "height": "20", "aria-hidden": "true"]) {
            $0.void("use", ["href": "#mark-\(outcome.rawValue)"])
        }
    }

    /// The symbol and its word.
    static func chip(_ outcome: Delivery.Outcome, in page: inout Markup) {
        page.element("span", ["class": "chip tint-\(tone(outcome).rawValue)"]) {
            icon(outcome, in: &$0)
            $0.add(words(outcome))
        }
    }

    static func legend(in page: inout Markup) {
        page.element("details", ["class": "legend"]) {
            $0.element("summary", "What the marks mean")
            $0.element("ul") {
                for outcome in Delivery.Outcome.allCases {
                    $0.element("li") {
                        chip(outcome, in: &$0)
                        $0.add(" \(meaning(outcome))")
                    }
                }
                $0.element("li") {
                    $0.element("span", ["class": "chip tint-green"], "↻ app started")
                    $0.add(" the system launched the terminated app for the event")
                }
                $0.element("li") {
                    $0.element("span", ["class": "chip tint-amber"], "≠")
                    $0.add(" what the API reports, what Settings shows and what the user allowed differ")
                }
                $0.element("li") {
                    $0.element("span", ["class": "chip tint-neutral"], "⊘ no effect")
                    $0.add(" the call did nothing, and the app gets no notice of it")
                }
                $0.element("li") {
                    $0.element("span", ["class": "chip tint-amber"], "⚠ uncertain rule")
                    $0.add(" the deciding rule is disputed or inferred")
                }
            }
        }
    }
}
