extension Rule {
    /// Changes from outside the app.
    static let settings: [Rule] = [
        Rule(
            .set01, [.documented, .observed], sources: "seed-004 D-DIDCHANGE I-1168",
            "Settings can move the app to any level at any time, back to undetermined included."),
        Rule(
            .set02, [.documented], sources: "D-LSE H16",
            """
            Switching Location Services off reports every app denied, and switching them on brings the stored grants \
            back.
            """
        ),
        Rule(
            .set03, [.documented], sources: "seed-004",
            "Every manager of a running app is told of a change."),
        Rule(
            .set04, of: "iOS 11+", [.documented, .observed], sources: "seed-004 I-494",
            """
            A suspended app is not woken for a change and hears of it when it runs again; before iOS 11 it was \
            woken.
            """),
        Rule(
            .set05, [.documented], sources: "seed-004 D-DIDCHANGE",
            "A terminated app learns its status from the first callback of the first manager that it makes."),
        Rule(
            .set06, [.documented], sources: "D-DIDCHANGE",
            "Reset Location & Privacy makes every app undetermined."),
        Rule(
            .set07, [.observed], sources: "I-HARNESS",
            "Deleting the app forgets its grant, its used-up request and its regions."),
        Rule(
            .set08, of: "iOS 8+", [.staff], sources: "W14",
            """
            An update keeps the grant whose purpose string it still declares, and falls to the next level whose \
            string is left.
            """
        ),
        Rule(
            .set09, of: "iOS 8+", [.documented, .staff, .observed], sources: "W14 D-DIDCHANGE I-462 B-ZENDRIVE",
            """
            Some days into always, if location was used in the background, the system asks whether it should stay \
            so, and from iOS 13 shows where it was used.
            """
        ),
        Rule(
            .set10, of: "iOS 11+", [.staff], sources: "W17",
            "From iOS 11 the user may give while-using to any app that asked for always."),
    ]

    /// What the delegate is told, and when.
    static let callbacks: [Rule] = [
        Rule(
            .cb01, [.documented], sources: "seed-004 D-DIDCHANGE",
            "A new manager with a delegate calls back once with the current status, also in a launch in the background."
        ),
        Rule(
            .cb02, of: "iOS 14+, macOS 11+, watchOS 7+, tvOS 14+", [.documented], sources: "W20 H16",
            """
            From iOS 14 one delegate method tells changes of authorization and of accuracy; earlier ones are told by \
            another.
            """
        ),
        Rule(
            .cb03, [.documented], sources: "D-DIDCHANGE D-ALWAYS",
            "A change is told only if the reported status or the accuracy is another than before."),
        Rule(
            .cb04, [.documented], sources: "seed-004",
            "A manager may also call back without news, such as when the app resumes."),
        Rule(
            .cb05, [.observed], sources: "seed-000",
            "An app should look at everything anew on each callback, since it cannot know what the user did."),
        Rule(
            .cb06, [.documented], sources: "D-CLM",
            "Callbacks come on the run loop of the thread that made the manager."),
        Rule(
            .cb07, [.documented], sources: "H16 H-VISIT",
            "Region and visit events reach the delegates of all managers."),
        Rule(
            .cb08, [.documented], sources: "D-FAIL H-ERR",
            "Updates that are started while denied fail with the error for denied."),
        Rule(
            .cb09, of: "iOS 8+", [.inferred], sources: "W14 D-CHOOSE",
            """
            Updates that are started while undetermined neither prompt on iOS nor deliver, and begin once the user \
            has allowed them.
            """
        ),
        Rule(
            .cb10, of: "iOS 9+", [.documented], sources: "D-REQLOC H16",
            "A single request ends after one location or one error, and continuous updates cancel it."),
    ]
}
