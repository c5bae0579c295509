extension Rule {
    /// Whether an event starts a terminated app, and what the app then has to do.
    static let relaunch: [Rule] = [
        Rule(
            .relaunch01, [.documented], partly: [.inferred], sources: "seed-004 D-GEO",
            "Only iPhone and iPad start a terminated app for a location event."),
        Rule(
            .relaunch02, of: "iOS", [.documented], sources: "D-GEO D-APG",
            "After a reboot nothing is monitored or launched before the first unlock."),
        Rule(
            .relaunch03, [.documented], sources: "D-LSE",
            "With Location Services off there are no events."),
        Rule(
            .relaunch04, of: "iOS 8+", [.documented, .staff], sources: "seed-004 seed-002 W19",
            "A launch takes always: lesser levels get none, and a provisional one has the event held."),
        Rule(
            .relaunch05, [.documented], sources: "seed-004 H16 D-SLC D-VISITS D-GEO",
            "Only significant changes, visits, regions and conditions of a monitor can launch an app."),
        Rule(
            .relaunch06, of: "iOS 14+", [.staff], sources: "W20",
            """
            Regions, beacons and conditions also need full accuracy to launch; visits and significant changes do \
            not.
            """),
        Rule(
            .relaunch07, [.documented], sources: "H16 H-REGION",
            "The service has to be registered and not stopped, for the kind of crossing at hand, and its app installed."
        ),
        Rule(
            .relaunch08, of: "iOS 7.1+", [.documented, .staff], sources: "W14 D-APG H16",
            "From iOS 7.1 a force quit does not keep regions, visits and significant changes from launching the app."),
        Rule(
            .relaunch09, [.documented, .staff], sources: "W14 D-SLC D-VISITS",
            "It makes no difference whether the system ended the app or it crashed."),
        Rule(
            .relaunch10, of: "iOS 7 / iOS 8+", [.disputed], sources: "W14 D-LAPG B-GEOMON I-GPSSTONE I-16078124",
            "Background App Refresh blocked such launches on iOS 7; whether it still does is disputed."),
        Rule(
            .relaunch11, [.inferred],
            "Low Power Mode is taken to have no effect."),
        Rule(
            .relaunch12, of: "iOS 18+", [.staff], sources: "W24 D-BG I-PLUGINS",
            """
            From iOS 18 monitors and live updates count as always only beside an outstanding service session for \
            always that was taken on screen.
            """
        ),
        Rule(
            .relaunch13, of: "iOS 17+", [.staff], sources: "W23-LIVE W24",
            """
            A loop of live updates that ran at the termination launches the app if its level then allows: always, or \
            while-using with a background activity session.
            """
        ),
        Rule(
            .relaunch14, of: "iOS 17+ / 18+", [.staff], sources: "W24 W23-LIVE",
            """
            Sessions, loops and monitors outlast a termination, but after the launch only for the few seconds in \
            which the app has to take them again.
            """
        ),
        Rule(
            .relaunch15, of: "iOS 17+", [.disputed], sources: "W23-LIVE F-775888",
            """
            Whether the newer interfaces recover from a force quit is disputed: monitors are taken to, live updates \
            are uncertain.
            """
        ),
        Rule(
            .relaunch16, of: "watchOS 10+", [.disputed], sources: "F-775888 seed-004 D-CHOOSE",
            """
            Whether a watch app can be relaunched by its session and live updates is disputed; it is taken not to \
            be.
            """),
        Rule(
            .relaunch17, of: "iOS", [.staff, .observed], partly: [.disputed], sources: "W13 W14 I-CIO1130 D-GEO",
            "Registrations outlast a reboot, states do not: a crossing while the device was off is never told."),
        Rule(
            .relaunch18, of: "iOS up to 12 with WIU", [.documented], sources: "H12",
            "Up to iOS 12 while-using monitors nothing, so nothing is launched."),
        Rule(
            .relaunch19, [.documented, .observed], sources: "D-LAPG I-464",
            "An app that is launched or woken has about ten seconds, more with a background task."),
        Rule(
            .relaunch20, [.documented], sources: "D-LAUNCHKEY D-SLC",
            "The launch options say that location is the cause, deprecated from iOS 26."),
        Rule(
            .relaunch21, [.documented], sources: "D-LAUNCHKEY",
            """
            The event comes through the delegate or the sequence, so the app has to make its manager and set the \
            delegate while it launches.
            """
        ),
        Rule(
            .relaunch22, [.documented], sources: "D-SLC",
            "After a launch significant changes have to be started again, and the present location comes at once."),
        Rule(
            .relaunch23, [.documented], sources: "D-VISITS H-VISIT",
            "After a launch visits need a manager with a delegate and no new start."),
        Rule(
            .relaunch24, [.documented], sources: "D-CLM H16",
            "After a launch regions are registered still and need a delegate only."),
        Rule(
            .relaunch25, [.documented, .staff], sources: "W23-MON D-GEO",
            "After a launch a monitor has to be opened under the same name and iterated."),
        Rule(
            .relaunch26, [.documented, .staff], sources: "W23-LIVE W24 D-BG",
            "After a launch live updates have to be called and the sessions made again at once."),
        Rule(
            .relaunch27, [.documented], sources: "D-BG D-START",
            "The system restores no plain updates; the app starts them when something else has launched it."),
        Rule(
            .relaunch28, [.documented], sources: "D-BG",
            "An app that finds itself undetermined at launch should start nothing."),
    ]
}
