import FencepostSimulator

/// The shape that stands for what became of an event: each has its own, so that colour adds nothing that is needed.
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

    /// On a square of 20 units, around its middle.
    private static func path(_ outcome: Delivery.Outcome) -> (outline: String, sign: String) {
        switch outcome {
        case .delivered: ("M10 2a8 8 0 1 0 0 16a8 8 0 1 0 0-16z", "M6 10.5l3 3l5-6.5")
        case .queued: ("M3 3h14v14h-14z", "M10 6v4.5l3 2.5")
        case .held: ("M10 1l9 9l-9 9l-9-9z", "M8 7v6M12 7v6")
        case .dropped: ("M6.5 2h7l4.5 4.5v7l-4.5 4.5h-7l-4.5-4.5v-7z", "M7 7l6 6M13 7l-6 6")
        case .notMonitored: ("M10 2a8 8 0 1 0 0 16a8 8 0 1 0 0-16z", "M4.5 15.5l11-11")
        case .lost: ("M10 2l9 16h-18z", "M10 8v4.5M10 14.8v0.6")
        }
    }

    /// The shapes, to be used by id all over the page.
    static func define(in page: inout Markup) {
        page.element(
            "svg", ["class": "away", "width": "0", "height": "0", "aria-hidden": "true", "focusable": "false"]
        ) {
            for outcome in Delivery.Outcome.allCases {
                let (outline, sign) = path(outcome)
                $0.element("symbol", ["id": "mark-\(outcome.rawValue)", "viewBox": "0 0 20 20"]) {
                    $0.void("path", ["class": "mark-ground tone-\(tone(outcome).rawValue)", "d": outline])
                    $0.void("path", ["class": "mark-sign", "d": sign])
                }
            }
        }
    }

    /// The mark alone, for a line of text that says the same in words.
    static func icon(_ outcome: Delivery.Outcome, in page: inout Markup) {
        page.element("svg", ["class": "icon", "width": "20", "height": "20", "aria-hidden": "true"]) {
            $0.void("use", ["href": "#mark-\(outcome.rawValue)"])
        }
    }

    /// The mark and its word.
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
                    $0.add(" what the API reports, what Settings shows and what the user gave do not agree")
                }
                $0.element("li") {
                    $0.element("span", ["class": "chip tint-neutral"], "⊘ no effect")
                    $0.add(" the call did nothing, and the system says nothing to the app about it")
                }
                $0.element("li") {
                    $0.element("span", ["class": "chip tint-amber"], "⚠ doubtful rule")
                    $0.add(" the rule that decided is disputed, or inferred from others")
                }
            }
        }
    }
}
