extension Rule {
    /// Live updates.
    static let liveUpdates: [Rule] = [
        Rule(
            .live01, of: "17+", [.staff], sources: "W23-LIVE W24",
            "Live updates pause when the device is stationary and resume when it moves."),
        Rule(
            .live02, of: "17+", [.staff], sources: "W23-LIVE W24",
            "A live update may contain no location. From iOS 18 flags report the reason."),
        Rule(
            .live03, of: "17+", [.staff], sources: "W23-LIVE I-TRAC423 I-TRAC69",
            "A background activity session serves live updates and monitors, whether or not updates run."),
        Rule(
            .live04, of: "iOS 17+", [.disputed], sure: "60 % yes", sources: "F-767929 W23-LIVE",
            """
            Whether dropping the last reference ends a background activity session is disputed; calling invalidate() \
            does.
            """
        ),
        Rule(
            .live05, of: "iOS 17+", [.staff], sources: "F-763696",
            "The pause of live updates at rest cannot be switched off."),
    ]

    /// Service sessions.
    static let sessions: [Rule] = [
        Rule(
            .sess01, of: "18+ (watchOS 11+, tvOS 18+)", [.documented, .staff], sources: "W24 D-SS",
            """
            From iOS 18 a service session states the level that the app wants, and the system shows the prompt when \
            it can.
            """
        ),
        Rule(
            .sess02, of: "18+", [.staff], sources: "W24 F-767865",
            """
            A service session shows no prompt while the app is off screen, and shows it later if the app still holds \
            the session.
            """
        ),
        Rule(
            .sess03, of: "18+", [.staff], sources: "W24",
            """
            For the newer interfaces Always applies only with a service session for Always that the app first took \
            on screen.
            """
        ),
        Rule(
            .sess04, of: "18+", [.documented, .staff], sources: "W24 D-BG",
            "Iterating live updates or a monitor implies a session for While Using."),
        Rule(
            .sess05, of: "18+", [.staff, .documented], sources: "W24 D-MONEVENT",
            "One key turns the implicit session off. Updates and events then require an explicit session."),
        Rule(
            .sess06, of: "18+", [.staff, .inferred], sources: "W24",
            "An app can hold several sessions, and the highest level counts."),
        Rule(
            .sess07, of: "18+", [.staff], sources: "W24 D-SS",
            "A session's diagnostics report by flags what prevents its level."),
        Rule(
            .sess08, of: "18+", [.staff], sources: "W24",
            "After a termination, sessions follow the rule for outstanding sessions (RELAUNCH-14)."),
        Rule(
            .sess09, of: "iOS 18+", [.documented], sources: "D26-SSINIT",
            """
            A service session with the goal none never prompts, and is enough where explicit sessions are required \
            and the user has decided.
            """
        ),
        Rule(
            .sess10, of: "iOS 18+", [.documented, .observed], sources: "D26-SSINIT CIO-SRC",
            """
            A service session with the goal always may prompt as soon as it can, so a library should take it only \
            once Always is granted.
            """
        ),
    ]

    /// Location pushes.
    static let push: [Rule] = [
        Rule(
            .push01, [.documented], sources: "seed-004 D-LPSE H16",
            """
            On iPhone and iPad, from version 15, a location push runs a service extension. It needs Always and the \
            entitlement.
            """
        ),
        Rule(
            .push02, [.documented], sources: "D-LPSE",
            "A device has a budget of some hundred pushes a day, which is refilled slowly."),
        Rule(
            .push03, [.documented], sources: "D-LPSE H16",
            "The system warns the extension and then ends it when it takes too long."),
        Rule(
            .push04, of: "iOS 15+", [.observed], sources: "F-777258",
            "Location pushes can stop on a device for hours although the server accepts them."),
        Rule(
            .push05, of: "visionOS", [.documented], sources: "D26-LPSE",
            "On Vision Pro the location push extension of a compatible app is not loaded."),
        Rule(
            .push06, of: "iOS 26+", [.disputed], sure: "80 % it continues", sources: "I-2605 SVC-13",
            """
            A location push leaves the app alone; one open report on iOS 26.5 says that an app that tracks ended when \
            its extension ran.
            """
        ),
    ]
}
