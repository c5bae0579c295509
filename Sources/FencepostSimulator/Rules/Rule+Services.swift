extension Rule {
    /// What each service needs and when it delivers.
    static let services: [Rule] = [
        Rule(
            .svc01, of: "iOS, iPadOS", [.documented], sources: "seed-004 D-START D-WIU",
            """
            Plain updates reach an app in use. An app that is not in use gets them only with Always while it runs; a \
            suspended app gets them later.
            """
        ),
        Rule(
            .svc02, of: "iOS, iPadOS", [.documented], sources: "seed-004 H16 D-ALLOWBG",
            """
            Updates that the app started on screen, with the background mode and the manager's permission, continue \
            in the background and keep the app from being suspended.
            """
        ),
        Rule(
            .svc03, of: "iOS, iPadOS", [.documented], sources: "D-REQLOC",
            "A single request gives one result and otherwise follows the rules of plain updates."),
        Rule(
            .svc04, of: "iOS, iPadOS", [.documented, .staff], sources: "seed-004 W19 D-SLC",
            """
            Significant changes reach an app in use with any level from iOS 13, and wake or relaunch an app with \
            Always.
            """
        ),
        Rule(
            .svc05, of: "iOS, iPadOS", [.documented, .staff], sources: "seed-004 W19 D-VISITS",
            "Visits reach an app in use with any level from iOS 13, and wake or relaunch an app with Always."),
        Rule(
            .svc06, of: "iOS, iPadOS", [.documented, .staff], sources: "seed-004 W19 W20 D-GEO",
            """
            Circular regions need full accuracy, reach an app in use with any level from iOS 13, and wake or \
            relaunch an app with Always.
            """
        ),
        Rule(
            .svc07, of: "iOS, iPadOS", [.documented, .staff], sources: "W19 W20 H-BEACON",
            "Beacon regions behave like circular regions."),
        Rule(
            .svc08, of: "iOS, iPadOS", [.documented], sources: "D-CLM-OLD W20",
            """
            Beacon ranging needs full accuracy and use, and in the background running updates or a fresh wake-up by \
            a region.
            """
        ),
        Rule(
            .svc09, of: "iOS, iPadOS", [.documented], sources: "D-HEADING",
            "The magnetic heading needs no permission and is delivered while the app runs."),
        Rule(
            .svc10, of: "iOS, iPadOS", [.documented, .staff], sources: "W23-MON D-GEO W24",
            """
            Circular conditions of a monitor need what regions need, and from iOS 18 a service session while the app \
            is not in use.
            """
        ),
        Rule(
            .svc11, of: "iOS, iPadOS", [.staff], sources: "W23-MON",
            "Beacon conditions of a monitor behave like circular ones."),
        Rule(
            .svc12, of: "iOS, iPadOS", [.staff], sources: "W23-LIVE W24",
            """
            Live updates are delivered while the app is in use or Always applies, and continue a session that a \
            termination interrupted.
            """
        ),
        Rule(
            .svc13, of: "iOS, iPadOS", [.documented], sources: "seed-004 D-LPSE H16",
            "A location push needs Always, its entitlement and its extension. It runs the extension, not the app."),
        Rule(
            .svc14, of: "iOS, iPadOS", [.documented, .staff], sources: "H9 H12 W19",
            """
            Up to iOS 12 While Using does not enable monitoring. From iOS 13 it can be started and delivers nothing \
            while the app is not in use.
            """
        ),
        Rule(
            .svc15, of: "iOS, iPadOS", [.documented], sources: "D-BG D-START D-CHOOSE",
            """
            A suspended app gets nothing until it runs. Events that cannot wake it are queued, unless its level \
            suspends the request itself.
            """
        ),
        Rule(
            .svc16, of: "iOS, iPadOS", [.documented], sources: "H16 D-ALLOWBG",
            "Allowing background updates without declaring the background mode crashes the app."),
        Rule(
            .svc17, of: "iOS, iPadOS", [.documented], sources: "H16",
            """
            Without the permission for background updates an app with Always gets updates while it runs, but they do \
            not keep it running.
            """
        ),
        Rule(
            .svc18, of: "iOS, iPadOS", [.observed, .inferred], sources: "I-IB326 H16",
            "Monitoring with Always needs no background mode."),
        Rule(
            .svc19, of: "iOS, iPadOS", [.staff], sources: "W14",
            "A force quit ends continuous background updates at once."),
        Rule(
            .svc20, of: "iOS, iPadOS", [.documented, .staff], sources: "W19 D-CHOOSE W16",
            """
            A local notification at a region needs only While Using. The system shows it, and the app gets nothing \
            unless the user opens it.
            """
        ),
        Rule(
            .svc21, of: "iOS, iPadOS", [.documented], sources: "D-UILN",
            "Regions of local notifications count towards the limit of regions."),
        Rule(
            .svc22, of: "iOS 26+", [.observed], sources: "I-EXPO39419 I-EXPO50194",
            """
            App Review rejects the background mode location for an app that only monitors regions, while some SDKs \
            refuse to work without it.
            """
        ),
        Rule(
            .svc23, of: "SDK 26, SDK 27", [.documented], sources: "D26-START D26-CIRC D26-KEY I-MACIOS26120 D26-DIFF",
            """
            SDK 26 deprecates CLGeocoder and the location launch key, SDK 27 the registration of regions; \
            significant change, visits and standard updates are not deprecated.
            """
        ),
        Rule(
            .svc24, of: "iOS 16.4+", [.staff, .observed], sure: "90 %",
            sources: "F-726945 I-2494 I-CBG1396 I-OVL122 I-OVL138 I-CBG1402 I-2015",
            """
            An app with Always is suspended in the background in spite of its updates, unless the indicator shows, or \
            no distance filter is set and the desired accuracy is a hundred metres or better.
            """
        ),
        Rule(
            .svc25, of: "iOS, iPadOS", [.disputed], sure: "88 %",
            sources: "D-AUTHALWAYS D-ALLOWBG I-2661 I-F1347 I-CBG583 I-RADAR82 I-CARP680 I-2497 I-OT807 I-OBC126",
            """
            An app with Always may start updates in the background, for example after a launch by a region, and they \
            keep it running; the documentation promises that only for updates that started on screen.
            """
        ),
        Rule(
            .svc26, of: "iOS 6+", [.documented], sources: "D-PAUSED D-RESUMED I-OM9171 I-MBG56",
            """
            Unless the app turns it off, Core Location pauses standard updates when the device is unlikely to move, and \
            does not resume them: the app has to start them again.
            """
        ),
        Rule(
            .svc27, of: "iOS 6+", [.documented], sources: "D-RESUMED",
            "A pause in the background ends the updates of an app with While Using until its next launch."),
        Rule(
            .svc28, [.observed, .inferred], sure: "75 %", sources: "MS-SLC SVC-04",
            """
            Significant changes come mainly from changes of the cell tower, so with the cellular radio off the device \
            reports none.
            """
        ),
        Rule(
            .svc29, [.documented], sources: "H-ERR",
            "With Bluetooth off, as in most airplane modes, no beacon is detected and ranging is unavailable."),
    ]
}
