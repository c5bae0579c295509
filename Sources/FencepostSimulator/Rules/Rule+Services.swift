extension Rule {
    /// What each service needs and when it delivers.
    static let services: [Rule] = [
        Rule(
            .svc01, of: "iOS, iPadOS", [.documented], sources: "seed-004 D-START D-WIU",
            """
            Plain updates reach an app in use; out of use only always gets them while it runs, and a suspended app \
            later.
            """
        ),
        Rule(
            .svc02, of: "iOS, iPadOS", [.documented], sources: "seed-004 H16 D-ALLOWBG",
            """
            Updates begun on screen with the background mode and the manager's permission go on in the background \
            and keep the app from being suspended.
            """
        ),
        Rule(
            .svc03, of: "iOS, iPadOS", [.documented], sources: "D-REQLOC",
            "A single request gives one result and otherwise follows the rules of plain updates."),
        Rule(
            .svc04, of: "iOS, iPadOS", [.documented, .staff], sources: "seed-004 W19 D-SLC",
            """
            Significant changes reach an app in use with any level from iOS 13 on, and wake or relaunch one with \
            always.
            """
        ),
        Rule(
            .svc05, of: "iOS, iPadOS", [.documented, .staff], sources: "seed-004 W19 D-VISITS",
            "Visits reach an app in use with any level from iOS 13 on, and wake or relaunch one with always."),
        Rule(
            .svc06, of: "iOS, iPadOS", [.documented, .staff], sources: "seed-004 W19 W20 D-GEO",
            """
            Circular regions need full accuracy, reach an app in use with any level from iOS 13 on, and wake or \
            relaunch one with always.
            """
        ),
        Rule(
            .svc07, of: "iOS, iPadOS", [.documented, .staff], sources: "W19 W20 H-BEACON",
            "Beacon regions behave as circular ones."),
        Rule(
            .svc08, of: "iOS, iPadOS", [.documented], sources: "D-CLM-OLD W20",
            """
            Beacon ranging needs full accuracy and use, and in the background running updates or a fresh wake-up by \
            a region.
            """
        ),
        Rule(
            .svc09, of: "iOS, iPadOS", [.documented], sources: "D-HEADING",
            "The magnetic heading needs no level and comes while the app runs."),
        Rule(
            .svc10, of: "iOS, iPadOS", [.documented, .staff], sources: "W23-MON D-GEO W24",
            "Circular conditions of a monitor need what regions need, and from iOS 18 a service session out of use."),
        Rule(
            .svc11, of: "iOS, iPadOS", [.staff], sources: "W23-MON",
            "Beacon conditions of a monitor behave as circular ones."),
        Rule(
            .svc12, of: "iOS, iPadOS", [.staff], sources: "W23-LIVE W24",
            """
            Live updates come while the app is in use or always is in effect, and continue a session that a \
            termination cut off.
            """
        ),
        Rule(
            .svc13, of: "iOS, iPadOS", [.documented], sources: "seed-004 D-LPSE H16",
            """
            A location push needs always, its entitlement and its extension, and runs the extension rather than the \
            app.
            """
        ),
        Rule(
            .svc14, of: "iOS, iPadOS", [.documented, .staff], sources: "H9 H12 W19",
            """
            Up to iOS 12 monitoring is not enabled with while-using; from iOS 13 it can be started and stays silent \
            out of use.
            """
        ),
        Rule(
            .svc15, of: "iOS, iPadOS", [.documented], sources: "D-BG D-START D-CHOOSE",
            """
            A suspended app gets nothing until it runs; what cannot wake it is queued, unless its level suspends the \
            request itself.
            """
        ),
        Rule(
            .svc16, of: "iOS, iPadOS", [.documented], sources: "H16 D-ALLOWBG",
            "Allowing background updates without declaring the background mode crashes the app."),
        Rule(
            .svc17, of: "iOS, iPadOS", [.documented], sources: "H16",
            """
            Without the permission for background updates an always app gets updates while it runs, but nothing \
            keeps it running.
            """
        ),
        Rule(
            .svc18, of: "iOS, iPadOS", [.observed, .inferred], sources: "I-IB326 H16",
            "Monitoring with always does without the background mode."),
        Rule(
            .svc19, of: "iOS, iPadOS", [.staff], sources: "W14",
            "A force quit ends continuous background updates at once."),
        Rule(
            .svc20, of: "iOS, iPadOS", [.documented, .staff], sources: "W19 D-CHOOSE W16",
            """
            A local notification at a region needs only while-using; the system shows it, and the app learns nothing \
            unless it is opened.
            """
        ),
        Rule(
            .svc21, of: "iOS, iPadOS", [.documented], sources: "D-UILN",
            "Regions of local notifications count towards the limit of regions."),
    ]
}
