extension Rule {
    /// Platforms, and what being in use means on each.
    static let platforms: [Rule] = [
        Rule(
            .plat01, of: "iOS, iPadOS", [.documented, .staff], sources: "seed-004 W19 D-CHOOSE",
            "Being on screen, and a few seconds after leaving it, counts as use."),
        Rule(
            .plat02, of: "iOS, iPadOS", [.documented, .staff], sources: "seed-004 seed-002 W19 D-CHOOSE",
            """
            Updates that the app started on screen, with the background mode and the manager's permission, extend \
            use into the background behind the indicator until the property is reset.
            """
        ),
        Rule(
            .plat03, of: "iOS 17+, watchOS 10+", [.documented, .staff], sources: "W23-LIVE D-BAS",
            """
            A background activity session or a Live Activity that the app began on screen extends use into the \
            background while the app holds it, if the app declares the background mode.
            """
        ),
        Rule(
            .plat04, of: "iOS, iPadOS", [.documented], sources: "seed-004 H16",
            """
            Without an active location service, the system suspends an app in the background like any other, \
            whatever its grant.
            """
        ),
        Rule(
            .plat05, of: "macOS", [.documented], sources: "seed-004 D-CHOOSE D-BG",
            """
            A Mac app is in use as long as it runs, so both levels have the same effect and no background mode is \
            needed.
            """
        ),
        Rule(
            .plat06, of: "macOS", [.documented, .staff], sources: "D-CHOOSE W19 H16",
            "On the Mac the first start of any service shows a prompt, which the user can only allow or refuse."),
        Rule(
            .plat07, of: "macOS", [.documented], sources: "H16",
            "A Mac has no While Using status and reports every allowed app as always authorized."),
        Rule(
            .plat08, of: "Mac Catalyst, iPad app on Mac", [.documented, .staff], sources: "seed-004 D-CHOOSE W19",
            """
            On a Mac the apps of iPhone and iPad make the same requests as on those devices, though both levels have \
            the same effect.
            """
        ),
        Rule(
            .plat09, of: "watchOS", [.documented, .staff], sources: "seed-004 D-CHOOSE W19",
            """
            A watch app is in use on screen, behind its indicator, or as a complication of the watch face that is \
            shown.
            """
        ),
        Rule(
            .plat10, of: "watchOS", [.documented, .staff], sources: "seed-004 W19",
            "A complication may get locations but never prompts, so the user has to open the watch app once."),
        Rule(
            .plat11, of: "watchOS", [.documented, .staff], sources: "H16 W15",
            "The watch has none of the location manager's monitoring services, nor beacon ranging."),
        Rule(
            .plat12, of: "watchOS", [.documented, .staff], partly: [.disputed], sources: "seed-004 D-CHOOSE F-775888",
            "The system does not launch a watch app for a location, whatever its grant."),
        Rule(
            .plat13, of: "tvOS", [.documented, .staff], sources: "seed-004 W19 H16 W23-LIVE",
            """
            Apple TV grants at most While Using, and of the location manager's services it has only the single \
            request.
            """
        ),
        Rule(
            .plat14, of: "visionOS", [.documented], sources: "seed-004 D-BG",
            """
            On Vision Pro an app is in use while the user looks at it and shortly after, and gets nothing in the \
            background.
            """
        ),
        Rule(
            .plat15, of: "visionOS", [.documented], sources: "seed-004 D-ALWAYS",
            """
            Vision Pro has no Always level, and treats a compatible app's request for it as a request for While \
            Using.
            """
        ),
        Rule(
            .plat16, of: "visionOS, compatible apps", [.documented], sources: "D-SLC D-VISITS D-REGION D-CLM",
            "For compatible apps on Vision Pro the monitoring services and the heading can be started but do nothing."),
        Rule(
            .plat17, of: "Being in use is not enough to prompt", [.documented, .staff], sources: "W19 D-WIU",
            "Only an app on screen can show an authorization prompt; other ways of being in use are not enough."),
        Rule(
            .plat18, of: "all except tvOS/visionOS", [.documented], sources: "seed-004",
            """
            Either level lets an app start every service of the device; they differ only while the app is not in \
            use. Apple TV and Vision Pro have no Always.
            """
        ),
        Rule(
            .plat19, of: "App Clips, iOS 14+", [.staff], sources: "W20",
            "An App Clip cannot hold Always, and its While Using grant ends the next morning."),
        Rule(
            .plat20, of: "Widgets, iOS 14+", [.documented, .staff], sources: "W20 H16 D-WIDGETKEY",
            "A widget cannot ask, uses the grant of its app, and has to declare that it wants locations."),
        Rule(
            .plat21, of: "macOS 14+", [.observed], sources: "I-AIRJACK11 I-TWA22",
            """
            A Mac app that has no manager with a delegate, or whose run loop does not run, is never prompted and \
            stays undetermined.
            """
        ),
        Rule(
            .plat22, [.documented], sources: "D26-SS D26-BAS D26-MON",
            """
            Service sessions and background activity sessions do not exist for native Mac apps; monitors do, from \
            macOS 14.
            """
        ),
        Rule(
            .plat23, of: "watchOS", [.documented], sources: "D-WKSESSION D-WKMODES",
            """
            A workout session that started on screen keeps a watch app with the mode workout-processing running in the \
            background.
            """
        ),
    ]
}
