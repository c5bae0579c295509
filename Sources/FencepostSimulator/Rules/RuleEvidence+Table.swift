/// The observations.
extension RuleEvidence {
    /// Launches after a force quit, and how late a launch is.
    static let launches: [RuleEvidence] = [
        RuleEvidence(
            .relaunch29, true, relaunched, on: "system not named, September 2026",
            "significant change, killed in the app switcher",
            "started 13 minutes and 500 metres into a walk, location in the same second",
            source: ("I-NC4305", "2026-09-15")),
        RuleEvidence(
            .relaunch29, true, relaunched, on: "iOS 26.2.1, iPhone 11", "region exit, terminated by the user",
            "callback 30 milliseconds after the start", source: ("I-2661", "2026-09-14")),
        RuleEvidence(
            .relaunch30, false, notRelaunched, on: "system not named", "monitor",
            "the vendor replaces monitors by regions because relaunches fail", source: ("I-CIO1281", "2026-09-14")),
        RuleEvidence(
            .mon06, false, notRelaunched, on: "system not named", "monitor, app terminated",
            "the vendor's field data: less reliable than regions", source: ("I-CIO1281", "2026-09-14")),
        RuleEvidence(
            .relaunch30, true, relaunched, on: "iOS 26.6", "monitor and session for Always, swiped away",
            "a walk: loop attached after 15 milliseconds, event after 1.5 seconds", source: ("I-CIO1158", "2026-07")),
        RuleEvidence(
            .relaunch29, true, relaunched, on: "system not named, shown in Apple's simulator",
            "region, killed by the user",
            "a vendor's statement from twelve years of support", source: ("I-1704", "2026")),
        RuleEvidence(
            .relaunch35, true, relaunched, on: "iOS 18.4, iPhone 13 Pro", "region exit after a termination",
            "31 minutes late, and 2 hours 53 minutes late", source: ("I-2580", "2026-05-12")),
        RuleEvidence(
            .relaunch29, false, notRelaunched, on: "iOS 26.4.2",
            "region and significant change, killed in the app switcher",
            "no launch on a drive of 30 kilometres; the same code was launched on iOS 18",
            source: ("F-826964", "2026-05")),
        RuleEvidence(
            .relaunch29, false, notRelaunched, on: "system not named",
            "plug-in with regions and significant change, killed by the user",
            "open issue without a cause", source: ("I-2548", "2026-04")),
        RuleEvidence(
            .relaunch29, false, notRelaunched, on: "iOS 26.2", "plug-in with regions, force quit",
            "closed without a cause",
            source: ("I-1650", "2026-03-05")),
        RuleEvidence(
            .relaunch29, true, relaunched, on: "iOS 26.1, iPhone 14 Pro", "region, terminated, not said by whom",
            "launched and called back; the plug-in drops the event", source: ("I-1645", "2026-02-26")),
        RuleEvidence(
            .relaunch29, false, notRelaunched, on: "iOS 26.2, iPhone 11", "plug-in, force quit",
            "the same phone was launched on iOS 18", source: ("I-F1665", "2026-04-01")),
        RuleEvidence(
            .relaunch29, true, relaunched, on: "iOS 26.2.1, iPhone 17 Pro Max", "regions, terminated by the user",
            "launched for regions that are not the plug-in's own", source: ("I-2497", "2026-02-14")),
    ]

