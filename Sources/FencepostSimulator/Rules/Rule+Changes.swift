extension Rule {
    /// Changes from outside the app.
    static let settings: [Rule] = [
        Rule(
            .set01, [.documented, .observed], sources: "seed-004 D-DIDCHANGE I-1168",
            "Settings can change the app to any level at any time, including undetermined."),
        Rule(
            .set02, [.documented], sources: "D-LSE H16",
            "With Location Services off every app reports denied; switching them on restores the stored grants."),
        Rule(
            .set03, [.documented], sources: "seed-004",
            "Every manager of a running app is notified of a change."),
        Rule(
            .set04, of: "iOS 11+", [.documented, .observed], sources: "seed-004 I-494",
            """
            A suspended app is not woken for a change and is notified when it runs again. Before iOS 11 it was \
            woken.
            """
        ),
        Rule(
            .set05, [.documented], sources: "seed-004 D-DIDCHANGE",
            "A terminated app learns its status from the first callback of the first manager that it makes."),
        Rule(
            .set06, [.documented], sources: "D-DIDCHANGE",
            "Reset Location & Privacy makes every app undetermined."),
        Rule(
            .set07, [.observed], sources: "I-HARNESS I-HA5253",
            "Deleting the app removes its grant, its used request and its regions."),
        Rule(
            .set08, of: "iOS 8+", [.staff], sources: "W14 I-HA5118",
            """
            An update of the app keeps the grant if its purpose string is still declared, and otherwise falls to the \
            next level whose string is.
            """
        ),
        Rule(
            .set09, of: "iOS 8+", [.documented, .staff, .observed],
            sources: "W14 D-DIDCHANGE I-462 B-ZENDRIVE I-HA3390",
            """
            Some days after Always, if location was used in the background, the system asks whether to keep it, and \
            from iOS 13 shows where it was used.
            """
        ),
        Rule(
            .set10, of: "iOS 11+", [.staff], sources: "W17",
            "From iOS 11 the user may give While Using to any app that asked for Always."),
        Rule(
            .set11, [.observed], sure: "90 % it stays", sources: "I-HA3822 I-HA3390",
            """
            An update of the system restarts the device and keeps the grants; after iOS 26.0 one app stood at Ask Next \
            Time, and one lost Always on iOS 18.2.
            """
        ),
        Rule(
            .set12, [.inferred], sure: "75 %", sources: "LOG-1 I-HA5253",
            """
            A backup that is restored on another device brings the app and its grant, but no registration with Core \
            Location: the app has never run there.
            """
        ),
        Rule(
            .set13, [.inferred], sure: "75 %", sources: "SET-07 RELAUNCH-07",
            """
            An offloaded app cannot be launched. Its data and its grant stay, and a new installation has to register \
            its services again.
            """
        ),
        Rule(
            .set14, [.documented, .inferred], sources: "H16 AUTH-04",
            """
            Screen Time and device management can forbid location, which the API reports as restricted, and can lock \
            the row in Settings; when the restriction ends, the old grant is back.
            """
        ),
    ]

    /// Which delegate methods Core Location calls, and when.
    static let callbacks: [Rule] = [
        Rule(
            .cb01, [.documented], sources: "seed-004 D-DIDCHANGE",
            """
            The delegate of a new manager is called once with the current status, also after a launch in the \
            background.
            """
        ),
        Rule(
            .cb02, of: "iOS 14+, macOS 11+, watchOS 7+, tvOS 14+", [.documented], sources: "W20 H16",
            """
            From iOS 14 one delegate method reports changes of authorization and of accuracy; earlier systems call \
            another method.
            """
        ),
        Rule(
            .cb03, [.documented], sources: "D-DIDCHANGE D-ALWAYS",
            "A change causes a callback only if the reported status or the accuracy differs from before."),
        Rule(
            .cb04, [.documented], sources: "seed-004",
            "A manager may also call back without a change, for example when the app resumes."),
        Rule(
            .cb05, [.observed], sources: "seed-000",
            "An app should check the complete state on each callback, since it cannot know what the user did."),
        Rule(
            .cb06, [.documented], sources: "D-CLM",
            "Callbacks come on the run loop of the thread that made the manager."),
        Rule(
            .cb07, [.documented], sources: "H16 H-VISIT",
            "Region and visit events reach the delegates of all managers."),
        Rule(
            .cb08, [.documented], sources: "D-FAIL H-ERR",
            "Updates that the app starts while denied fail with the error for denied."),
        Rule(
            .cb09, of: "iOS 8+", [.inferred], sources: "W14 D-CHOOSE",
            """
            Updates that the app starts while undetermined neither prompt on iOS nor deliver. They begin when the \
            user allows them.
            """
        ),
        Rule(
            .cb10, of: "iOS 9+", [.documented], sources: "D-REQLOC H16",
            "A single request ends after one location or one error, and continuous updates cancel it."),
        Rule(
            .cb11, of: "iOS 26+", [.observed], sources: "I-HA5451 I-HA5453",
            """
            Reading the status, the accuracy, the last location or the monitored regions is a synchronous call that \
            can block the main thread for seconds.
            """
        ),
    ]
}
