extension Rule {
    /// Platforms, and what being in use means on each.
    static let platforms: [Rule] = [
        Rule(
            .plat01, of: "iOS, iPadOS", [.documented, .staff], sources: "seed-004 W19 D-CHOOSE",
            "Being on screen, and a few seconds after leaving it, counts as use."),
        Rule(
            .plat02, of: "iOS, iPadOS", [.documented, .staff], sources: "seed-004 seed-002 W19 D-CHOOSE",
            """
            Location that runs on behind the indicator, begun on screen with the background mode and the manager's \
            permission, extends use into the background until the property is set back.
            """
        ),
        Rule(
            .plat03, of: "iOS 17+, watchOS 10+", [.documented, .staff], sources: "W23-LIVE D-BAS",
            """
            A background activity session or a Live Activity that was begun on screen extends use into the \
            background for as long as the app holds it, provided the background mode is declared.
            """
        ),
        Rule(
            .plat04, of: "iOS, iPadOS", [.documented], sources: "seed-004 H16",
            """
            Without a location service at work, an app in the background is suspended as any other, whatever it was \
            granted.
            """
        ),
        Rule(
            .plat05, of: "macOS", [.documented], sources: "seed-004 D-CHOOSE D-BG",
            """
            A Mac app is in use as long as it runs, so both levels come to the same and no background mode is asked \
            for.
            """
        ),
        Rule(
            .plat06, of: "macOS", [.documented, .staff], sources: "D-CHOOSE W19 H16",
            "On the Mac the first start of any service asks the user by itself, who can only say yes or no."),
        Rule(
            .plat07, of: "macOS", [.documented], sources: "H16",
            "A Mac knows no while-using status and reports every allowed app as always authorized."),
        Rule(
            .plat08, of: "Mac Catalyst, iPad app on Mac", [.documented, .staff], sources: "seed-004 D-CHOOSE W19",
            """
            On a Mac the apps of iPhone and iPad ask for what they would ask for at home, though both levels then do \
            the same.
            """
        ),
        Rule(
            .plat09, of: "watchOS", [.documented, .staff], sources: "seed-004 D-CHOOSE W19",
            "A watch app is in use on screen, behind its indicator, or as a complication of the face that is shown."),
        Rule(
            .plat10, of: "watchOS", [.documented, .staff], sources: "seed-004 W19",
            """
            A complication may be given locations but never asks, so the watch app itself has to have been opened \
            once.
            """
        ),
        Rule(
            .plat11, of: "watchOS", [.documented, .staff], sources: "H16 W15",
            "The watch has none of the location manager's monitoring services, nor beacon ranging."),
        Rule(
            .plat12, of: "watchOS", [.documented, .staff], partly: [.disputed], sources: "seed-004 D-CHOOSE F-775888",
            "A watch app is not launched for a location, whatever it was granted."),
        Rule(
            .plat13, of: "tvOS", [.documented, .staff], sources: "seed-004 W19 H16 W23-LIVE",
            """
            Apple TV grants no more than while-using and, of the location manager's services, has the single request \
            alone.
            """
        ),
        Rule(
            .plat14, of: "visionOS", [.documented], sources: "seed-004 D-BG",
            """
            On Vision Pro an app is in use while it is looked at and shortly after, and gets nothing in the \
            background.
            """
        ),
        Rule(
            .plat15, of: "visionOS", [.documented], sources: "seed-004 D-ALWAYS",
            "Vision Pro has no always level, and takes a compatible app's request for it as one for while-using."),
        Rule(
            .plat16, of: "visionOS, compatible apps", [.documented], sources: "D-SLC D-VISITS D-REGION D-CLM",
            "For compatible apps on Vision Pro the monitoring services and the heading can be started but do nothing."),
        Rule(
            .plat17, of: "Being in use is not enough to prompt", [.documented, .staff], sources: "W19 D-WIU",
            "Only an app on screen can bring up an authorization prompt; other ways of being in use are not enough."),
        Rule(
            .plat18, of: "all except tvOS/visionOS", [.documented], sources: "seed-004",
            """
            Either level lets an app start every service of the device and differs only in what happens out of use; \
            always is missing on Apple TV and Vision Pro.
            """
        ),
        Rule(
            .plat19, of: "App Clips, iOS 14+", [.staff], sources: "W20",
            "An App Clip cannot hold always, and its while-using grant is gone the next morning."),
        Rule(
            .plat20, of: "Widgets, iOS 14+", [.documented, .staff], sources: "W20 H16 D-WIDGETKEY",
            "A widget cannot ask, lives on its app's grant and has to declare that it wants locations."),
    ]
}
