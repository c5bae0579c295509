import FencepostModel
import Testing

@testable import FencepostSimulator

@Suite("Certainty") struct CertaintyTests {
    private static let strict = RelaunchGate(policy: .strict)

    private static func device(
        _ service: Service, _ grant: Grant, _ version: OSVersion, on platform: Platform = .iOS,
        terminatedBy: Termination? = nil
    ) -> DeviceState {
        var device = DeviceState()
        (device.platform, device.osVersion, device.grant) = (platform, version, grant)
        device.lifecycle = terminatedBy == nil ? .suspended : .terminated
        device.terminatedBy = terminatedBy
        device.infoPlist = PropertyKeys([PropertyKeys.backgroundModeLocation])
        device.assumeStarted(ServiceEvent(service, service.typicalKind))
        return device
    }

    private static func decide(_ service: Service, _ device: DeviceState, _ gate: RelaunchGate) -> Delivery {
        gate.decide(ServiceEvent(service, service.typicalKind), for: device)
    }

    @Test("of the strict reading is the complement of the dispute's", arguments: [SimulatorPolicy.strict, .lenient])
    func whileUsing(policy: SimulatorPolicy) {
        var device = Self.device(.liveUpdates, .whenInUse, OSVersion(17), terminatedBy: .system)
        device.sessions = [HeldSession(.backgroundActivitySession)]
        let delivery = Self.decide(.liveUpdates, device, RelaunchGate(policy: policy))
        #expect(delivery.outcome == (policy == .strict ? .dropped : .delivered))
        #expect(delivery.certainty.percent == (policy == .strict ? 25 : 75))
        if policy == .strict { #expect(delivery.confidence == .disputed) }
    }

    @Test("of a chain is at most the product of its estimates") func chain() {
        var device = Self.device(.regionCircular, .always, OSVersion(26), terminatedBy: .user)
        device.backgroundAppRefresh = false
        let delivery = Self.decide(.regionCircular, device, RelaunchGate())
        #expect(delivery.certainty == Certainty(percent: 52, words: "open (at most 52 %), so test it on a device"))
    }

    @Test("of updates that end by the strict reading is the complement of SVC-25") func updates() throws {
        var simulation = CoreLocationSimulation(
            Self.device(.regionCircular, .always, OSVersion(26), terminatedBy: .system), policy: .strict)
        var updates = ServiceObject(.standardUpdates)
        updates.allowsBackgroundLocationUpdates = true
        _ = simulation.handle(Step(.launch(by: .system, cause: .location)))
        _ = simulation.handle(Step(.start(updates, deviceInside: nil, assuming: nil)))
        _ = simulation.handle(Step(.wait(.seconds(60))))
        let delivery = Self.decide(.standardUpdates, simulation.device, simulation.gate)
        #expect(delivery.outcome == .queued)
        #expect(delivery.certainty.percent == 12)
        #expect(delivery.warnings.map(\.rule) == [.svc25])
    }

    @Test("of a watch and of iPhone apps on a Mac is that of the dispute")
    func otherPlatforms() {
        for (grant, session) in [
            (Grant.whenInUse, Session.backgroundActivitySession), (.always, .serviceSession(.always)),
        ] {
            var watch = Self.device(.liveUpdates, grant, OSVersion(11), on: .watchOS, terminatedBy: .crash)
            watch.sessions = [HeldSession(session)]
            #expect(Self.decide(.liveUpdates, watch, RelaunchGate()).certainty.percent == 65)
            watch.grant = .denied
            #expect(Self.decide(.liveUpdates, watch, RelaunchGate()).certainty.words.hasPrefix("certain"))
        }
        for platform in [Platform.macCatalyst, .iPadAppOnMac] {
            for service in [Service.visits, .significantChange] {
                let device = Self.device(service, .always, OSVersion(18), on: platform, terminatedBy: .system)
                #expect(Self.decide(service, device, RelaunchGate()).certainty.percent == 80)
            }
            let device = Self.device(.regionCircular, .always, OSVersion(18), on: platform, terminatedBy: .system)
            #expect(Self.decide(.regionCircular, device, RelaunchGate()).certainty.words.hasPrefix("probable"))
        }
    }

    @Test("of an entry after a silent push is open, that of an exit is not") func silentPush() {
        var device = Self.device(.clMonitorCircular, .always, OSVersion(26), terminatedBy: .system)
        device.sessions = [HeldSession(.serviceSession(.always))]
        var simulation = CoreLocationSimulation(device)
        _ = simulation.handle(Step(.launch(by: .system, cause: .silentPush)))
        func certainty(_ kind: ServiceEvent.Kind) -> String {
            RelaunchGate().decide(ServiceEvent(.clMonitorCircular, kind), for: simulation.device).certainty.words
        }
        #expect(certainty(.satisfied).hasPrefix("uncertain"))
        #expect(!certainty(.unsatisfied).hasPrefix("uncertain"))
        _ = simulation.handle(Step(.enterForeground))
        #expect(!certainty(.satisfied).hasPrefix("uncertain"))
    }

    @Test("is not that of Apple's documentation where the answer is inferred") func inferred() {
        let updates = Self.device(.standardUpdates, .provisionalAlways, OSVersion(26))
        #expect(Self.decide(.standardUpdates, updates, RelaunchGate()).certainty.words.hasPrefix("probable"))
        var heading = Self.device(.heading, .denied, OSVersion(26))
        heading.lifecycle = .foreground
        #expect(Self.decide(.heading, heading, RelaunchGate()).certainty.words.hasPrefix("probable"))
        var visits = Self.device(.visits, .always, OSVersion(27), terminatedBy: .system)
        visits.infoPlist = PropertyKeys([PropertyKeys.backgroundModeLocation, "DTSDKName:iphoneos27.0"])
        let delivery = Self.decide(.visits, visits, RelaunchGate())
        #expect(delivery.decidingRule == .relaunch32)
        #expect(delivery.certainty.words.hasPrefix("probable"))
        let live = Self.decide(.liveUpdates, Self.device(.liveUpdates, .always, OSVersion(17)), RelaunchGate())
        #expect(live.outcome == .delivered && live.certainty.words.hasPrefix("almost certain, as Apple's engineers"))
    }

    @Test("is never stated where a rule of the chain is disputed or inferred", arguments: Platform.allCases)
    func sweep(platform: Platform) {
        let sessions: [[Session]] = [[], [.backgroundActivitySession], [.serviceSession(.always)]]
        let versions =
            platform == .iOS ? [OSVersion(12), OSVersion(17), OSVersion(18), OSVersion(27)] : [OSVersion(26)]
        for version in versions {
            for policy in SimulatorPolicy.allCases {
                for held in sessions {
                    let matrix = RelaunchMatrix(
                        OperatingSystem(platform, version), gate: RelaunchGate(policy: policy), sessions: held)
                    for cell in matrix.cells { check(cell.delivery, "\(platform) \(version) \(policy) \(held)") }
                }
            }
        }
    }

    private func check(_ delivery: Delivery, _ name: String) {
        let isFirm = delivery.certainty.words.hasPrefix("certain") || delivery.certainty.words.contains("certain, as")
        guard isFirm, !delivery.certainty.words.hasPrefix("uncertain") else { return }
        let isRefused = delivery.outcome == .dropped || delivery.outcome == .notMonitored
        let chain =
            [delivery.decidingRule] + (isRefused ? delivery.openRules : delivery.rules + delivery.warnings.map(\.rule))
        for rule in chain {
            let isOpen = Rule[rule].confidence == .disputed || Rule[rule].confidence == .inferred
            #expect(!isOpen, "\(name) \(delivery.event.service) \(rule.rawValue): \(delivery.certainty.words)")
        }
        #expect(delivery.contrary.isEmpty, "\(name) \(delivery.event.service): \(delivery.certainty.words)")
    }
}
