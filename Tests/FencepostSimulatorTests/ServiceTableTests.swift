import FencepostModel
import FencepostSimulator
import Testing

/// The tables of the rule book on services: what each needs and when it delivers, and which of them start an app.
@Suite("A service's row") struct ServiceTableTests {
    /// Each of them changed something in a row; before iOS 17 and 15 the newer services and pushes are not there.
    static let versions = [OSVersion(13, 4), OSVersion(14), OSVersion(17), OSVersion(18), OSVersion(26)]

    /// What becomes of the typical event, in one word; a yes says what it brings about.
    static func word(_ delivery: Delivery) -> String {
        if delivery.relaunch { return "relaunch" }
        if delivery.appWoken { return "wake" }
        if delivery.extensionRuns == true { return "extension" }
        return delivery.outcome.rawValue
    }

    /// An iPhone with the service started and all declared; from iOS 18 on with the session that always asks for.
    static func given(
        _ service: ServiceObject, _ grant: Grant, _ lifecycle: Lifecycle, _ version: OSVersion = OSVersion(17),
        sessions: [Session]? = nil
    ) -> Given {
        var given = Given()
        given.osVersion = version
        given.grant = grant
        given.lifecycle = lifecycle
        given.terminatedBy = lifecycle == .terminated ? .system : nil
        given.infoPlist = PropertyKeys(["UIBackgroundModes:location"])
        given.entitlements = PropertyKeys(["com.apple.developer.location.push"])
        given.extensions = ["com.apple.location.push.service"]
        given.sessions = (sessions ?? (version.major >= 18 ? [.serviceSession(.always)] : [])).map { HeldSession($0) }
        given.services = [service]
        return given
    }

    static func decide(_ given: Given) -> Delivery? {
        guard let service = given.services.first?.service else { return nil }
        return RelaunchGate().decide(ServiceEvent(service, service.typicalKind), given: given)
    }

    // MARK: What each needs and when it delivers

    struct Row: Sendable, CustomTestStringConvertible {
        enum Need: Sendable { case nothing, anyGrant, always }

        var service: Service
        /// Whether it runs on in the background, started on screen.
        var isContinuous = false
        var needs = Need.anyGrant
        /// Whether it works with reduced accuracy; `nil` where the book leaves it open.
        var worksReduced: Bool?
        /// In the foreground, in the background out of use, suspended, terminated; `-` where there is no such case.
        var always: String
        var whenInUse: String

        var testDescription: String { service.rawValue + (isContinuous ? ", continuous" : "") }
        var object: ServiceObject {
            var object = ServiceObject(service)
            if isContinuous { object.allowsBackgroundLocationUpdates = true }
            return object
        }
        var versions: [OSVersion] {
            service.isNewer || service == .locationPush
                ? ServiceTableTests.versions.filter { $0.major >= 17 } : ServiceTableTests.versions
        }
    }

    private static let monitoring = "delivered delivered wake relaunch"
    private static let inUseOnly = "delivered dropped dropped dropped"

    static let rows: [Row] = [
        // The cell on suspended apps says that updates wait, and another rule that out of use while-using may have
        // nothing to wait; the simulator takes the latter.
        Row(
            service: .standardUpdates, worksReduced: true, always: "delivered delivered queued dropped",
            whenInUse: inUseOnly),
        Row(
            service: .standardUpdates, isContinuous: true, worksReduced: true, always: "delivered delivered - dropped",
            whenInUse: "delivered delivered - dropped"),
        Row(
            service: .requestLocation, worksReduced: true, always: "delivered delivered - -",
            whenInUse: "delivered dropped - -"),
        Row(service: .significantChange, worksReduced: true, always: monitoring, whenInUse: inUseOnly),
        Row(service: .visits, worksReduced: true, always: monitoring, whenInUse: inUseOnly),
        Row(service: .regionCircular, worksReduced: false, always: monitoring, whenInUse: inUseOnly),
        Row(service: .regionBeacon, worksReduced: false, always: monitoring, whenInUse: inUseOnly),
        Row(service: .beaconRanging, worksReduced: false, always: inUseOnly, whenInUse: inUseOnly),
        // That a suspended app gets no heading later is the book's "stops".
        Row(
            service: .heading, needs: .nothing, worksReduced: true, always: "delivered delivered dropped dropped",
            whenInUse: "delivered delivered dropped dropped"),
        Row(service: .clMonitorCircular, worksReduced: false, always: monitoring, whenInUse: inUseOnly),
        Row(service: .clMonitorBeacon, worksReduced: false, always: monitoring, whenInUse: inUseOnly),
        Row(service: .liveUpdates, worksReduced: true, always: monitoring, whenInUse: inUseOnly),
        Row(
            service: .locationPush, needs: .always, worksReduced: nil,
            always: "extension extension extension extension",
            whenInUse: "dropped dropped dropped dropped"),
    ]

