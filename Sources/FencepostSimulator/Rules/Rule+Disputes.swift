extension Rule {
    /// Questions on which sources disagree, with the best-supported answer.
    static let disputes: [Rule] = [
        Rule(
            .dispute01, [.disputed], sure: "60 % yes",
            """
            Does Background App Refresh prevent the relaunch of terminated apps? From iOS 8 Fencepost assumes that \
            it does not, with a warning.
            """
        ),
        Rule(
            .dispute02, [.disputed], sure: "95 %",
            "Does a force quit prevent relaunch? Not for the classic monitoring services."),
        Rule(
            .dispute03, [.disputed], sure: "95 % / 75 %",
            """
            Can an app with While Using be relaunched? Not by the classic services, but by live updates with a \
            background activity session.
            """
        ),
        Rule(
            .dispute04, [.disputed], sure: "80 % survive",
            "Do regions survive a reboot? Their registrations do, their states do not."),
        Rule(
            .dispute05, [.disputed], sure: "95 %",
            "Is a radius above the maximum reduced? No, the region fails."),
        Rule(
            .dispute06, [.disputed], sure: "99 %",
            "Which Always string do iOS 11 and later read? The combined one, in addition to the While Using string."),
        Rule(
            .dispute07, [.disputed], sure: "80 %",
            "Do the classic services need a service session from iOS 18? No."),
        Rule(
            .dispute08, [.disputed], sure: "65 %",
            "Do the newer interfaces relaunch a watch app? By default they do not."),
        Rule(
            .dispute09, [.disputed], sure: "70 %",
            "What does an app report that never asked, while Location Services are off? Denied."),
        Rule(
            .dispute10, [.disputed], sure: "rule 95 %, number unknown",
            "When does Allow Once end? When use ends, after an unknown number of seconds."),
        Rule(
            .dispute11, [.disputed], sure: "65 %",
            "Does a monitor emit the current state again at launch? No."),
        Rule(
            .dispute12, [.disputed], sure: "80 %",
            "How long may a relaunched app run? About ten seconds; up to thirty were measured."),
        Rule(
            .dispute13, [.disputed], sure: "60 %",
            """
            Do the newer interfaces recover from a force quit on iOS? Monitors are assumed to, live updates \
            probably.
            """
        ),
        Rule(
            .dispute14, [.disputed], sure: "80 % no",
            """
            Does Mac Catalyst relaunch for visits and significant changes? Fencepost assumes that it follows the \
            rule of the Mac.
            """
        ),
    ]
}
