import FencepostModel
import FencepostSimulator
import FencepostTesting
import Testing

@Suite("The relaunch gate") struct RelaunchGateTests {
    @Test("starts an app only where something may", arguments: 1...2000 as ClosedRange<UInt64>)
    func bounds(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let device = RandomScenario.device(&random)
        let event = RandomScenario.event(&random)
        let lenient = RelaunchGate().decide(event, for: device)
        let strict = RelaunchGate(policy: .strict).decide(event, for: device)
        if lenient.relaunch {
            #expect(device.platform.isHandheld && device.lifecycle == .terminated && device.unlockedSinceBoot)
            #expect(device.grant == .always || event.service == .liveUpdates)
            #expect(device.locationServicesEnabled && device.appInstalled)
        }
        if lenient.appWoken { #expect(device.lifecycle == .suspended) }
        if strict.outcome == .delivered { #expect(lenient.outcome == .delivered) }
        if strict.relaunch { #expect(lenient.relaunch) }
        #expect(lenient.rules.contains(lenient.decidingRule))
        #expect(!lenient.because.isEmpty)
        // A disputed rule always has a warning.
        for rule in lenient.rules where Rule[rule].confidence == .disputed && rule.rawValue.hasPrefix("RELAUNCH") {
            #expect(lenient.warnings.contains { $0.rule == rule }, "\(rule)")
        }
        if lenient.outcome != strict.outcome { #expect(!lenient.warnings.isEmpty) }
    }

    @Test("refuses what is disputed when it is strict") func strict() {
        var device = DeviceState()
        device.grant = .always
        device.lifecycle = .terminated
        device.backgroundAppRefresh = false
        let event = ServiceEvent(.visits, .arrival)
        device.assumeStarted(event)
        let decision = RelaunchGate(policy: .strict).decide(event, for: device)
        #expect(decision.outcome == .dropped && decision.decidingRule == .relaunch10)
        #expect(decision.warnings.map(\.rule) == [.relaunch10])
    }

    @Test("finds what a release changed") func differences() {
        let old = RelaunchMatrix(OperatingSystem(.iOS, OSVersion(17)))
        let new = RelaunchMatrix(OperatingSystem(.iOS, OSVersion(18)))
        let services = Set(new.differences(from: old).map(\.here.service))
        #expect(services == [.clMonitorCircular, .clMonitorBeacon, .liveUpdates])
        let held = RelaunchMatrix(OperatingSystem(.iOS, OSVersion(18)), sessions: [.serviceSession(.always)])
        // With a session only the monitors differ: the first crossing after a reboot is uncertain from iOS 18.
        let left = held.differences(from: old).map(\.here)
        #expect(Set(left.map(\.service)) == [.clMonitorCircular, .clMonitorBeacon])
        #expect(left.allSatisfy { $0.state.terminatedBy == .reboot && $0.delivery.relaunch })
        #expect(left.allSatisfy { $0.delivery.warnings.map(\.rule).contains(.relaunch36) })
    }
}
