import FencepostModel
import FencepostSimulator
import Testing

/// Tables of services: what each needs, when it delivers, and which of them launch an app.
@Suite("A service's row") struct ServiceTableTests {
    /// Each version changes a row. The newer services exist from iOS 17, pushes from iOS 15.
    static let versions = [OSVersion(13, 4), OSVersion(14), OSVersion(17), OSVersion(18), OSVersion(26)]

    /// The outcome of the typical event in one word, or the launch or wake-up that it causes.
    static func word(_ delivery: Delivery) -> String {
        if delivery.relaunch { return "relaunch" }
        if delivery.appWoken { return "wake" }
        if delivery.extensionRuns == true { return "extension" }
        return delivery.outcome.rawValue
    }

    /// An iPhone with the service started and everything declared; from iOS 18 with the session that Always needs.
    static func device(
        _ service: ServiceObject, _ grant: Grant, _ lifecycle: Lifecycle, _ version: OSVersion = OSVersion(17),
        sessions: [Session]? = nil
    ) -> DeviceState {
        var device = DeviceState()
        device.osVersion = version
        device.grant = grant
        device.lifecycle = lifecycle
        device.terminatedBy = lifecycle == .terminated ? .system : nil
        device.infoPlist = PropertyKeys(["UIBackgroundModes:location"])
        device.entitlements = PropertyKeys(["com.apple.developer.location.push"])
        device.extensions = ["com.apple.location.push.service"]
        device.sessions = (sessions ?? (version.major >= 18 ? [.serviceSession(.always)] : [])).map { HeldSession($0) }
        device.services = [service]
        return device
    }

    static func decide(_ device: DeviceState) -> Delivery? {
        guard let service = device.services.first?.service else { return nil }
        return RelaunchGate().decide(ServiceEvent(service, service.typicalKind), for: device)
    }

    // MARK: Requirements and delivery

    struct Row: Sendable, CustomTestStringConvertible {
        enum Need: Sendable { case nothing, anyGrant, always }

        var service: Service
        /// Whether it continues in the background after a start on screen.
        var isContinuous = false
        var needs = Need.anyGrant
        /// Whether it works with reduced accuracy; `nil` where no rule states it.
        var worksReduced: Bool?
        /// In the foreground, in the background and not in use, suspended, terminated; `-` where there is no such case.
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
        // For suspended apps one rule queues the updates, and SVC-15 suspends the request of an app with While Using that
        // is not in use. The simulator follows SVC-15.
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
        // The heading stops for a suspended app, so the app gets no event later.
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

    @Test("delivers in the listed states", arguments: rows) func delivers(_ row: Row) {
        let lifecycles: [Lifecycle] = [.foreground, .backgroundRunning, .suspended, .terminated]
        for version in row.versions {
            for (grant, cells) in [(Grant.always, row.always), (.whenInUse, row.whenInUse)] {
                for (lifecycle, cell) in zip(lifecycles, cells.split(separator: " ")) where cell != "-" {
                    let delivery = Self.decide(Self.device(row.object, grant, lifecycle, version))
                    #expect(delivery.map(Self.word) == String(cell), "\(version) \(grant) \(lifecycle)")
                }
            }
        }
        #expect(row.service.isLaunchCapable == (row.always == Self.monitoring && row.service != .liveUpdates))
    }

    @Test("needs the listed grant", arguments: rows) func needs(_ row: Row) {
        for version in row.versions {
            for grant in Grant.allCases {
                let isEnough =
                    switch row.needs {
                    case .nothing: true
                    case .anyGrant: ![.notDetermined, .restricted, .denied].contains(grant)
                    case .always: grant == .always
                    }
                let delivery = Self.decide(Self.device(row.object, grant, .foreground, version))
                #expect((delivery?.outcome == .delivered) == isEnough, "\(version) \(grant)")
            }
        }
    }

    @Test("works with reduced accuracy where listed", arguments: rows) func accuracy(_ row: Row) {
        guard let worksReduced = row.worksReduced else { return }
        for version in row.versions {
            var device = Self.device(row.object, .always, .foreground, version)
            device.accuracy = .reduced
            // Before iOS 14 the user could not reduce the accuracy.
            let works = worksReduced || version < OSVersion(14)
            #expect((Self.decide(device)?.outcome == .delivered) == works, "\(version)")
        }
    }

    @Test(
        "needed always up to iOS 12",
        arguments: [Service.significantChange, .visits, .regionCircular, .regionBeacon])
    func before13(_ service: Service) {
        for version in [OSVersion(8), OSVersion(10), OSVersion(12)] {
            let object = ServiceObject(service)
            #expect(Self.decide(Self.device(object, .whenInUse, .foreground, version))?.outcome == .notMonitored)
            #expect(Self.decide(Self.device(object, .always, .terminated, version))?.relaunch == true)
        }
    }