    /// Whether standard updates keep an app running in the background.
    static let updates: [RuleEvidence] = [
        RuleEvidence(
            .svc24, true, "suspended", on: "iOS 26.2.1, iPhone 15 Pro and 13",
            "standard updates and significant changes, filter of 10 metres",
            "suspended at every halt, gaps of 60 to 144 seconds; none without a filter",
            source: ("I-2494", "2026-02-13")),
        RuleEvidence(
            .svc24, true, "suspended", on: "iOS 17.4.1",
            "standard updates and significant changes, no indicator",
            "tracking stops at random",
            source: ("I-2015", "2024-05-06")),
        RuleEvidence(
            .svc24, true, "suspended", on: "system not named",
            "standard updates and significant changes",
            "the indicator helps even where other settings are not right",
            source: ("I-OVL138", "2023-12-05")),
        RuleEvidence(
            .svc24, true, "suspended", on: "iOS 16.4",
            "filter of 70 metres",
            "nothing in the background since the update",
            source: ("I-CBG1402", "2023-05-17")),
        RuleEvidence(
            .svc24, true, "suspended", on: "iOS 16.4",
            "no indicator",
            "only without the indicator, so the vendor changed its default",
            source: ("I-CBG1396", "2023-05-04")),
        RuleEvidence(
            .svc24, true, "suspended", on: "iOS 16.4.1",
            "Always, standard updates and significant changes",
            "no points in the background; turning significant changes off brings them back",
            source: ("I-OVL122", "2023-04-18")),
        RuleEvidence(
            .svc24, true, "suspended", on: "iOS 16.4",
            "Always, standard updates and significant changes",
            "an engineer names the filter and the accuracy that prevent it",
            source: ("F-726945", "2023")),
        RuleEvidence(
            .svc25, true, "kept running", on: "iOS 26.2.1, iPhone 11",
            "updates started after a launch by a region exit",
            "about 40 callbacks in two minutes",
            source: ("I-2661", "2026-09-14")),
        RuleEvidence(
            .svc25, true, "kept running", on: "system not named",
            "Always and continuous updates; the start is not described",
            "the process stays alive",
            source: ("I-CARP680", "2026-09-01")),
        RuleEvidence(
            .svc25, false, "suspended", on: "iOS 26.2.1, iPhone 17 Pro Max",
            "tracking after a launch",
            "comes back for 10 to 30 seconds only",
            source: ("I-2497", "2026-02-14")),
        RuleEvidence(
            .svc25, true, "kept running", on: "system not named",
            "started in the background",
            "works with the indicator and stops without it",
            source: ("I-F1347", "2024-09-29")),
        RuleEvidence(
            .svc25, false, "suspended", on: "iOS 17",
            "transitions of regions",
            "tracking does not resume for half an hour to an hour",
            source: ("I-OT807", "2024-08-26")),
        RuleEvidence(
            .svc25, true, "kept running", on: "system not named",
            "updates started in the background with Always or the indicator",
            "an SDK relies on it",
            source: ("I-RADAR82", "2020-07")),
        RuleEvidence(
            .svc25, true, "kept running", on: "system not named",
            "wake-up in the background",
            "a vendor states that tracking continues without the user",
            source: ("I-CBG583", "2018-01-11")),
    ]

    /// Regions, pushes, grants and file locks.
    static let others: [RuleEvidence] = [
        RuleEvidence(
            .push06, false, "app ended", on: "iOS 26.5",
            "location push while the app tracks",
            "the app seemed to end when the extension ran; the issue is open",
            source: ("I-2605", "2026-06-04")),
        RuleEvidence(
            .set11, false, "grant changed", on: "iOS 26.0",
            "update of the system",
            "the setting stood at Ask Next Time",
            source: ("I-HA3822", "2025-09-16")),
        RuleEvidence(
            .set11, false, "grant changed", on: "iOS 18.2.1",
            "no cause known",
            "Always had become While Using; the system's reminder fits as well",
            source: ("I-HA3390", "2025-02-02")),
        RuleEvidence(
            .region22, true, "state reported", on: "iOS 26, device",
            "new region, the kind of crossing off",
            "the state came at once without a request",
            source: ("I-NG37", "2025-11-14")),
        RuleEvidence(
            .region22, true, "not in the simulator", on: "iOS 17.5, Apple's simulator",
            "new region",
            "no state came",
            source: ("I-CIO1281", "2026-09-14")),
        RuleEvidence(
            .region24, true, "missed", on: "system not named",
            "circle of a kilometre, app closed, phone at rest",
            "fifteen minutes inside without an event, twice",
            source: ("I-CIO1283", "2026-09-15")),
        RuleEvidence(
            .region20, true, "discarded", on: "system not named",
            "region removed and added again",
            "3 of 17 registrations were cut off between removal and addition",
            source: ("I-CIO1177", "2026-07")),
        RuleEvidence(
            .relaunch38, true, "killed", on: "iOS, 1,400 devices in 14 days",
            "background launch that holds a file lock",
            "ended with 0xdead10cc at suspension",
            source: ("I-HA5530", "2026-08-26")),
    ]
}