    @Test("says when it delivers", arguments: rows) func delivers(_ row: Row) {
        let lifecycles: [Lifecycle] = [.foreground, .backgroundRunning, .suspended, .terminated]
        for version in row.versions {
            for (grant, cells) in [(Grant.always, row.always), (.whenInUse, row.whenInUse)] {
                for (lifecycle, cell) in zip(lifecycles, cells.split(separator: " ")) where cell != "-" {
                    let delivery = Self.decide(Self.given(row.object, grant, lifecycle, version))
                    #expect(delivery.map(Self.word) == String(cell), "\(version) \(grant) \(lifecycle)")
                }
            }
        }
        #expect(row.service.isLaunchCapable == (row.always == Self.monitoring && row.service != .liveUpdates))
    }

    @Test("says what grant it needs", arguments: rows) func needs(_ row: Row) {
        for version in row.versions {
            for grant in Grant.allCases {
                let isEnough =
                    switch row.needs {
                    case .nothing: true
                    case .anyGrant: ![.notDetermined, .restricted, .denied].contains(grant)
                    case .always: grant == .always
                    }
                let delivery = Self.decide(Self.given(row.object, grant, .foreground, version))
                #expect((delivery?.outcome == .delivered) == isEnough, "\(version) \(grant)")
            }
        }
    }

    @Test("says whether reduced accuracy will do", arguments: rows) func accuracy(_ row: Row) {
        guard let worksReduced = row.worksReduced else { return }
        for version in row.versions {
            var given = Self.given(row.object, .always, .foreground, version)
            given.accuracy = .reduced
            // Before iOS 14 accuracy was not the user's to reduce.
            let works = worksReduced || version < OSVersion(14)
            #expect((Self.decide(given)?.outcome == .delivered) == works, "\(version)")
        }
    }

    @Test(
        "needed always up to iOS 12",
        arguments: [Service.significantChange, .visits, .regionCircular, .regionBeacon])
    func before13(_ service: Service) {
        for version in [OSVersion(8), OSVersion(10), OSVersion(12)] {
            let object = ServiceObject(service)
            #expect(Self.decide(Self.given(object, .whenInUse, .foreground, version))?.outcome == .notMonitored)
            #expect(Self.decide(Self.given(object, .always, .terminated, version))?.relaunch == true)
        }
    }

    @Test("of ranging has it go on beside updates, or after a beacon woke the app") func ranging() {
        var given = Self.given(ServiceObject(.beaconRanging), .whenInUse, .backgroundRunning)
        var updates = ServiceObject(.standardUpdates)
        updates.allowsBackgroundLocationUpdates = true
        given.services.append(updates)
        #expect(Self.decide(given)?.outcome == .delivered)
        given.infoPlist = PropertyKeys()
        #expect(Self.decide(given)?.outcome == .dropped)

        given = Self.given(ServiceObject(.beaconRanging), .always, .suspended)
        given.services.append(ServiceObject(.regionBeacon))
        var scenario = Scenario(given: given, steps: [])
        scenario.steps = [
            Step(.event(ServiceEvent(.beaconRanging, .update))), Step(.event(ServiceEvent(.regionBeacon, .enter))),
            Step(.event(ServiceEvent(.beaconRanging, .update))),
        ]
        #expect(ScenarioRunner().run(scenario).deliveries.map(Self.word) == ["dropped", "wake", "delivered"])
    }

    @Test(
        "of a newer service asks for a session from iOS 18 on",
        arguments: [Service.clMonitorCircular, .clMonitorBeacon, .liveUpdates])
    func sessions(_ service: Service) {
        for lifecycle in [Lifecycle.backgroundRunning, .suspended, .terminated] {
            for version in [OSVersion(18), OSVersion(26)] {
                let given = Self.given(ServiceObject(service), .always, lifecycle, version, sessions: [])
                let delivery = Self.decide(given)
                #expect(delivery?.outcome == .dropped && delivery?.decidingRule == .relaunch12, "\(lifecycle)")
            }
        }
    }

    // MARK: Who is started after the system ended it

    struct Relaunch: Sendable, CustomTestStringConvertible {
        var service: Service
        /// No level, while-using, once, provisional, always on iPhone, on a Mac, on a watch, on Apple TV or Vision Pro.
        var cells: String

