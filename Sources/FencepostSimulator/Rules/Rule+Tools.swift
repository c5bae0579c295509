extension Rule {
    /// The three-way view of authorization.
    static let abstraction: [Rule] = [
        Rule(
            .abstr01, [.observed], sources: "seed-001",
            "Both authorized statuses mean that the app has authorization."),
        Rule(
            .abstr02, [.observed], sources: "seed-001",
            "Restricted and denied mean that it needs authorization."),
        Rule(
            .abstr03, [.observed], sources: "seed-001",
            "Undetermined means that it was not asked for yet."),
        Rule(
            .abstr04, [.inferred], sources: "seed-001",
            "A status of the future is taken as needing authorization rather than trapped."),
        Rule(
            .abstr05, [.observed], sources: "seed-001",
            """
            A check runs the action, or offers Settings and Cancel, or asks for while-using, and only the first runs \
            it.
            """
        ),
        Rule(
            .abstr06, [.documented], sources: "seed-001 seed-004 seed-000",
            "An app asks when a feature needs it and not at launch."),
        Rule(
            .abstr07, [.inferred], sources: "seed-001",
            "Both authorized statuses start the updates, not while-using alone."),
        Rule(
            .abstr08, [.inferred], sources: "H16",
            "Where the app is restricted Settings is of no help, and that is said."),
        Rule(
            .abstr09, [.inferred], sources: "ONCE-01 PROV-01",
            "Temporary and provisional grants count as authorization, with the difference told beside it."),
        Rule(
            .abstr10, [.observed], sources: "seed-000",
            "An app looks at Location Services first, then at the status, then acts or asks."),
    ]

    /// The tools of the device simulator.
    static let tools: [Rule] = [
        Rule(
            .tool01, [.observed], sources: "T-SIMCTL",
            "The device simulator's location tool moves along points and knows neither accuracy nor dwelling."),
        Rule(
            .tool02, [.observed], sources: "T-SIMCTL",
            "The device simulator's privacy tool grants, revokes and resets the two levels without a prompt."),
        Rule(
            .tool03, [.observed], sources: "T-SIMCTL I-DETOX",
            "Neither of them makes temporary, provisional, reduced or restricted states, nor relaunch decisions."),
        Rule(
            .tool04, [.observed], sources: "B-2CENT",
            "Xcode plays the waypoints of a GPX file with their times in a loop."),
    ]
}
