extension Rule {
    /// Keys of the Info.plist, and entitlements.
    static let propertyList: [Rule] = [
        Rule(
            .plist01, of: "iOS 8+", [.documented], sources: "seed-002 seed-004 H9 H16",
            "The While Using request needs only the While Using string."),
        Rule(
            .plist02, of: "iOS 8 to 10", [.documented], sources: "H9 seed-002",
            "Up to iOS 10 the Always request needs the old Always string."),
        Rule(
            .plist03, of: "iOS 11+", [.documented], sources: "seed-002 seed-004 H12 H16 W17",
            "From iOS 11 the Always request needs both the combined string and the While Using string."),
        Rule(
            .plist04, of: "iOS 11+", [.documented, .staff], sources: "seed-002 W17",
            "From iOS 11 the system no longer reads the old Always string."),
        Rule(
            .plist05, of: "iOS 8 to 10 and 11+ together", [.documented], sources: "seed-002 W17 D-ALWAYSKEY",
            "To run before and after iOS 11 an app declares the old and the combined string with the same text."),
        Rule(
            .plist06, of: "iOS 8+", [.documented], sources: "seed-002 D-USAGEKEY",
            "The general usage string has satisfied no request on iOS since version 8."),
        Rule(
            .plist07, of: "macOS", [.documented], sources: "seed-004 D-USAGEKEY",
            "A Mac app needs the general usage string."),
        Rule(
            .plist08, [.documented], sources: "seed-004",
            "The strings have to be in place before the call."),
        Rule(
            .plist09, [.documented], sources: "seed-002 W17 D-ALWAYS",
            "Which prompt shows which string follows from the release and the level."),
        Rule(
            .plist10, of: "iOS 14+", [.documented], sources: "seed-002 D-REDUCEDKEY",
            "One key makes reduced accuracy the default from iOS 14."),
        Rule(
            .plist11, of: "iOS 14+", [.documented], sources: "seed-002 D-TEMPKEY",
            "One dictionary holds the messages for temporary full accuracy by purpose key."),
        Rule(
            .plist12, of: "iOS 9+", [.documented, .staff], sources: "H16 W23-LIVE",
            "The background modes have to name location for background updates and for a background activity session."),
        Rule(
            .plist13, of: "iOS 18+", [.staff], sources: "W24 D-BG D-SUSPEND",
            "From iOS 18 one key turns implicit service sessions off. Sources spell its name in two ways."),
        Rule(
            .plist14, of: "iOS 15+", [.documented], sources: "H-LPSERR D-LPSENT",
            "Location pushes need their entitlement. Each missing part has its own error."),
        Rule(
            .plist15, of: "macOS sandbox / hardened runtime", [.documented], sources: "D-MACENT",
            "A sandboxed or hardened Mac app needs the entitlement for location."),
        Rule(
            .plist16, of: "iOS 14+", [.documented], sources: "W20 D-WIDGETKEY",
            "A widget extension has to declare that it wants locations."),
        Rule(
            .plist17, [.disputed], sources: "D-ALWAYS H16 seed-004",
            """
            One reference page still names the old Always string. The header and the article do not, and Fencepost \
            follows them.
            """
        ),
        Rule(
            .plist18, [.disputed], sources: "seed-002 H9",
            "The While Using string exists since iOS 8, although one text says otherwise."),
        Rule(
            .plist19, of: "macOS 27+", [.disputed], sure: "70 %", sources: "I-STATUSTRIO55",
            """
            On macOS 27 the While Using text is enough for the prompt; the documentation still asks for the general \
            text.
            """
        ),
        Rule(
            .plist20, of: "iOS 13+", [.inferred], sources: "RELAUNCH-31 RELAUNCH-32",
            "The scene manifest and the SDK name of a built Info.plist decide what a location launch looks like."),
    ]
}
