extension Rule {
    /// Region monitoring of the location manager.
    static let regions: [Rule] = [
        Rule(
            .region01, [.documented], sources: "D-REGION D-LAPG",
            "An app can have twenty regions. A further one fails, and the twenty continue."),
        Rule(
            .region02, [.documented], sources: "H16 D-REGION",
            "Regions belong to the app and its identifiers: a region with the same identifier replaces the old one."),
        Rule(
            .region03, [.documented], partly: [.disputed], sources: "H16 D-MAXDIST D-LAPG",
            "A radius above the device's maximum fails; it is not reduced."),
        Rule(
            .region04, [.documented], sources: "D-LAPG W13",
            "Only crossings are reported. A device that starts inside produces no event."),
        Rule(
            .region05, [.documented, .staff], sources: "W13 W19 H16",
            """
            A running app is notified of the state when it is first determined, at crossings and on request. This \
            never launches the app.
            """
        ),
        Rule(
            .region06, [.documented, .staff], sources: "H16 W13",
            """
            A request for the state returns the known state, which is unknown right after a registration or a \
            reboot.
            """
        ),
        Rule(
            .region07, [.documented], sources: "D-LAPG",
            """
            A crossing counts once the device is beyond the boundary by a cushion distance and stays there for \
            twenty seconds.
            """
        ),
        Rule(
            .region08, [.documented], sources: "D-REGION D-LAPG",
            "Reports take three to five minutes on average, and longer without a network."),
        Rule(
            .region09, [.documented, .staff], sources: "D-REGION F-757363",
            "Radii up to 400 metres are said to work best, and very small regions may be missed."),
        Rule(
            .region10, [.documented], sources: "H-REGION D-LAPG",
            """
            Entries and exits are reported unless the app turns them off; a kind that is off launches nothing \
            either.
            """
        ),
        Rule(
            .region11, [.documented], sources: "H16",
            "When resources are short, the system may prefer small regions to large ones."),
        Rule(
            .region12, [.documented], sources: "H16",
            "Registrations persist across terminations, and later launches can stop them."),
        Rule(
            .region13, [.documented], sources: "H-ERR",
            "Four error codes report why a region is not monitored, or is late."),
        Rule(
            .region14, [.documented, .observed], sources: "H16 I-16986842",
            "Registration takes some time, so an immediate query may not show the region or may fail."),
        Rule(
            .region15, [.documented], sources: "D-ISMON D-LAPG",
            "The availability of monitoring describes the hardware only."),
        Rule(
            .region16, [.documented], sources: "D-REGION",
            "Monitors replace the region monitoring of the location manager, which will be deprecated."),
        Rule(
            .region17, [.documented], sources: "H-BEACON D-LAPG",
            """
            A beacon region names a UUID, and may name major and minor. It can report when the screen turns on \
            inside.
            """
        ),
        Rule(
            .region18, of: "SDK 27", [.documented, .observed], sources: "D26-START I-OT911",
            "The registration calls are deprecated in SDK 27 and still work on iOS 27."),
        Rule(
            .region19, [.observed], sources: "I-CIO1127 I-CIO1036",
            "The twenty regions are shared by the app and every SDK in it; the first to register wins."),
        Rule(
            .region20, [.observed], sources: "I-CIO1190 I-CIO1177",
            """
            Stopping a region discards a crossing that was detected and not yet delivered, and an app that is suspended \
            between removal and addition has no region.
            """
        ),
        Rule(
            .region21, [.observed], sources: "I-HA785 I-CIO1300",
            "A region with a radius below 100 metres may report an entry from far outside."),
        Rule(
            .region22, of: "Apple's simulator", [.observed], sure: "80 %", sources: "I-NG37 I-CIO1281",
            """
            On a device a new region reports its state at once, without a request; Apple's simulator of iOS 17.5 does \
            not.
            """
        ),
        Rule(
            .region23, [.observed], sure: "60 %", sources: "I-RNB200",
            "The exit from a beacon region does not come while the app ranges that region, by one report."),
        Rule(
            .region24, [.observed], sources: "I-CIO1283",
            """
            A crossing can be missed: a stay of fifteen minutes in a circle of a kilometre produced no event while the \
            app was closed and the phone at rest.
            """
        ),
    ]

    /// Visits.
    static let visits: [Rule] = [
        Rule(
            .visit01, [.documented, .staff], sources: "W14 H-VISITH",
            "A visit is reported at the arrival and again at the departure. Its departure date distinguishes the two."),
        Rule(
            .visit02, [.documented, .staff], sources: "W14 H-VISITH",
            "A departure whose arrival the system did not see has the distant past as its arrival date."),
        Rule(
            .visit03, [.staff], sources: "W14",
            "The place of one visit may differ between its two events."),
        Rule(
            .visit04, [.staff], sources: "W14",
            "One launch may deliver several visits."),
        Rule(
            .visit05, [.documented], sources: "H-VISIT",
            "Visits reach every manager with a delegate and continue until any manager stops them."),
        Rule(
            .visit06, [.documented, .staff], sources: "W14 D-VISITS",
            "With Always, visits launch the app after every kind of termination."),
        Rule(
            .visit07, [.inferred],
            "Visits are reported with a delay of minutes; its length is not documented."),
        Rule(
            .visit08, [.documented], sources: "H-VISITH D-VISITS",
            "Visits exist on iPhone, iPad and Mac, not on watch, Apple TV and Vision Pro."),
        Rule(
            .visit09, [.observed], sources: "I-RADAR119",
            "A visit is no proof of a stop, by a vendor who filters them."),
    ]

