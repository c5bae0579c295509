extension RuleSource {
    /// Reports and pages on iOS 26 and 27, read in November 2026.
    public static let recent: [RuleSource] = recentOfApple + recentOfDevelopers

    /// Apple's pages and forums.
    private static let recentOfApple: [RuleSource] = [
        RuleSource(
            "F-826964", .forum, "Post on an app that is not relaunched after a force quit on iOS 26.4.2",
            by: "Apple Developer Forums", version: "about May 2026",
            at: "https://developer.apple.com/forums/thread/826964"),
        RuleSource(
            "F-812111", .forum, "Post on CLMonitor after a launch by a silent push",
            by: "Apple Developer Forums", version: "about January 2026",
            at: "https://developer.apple.com/forums/thread/812111"),
        RuleSource(
            "F-806783", .forum, "Post on different numbers of events of regions and CLMonitor",
            by: "Apple Developer Forums", version: "about November 2025",
            at: "https://developer.apple.com/forums/thread/806783"),
        RuleSource(
            "F-777258", .forum, "Post on location pushes that stop for hours",
            by: "Apple Developer Forums", version: "2025",
            at: "https://developer.apple.com/forums/thread/777258"),
        RuleSource(
            "F-767929", .forum, "Post on ending a CLBackgroundActivitySession",
            by: "Apple Developer Forums", version: "2024",
            at: "https://developer.apple.com/forums/thread/767929"),
        RuleSource(
            "F-763696", .forum, "Engineer's answer on the stationary pause of live updates",
            by: "Apple", version: "2024",
            at: "https://developer.apple.com/forums/thread/763696"),
        RuleSource(
            "F-789004", .forum, "Engineer's answer on apps without scenes and SDK 27",
            by: "Apple", version: "2025",
            at: "https://developer.apple.com/forums/thread/789004"),
        RuleSource(
            "D26-KEY", .documentation, "UIApplication.LaunchOptionsKey.location",
            by: "Apple", version: "2026",
            at: "https://developer.apple.com/documentation/uikit/uiapplication/launchoptionskey/location"),
        RuleSource(
            "D26-TN3187", .documentation, "TN3187: Migrating to the UIKit scene-based life cycle",
            by: "Apple", version: "2026",
            at:
                "https://developer.apple.com/documentation/technotes/tn3187-migrating-to-the-uikit-scene-based-life-cycle"
        ),
        RuleSource(
            "D26-START", .documentation, "startMonitoring(for:)",
            by: "Apple", version: "2026",
            at: "https://developer.apple.com/documentation/corelocation/cllocationmanager/startmonitoring(for:)"),
        RuleSource(
            "D26-CIRC", .documentation, "CLCircularRegion init(center:radius:identifier:)",
            by: "Apple", version: "2026",
            at:
                "https://developer.apple.com/documentation/corelocation/clcircularregion/init(center:radius:identifier:)"
        ),
        RuleSource(
            "D26-SS", .documentation, "CLServiceSession",
            by: "Apple", version: "2026",
            at: "https://developer.apple.com/documentation/corelocation/clservicesession-pt7n"),
        RuleSource(
            "D26-SSINIT", .documentation, "CLServiceSession init(authorization:)",
            by: "Apple", version: "2026"),
        RuleSource(
            "D26-BAS", .documentation, "CLBackgroundActivitySession",
            by: "Apple", version: "2026",
            at: "https://developer.apple.com/documentation/corelocation/clbackgroundactivitysession-3mzv3"),
        RuleSource(
            "D26-MON", .documentation, "CLMonitor",
            by: "Apple", version: "2026",
            at: "https://developer.apple.com/documentation/corelocation/clmonitor-2r51v"),
        RuleSource(
            "D26-LPSE", .documentation, "CLLocationPushServiceExtension",
            by: "Apple", version: "2026",
            at: "https://developer.apple.com/documentation/corelocation/cllocationpushserviceextension"),
    ]

    /// Reports of developers.
    private static let recentOfDevelopers: [RuleSource] = [
        RuleSource(
            "D26-DIFF", .project, "Differences of Core Location between SDKs",
            by: "dotnet/macios", version: "Xcode 27 beta 1 and beta 4",
            at: "https://github.com/dotnet/macios/wiki/CoreLocation-macOS-xcode27.0-b1"),
        RuleSource(
            "I-MACIOS26120", .project, "Pull request on the bindings of SDK 27",
            by: "dotnet/macios", version: "2026-07-16",
            at: "https://github.com/dotnet/macios/pull/26120"),
        RuleSource(
            "P-AIRBRIDGE", .article, "Guide to the migration to scenes for Xcode 27",
            by: "Airbridge", version: "2026",
            at: "https://help.airbridge.io/en/guides/xcode-27-scenedelegate-migration"),
        RuleSource(
            "P-LPL", .article, "Article on Limit Precise Location of iOS 26.3",
            by: "5ad.net", version: "2026",
            at: "https://5ad.net/?p=1966"),
        RuleSource(
            "I-NC4305", .project, "Issue with timestamps of relaunches after a force quit",
            by: "nextcloud/ios", version: "2026-09-15",
            at: "https://github.com/nextcloud/ios/issues/4305"),
        RuleSource(
            "I-2661", .project, "Issue on a region exit after a force quit on iOS 26.2.1",
            by: "transistorsoft/react-native-background-geolocation", version: "2026-09-14",
            at: "https://github.com/transistorsoft/react-native-background-geolocation/issues/2661"),
        RuleSource(
            "I-2548", .project, "Issue on an app that is not relaunched",
            by: "transistorsoft/react-native-background-geolocation", version: "2026-04",
            at: "https://github.com/transistorsoft/react-native-background-geolocation/issues/2548"),
        RuleSource(
            "I-2580", .project, "Issue on relaunches that come hours late",
            by: "transistorsoft/react-native-background-geolocation", version: "2026-05-12",
            at: "https://github.com/transistorsoft/react-native-background-geolocation/issues/2580"),
        RuleSource(
            "I-1645", .project, "Issue on region events after a relaunch on iOS 26.1",
            by: "transistorsoft/flutter_background_geolocation", version: "2026-02-26",
            at: "https://github.com/transistorsoft/flutter_background_geolocation/issues/1645"),
        RuleSource(
            "I-1650", .project, "Issue on regions after a force quit on iOS 26.2",
            by: "transistorsoft/flutter_background_geolocation", version: "2026-03-05",
            at: "https://github.com/transistorsoft/flutter_background_geolocation/issues/1650"),
        RuleSource(
            "I-1704", .project, "Discussion on relaunches of killed apps",
            by: "transistorsoft/flutter_background_geolocation", version: "2026",
            at: "https://github.com/transistorsoft/flutter_background_geolocation/discussions/1704"),
        RuleSource(
            "I-CIO1036", .project, "Pull request on regions of an SDK",
            by: "customerio/customerio-ios", version: "2026-04-30",
            at: "https://github.com/customerio/customerio-ios/pull/1036"),
        RuleSource(
            "I-CIO1127", .project, "Pull request on the shared limit of regions",
            by: "customerio/customerio-ios", version: "2026-06-26",
            at: "https://github.com/customerio/customerio-ios/pull/1127"),
        RuleSource(
            "I-CIO1218", .project, "Pull request on conditions that stay unsatisfied",
            by: "customerio/customerio-ios", version: "2026-08-18",
            at: "https://github.com/customerio/customerio-ios/pull/1218"),
        RuleSource(
            "I-CIO1220", .project, "Pull request on stored states of conditions",
            by: "customerio/customerio-ios", version: "2026-08-21",
            at: "https://github.com/customerio/customerio-ios/pull/1220"),
        RuleSource(
            "I-CIO1258", .project, "Pull request on repeated events of a monitor",
            by: "customerio/customerio-ios", version: "2026-09-08",
            at: "https://github.com/customerio/customerio-ios/pull/1258"),
        RuleSource(
            "I-CIO1269", .project, "Pull request that drops repeated events",
            by: "customerio/customerio-ios", version: "2026-09-11",
            at: "https://github.com/customerio/customerio-ios/pull/1269"),
        RuleSource(
            "I-CIO1274", .project, "Pull request on conditions beyond the limit",
            by: "customerio/customerio-ios", version: "2026-09-13",
            at: "https://github.com/customerio/customerio-ios/pull/1274"),
        RuleSource(
            "I-CIO1281", .project, "Pull request on regions in place of a monitor",
            by: "customerio/customerio-ios", version: "2026-09-14",
            at: "https://github.com/customerio/customerio-ios/pull/1281"),
        RuleSource(
            "CIO-SRC", .project, "Source of an SDK that monitors with CLMonitor",
            by: "customerio/customerio-ios", version: "4.7.5, 2026-08-21",
            at: "https://github.com/customerio/customerio-ios"),
        RuleSource(
            "I-HA5451", .project, "Pull request on calls that block the main thread",
            by: "home-assistant/iOS", version: "2026-08-18",
            at: "https://github.com/home-assistant/iOS/pull/5451"),
        RuleSource(
            "I-HA5453", .project, "Pull request on calls that block the main thread, part two",
            by: "home-assistant/iOS", version: "2026-08-18",
            at: "https://github.com/home-assistant/iOS/pull/5453"),
        RuleSource(
            "I-EXPO39419", .project, "Pull request on the background mode for regions",
            by: "expo/expo", version: "2025-09-05",
            at: "https://github.com/expo/expo/pull/39419"),
        RuleSource(
            "I-EXPO50194", .project, "Issue on the background mode for regions",
            by: "expo/expo", version: "2026-09-15",
            at: "https://github.com/expo/expo/issues/50194"),
        RuleSource(
            "I-INTUIT119", .project, "Comment on the launch options of a scene-based app",
            by: "intuit/LocationManager", version: "iOS 17.4",
            at: "https://github.com/intuit/LocationManager/issues/119"),
        RuleSource(
            "I-OT911", .project, "Issue on the deprecation of region registration",
            by: "owntracks/ios", version: "2026-09-16",
            at: "https://github.com/owntracks/ios/issues/911"),
        RuleSource(
            "I-STATUSTRIO55", .project, "Pull request on the texts that a Mac app needs",
            by: "lingyired/status-trio", version: "2026-09-21",
            at: "https://github.com/lingyired/status-trio/pull/55"),
        RuleSource(
            "I-AIRJACK11", .project, "Issue on a tool that is never prompted",
            by: "rtulke/AirJack", version: "2026-08-07",
            at: "https://github.com/rtulke/AirJack/issues/11"),
        RuleSource(
            "I-TWA22", .project, "Pull request on the run loop that a prompt needs",
            by: "nolze/tiny-wifi-analyzer", version: "2026-06-07",
            at: "https://github.com/nolze/tiny-wifi-analyzer/pull/22"),
        RuleSource(
            "I-RNP490", .project, "Issue on Ask Next Time and the request for Always",
            by: "zoontek/react-native-permissions", version: "2020-08-11",
            at: "https://github.com/zoontek/react-native-permissions/issues/490"),
        RuleSource(
            "LOG-1", .project, "Published lines of locationd's log and parsers of the power log",
            by: "several", version: "2023 to 2026"),
        RuleSource(
            "I-ARGENT406", .project, "Issue on Device Hub in Xcode 27",
            by: "software-mansion/argent", version: "2026",
            at: "https://github.com/software-mansion/argent/issues/406"),
        RuleSource(
            "I-XCBMCP", .project, "Release notes on Xcode 27",
            by: "getsentry/XcodeBuildMCP", version: "2.7.0, 2026-07-23",
            at: "https://github.com/getsentry/XcodeBuildMCP/releases/tag/v2.7.0"),
    ]
}
