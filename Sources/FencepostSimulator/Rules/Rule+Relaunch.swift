extension Rule {
    /// Whether an event launches a terminated app, and what the app does after the launch.
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
            "A launch needs Always. Lower levels launch nothing, and the event of a provisional Always is held."),
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
            """
            The service has to be registered and not stopped, for this kind of crossing, and its app has to be \
            installed.
            """
        ),
        Rule(
            .relaunch08, of: "iOS 7.1+", [.documented, .staff], sources: "W14 D-APG H16",
            "From iOS 7.1 regions, visits and significant changes launch the app also after a force quit."),
        Rule(
            .relaunch09, [.documented, .staff], sources: "W14 D-SLC D-VISITS",
            "A termination by the system and a crash have the same effect."),
        Rule(
            .relaunch10, of: "iOS 7 / iOS 8+", [.disputed], sources: "W14 D-LAPG B-GEOMON I-GPSSTONE I-16078124",
            "Background App Refresh blocked such launches on iOS 7; whether it still does is disputed."),
        Rule(
            .relaunch11, [.inferred],
            "Low Power Mode is assumed to have no effect."),
        Rule(
            .relaunch12, of: "iOS 18+", [.staff], sources: "W24 D-BG I-PLUGINS",
            """
            From iOS 18 Always applies to monitors and live updates only with an outstanding service session for \
            Always that the app took on screen.
            """
        ),
        Rule(
            .relaunch13, of: "iOS 17+", [.staff], sources: "W23-LIVE W24",
            """
            A loop of live updates that ran at the termination launches the app if its level allows it: Always, or \
            While Using with a background activity session.
            """
        ),
        Rule(
            .relaunch14, of: "iOS 17+ / 18+", [.staff], sources: "W24 W23-LIVE F-797319",
            """
            Sessions, loops and monitors survive a termination, but after the launch only for the few seconds in \
            which the app has to take them again.
            """
        ),
        Rule(
            .relaunch15, of: "iOS 17+", [.disputed], sources: "W23-LIVE F-775888",
            """
            Whether the newer interfaces recover from a force quit is disputed. Monitors are assumed to recover; \
            live updates are uncertain.
            """
        ),
        Rule(
            .relaunch16, of: "watchOS 10+", [.disputed], sources: "F-775888 seed-004 D-CHOOSE",
            """
            Whether a session and live updates can relaunch a watch app is disputed. Fencepost assumes that they do \
            not.
            """
        ),
        Rule(
            .relaunch17, of: "iOS", [.staff, .observed], partly: [.disputed], sources: "W13 W14 I-CIO1130 D-GEO",
            "Registrations survive a reboot, states do not: a crossing while the device is off is never reported."),
        Rule(
            .relaunch18, of: "iOS up to 12 with WIU", [.documented], sources: "H12",
            "Up to iOS 12 While Using monitors nothing, so it launches nothing."),
        Rule(
            .relaunch19, [.documented, .observed], sources: "D-LAPG I-464 F-815618",
            "An app that is launched or woken has about ten seconds, and more with a background task."),
        Rule(
            .relaunch20, [.documented], sources: "D-LAUNCHKEY D-SLC",
            "The launch options name location as the cause. The key is deprecated from iOS 26."),
        Rule(
            .relaunch21, [.documented], sources: "D-LAUNCHKEY",
            """
            The event comes through the delegate or the sequence, so the app has to make its manager and set the \
            delegate while it launches.
            """
        ),
        Rule(
            .relaunch22, [.documented], sources: "D-SLC",
            "After a launch the app has to start significant changes again, and gets the current location at once."),
        Rule(
            .relaunch23, [.documented], sources: "D-VISITS H-VISIT",
            "After a launch visits need a manager with a delegate and no new start."),
        Rule(
            .relaunch24, [.documented], sources: "D-CLM H16",
            "After a launch regions are still registered and need only a delegate."),
        Rule(
            .relaunch25, [.documented, .staff], sources: "W23-MON D-GEO",
            "After a launch a monitor has to be opened under the same name and iterated."),
        Rule(
            .relaunch26, [.documented, .staff], sources: "W23-LIVE W24 D-BG",
            "After a launch the app has to call live updates and make the sessions again at once."),
        Rule(
            .relaunch27, [.documented], sources: "D-BG D-START",
            "The system does not restore plain updates; the app starts them after another service has launched it."),
        Rule(
            .relaunch28, [.documented], sources: "D-BG",
            "An app that is undetermined at launch should start no service."),
        Rule(
            .relaunch29, of: "iOS 26+", [.disputed], sure: "region 88 %, significant change 85 %, visits 80 %",
            sources: "I-2661 I-1645 I-NC4305 I-1704 F-826964 I-1650 I-2548 I-2497 I-F1665",
            """
            Regions, visits and significant changes still launch an app after a force quit, by most reports from iOS \
            26; one drive and two plug-in issues say that they do not.
            """
        ),
        Rule(
            .relaunch30, of: "iOS 26+", [.disputed], sure: "65 % yes", sources: "I-CIO1158 I-CIO1281",
            """
            A monitor with a service session for Always still launches an app after a force quit, by one test on iOS \
            26.6; the same vendor later calls it unreliable.
            """
        ),
        Rule(
            .relaunch31, of: "iOS 13+", [.observed, .documented], sure: "85 %", sources: "I-INTUIT119 I-NC4305 D26-KEY",
            """
            A scene-based app does not get the location launch key, so it has to start its services again on every \
            launch.
            """
        ),
        Rule(
            .relaunch32, of: "iOS 27+, SDK 27", [.documented, .staff], partly: [.inferred],
            sources: "D26-TN3187 F-789004 P-AIRBRIDGE",
            "An app that is built with SDK 27 and has no scenes fails to launch, also for an event."),
        Rule(
            .relaunch33, of: "iOS", [.observed], sources: "I-NC4305",
            """
            An app that does not start significant changes again after a launch is launched again and again, but its \
            process receives nothing.
            """
        ),
        Rule(
            .relaunch34, of: "iOS 26+", [.observed], sources: "I-2661 I-1645 CIO-SRC",
            """
            The callback of a region can come 30 milliseconds after the manager gets its delegate, so the app has to \
            load its state before it creates the manager.
            """
        ),
        Rule(
            .relaunch35, of: "iOS", [.observed], sources: "I-2580 I-NC4305",
            """
            A relaunch takes three to five minutes on average and took up to three hours, so a short walk without \
            one proves nothing.
            """
        ),
        Rule(
            .relaunch36, of: "iOS 18+", [.disputed], sure: "60 %", sources: "CIO-SRC",
            """
            After a reboot a monitor's conditions are listed, but one that was crossed without an open monitor is \
            dead until it is removed and added again.
            """
        ),
        Rule(
            .relaunch37, of: "iOS 26+", [.observed], sure: "90 %", sources: "F-826964",
            "Regions and significant changes need no service session on iOS 26 either."),
        Rule(
            .relaunch38, of: "iOS", [.observed], sources: "I-HA5530",
            """
            An app that is launched in the background and still holds a file lock when it is suspended is killed with \
            0xdead10cc, so launch code has to release its locks within a background task.
            """
        ),
        Rule(
            .relaunch39, of: "iOS 15.3", [.observed], sources: "F-701820",
            "By one report iOS 15.3 launched an app again at once after a force quit, without an event."),
        Rule(
            .relaunch40, of: "iOS, iPadOS", [.documented], partly: [.inferred], sources: "D-TN3115 SVC-20",
            """
            A force quit prevents launches by Bluetooth, silent pushes and background refresh until the user opens the \
            app; a launch by a location has rules of its own.
            """
        ),
        Rule(
            .relaunch41, of: "iOS, iPadOS", [.observed], sources: "I-MESH2247 I-LF710 I-IAPS2016",
            """
            Prewarming, Bluetooth or a refresh may start the app before the first unlock, when its stored data cannot \
            be read and defaults are read instead.
            """
        ),
    ]
}
