import FencepostModel
import FencepostSimulator
import FencepostTesting

/// A random state and random steps, meaningful or not.
struct RandomScenario {
    let device: DeviceState
    let steps: [Step]

    var events: Int {
        steps.count { if case .event = $0.verb { true } else { false } }
    }

    init(seed: UInt64, steps count: Int = 60) {
        var random = SeededGenerator(seed: seed)
        device = Self.device(&random)
        steps = (0..<count).map { _ in Self.step(&random) }
    }

    static func pick<Element>(_ elements: [Element], _ random: inout SeededGenerator) -> Element {
        elements[Int.random(in: elements.indices, using: &random)]
    }

    static func device(_ random: inout SeededGenerator) -> DeviceState {
        var device = DeviceState()
        device.platform = Bool.random(using: &random) ? .iOS : pick(Platform.allCases, &random)
        device.osVersion =
            pick(["7.0", "7.1", "8.0", "10.3", "12.4", "13.0", "13.4", "14.0", "17.0", "18.0", "26.0"], &random)
            .version
        device.grant = pick(Grant.allCases, &random)
        device.accuracy = pick(Accuracy.allCases, &random)
        device.lifecycle = pick(Lifecycle.allCases, &random)
        device.terminatedBy = device.lifecycle == .terminated ? pick(Termination.allCases, &random) : nil
        for path in [
            \DeviceState.alwaysRequestUsed, \.lowPowerMode, \.appClip, \.complicationOnActiveFace, \.systemAsleep,
            \.pairedWatchApp,
        ] where Int.random(in: 0..<4, using: &random) == 0 { device[keyPath: path] = true }
        for path in [
            \DeviceState.locationServicesEnabled, \.backgroundAppRefresh, \.unlockedSinceBoot, \.appEverLaunched,
            \.appInstalled, \.delegateSetAtLaunch,
        ] where Int.random(in: 0..<5, using: &random) == 0 { device[keyPath: path] = false }
        device.airplaneMode = pick([nil, nil, nil, true], &random)
        device.runsOn = pick([nil, .simulator], &random)
        device.infoPlist = PropertyKeys(keys.filter { _ in Int.random(in: 0..<4, using: &random) > 0 })
        device.managers = Int.random(in: 0...2, using: &random)
        for service in Service.startable where Bool.random(using: &random) {
            device.services.append(object(service, &random))
        }
        if Bool.random(using: &random) { device.sessions = [HeldSession(pick(sessions, &random))] }
        return device
    }

    static let keys = [
        "NSLocationWhenInUseUsageDescription", "NSLocationAlwaysAndWhenInUseUsageDescription",
        "NSLocationAlwaysUsageDescription", "NSLocationUsageDescription", "UIBackgroundModes:location",
        "NSLocationTemporaryUsageDescriptionDictionary:p",
    ]
    static let sessions: [Session] = [
        .backgroundActivitySession, .liveActivity, .workoutSession, .serviceSession(.always),
        .serviceSession(.whenInUse),
        .serviceSession(.none, fullAccuracyPurposeKey: "p"),
    ]

    static func object(_ service: Service, _ random: inout SeededGenerator) -> ServiceObject {
        var object = ServiceObject(service, identifier: pick(["a", "b"], &random))
        object.radius = 200
        if service.isCondition { object.monitor = "m" }
        if service == .standardUpdates {
            object.allowsBackgroundLocationUpdates = Bool.random(using: &random)
            object.distanceFilter = pick([nil, -1, 20], &random)
            object.pausesLocationUpdatesAutomatically = pick([nil, true, false], &random)
        }
        return object
    }

    static func event(_ random: inout SeededGenerator) -> ServiceEvent {
        let service = pick(Service.allCases, &random)
        var event = ServiceEvent(
            service, pick(service.kinds, &random), identifier: Bool.random(using: &random) ? "a" : nil)
        if service == .significantChange { event.meters = 900 }
        event.isMissed = pick([nil, nil, nil, true], &random)
        return event
    }

    static func step(_ random: inout SeededGenerator) -> Step {
        let flag = Bool.random(using: &random)
        let verbs: [Verb] = [
            .event(event(&random)), .event(event(&random)), .event(event(&random)), .event(event(&random)),
            .request(.level(flag ? .always : .whenInUse)), .request(.temporaryFullAccuracy(purposeKey: "p")),
            .answer(pick(Choice.allCases, &random)), .answer(pick(Choice.allCases, &random)),
            .start(object(pick(Service.startable, &random), &random), deviceInside: flag),
            .stop(pick(Service.startable, &random), identifier: nil), .setAllowsBackgroundLocationUpdates(flag),
            .createManager, .createSession(pick(sessions, &random)), .openMonitor("n"), .iterate(.liveUpdates),
            .iterate(.monitorEvents), .requestState(identifier: "a"), .query(pick(Query.allCases, &random)),
            .enterBackground, .enterForeground, .resume, .wait(.seconds(pick([1, 9, 11, 400, 90_000], &random))),
            .terminate(by: pick(Termination.allCases, &random)), .launch(by: flag ? .user : .system), .unlock,
            .lookAway,
            .install, .uninstall, .updateApp(infoPlist: PropertyKeys(flag ? keys : [])),
            .settings(pick(SettingsChange.allCases, &random)), .move(distanceBeyondBoundary: 300, stay: .seconds(30)),
            .moveAcrossBoundaryWhilePoweredOff(flag ? .enter : .exit), .deviceStationary(.seconds(600)), .deviceMoves,
            .systemShowsSecondPrompt, .systemShowsReminder, .onWatch(Step(.request(.level(.whenInUse)))),
            .onWatch(Step(.answer(.allowOnce))), .appWorks(.seconds(20), backgroundTask: flag), .checkAuthorization,
            .getAuthorizationStatus, .lint(intends: ["always"]), .reboot, .restoreBackup, .offload,
            .updateSystem(OSVersion(26, 4), resetsGrant: flag),
            .launch(by: .system, cause: pick(LaunchCause.allCases, &random)),
            .appWorks(.seconds(50), holdsFileLock: flag), .deviceStationary(.seconds(1200)),
        ]
        return Step(pick(verbs, &random))
    }
}

extension String {
    fileprivate var version: OSVersion { OSVersion(self) ?? OSVersion(17) }
}