    /// Significant changes.
    static let significantChange: [Rule] = [
        Rule(
            .slc01, [.documented], sources: "D-SLC",
            "A significant change is a move of at least 500 metres, at most one in five minutes."),
        Rule(
            .slc02, [.staff], sources: "W16",
            "A talk names about a kilometre, so 500 metres is the least to expect."),
        Rule(
            .slc03, [.documented], sources: "H16 D-SLC",
            "Distance filter and desired accuracy have no effect on significant changes."),
        Rule(
            .slc04, [.documented], sources: "D-SLC",
            "The first event after the start is usually a cached location."),
        Rule(
            .slc05, [.staff], sources: "F-71792",
            "The system may wake the app without a movement."),
        Rule(
            .slc06, [.documented], sources: "H16 D-SLC",
            "Significant changes exist on iPhone, iPad and Mac, and do nothing on watch, Apple TV and Vision Pro."),
    ]

    /// Conditions of a `CLMonitor`.
    static let monitor: [Rule] = [
        Rule(
            .mon01, of: "iOS 17+, macOS 14+", [.staff, .observed], sources: "W23-MON B-2CENT",
            "A new condition is unknown unless the app assumes a state. An event corrects a wrong assumption."),
        Rule(
            .mon02, of: "iOS 17+, macOS 14+", [.staff], sources: "W23-MON",
            """
            A condition emits an event when its state differs from the last handled one. An event counts as handled \
            once the app has taken it.
            """
        ),
        Rule(
            .mon03, of: "iOS 17+, macOS 14+", [.documented, .observed], sources: "D-GEO W24 B-2CENT",
            """
            An app can have twenty conditions in all its monitors. A further one gets an event with the state \
            unmonitored.
            """
        ),
        Rule(
            .mon04, of: "iOS 17+, macOS 14+", [.staff], sources: "W23-MON",
            "A condition with the same identifier replaces the old one, and removing a condition removes its record."),
        Rule(
            .mon05, of: "iOS 17+, macOS 14+", [.staff, .observed], sources: "W23-MON B-2CENT",
            "A name can be open only once at a time; opening it twice may crash."),
        Rule(
            .mon06, of: "iOS 17+, macOS 14+", [.staff], sure: "65 % as reliably as regions",
            sources: "W23-MON I-CIO1281",
            "Conditions and their states persist across launches, and an event launches an app that may be launched."),
        Rule(
            .mon07, of: "iOS 17+, macOS 14+", [.staff], sources: "W23-MON",
            "A monitor in an extension launches the app, to which it belongs."),
        Rule(
            .mon08, of: "iOS 17+, macOS 14+", [.documented], sources: "D-MONEVENT W24",
            "From iOS 18 the flags of an event report why a condition is not monitored."),
        Rule(
            .mon09, of: "iOS 17+, macOS 14+", [.disputed], sources: "I-CIO1158 W23-MON",
            """
            Some developers see the current state again when the process starts. By Apple's model it is not emitted \
            again.
            """
        ),
        Rule(
            .mon10, of: "iOS 17+, macOS 14+", [.staff], sources: "W23-MON",
            "An event of a beacon condition with wildcards names the beacon that satisfied it."),
        Rule(
            .mon11, of: "iOS 18+", [.disputed], sure: "65 % ignored", sources: "CIO-SRC W23-MON",
            "Adding a condition under the identifier of a live one is silently ignored; it has to be removed first."),
        Rule(
            .mon12, of: "iOS 18+", [.observed], sources: "I-CIO1220",
            """
            When a condition is added, the system first reports its stored state and looks about three seconds \
            later, so a false event can come first.
            """
        ),
        Rule(
            .mon13, of: "iOS 18+", [.observed], sources: "I-CIO1220",
            "The stored state of a condition survives the removal of the app."),
        Rule(
            .mon14, of: "iOS 18+", [.observed], sources: "I-CIO1258 I-CIO1269",
            """
            On a device one crossing is delivered two or three times with the same date; the app has to drop the \
            copies.
            """
        ),
        Rule(
            .mon15, of: "iOS 18+", [.disputed], sure: "50 % not", sources: "CIO-SRC",
            """
            A monitor emits the current state again at the start of the process, after unlock and when conditions \
            are evaluated again.
            """
        ),
        Rule(
            .mon16, of: "iOS 17+", [.observed], sources: "CIO-SRC",
            """
            Only one task may iterate the events of a monitor, and it has to start before any other asynchronous \
            work of a launch.
            """
        ),
        Rule(
            .mon17, of: "iOS 18+", [.observed], sources: "F-812111",
            "After a launch by a silent push, entries stay away until the app is on screen, while exits arrive."),
        Rule(
            .mon18, of: "iOS 18+", [.observed], sources: "CIO-SRC I-CIO1274",
            "Conditions beyond the limit stay listed as unmonitored and are monitored again when others are removed."),
        Rule(
            .mon19, of: "iOS 18+", [.observed], sources: "I-CIO1218",
            """
            After days of suspension a condition can stay unsatisfied inside its circle until it is removed and \
            added again.
            """
        ),
        Rule(
            .mon20, of: "iOS 18+", [.observed], sources: "F-806783",
            "For the same circles on the same phone, regions and monitors give different numbers of events."),
        Rule(
            .mon21, of: "iOS 17+", [.observed], sources: "CIO-SRC",
            "The name of a monitor consists of letters and digits; a dot ends the app."),
        Rule(
            .mon22, of: "iOS 17+", [.disputed], sure: "60 % yes", sources: "I-CIO1158 CIO-SRC",
            """
            An app should open its monitor at once, although the header asks to wait until protected data is \
            available.
            """
        ),
        Rule(
            .mon23, of: "iOS 18+", [.documented, .inferred], sources: "D-MONEVENT RELAUNCH-41",
            """
            A monitor that is opened before the first unlock cannot read its conditions; the flag \
            persistenceUnavailable says so.
            """
        ),
    ]
}
