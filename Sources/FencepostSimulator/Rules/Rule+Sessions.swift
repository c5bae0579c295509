extension Rule {
    /// Live updates.
    static let liveUpdates: [Rule] = [
        Rule(
            .live01, of: "17+", [.staff], sources: "W23-LIVE W24",
            "Live updates pause by themselves on a device at rest and go on when it moves."),
        Rule(
            .live02, of: "17+", [.staff], sources: "W23-LIVE W24",
            "A live update may hold no location, and from iOS 18 flags why."),
        Rule(
            .live03, of: "17+", [.staff], sources: "W23-LIVE",
            "A background activity session serves live updates and monitors alike, whether or not updates run."),
    ]

    /// Service sessions.
    static let sessions: [Rule] = [
        Rule(
            .sess01, of: "18+ (watchOS 11+, tvOS 18+)", [.documented, .staff], sources: "W24 D-SS",
            """
            From iOS 18 a service session states the level that is wanted, and the system asks by itself when it \
            can.
            """),
        Rule(
            .sess02, of: "18+", [.staff], sources: "W24",
            "A service session asks nothing while the app is off screen, and catches up as long as it is held."),
        Rule(
            .sess03, of: "18+", [.staff], sources: "W24",
            """
            For the newer interfaces always is in effect only beside a service session for it that was first taken \
            on screen.
            """
        ),
        Rule(
            .sess04, of: "18+", [.documented, .staff], sources: "W24 D-BG",
            "Iterating live updates or a monitor implies a session for while-using."),
        Rule(
            .sess05, of: "18+", [.staff, .documented], sources: "W24 D-MONEVENT",
            "One key turns the implied session off, and then updates and events ask for an explicit one."),
        Rule(
            .sess06, of: "18+", [.staff, .inferred], sources: "W24",
            "Several sessions can be held, and the one that wants most counts."),
        Rule(
            .sess07, of: "18+", [.staff], sources: "W24 D-SS",
            "A session's diagnostics say by flags what stands in its way."),
        Rule(
            .sess08, of: "18+", [.staff], sources: "W24",
            "After a termination sessions follow the rule for outstanding interests."),
    ]

    /// Location pushes.
    static let push: [Rule] = [
        Rule(
            .push01, [.documented], sources: "seed-004 D-LPSE H16",
            """
            A location push runs a service extension on iPhone and iPad from 15 on, given always and the \
            entitlement.
            """),
        Rule(
            .push02, [.documented], sources: "D-LPSE",
            "A device has a budget of some hundred pushes a day, which refills slowly."),
        Rule(
            .push03, [.documented], sources: "D-LPSE H16",
            "The extension is warned and then ended when it takes too long."),
    ]
}