    @Test("of ranging continues with running updates, or after a beacon woke the app") func ranging() {
        var device = Self.device(ServiceObject(.beaconRanging), .whenInUse, .backgroundRunning)
        var updates = ServiceObject(.standardUpdates)
        updates.allowsBackgroundLocationUpdates = true
        device.services.append(updates)
        #expect(Self.decide(device)?.outcome == .delivered)
        device.infoPlist = PropertyKeys()
        #expect(Self.decide(device)?.outcome == .dropped)

        device = Self.device(ServiceObject(.beaconRanging), .always, .suspended)
        device.services.append(ServiceObject(.regionBeacon))
        var scenario = Scenario(device: device, steps: [])
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
                let device = Self.device(ServiceObject(service), .always, lifecycle, version, sessions: [])
                let delivery = Self.decide(device)
                let rule: RuleID = lifecycle == .backgroundRunning ? .sess03 : .relaunch12
                #expect(delivery?.outcome == .dropped && delivery?.decidingRule == rule, "\(lifecycle)")
            }
        }
    }

    // MARK: Relaunch after a termination by the system

    struct Relaunch: Sendable, CustomTestStringConvertible {
        var service: Service
        /// No level, While Using, Allow Once, provisional, Always on iPhone, on a Mac, on a watch, on Apple TV or Vision Pro.
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
        // Disputed on a watch; the default is no.
        Relaunch(service: .liveUpdates, cells: "no no no no yes no no no"),
        // No source states the effect of provisional Always; the simulator refuses, with a warning.
        Relaunch(service: .locationPush, cells: "no no no no extension na na na"),
    ]

    private static let columns: [([Platform], [Grant])] = [
        ([.iOS, .iPadOS], [.notDetermined, .denied, .restricted]), ([.iOS, .iPadOS], [.whenInUse]),
        ([.iOS, .iPadOS], [.temporaryWhenInUse]), ([.iOS, .iPadOS], [.provisionalAlways]),
        ([.iOS, .iPadOS], [.always]), ([.macOS, .macCatalyst, .iPadAppOnMac], [.always]), ([.watchOS], [.always]),
        ([.tvOS, .visionOS, .visionOSCompatible], [.always]),
    ]

    /// From iOS 18 with the session that Always needs.
    private static let matrices = Dictionary(
        uniqueKeysWithValues: Platform.allCases.flatMap { platform in
            versions.map { version in
                let system = OperatingSystem(platform, version)
                let sessions: [Session] = version.major >= 18 ? [.serviceSession(.always)] : []
                return (system, RelaunchMatrix(system, sessions: sessions))
            }
        })

    @Test("launches the listed apps", arguments: matrix) func relaunches(_ row: Relaunch) {
        let isNew = row.service.isNewer || row.service == .locationPush
        for version in Self.versions where !isNew || version.major >= 17 {
            for ((platforms, grants), wanted) in zip(Self.columns, row.cells.split(separator: " ")) {
                for platform in platforms {
                    let matrix = Self.matrices[OperatingSystem(platform, version)]
                    for grant in grants {
                        let delivery = matrix?[row.service, grant, .terminated]
                        let name = "\(platform) \(version) \(grant)"
                        #expect(delivery?.relaunch == (wanted == "yes"), "\(name)")
                        #expect((delivery?.outcome == .held) == (wanted == "held"), "\(name)")
                        #expect((delivery?.extensionRuns == true) == (wanted == "extension"), "\(name)")
                        if wanted == "na" { #expect(delivery?.outcome == .notMonitored, "\(name)") }
                    }
                }
            }
        }
    }

    @Test("with reduced accuracy keeps visits and significant changes alone", arguments: matrix)
    func relaunchesReduced(_ row: Relaunch) {
        // No rule states the accuracy for pushes; live updates work with any accuracy.
        guard row.service != .locationPush else { return }
        for version in [OSVersion(14), OSVersion(17), OSVersion(18)] where !row.service.isNewer || version.major >= 17 {
            var device = Self.device(ServiceObject(row.service), .always, .terminated, version)
            device.accuracy = .reduced
            let isKept = [Service.visits, .significantChange, .liveUpdates].contains(row.service)
            #expect(Self.decide(device)?.relaunch == isKept, "\(version)")
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
                    let device = Self.device(object, grant, .terminated, version, sessions: [session])
                    let delivery = Self.decide(device)
                    #expect(delivery?.relaunch == starts, "\(version) \(session) \(grant)")
                    if starts { #expect(delivery?.warnings.contains { $0.rule == .relaunch13 } == true) }
                }
            }
        }
    }
}
