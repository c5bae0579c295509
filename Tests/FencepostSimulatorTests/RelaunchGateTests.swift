import FencepostModel
import FencepostSimulator
import FencepostTesting
import Testing

@Suite("The relaunch gate") struct RelaunchGateTests {
    /// The book's table: who is started after the system ended it. Columns: no level, while-using, once, provisional,
    /// always on iPhone, on a Mac, on a watch, on Apple TV or Vision Pro.
    static let table: [(Service, String)] = [
        (.standardUpdates, "no no no no no no no no"),
        (.significantChange, "no no no held yes no na na"),
        (.visits, "no no no held yes no na na"),
        (.regionCircular, "no no no held yes no na na"),
        (.regionBeacon, "no no no held yes no na na"),
        (.beaconRanging, "no no no no no no na na"),
        (.heading, "no no no no no no no na"),
        (.clMonitorCircular, "no no no held yes no na na"),
        (.liveUpdates, "no no no no yes no no no"),
    ]

    @Test("answers as the table of the rule book", arguments: table)
    func agrees(service: Service, row: String) {
        let columns: [([Platform], [Grant])] = [
            ([.iOS, .iPadOS], [.notDetermined, .denied, .restricted]), ([.iOS, .iPadOS], [.whenInUse]),
            ([.iOS, .iPadOS], [.temporaryWhenInUse]), ([.iOS, .iPadOS], [.provisionalAlways]),
            ([.iOS, .iPadOS], [.always]), ([.macOS, .macCatalyst], [.always]), ([.watchOS], [.always]),
            ([.tvOS, .visionOS], [.always]),
        ]
        for ((platforms, grants), wanted) in zip(columns, row.split(separator: " ")) {
            for platform in platforms {
                let matrix = RelaunchMatrix(OperatingSystem(platform, OSVersion(17)))
                for grant in grants {
                    let delivery = matrix[service, grant, .terminated]
                    #expect(delivery?.relaunch == (wanted == "yes"), "\(platform) \(grant) \(service)")
                    #expect((delivery?.outcome == .held) == (wanted == "held"), "\(platform) \(grant) \(service)")
                    if wanted == "na" { #expect(delivery?.outcome == .notMonitored, "\(platform) \(grant) \(service)") }
                }
            }
        }
    }

    @Test("starts an app only where something may", arguments: 1...2000 as ClosedRange<UInt64>)
    func bounds(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let given = RandomScenario.given(&random)
        let event = RandomScenario.event(&random)
        let lenient = RelaunchGate().decide(event, given: given)
        let strict = RelaunchGate(policy: .strict).decide(event, given: given)
        if lenient.relaunch {
            #expect(given.platform.isHandheld && given.lifecycle == .terminated && given.unlockedSinceBoot)
            #expect(given.grant == .always || event.service == .liveUpdates)
            #expect(given.locationServicesEnabled && given.appInstalled)
        }
        if lenient.appWoken { #expect(given.lifecycle == .suspended) }
        if strict.outcome == .delivered { #expect(lenient.outcome == .delivered) }
        if strict.relaunch { #expect(lenient.relaunch) }
        #expect(lenient.rules.contains(lenient.decidingRule))
        #expect(!lenient.because.isEmpty)
        // A rule that is disputed never comes without its warning.
        for rule in lenient.rules where Rule[rule].confidence == .disputed && rule.rawValue.hasPrefix("RELAUNCH") {
            #expect(lenient.warnings.contains { $0.rule == rule }, "\(rule)")
        }
        if lenient.outcome != strict.outcome { #expect(!lenient.warnings.isEmpty) }
    }

    @Test("refuses what is disputed when it is strict") func strict() {
        var given = Given()
        given.grant = .always
        given.lifecycle = .terminated
        given.backgroundAppRefresh = false
        let event = ServiceEvent(.visits, .arrival)
        given.assumeStarted(event)
        let decision = RelaunchGate(policy: .strict).decide(event, given: given)
        #expect(decision.outcome == .dropped && decision.decidingRule == .relaunch10)
        #expect(decision.warnings.map(\.rule) == [.relaunch10])
    }

    @Test("finds what a release changed") func differences() {
        let old = RelaunchMatrix(OperatingSystem(.iOS, OSVersion(17)))
        let new = RelaunchMatrix(OperatingSystem(.iOS, OSVersion(18)))
        let services = Set(new.differences(from: old).map(\.here.service))
        #expect(services == [.clMonitorCircular, .clMonitorBeacon, .liveUpdates])
        let held = RelaunchMatrix(OperatingSystem(.iOS, OSVersion(18)), sessions: [.serviceSession(.always)])
        #expect(held.differences(from: old).isEmpty)
    }
}
