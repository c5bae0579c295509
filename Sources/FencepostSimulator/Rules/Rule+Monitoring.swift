extension Rule {
    /// Region monitoring of the location manager.
    static let regions: [Rule] = [
        Rule(
            .region01, [.documented], sources: "D-REGION D-LAPG",
            "An app has twenty regions, and one more fails while those go on."),
        Rule(
            .region02, [.documented], sources: "H16 D-REGION",
            "Regions belong to the app and its identifiers: the same one again replaces the old."),
        Rule(
            .region03, [.documented], partly: [.disputed], sources: "H16 D-MAXDIST D-LAPG",
            "A radius beyond the device's maximum fails and is not cut down."),
        Rule(
            .region04, [.documented], sources: "D-LAPG W13",
            "Only a crossing is told; being inside at the start is not."),
        Rule(
            .region05, [.documented, .staff], sources: "W13 W19 H16",
            """
            A running app is told the state when it is first determined, at crossings and on request; that never \
            launches it.
            """
        ),
        Rule(
            .region06, [.documented, .staff], sources: "H16 W13",
            """
            A request for the state is answered from what is known, which is nothing right after registration or \
            reboot.
            """
        ),
        Rule(
            .region07, [.documented], sources: "D-LAPG",
            "A crossing counts once the device is beyond the boundary by a cushion and stays so for twenty seconds."),
        Rule(
            .region08, [.documented], sources: "D-REGION D-LAPG",
            "Reports take three to five minutes on average, longer without a network."),
        Rule(
            .region09, [.documented, .staff], sources: "D-REGION F-757363",
            "Radii up to 400 metres were said to work best, and very small ones may be missed."),
        Rule(
            .region10, [.documented], sources: "H-REGION D-LAPG",
            "Entry and exit are told unless they are turned off, and then they launch nothing either."),
        Rule(
            .region11, [.documented], sources: "H16",
            "Short of resources the system may prefer small regions to large ones."),
        Rule(
            .region12, [.documented], sources: "H16",
            "Registrations last across terminations and can be stopped in later launches."),
        Rule(
            .region13, [.documented], sources: "H-ERR",
            "Four error codes tell why a region is not monitored, or is late."),
        Rule(
            .region14, [.documented, .observed], sources: "H16 I-16986842",
            "Registration takes a while, so that asking at once may not show it or fail."),
        Rule(
            .region15, [.documented], sources: "D-ISMON D-LAPG",
            "That monitoring is available speaks of the hardware alone."),
        Rule(
            .region16, [.documented], sources: "D-REGION",
            "Region monitoring of the location manager gives way to monitors and is deprecated in time."),
        Rule(
            .region17, [.documented], sources: "H-BEACON D-LAPG",
            """
            A beacon region names a UUID, and may name major and minor; it can report when the screen goes on \
            inside.
            """),
    ]

    /// Visits.
    static let visits: [Rule] = [
        Rule(
            .visit01, [.documented, .staff], sources: "W14 H-VISITH",
            "A visit is told at its arrival and at its departure, which its departure date tells apart."),
        Rule(
            .visit02, [.documented, .staff], sources: "W14 H-VISITH",
            "A departure whose arrival was not seen has the distant past as arrival date."),
        Rule(
            .visit03, [.staff], sources: "W14",
            "The place of one visit may differ between its two events."),
        Rule(
            .visit04, [.staff], sources: "W14",
            "One launch may bring several visits."),
        Rule(
            .visit05, [.documented], sources: "H-VISIT",
            "Visits reach every manager with a delegate and go on until any manager stops them."),
        Rule(
            .visit06, [.documented, .staff], sources: "W14 D-VISITS",
            "With always, visits launch the app after every kind of termination."),
        Rule(
            .visit07, [.inferred],
            "Visits are told minutes late, how many is not documented."),
        Rule(
            .visit08, [.documented], sources: "H-VISITH D-VISITS",
            "Visits exist on iPhone, iPad and Mac, not on watch, Apple TV and Vision Pro."),
    ]

    /// Significant changes.
    static let significantChange: [Rule] = [
        Rule(
            .slc01, [.documented], sources: "D-SLC",
            "A significant change is a move of at least 500 metres, at most one in five minutes."),
        Rule(
            .slc02, [.staff], sources: "W16",
            "A talk speaks of about a kilometre, so 500 metres are the least to expect."),
        Rule(
            .slc03, [.documented], sources: "H16 D-SLC",
            "Distance filter and desired accuracy do not matter to significant changes."),
        Rule(
            .slc04, [.documented], sources: "D-SLC",
            "The first event after the start is usually a cached location."),
        Rule(
            .slc05, [.staff], sources: "F-71792",
            "The app may be woken without having moved."),
        Rule(
            .slc06, [.documented], sources: "H16 D-SLC",
            "Significant changes exist on iPhone, iPad and Mac, and do nothing on watch, Apple TV and Vision Pro."),
    ]

    /// Conditions of a `CLMonitor`.
    static let monitor: [Rule] = [
        Rule(
            .mon01, of: "iOS 17+, macOS 14+", [.staff, .observed], sources: "W23-MON B-2CENT",
            "A new condition is unknown unless a state is assumed, which an event corrects if it was wrong."),
        Rule(
            .mon02, of: "iOS 17+, macOS 14+", [.staff], sources: "W23-MON",
            "A condition tells a state that is not the last one handled, and it is handled once the app has taken it."),
        Rule(
            .mon03, of: "iOS 17+, macOS 14+", [.documented, .observed], sources: "D-GEO W24 B-2CENT",
            "An app has twenty conditions in all its monitors, and one more is told to be unmonitored."),
        Rule(
            .mon04, of: "iOS 17+, macOS 14+", [.staff], sources: "W23-MON",
            "The same identifier again replaces a condition, and removing one removes its record."),
        Rule(
            .mon05, of: "iOS 17+, macOS 14+", [.staff, .observed], sources: "W23-MON B-2CENT",
            "A name can be open once at a time; opening it twice may crash."),
        Rule(
            .mon06, of: "iOS 17+, macOS 14+", [.staff], sources: "W23-MON",
            "Conditions and their states last across launches, and an event launches an app that may be launched."),
        Rule(
            .mon07, of: "iOS 17+, macOS 14+", [.staff], sources: "W23-MON",
            "A monitor in an extension launches the app, where it belongs."),
        Rule(
            .mon08, of: "iOS 17+, macOS 14+", [.documented], sources: "D-MONEVENT W24",
            "From iOS 18 events say by flags what keeps them from being monitored."),
        Rule(
            .mon09, of: "iOS 17+, macOS 14+", [.disputed], sources: "I-CIO1158 W23-MON",
            "Some see the present state again when the process starts; the model says that it is not told again."),
        Rule(
            .mon10, of: "iOS 17+, macOS 14+", [.staff], sources: "W23-MON",
            "An event of a beacon condition with wildcards names the beacon that satisfied it."),
    ]
}
