extension Rule {
    /// Full and reduced accuracy.
    static let accuracy: [Rule] = [
        Rule(
            .acc01, of: "iOS 14+, watchOS 7+, macOS 11+, tvOS 14+", [.staff], sources: "W20",
            "Full or reduced accuracy is a permission in addition to the level. Only the user changes it."),
        Rule(
            .acc02, of: "iOS 14+, watchOS 7+, macOS 11+, tvOS 14+", [.documented, .staff], sources: "W20 seed-002",
            "The first prompt and Settings have a switch for precise locations."),
        Rule(
            .acc03, of: "iOS 14+, watchOS 7+, macOS 11+, tvOS 14+", [.documented], sources: "seed-002 W20 D-REDUCEDKEY",
            """
            An app that declares reduced accuracy as its default asks for an approximate location and starts with \
            precise off.
            """
        ),
        Rule(
            .acc04, of: "iOS 14+, watchOS 7+, macOS 11+, tvOS 14+", [.documented, .staff], sources: "W20 H16",
            "A reduced location is the centre of an area of some kilometres, updated about four times an hour."),
        Rule(
            .acc05, of: "iOS 14+, watchOS 7+, macOS 11+, tvOS 14+", [.documented], sources: "D-CLM",
            "With reduced accuracy the desired accuracy is ignored."),
        Rule(
            .acc06, of: "iOS 14+, watchOS 7+, macOS 11+, tvOS 14+", [.documented, .staff], sources: "W20 H16",
            "Regions, beacons and ranging deliver nothing with reduced accuracy; the registrations stay."),
        Rule(
            .acc07, of: "iOS 14+, watchOS 7+, macOS 11+, tvOS 14+", [.documented, .staff], sources: "W20 D-VISITS",
            "Visits continue with reduced accuracy, with exact times and a coarse place."),
        Rule(
            .acc08, of: "iOS 14+, watchOS 7+, macOS 11+, tvOS 14+", [.staff], sources: "W20",
            "Significant changes continue with reduced accuracy, less often, and not within the same coarse area."),
        Rule(
            .acc09, of: "iOS 14+, watchOS 7+, macOS 11+, tvOS 14+", [.documented, .staff], sources: "W24 D-MONEVENT",
            "From iOS 18 conditions and live updates flag that the accuracy limits them."),
        Rule(
            .acc10, of: "iOS 14+, watchOS 7+, macOS 11+, tvOS 14+", [.documented], sources: "H16",
            "Full accuracy has no meaning while no level is granted."),
        Rule(
            .acc11, of: "iOS 14+, watchOS 7+, macOS 11+, tvOS 14+", [.documented], sources: "seed-002 H16 W20",
            """
            The prompt for temporary full accuracy shows the string of its purpose key, and only the one dictionary \
            is searched.
            """
        ),
        Rule(
            .acc12, of: "iOS 14+, watchOS 7+, macOS 11+, tvOS 14+", [.documented], sources: "D-TEMPFULL H16 seed-002",
            """
            The request for temporary full accuracy is declined without a prompt if its key is missing, if accuracy \
            is already full, or if the app is not in the foreground.
            """
        ),
        Rule(
            .acc13, of: "iOS 14+, watchOS 7+, macOS 11+, tvOS 14+", [.documented], sources: "D-TEMPFULL H16",
            "If the prompt was shown the request completes without an error, whatever the answer."),
        Rule(
            .acc14, of: "iOS 14+, watchOS 7+, macOS 11+, tvOS 14+", [.documented, .staff],
            sources: "H16 W20 D-TEMPFULL",
            "Temporary full accuracy ends like Allow Once."),
        Rule(
            .acc15, of: "iOS 14+, watchOS 7+, macOS 11+, tvOS 14+", [.staff], sources: "W20",
            "Only Settings can grant full accuracy permanently."),
        Rule(
            .acc16, of: "iOS 14+, watchOS 7+, macOS 11+, tvOS 14+", [.inferred],
            "Without a granted level the request for temporary accuracy is expected to be declined."),
        Rule(
            .acc17, of: "iOS 14+, watchOS 7+, macOS 11+, tvOS 14+", [.documented], sources: "W20 D-REDUCEDKEY",
            "Asking for the reduced constant makes updates coarse without changing the permission."),
        Rule(
            .acc18, of: "iOS 26.3+", [.documented], sources: "P-LPL",
            """
            Limit Precise Location restricts what the mobile network learns; the accuracy that apps get stays the \
            same.
            """
        ),
    ]
}
