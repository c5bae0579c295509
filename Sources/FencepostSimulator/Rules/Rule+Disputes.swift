extension Rule {
    /// Where sources disagree, and the answer that is best supported.
    static let disputes: [Rule] = [
        Rule(
            .dispute01, [.disputed], sure: "60 % yes",
            """
            Does Background App Refresh keep terminated apps from being relaunched? From iOS 8 on it is taken not \
            to, with a warning.
            """
        ),
        Rule(
            .dispute02, [.disputed], sure: "95 %",
            "Does a force quit prevent relaunch? Not for the classic monitoring services."),
        Rule(
            .dispute03, [.disputed], sure: "95 % / 75 %",
            """
            Can a while-using app be relaunched? Not by the classic services, but by live updates with a background \
            activity session.
            """
        ),
        Rule(
            .dispute04, [.disputed], sure: "80 % survive",
            "Do regions survive a reboot? Their registrations do, their states do not."),
        Rule(
            .dispute05, [.disputed], sure: "95 %",
            "Is a radius beyond the maximum cut down? No, the region fails."),
        Rule(
            .dispute06, [.disputed], sure: "99 %",
            "Which always string do iOS 11 and later read? The combined one, beside the while-using string."),
        Rule(
            .dispute07, [.disputed], sure: "80 %",
            "Do the classic services need a service session from iOS 18 on? No."),
        Rule(
            .dispute08, [.disputed], sure: "65 %",
            "Do the newer interfaces relaunch a watch app? By default they do not."),
        Rule(
            .dispute09, [.disputed], sure: "70 %",
            "What does an app report that was never asked, with Location Services off? Denied."),
        Rule(
            .dispute10, [.disputed], sure: "rule 95 %, number unknown",
            "When does a grant for once end? With use, after an unknown number of seconds."),
        Rule(
            .dispute11, [.disputed], sure: "65 %",
            "Does a monitor tell the present state again at launch? No."),
        Rule(
            .dispute12, [.disputed], sure: "80 %",
            "How long may a relaunched app run? About ten seconds, up to thirty were measured."),
        Rule(
            .dispute13, [.disputed], sure: "60 %",
            "Do the newer interfaces recover from a force quit on iOS? Monitors are taken to, live updates probably."),
        Rule(
            .dispute14, [.disputed], sure: "80 % no",
            "Does Mac Catalyst relaunch for visits and significant changes? It is taken to follow the Mac."),
    ]
}
