extension Rule {
    /// The authorization manager with its three states.
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
            "An unknown status counts as needing authorization and causes no crash."),
        Rule(
            .abstr05, [.observed], sources: "seed-001",
            """
            A check runs the action, offers Settings and Cancel, or asks for While Using. Only the first case runs \
            the action.
            """
        ),
        Rule(
            .abstr06, [.documented], sources: "seed-001 seed-004 seed-000",
            "An app asks when a feature needs it and not at launch."),
        Rule(
            .abstr07, [.inferred], sources: "seed-001",
            "Both authorized statuses start the updates, not only While Using."),
        Rule(
            .abstr08, [.inferred], sources: "H16",
            "Where the app is restricted, Settings does not help, and the answer says so."),
        Rule(
            .abstr09, [.inferred], sources: "ONCE-01 PROV-01",
            """
            Temporary and provisional grants count as authorization, and the answer reports the difference \
            separately.
            """
        ),
        Rule(
            .abstr10, [.observed], sources: "seed-000",
            "An app checks Location Services first, then the status, and then acts or asks."),
    ]

    /// The tools of Apple's device simulator.
    static let tools: [Rule] = [
        Rule(
            .tool01, [.observed], sources: "T-SIMCTL",
            "The device simulator's location tool moves along points, without accuracy or stops."),
        Rule(
            .tool02, [.observed], sources: "T-SIMCTL",
            "The device simulator's privacy tool grants, revokes and resets the two levels without a prompt."),
        Rule(
            .tool03, [.observed], sources: "T-SIMCTL I-DETOX",
            "Neither tool produces temporary, provisional, reduced or restricted states, or relaunch decisions."),
        Rule(
            .tool04, [.observed], sources: "B-2CENT",
            "Xcode plays the waypoints of a GPX file with their times in a loop."),
        Rule(
            .tool05, of: "Xcode 27", [.observed], sources: "I-ARGENT406 I-XCBMCP",
            "Xcode 27 has Device Hub in place of the Simulator app; simctl remains."),
        Rule(
            .tool06, of: "Xcode 26, Xcode 27", [.observed], sources: "I-1704 I-CIO1281 I-CIO1258 I-CIO1220",
            """
            In Apple's simulator a killed app is launched for regions and significant changes, and copies of a \
            monitor's event never appear.
            """
        ),
        Rule(
            .tool07, of: "Xcode 26, Xcode 27", [.inferred], sources: "TOOL-03",
            "No new command of simctl for locations or permissions is known for Xcode 26 and 27."),
        Rule(
            .tool08, of: "iOS", [.observed], sources: "LOG-1",
            """
            The power log and the unified log of a device show who ended a process, which services were open and \
            which prompts appeared.
            """
        ),
    ]
}
