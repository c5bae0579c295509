extension RuleSource {
    /// Reports and pages of 2018 to 2026 on updates in the background, launches and regions, read in November 2026.
    public static let background: [RuleSource] = backgroundOfApple + backgroundOfDevelopers

    /// Apple's pages and forums.
    private static let backgroundOfApple: [RuleSource] = [
        RuleSource(
            "F-726945", .forum,
            "Engineer on apps with Always that iOS 16.4 suspends, as two other threads quote the answer",
            by: "Apple", version: "2023, iOS 16.4",
            at: "https://developer.apple.com/forums/thread/726945"),
        RuleSource(
            "F-797319", .forum, "Engineer on how long a service session lasts",
            by: "Apple", version: "2025",
            at: "https://developer.apple.com/forums/thread/797319"),
        RuleSource(
            "F-767865", .forum, "Engineer on sessions that begin in the background",
            by: "Apple", version: "2024",
            at: "https://developer.apple.com/forums/thread/767865"),
        RuleSource(
            "F-815618", .forum, "Engineer on the run time after a launch by a region",
            by: "Apple", version: "about February 2026",
            at: "https://developer.apple.com/forums/thread/815618"),
        RuleSource(
            "F-701820", .forum, "Post on an app that iOS 15.3 launches again after a force quit",
            by: "Apple Developer Forums", version: "2022, iOS 15.3",
            at: "https://developer.apple.com/forums/thread/701820"),
        RuleSource(
            "D-AUTHALWAYS", .documentation, "CLAuthorizationStatus.authorizedAlways",
            by: "Apple", version: "2026",
            at: "https://developer.apple.com/documentation/corelocation/clauthorizationstatus/authorizedalways"),
        RuleSource(
            "D-PAUSED", .documentation, "locationManagerDidPauseLocationUpdates(_:)",
            by: "Apple", version: "2026",
            at:
                "https://developer.apple.com/documentation/corelocation/cllocationmanagerdelegate/locationmanagerdidpauselocationupdates(_:)"
        ),
        RuleSource(
            "D-RESUMED", .documentation, "locationManagerDidResumeLocationUpdates(_:)",
            by: "Apple", version: "2026",
            at:
                "https://developer.apple.com/documentation/corelocation/cllocationmanagerdelegate/locationmanagerdidresumelocationupdates(_:)"
        ),
        RuleSource(
            "D-TN3115", .documentation, "TN3115: Bluetooth State Restoration app relaunch rules",
            by: "Apple", version: "2026",
            at:
                "https://developer.apple.com/documentation/technotes/tn3115-bluetooth-state-restoration-app-relaunch-rules"
        ),
        RuleSource(
            "D-WKSESSION", .documentation, "Enabling Background Sessions",
            by: "Apple", version: "2026",
            at: "https://developer.apple.com/documentation/watchkit/enabling-background-sessions"),
        RuleSource(
            "D-WKMODES", .documentation, "Information Property List: WKBackgroundModes",
            by: "Apple", version: "2026",
            at: "https://developer.apple.com/documentation/bundleresources/information-property-list/wkbackgroundmodes"),
    ]

    /// Public projects, and a vendor's reference.
    private static let backgroundOfDevelopers: [RuleSource] = [
        RuleSource(
            "I-2494", .project, "Issue on tracking that stops at every halt with a distance filter",
            by: "transistorsoft/react-native-background-geolocation", version: "2026-02-13, iOS 26.2.1",
            at: "\(gitHub)transistorsoft/react-native-background-geolocation/issues/2494"),
        RuleSource(
            "I-2497", .project, "Issue on a launch after which tracking stops within half a minute",
            by: "transistorsoft/react-native-background-geolocation", version: "2026-02-14, iOS 26.2.1",
            at: "\(gitHub)transistorsoft/react-native-background-geolocation/issues/2497"),
        RuleSource(
            "I-2015", .project, "Issue on tracking that sleeps without the indicator",
            by: "transistorsoft/react-native-background-geolocation", version: "2024-05-06, iOS 17.4.1",
            at: "\(gitHub)transistorsoft/react-native-background-geolocation/issues/2015"),
        RuleSource(
            "I-2605", .project, "Issue on a location push extension and a tracking app",
            by: "transistorsoft/react-native-background-geolocation", version: "2026-06-04, iOS 26.5",
            at: "\(gitHub)transistorsoft/react-native-background-geolocation/issues/2605"),
        RuleSource(
            "I-F1347", .project, "Issue on an app that is started in the background",
            by: "transistorsoft/flutter_background_geolocation", version: "2024-09-29",
            at: "\(gitHub)transistorsoft/flutter_background_geolocation/issues/1347"),
        RuleSource(
            "I-F1665", .project, "Issue on a force quit with iOS 26.2",
            by: "transistorsoft/flutter_background_geolocation", version: "2026-04-01, iOS 26.2",
            at: "\(gitHub)transistorsoft/flutter_background_geolocation/issues/1665"),
        RuleSource(
            "I-CBG583", .project, "Vendor on tracking that continues after a wake-up",
            by: "transistorsoft/cordova-background-geolocation-lt", version: "2018-01-11",
            at: "\(gitHub)transistorsoft/cordova-background-geolocation-lt/issues/583"),
        RuleSource(
            "I-CBG1396", .project, "Pull request that shows the indicator by default",
            by: "transistorsoft/cordova-background-geolocation-lt", version: "2023-05-04, iOS 16.4",
            at: "\(gitHub)transistorsoft/cordova-background-geolocation-lt/pull/1396"),
        RuleSource(
            "I-CBG1402", .project, "Issue on no locations in the background since iOS 16.4",
            by: "transistorsoft/cordova-background-geolocation-lt", version: "2023-05-17, iOS 16.4",
            at: "\(gitHub)transistorsoft/cordova-background-geolocation-lt/issues/1402"),
        RuleSource(
            "I-OVL122", .project, "Issue on no points in the background with Always",
            by: "aaronpk/Overland-iOS", version: "2023-04-18, iOS 16.4.1",
            at: "\(gitHub)aaronpk/Overland-iOS/issues/122"),
        RuleSource(
            "I-OVL138", .project, "Issue on what the indicator changes",
            by: "aaronpk/Overland-iOS", version: "2023-12-05",
            at: "\(gitHub)aaronpk/Overland-iOS/issues/138"),
        RuleSource(
            "I-RADAR82", .project, "Pull request on updates that an SDK starts in the background",
            by: "radarlabs/radar-sdk-ios", version: "2020-07",
            at: "\(gitHub)radarlabs/radar-sdk-ios/pull/82"),
        RuleSource(
            "I-RADAR119", .project, "Pull request on visits that are no stops",
            by: "radarlabs/radar-sdk-ios", version: "pull request 119",
            at: "\(gitHub)radarlabs/radar-sdk-ios/pull/119"),
        RuleSource(
            "I-CARP680", .project, "Pull request on a study app that continuous updates keep alive",
            by: "carp-dk/carp_study_app", version: "2026-09-01",
            at: "\(gitHub)carp-dk/carp_study_app/pull/680"),
        RuleSource(
            "I-OT807", .project, "Issue on tracking that does not resume after a transition",
            by: "owntracks/ios", version: "2024-08-26, iOS 17",
            at: "\(gitHub)owntracks/ios/issues/807"),
        RuleSource(
            "I-OBC126", .project, "Pull request on a start that waits until the app is on screen",
            by: "seichris/open-bike-computer", version: "2026-07-23",
            at: "\(gitHub)seichris/open-bike-computer/pull/126"),
        RuleSource(
            "I-OM9171", .project, "Pull request on updates that pause",
            by: "organicmaps/organicmaps", version: "2024-08-30",
            at: "\(gitHub)organicmaps/organicmaps/pull/9171"),
        RuleSource(
            "I-MBG56", .project, "Issue on updates that pause after ten to twenty minutes",
            by: "mauron85/react-native-background-geolocation", version: "issue 56",
            at: "\(gitHub)mauron85/react-native-background-geolocation/issues/56"),
        RuleSource(
            "I-TRAC423", .project, "Issue on the indicator of a background activity session",
            by: "Ikolvi/Tracelet", version: "2026-09-18, iOS 26.6.2",
            at: "\(gitHub)Ikolvi/Tracelet/issues/423"),
        RuleSource(
            "I-TRAC69", .project, "Issue on the indicator of a background activity session",
            by: "Ikolvi/Tracelet", version: "2026-05-15",
            at: "\(gitHub)Ikolvi/Tracelet/issues/69"),
        RuleSource(
            "I-NG37", .project, "Pull request on the state that a new region reports",
            by: "ChunkyTofuStudios/native_geofence", version: "2025-11-14, iOS 26",
            at: "\(gitHub)ChunkyTofuStudios/native_geofence/pull/37"),
        RuleSource(
            "I-CIO1177", .project, "Pull request on registrations that a suspension cuts off",
            by: "customerio/customerio-ios", version: "2026-07",
            at: "\(gitHub)customerio/customerio-ios/pull/1177"),
        RuleSource(
            "I-CIO1190", .project, "Pull request on crossings that a new registration discards",
            by: "customerio/customerio-ios", version: "2026-07",
            at: "\(gitHub)customerio/customerio-ios/pull/1190"),
        RuleSource(
            "I-CIO1283", .project, "Pull request on a stay that no region reported",
            by: "customerio/customerio-ios", version: "2026-09-15",
            at: "\(gitHub)customerio/customerio-ios/pull/1283"),
        RuleSource(
            "I-CIO1300", .project, "Pull request that measures which radius iOS applies",
            by: "customerio/customerio-ios", version: "2026",
            at: "\(gitHub)customerio/customerio-ios/pull/1300"),
        RuleSource(
            "I-HA785", .project, "Pull request on small regions that report entries from far outside",
            by: "home-assistant/iOS", version: "2020",
            at: "\(gitHub)home-assistant/iOS/pull/785"),
        RuleSource(
            "I-HA3390", .project, "Issue on Always that became While Using",
            by: "home-assistant/iOS", version: "2025-02-02, iOS 18.2.1",
            at: "\(gitHub)home-assistant/iOS/issues/3390"),
        RuleSource(
            "I-HA3822", .project, "Issue on Ask Next Time after the update to iOS 26.0",
            by: "home-assistant/iOS", version: "2025-09-16, iOS 26.0",
            at: "\(gitHub)home-assistant/iOS/issues/3822"),
        RuleSource(
            "I-HA5118", .project, "Pull request on regions that an update keeps",
            by: "home-assistant/iOS", version: "2026-07",
            at: "\(gitHub)home-assistant/iOS/pull/5118"),
        RuleSource(
            "I-HA5253", .project, "Issue on regions that a new installation loses",
            by: "home-assistant/iOS", version: "2026-07",
            at: "\(gitHub)home-assistant/iOS/issues/5253"),
        RuleSource(
            "I-HA5530", .project, "Pull request on file locks at suspension",
            by: "home-assistant/iOS", version: "2026-08-26",
            at: "\(gitHub)home-assistant/iOS/pull/5530"),
        RuleSource(
            "I-RNB200", .project, "Issue on the exit from a ranged beacon region",
            by: "MacKentoch/react-native-beacons-manager", version: "issue 200",
            at: "\(gitHub)MacKentoch/react-native-beacons-manager/issues/200"),
        RuleSource(
            "I-MESH2247", .project, "Pull request on stored data before the first unlock",
            by: "meshtastic/Meshtastic-Apple", version: "2026",
            at: "\(gitHub)meshtastic/Meshtastic-Apple/pull/2247"),
        RuleSource(
            "I-LF710", .project, "Pull request on settings that read as defaults",
            by: "loopandlearn/LoopFollow", version: "2026",
            at: "\(gitHub)loopandlearn/LoopFollow/pull/710"),
        RuleSource(
            "I-IAPS2016", .project, "Pull request on stored data before the first unlock",
            by: "Artificial-Pancreas/iAPS", version: "2026",
            at: "\(gitHub)Artificial-Pancreas/iAPS/pull/2016"),
        RuleSource(
            "MS-SLC", .article, "CLLocationManager.SignificantLocationChangeMonitoringAvailable",
            by: "Microsoft", version: "2026",
            at:
                "https://learn.microsoft.com/en-us/dotnet/api/corelocation.cllocationmanager.significantlocationchangemonitoringavailable"
        ),
    ]

    private static let gitHub = "https://github.com/"
}
