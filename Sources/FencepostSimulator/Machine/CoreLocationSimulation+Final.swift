/// The state after the last step.
public struct FinalState: Hashable, Sendable {
    /// The state of the device and the app.
    public var device: DeviceState
    /// How often the system launched the app.
    public var launches: Int
    /// Whether the system will show the second prompt.
    public var secondPromptScheduled: Bool
    /// The cause of each launch by the system, in order: a service, a `LaunchCause`, or `unknown`.
    public var launchCauses: [String]

    /// The identifiers of the registered regions, in the order of their registration.
    public var monitoredRegions: [String] {
        guard device.platform != .visionOSCompatible else { return [] }
        return device.services.filter { $0.isActive && $0.service.isRegion }.compactMap(\.identifier)
    }

    /// Whether this user can change the level in Settings.
    public var userCanChange: Bool { device.grant != .restricted }
}

extension CoreLocationSimulation {
    /// The current state, as a scenario's outcome shows it.
    public var final: FinalState {
        FinalState(
            device: device, launches: launches, secondPromptScheduled: secondPromptScheduled,
            launchCauses: launchCauses)
    }

    /// What the app has to do after a launch to keep receiving what it had started, and what it does not have to do.
    ///
    /// Both lists are empty unless the app was launched or is terminated.
    public var launchTasks: (must: [String], needNot: [String]) {
        guard wasLaunched || device.lifecycle == .terminated, device.appInstalled else { return ([], []) }
        var must: [String] = []
        var needNot: [String] = []
        let services = device.services
        let usesDelegate = services.contains {
            $0.service.usesDelegate && ($0.isActive || $0.service.endsWithTheProcess)
        }
        if usesDelegate { must += ["createManager", "setDelegate"] }
        for object in services {
            switch object.service {
            case .regionCircular, .regionBeacon: if object.isActive { needNot.append("startMonitoring") }
            case .visits: if object.isActive { needNot.append("startMonitoringVisits") }
            case .significantChange: if object.isActive { must.append("startMonitoringSignificantLocationChanges") }
            case .standardUpdates: must.append("startUpdatingLocation")
            case .clMonitorCircular, .clMonitorBeacon:
                guard object.isActive else { continue }
                if let name = object.monitor { must.append("openMonitorWithSameName:\(name)") }
                must.append("iterateEvents")
            case .liveUpdates: if object.isActive { must.append("callLiveUpdates") }
            case .requestLocation, .beaconRanging, .heading, .locationPush, .locationNotification: break
            }
        }
        if services.contains(where: { $0.isActive && $0.service.isNewer }) || !device.sessions.isEmpty {
            for held in device.sessions {
                switch held.session {
                case .backgroundActivitySession: must.append("recreateBackgroundActivitySession")
                case .serviceSession(let goal, _): must.append("recreateServiceSession(\(goal.rawValue))")
                case .liveActivity, .workoutSession: break
                }
            }
        }
        return (must.withoutDuplicates, needNot.withoutDuplicates)
    }
}

extension Array where Element: Hashable {
    /// The elements without duplicates, in the order of their first occurrence.
    package var withoutDuplicates: [Element] {
        var seen: Set<Element> = []
        return filter { seen.insert($0).inserted }
    }
}
