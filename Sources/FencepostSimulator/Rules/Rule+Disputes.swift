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
            .dispute07, [.disputed], sure: "80 %, from iOS 26 90 %",
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
            .dispute11, [.disputed], sure: "50 % no",
            "Does a monitor emit the current state again at launch? No."),
        Rule(
            .dispute12, [.disputed], sure: "80 %",
            "How long may a relaunched app run? About ten seconds; up to thirty were measured."),
        Rule(
            .dispute13, [.disputed], sure: "55 %",
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
        Rule(
            .dispute15, [.disputed], sure: "region 88 %, significant change 85 %, visits 80 %", sources: "RELAUNCH-29",
            "Does a force quit prevent relaunch by the classic services on iOS 26 and 27? No, by most reports."),
        Rule(
            .dispute16, [.disputed], sure: "65 % yes", sources: "RELAUNCH-30",
            "Does a monitor with a session for Always relaunch after a force quit on iOS 26 and 27? Yes."),
        Rule(
            .dispute17, [.disputed], sure: "65 % yes, less reliable", sources: "I-CIO1281 W23-MON",
            """
            Does a monitor relaunch as reliably as regions after a termination by the system? Documented yes; one \
            vendor's field data says no.
            """
        ),
        Rule(
            .dispute18, [.disputed], sure: "65 % ignored", sources: "MON-04 MON-11",
            "Does a condition replace one with the same identifier? On iOS 17 yes, later the new one is ignored."),
        Rule(
            .dispute19, [.disputed], sure: "60 %", sources: "MON-22",
            "May a monitor be opened before protected data is available? Yes, at once."),
        Rule(
            .dispute20, [.disputed], sure: "70 % not", sources: "PLIST-19",
            "Does a Mac app need the general text in addition to the While Using text? Not for the prompt on macOS 27."),
        Rule(
            .dispute21, [.disputed], sure: "60 % yes", sources: "LIVE-04",
            "Does dropping the last reference end a background activity session? Yes by a talk, no by a report."),
        Rule(
            .dispute22, [.disputed], sure: "60 %", sources: "RELAUNCH-36",
            "Do a monitor's conditions work after a reboot? They are listed; crossed ones are dead until added again."),
        Rule(
            .dispute23, [.disputed], sure: "85 %", sources: "RELAUNCH-31",
            "Does a scene-based app get the location launch key? No."),
        Rule(
            .dispute24, [.disputed], sure: "70 %", sources: "AUTH-22",
            "Does Ask Next Time renew the one request for Always? Yes."),
        Rule(
            .dispute25, [.disputed], sure: "70 % also without", sources: "SVC-24",
            """
            Is an app with a distance filter suspended from iOS 16.4 also when significant changes do not run? \
            Probably; every report runs both.
            """
        ),
    ]
}