        var testDescription: String { service.rawValue }
    }

    static let matrix: [Relaunch] = [
        Relaunch(service: .standardUpdates, cells: "no no no no no no no no"),
        Relaunch(service: .significantChange, cells: "no no no held yes no na na"),
        Relaunch(service: .visits, cells: "no no no held yes no na na"),
        Relaunch(service: .regionCircular, cells: "no no no held yes no na na"),
        Relaunch(service: .regionBeacon, cells: "no no no held yes no na na"),
        Relaunch(service: .beaconRanging, cells: "no no no no no no na na"),
        Relaunch(service: .heading, cells: "no no no no no no no na"),
        Relaunch(service: .clMonitorCircular, cells: "no no no held yes no na na"),
        Relaunch(service: .clMonitorBeacon, cells: "no no no held yes no na na"),
        // On a watch disputed, and by default no.
        Relaunch(service: .liveUpdates, cells: "no no no no yes no no no"),
        // What provisional comes to is not stated; the simulator takes it as too little, and warns.
        Relaunch(service: .locationPush, cells: "no no no no extension na na na"),
    ]

    private static let columns: [([Platform], [Grant])] = [
        ([.iOS, .iPadOS], [.notDetermined, .denied, .restricted]), ([.iOS, .iPadOS], [.whenInUse]),
        ([.iOS, .iPadOS], [.temporaryWhenInUse]), ([.iOS, .iPadOS], [.provisionalAlways]),
        ([.iOS, .iPadOS], [.always]), ([.macOS, .macCatalyst, .iPadAppOnMac], [.always]), ([.watchOS], [.always]),
        ([.tvOS, .visionOS, .visionOSCompatible], [.always]),
    ]

    /// From iOS 18 on with the session that always asks for.
    private static let matrices = Dictionary(
        uniqueKeysWithValues: Platform.allCases.flatMap { platform in
            versions.map { version in
                let system = OperatingSystem(platform, version)
                let sessions: [Session] = version.major >= 18 ? [.serviceSession(.always)] : []
                return (system, RelaunchMatrix(system, sessions: sessions))
            }
        })

    @Test("says whom it starts", arguments: matrix) func relaunches(_ row: Relaunch) {
        let isNew = row.service.isNewer || row.service == .locationPush
        for version in Self.versions where !isNew || version.major >= 17 {
            for ((platforms, grants), wanted) in zip(Self.columns, row.cells.split(separator: " ")) {
                for platform in platforms {
                    let matrix = Self.matrices[OperatingSystem(platform, version)]
                    for grant in grants {
                        let delivery = matrix?[row.service, grant, .terminated]
                        let place = "\(platform) \(version) \(grant)"
                        #expect(delivery?.relaunch == (wanted == "yes"), "\(place)")
                        #expect((delivery?.outcome == .held) == (wanted == "held"), "\(place)")
                        #expect((delivery?.extensionRuns == true) == (wanted == "extension"), "\(place)")
                        if wanted == "na" { #expect(delivery?.outcome == .notMonitored, "\(place)") }
                    }
                }
            }
        }
    }

    @Test("with reduced accuracy keeps visits and significant changes alone", arguments: matrix)
    func relaunchesReduced(_ row: Relaunch) {
        // The book says nothing of pushes, and of live updates that any accuracy will do.
        guard row.service != .locationPush else { return }
        for version in [OSVersion(14), OSVersion(17), OSVersion(18)] where !row.service.isNewer || version.major >= 17 {
            var given = Self.given(ServiceObject(row.service), .always, .terminated, version)
            given.accuracy = .reduced
            let isKept = [Service.visits, .significantChange, .liveUpdates].contains(row.service)
            #expect(Self.decide(given)?.relaunch == isKept, "\(version)")
        }
    }

    @Test("of live updates has an outstanding session start an app that is allowed while in use")
    func continuesSession() {
        for version in [OSVersion(17), OSVersion(18)] {
            for session in [Session.backgroundActivitySession, .liveActivity] {
                for (grant, starts) in [
                    (Grant.whenInUse, true), (.temporaryWhenInUse, true), (.provisionalAlways, false), (.denied, false),
                ] {
                    let object = ServiceObject(.liveUpdates)
                    let given = Self.given(object, grant, .terminated, version, sessions: [session])
                    let delivery = Self.decide(given)
                    #expect(delivery?.relaunch == starts, "\(version) \(session) \(grant)")
                    if starts { #expect(delivery?.warnings.contains { $0.rule == .relaunch13 } == true) }
                }
            }
        }
    }
}
