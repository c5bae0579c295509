/// How things stand after the last step.
public struct FinalState: Hashable, Sendable {
    public var given: Given
    public var launches: Int
    public var secondPromptScheduled: Bool

    /// The identifiers of the regions that are registered, in the order of their registration.
    public var monitoredRegions: [String] {
        guard given.platform != .visionOSCompatible else { return [] }
        return given.services.filter { $0.isActive && $0.service.isRegion }.compactMap(\.identifier)
    }

    /// Whether this user could change the level in Settings.
    public var userCanChange: Bool { given.grant != .restricted }
}

extension CoreLocationSimulation {
    public var final: FinalState {
        FinalState(given: given, launches: launches, secondPromptScheduled: secondPromptScheduled)
    }

    /// What the app has to do itself when it is launched, to go on getting what it had started, and what it need not.
    public var duties: (must: [String], needNot: [String]) {
        guard wasLaunched || given.lifecycle == .terminated, given.appInstalled else { return ([], []) }
        var must: [String] = []
        var needNot: [String] = []
        let services = given.services
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
        if services.contains(where: { $0.isActive && $0.service.isNewer }) || !given.sessions.isEmpty {
            for held in given.sessions {
                switch held.session {
                case .backgroundActivitySession: must.append("recreateBackgroundActivitySession")
                case .serviceSession(let goal, _): must.append("recreateServiceSession(\(goal.rawValue))")
                case .liveActivity: break
                }
            }
        }
        return (must.uniqued, needNot.uniqued)
    }
}

extension Array where Element: Hashable {
    /// Each element once, where it first was.
    var uniqued: [Element] {
        var seen: Set<Element> = []
        return filter { seen.insert($0).inserted }
    }
}
