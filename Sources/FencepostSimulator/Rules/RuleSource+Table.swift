extension RuleSource {
    /// Every source, group by group: `docs/core-location/sources.md` keeps this order.
    public static let all: [RuleSource] =
        texts + headers + talks + guides + managerPages + otherPages + answers + developers + recent
        + background

    /// Texts on asking for authorization, which cover several rules each.
    static let texts: [RuleSource] = [
        RuleSource(
            "seed-000", .article, "Blog article on asking an iOS user for access to the location (Korean)",
            by: "unknown author"),
        RuleSource(
            "seed-001", .article, "Blog article on an authorization manager that hides permission requests (Korean)",
            by: "unknown author"),
        RuleSource(
            "seed-002", .article,
            "Blog article that compares While Using and Always and their Info.plist keys (Korean)", by: "unknown author"
        ),
        RuleSource(
            "seed-003", .article, "Blog article on Allow Once in iOS 13 (Korean)", by: "unknown author"),
        RuleSource(
            "seed-004", .documentation,
            "Requesting authorization to use location services (read in a Korean translation)", by: "Apple",
            at: "\(coreLocation)requesting-authorization-to-use-location-services"),
    ]

    /// Headers of Apple's SDK. They come with Xcode and have no address of their own.
    static let headers: [RuleSource] = [
        RuleSource(
            "H9", .header, "CLLocationManager.h", by: "Apple", version: "iOS 9.3 SDK"),
        RuleSource(
            "H12", .header, "CLLocationManager.h", by: "Apple", version: "iOS 12.4 SDK"),
        RuleSource(
            "H16", .header, "CLLocationManager.h", by: "Apple", version: "iOS 16.5 SDK"),
        RuleSource(
            "H-ERR", .header, "CLError.h", by: "Apple", version: "iOS 16.5 SDK"),
        RuleSource(
            "H-REGION", .header, "CLRegion.h", by: "Apple", version: "iOS 16.5 SDK"),
        RuleSource(
            "H-BEACON", .header, "CLBeaconRegion.h", by: "Apple", version: "iOS 16.5 SDK"),
        RuleSource(
            "H-VISIT", .header, "CLLocationManager+CLVisitExtensions.h", by: "Apple", version: "iOS 16.5 SDK"),
        RuleSource(
            "H-VISITH", .header, "CLVisit.h", by: "Apple", version: "iOS 16.5 SDK"),
        RuleSource(
            "H-LPSERR", .header, "CLLocationPushServiceError.h", by: "Apple", version: "iOS 16.5 SDK"),
    ]

    /// Sessions of Apple's developer conference.
    static let talks: [RuleSource] = [
        RuleSource(
            "W13", .talk, "What's New in Core Location", by: "Apple", version: "WWDC 2013, session 307",
            at: "https://developer.apple.com/videos/play/wwdc2013/307/"),
        RuleSource(
            "W14", .talk, "What's New in Core Location", by: "Apple", version: "WWDC 2014, session 706",
            at: "https://developer.apple.com/videos/play/wwdc2014/706/"),
        RuleSource(
            "W15", .talk, "What's New in Core Location", by: "Apple", version: "WWDC 2015, session 714",
            at: "https://developer.apple.com/videos/play/wwdc2015/714/"),
        RuleSource(
            "W16", .talk, "Core Location Best Practices", by: "Apple", version: "WWDC 2016, session 716",
            at: "https://developer.apple.com/videos/play/wwdc2016/716/"),
        RuleSource(
            "W17", .talk, "What's New in Location Technologies", by: "Apple", version: "WWDC 2017, session 713",
            at: "https://developer.apple.com/videos/play/wwdc2017/713/"),
        RuleSource(
            "W19", .talk, "What's New in Core Location", by: "Apple", version: "WWDC 2019, session 705",
            at: "https://developer.apple.com/videos/play/wwdc2019/705/"),
        RuleSource(
            "W20", .talk, "What's new in location", by: "Apple", version: "WWDC 2020, session 10660",
            at: "https://developer.apple.com/videos/play/wwdc2020/10660/"),
        RuleSource(
            "W23-LIVE", .talk, "Discover streamlined location updates", by: "Apple",
            version: "WWDC 2023, session 10180",
            at: "https://developer.apple.com/videos/play/wwdc2023/10180/"),
        RuleSource(
            "W23-MON", .talk, "Meet Core Location Monitor", by: "Apple", version: "WWDC 2023, session 10147",
            at: "https://developer.apple.com/videos/play/wwdc2023/10147/"),
        RuleSource(
            "W24", .talk, "What's new in location authorization", by: "Apple", version: "WWDC 2024, session 10212",
            at: "https://developer.apple.com/videos/play/wwdc2024/10212/"),
    ]

    /// Articles and archived guides of Apple's documentation.
    static let guides: [RuleSource] = [
        RuleSource(
            "D-CHOOSE", .documentation, "Choosing the location services authorization to request", by: "Apple",
            at: "\(reference)bundleresources/choosing-the-location-services-authorization-to-request"),
        RuleSource(
            "D-BG", .documentation, "Handling location updates in the background", by: "Apple",
            at: "\(coreLocation)handling-location-updates-in-the-background"),
        RuleSource(
            "D-GEO", .documentation, "Monitoring the user's proximity to geographic regions", by: "Apple",
            at: "\(coreLocation)monitoring-the-user-s-proximity-to-geographic-regions"),
        RuleSource(
            "D-SUSPEND", .documentation, "Suspending authorization requests", by: "Apple",
            at: "\(coreLocation)suspending-authorization-requests"),
        RuleSource(
            "D-LPSE", .documentation, "Creating a location push service extension", by: "Apple",
            at: "\(coreLocation)creating-a-location-push-service-extension"),
        RuleSource(
            "D-LAPG", .documentation,
            "Location and Maps Programming Guide: Region Monitoring and iBeacon; Getting the User's Location",
            by: "Apple", version: "archived, 2016-03-21",
            at: "\(archive)UserExperience/Conceptual/LocationAwarenessPG/RegionMonitoring/RegionMonitoring.html"),
        RuleSource(
            "D-APG", .documentation, "App Programming Guide for iOS: Background Execution", by: "Apple",
            version: "archived",
            at: "\(archive)iPhone/Conceptual/iPhoneOSProgrammingGuide/BackgroundExecution/BackgroundExecution.html"),
    ]

    /// Reference pages of `CLLocationManager` and its delegate.
    static let managerPages: [RuleSource] = [
        RuleSource(
            "D-CLM", .documentation, "CLLocationManager", by: "Apple",
            at: "\(coreLocation)cllocationmanager"),
        RuleSource(
            "D-CLM-OLD", .documentation, "CLLocationManager, overview with the background behaviour of each service",
            by: "Apple", version: "text of about 2017, quoted in public code"),
        RuleSource(
            "D-WIU", .documentation, "CLLocationManager: requestWhenInUseAuthorization()", by: "Apple",
            at: "\(managerPage)requestwheninuseauthorization()"),
        RuleSource(
            "D-ALWAYS", .documentation, "CLLocationManager: requestAlwaysAuthorization()", by: "Apple",
            at: "\(managerPage)requestalwaysauthorization()"),
        RuleSource(
            "D-TEMPFULL", .documentation,
            "CLLocationManager: requestTemporaryFullAccuracyAuthorization(withPurposeKey:completion:)", by: "Apple",
            at: "\(managerPage)requesttemporaryfullaccuracyauthorization(withpurposekey:completion:)"),
        RuleSource(
            "D-LSE", .documentation, "CLLocationManager: locationServicesEnabled()", by: "Apple",
            at: "\(managerPage)locationservicesenabled()"),
        RuleSource(
            "D-START", .documentation, "CLLocationManager: startUpdatingLocation()", by: "Apple",
            at: "\(managerPage)startupdatinglocation()"),
        RuleSource(
            "D-REQLOC", .documentation, "CLLocationManager: requestLocation()", by: "Apple",
            at: "\(managerPage)requestlocation()"),
        RuleSource(
            "D-ALLOWBG", .documentation, "CLLocationManager: allowsBackgroundLocationUpdates", by: "Apple",
            at: "\(managerPage)allowsbackgroundlocationupdates"),
        RuleSource(
            "D-HEADING", .documentation, "CLLocationManager: startUpdatingHeading()", by: "Apple",
            at: "\(managerPage)startupdatingheading()"),
        RuleSource(
            "D-SLC", .documentation, "CLLocationManager: startMonitoringSignificantLocationChanges()", by: "Apple",
            at: "\(managerPage)startmonitoringsignificantlocationchanges()"),
        RuleSource(
            "D-VISITS", .documentation, "CLLocationManager: startMonitoringVisits()", by: "Apple",
            at: "\(managerPage)startmonitoringvisits()"),
        RuleSource(
            "D-REGION", .documentation, "CLLocationManager: startMonitoring(for:)", by: "Apple",
            at: "\(managerPage)startmonitoring(for:)"),
        RuleSource(
            "D-MAXDIST", .documentation, "CLLocationManager: maximumRegionMonitoringDistance", by: "Apple",
            at: "\(managerPage)maximumregionmonitoringdistance"),
        RuleSource(
            "D-ISMON", .documentation, "CLLocationManager: isMonitoringAvailable(for:)", by: "Apple",
            at: "\(managerPage)ismonitoringavailable(for:)"),
        RuleSource(
            "D-DIDCHANGE", .documentation, "CLLocationManagerDelegate: locationManagerDidChangeAuthorization(_:)",
            by: "Apple",
            at: "\(coreLocation)cllocationmanagerdelegate/locationmanagerdidchangeauthorization(_:)"),
        RuleSource(
            "D-FAIL", .documentation, "CLLocationManagerDelegate: locationManager(_:didFailWithError:)", by: "Apple",
            at: "\(coreLocation)cllocationmanagerdelegate/locationmanager(_:didfailwitherror:)"),
    ]

    /// Reference pages of the newer interfaces, of property list keys and of UIKit.
    static let otherPages: [RuleSource] = [
        RuleSource(
            "D-BAS", .documentation, "CLBackgroundActivitySession", by: "Apple",
            at: "\(coreLocation)clbackgroundactivitysession-3mzv3"),
        RuleSource(
            "D-SS", .documentation, "CLServiceSession", by: "Apple",
            at: "\(coreLocation)clservicesession-pt7n"),
        RuleSource(
            "D-MONEVENT", .documentation, "CLMonitor.Event", by: "Apple",
            at: "\(coreLocation)clmonitor-2r51v/event"),
        RuleSource(
            "D-ALWAYSKEY", .documentation, "Information Property List: NSLocationAlwaysUsageDescription", by: "Apple",
            at: "\(propertyListKey)nslocationalwaysusagedescription"),
        RuleSource(
            "D-USAGEKEY", .documentation, "Information Property List: NSLocationUsageDescription", by: "Apple",
            at: "\(propertyListKey)nslocationusagedescription"),
        RuleSource(
            "D-REDUCEDKEY", .documentation, "Information Property List: NSLocationDefaultAccuracyReduced", by: "Apple",
            at: "\(propertyListKey)nslocationdefaultaccuracyreduced"),
        RuleSource(
            "D-TEMPKEY", .documentation, "Information Property List: NSLocationTemporaryUsageDescriptionDictionary",
            by: "Apple",
            at: "\(propertyListKey)nslocationtemporaryusagedescriptiondictionary"),
        RuleSource(
            "D-WIDGETKEY", .documentation, "Information Property List: NSWidgetWantsLocation", by: "Apple",
            at: "\(propertyListKey)nswidgetwantslocation"),
        RuleSource(
            "D-LPSENT", .documentation, "Entitlements: com.apple.developer.location.push", by: "Apple",
            at: "\(reference)bundleresources/entitlements/com.apple.developer.location.push"),
        RuleSource(
            "D-MACENT", .documentation, "Entitlements: com.apple.security.personal-information.location", by: "Apple",
            at: "\(reference)bundleresources/entitlements/com.apple.security.personal-information.location"),
        RuleSource(
            "D-LAUNCHKEY", .documentation, "UIApplication.LaunchOptionsKey: location", by: "Apple",
            at: "\(reference)uikit/uiapplication/launchoptionskey/location"),
        RuleSource(
            "D-UILN", .documentation, "UILocalNotification: region", by: "Apple",
            at: "\(reference)uikit/uilocalnotification/region"),
    ]

    /// Answers of Apple's engineers and developer support.
    static let answers: [RuleSource] = [
        RuleSource(
            "F-71792", .forum, "Developer support on significant changes without movement", by: "Apple",
            at: "https://developer.apple.com/forums/thread/71792"),
        RuleSource(
            "F-757363", .forum, "Engineer on the size of regions, as B-2CENT quotes it", by: "Apple",
            at: "https://developer.apple.com/forums/thread/757363"),
        RuleSource(
            "F-775888", .forum, "Engineer on the terminated state of watch apps", by: "Apple",
            at: "https://developer.apple.com/forums/thread/775888"),
    ]

    /// Articles, issues and code of developers other than Apple.
    static let developers: [RuleSource] = [
        RuleSource(
            "B-2CENT", .article, "Core Location modern API tips", by: "twocentstudios", version: "2024",
            at: "https://twocentstudios.com/2024/12/02/core-location-modern-api-tips/"),
        RuleSource(
            "B-GEOMON", .article, "README of GeoMonitor, which quotes Apple's article on location in the background",
            by: "SkedGo",
            at: "\(gitHub)skedgo/GeoMonitor"),
        RuleSource(
            "B-ZENDRIVE", .article, "SDK documentation: the permission flow of iOS 13", by: "Zendrive"),
        RuleSource(
            "I-EXPO", .project, "Explanation of iOS location permissions; pull request 35693 corrects the flow",
            by: "expo/expo", version: "2025, pull request 35453",
            at: "\(gitHub)expo/expo/pull/35453"),
        RuleSource(
            "I-949", .project, "getProviderState() returns always although the setting is when in use",
            by: "transistorsoft/react-native-background-geolocation", version: "2020, issue 949",
            at: "\(gitHub)transistorsoft/react-native-background-geolocation/issues/949"),
        RuleSource(
            "I-1168", .project, "Report on changing the level in Settings",
            by: "transistorsoft/react-native-background-geolocation", version: "issue 1168",
            at: "\(gitHub)transistorsoft/react-native-background-geolocation/issues/1168"),
        RuleSource(
            "I-464", .project, "Report on the run time after a launch in the background",
            by: "transistorsoft/cordova-background-geolocation-lt", version: "issue 464",
            at: "\(gitHub)transistorsoft/cordova-background-geolocation-lt/issues/464"),
        RuleSource(
            "I-494", .project, "Permission requested again after when in use was selected",
            by: "transistorsoft/cordova-background-geolocation-lt", version: "2017, issue 494",
            at: "\(gitHub)transistorsoft/cordova-background-geolocation-lt/issues/494"),
        RuleSource(
            "I-RNP375", .project, "Report on the status that Allow Once gives", by: "zoontek/react-native-permissions",
            version: "issue 375",
            at: "\(gitHub)zoontek/react-native-permissions/issues/375"),
        RuleSource(
            "I-462", .project, "Report on the system's reminder of Always", by: "klaviyo/klaviyo-swift-sdk",
            version: "pull request 462",
            at: "\(gitHub)klaviyo/klaviyo-swift-sdk/pull/462"),
        RuleSource(
            "I-CIO1130", .project, "Geofencing, with regions after a reboot", by: "customerio/customerio-ios",
            version: "2026, pull request 1130",
            at: "\(gitHub)customerio/customerio-ios/pull/1130"),
        RuleSource(
            "I-CIO1158", .project, "Background delivery of geofences, with the state that a monitor emits at launch",
            by: "customerio/customerio-ios", version: "2026, pull request 1158",
            at: "\(gitHub)customerio/customerio-ios/pull/1158"),
        RuleSource(
            "I-GPSSTONE", .project, "Source comment on a test with Background App Refresh off",
            by: "frostland/GPS-Stone",
            at: "\(gitHub)frostland/GPS-Stone"),
        RuleSource(
            "I-16078124", .project, "Bug report 16078124, on Background App Refresh", by: "Open Radar (mirror)",
            at: "\(gitHub)lionheart/openradar-mirror"),
        RuleSource(
            "I-16986842", .project, "Bug report 16986842, on the registration of regions", by: "Open Radar (mirror)",
            at: "\(gitHub)lionheart/openradar-mirror"),
        RuleSource(
            "I-IB326", .project, "Remove allowsBackgroundLocationUpdates from the iOS location manager",
            by: "petermetz/cordova-plugin-ibeacon", version: "2017, pull request 326",
            at: "\(gitHub)petermetz/cordova-plugin-ibeacon/pull/326"),
        RuleSource(
            "I-HARNESS", .project, "Test harness that quotes Apple on prompts after a reinstallation",
            by: "public code, project unknown"),
        RuleSource(
            "I-PLUGINS", .project, "Background geolocation plugins that still use CLLocationManager on iOS 18",
            by: "several projects"),
        RuleSource(
            "I-DETOX", .project,
            "Migrate permission commands to simctl; pull request 2275 of appium-xcuitest-driver does the same",
            by: "wix/Detox", version: "2024, issue 4321",
            at: "\(gitHub)wix/Detox/issues/4321"),
        RuleSource(
            "T-SIMCTL", .tool, "Help text of xcrun simctl location and xcrun simctl privacy", by: "Apple",
            version: "part of Xcode"),
    ]

    private static let reference = "https://developer.apple.com/documentation/"
    private static let archive = "https://developer.apple.com/library/archive/documentation/"
    private static let coreLocation = "\(reference)corelocation/"
    private static let managerPage = "\(coreLocation)cllocationmanager/"
    private static let propertyListKey = "\(reference)bundleresources/information-property-list/"
    private static let gitHub = "https://github.com/"
}
