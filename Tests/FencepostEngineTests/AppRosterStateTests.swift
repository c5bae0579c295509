import FencepostAnalysis
import FencepostEngine
import FencepostGeometry
import FencepostJSON
import FencepostModel
import FencepostService
import FencepostSimulator
import FencepostTesting
import Foundation
import Testing

@Suite("An app roster's state") struct AppRosterStateTests {
    private static let start = Timestamp(seconds: 1_772_353_800)
    private static let plane = LocalPlane(origin: Coordinate(latitude: 38.71, longitude: -9.14))
    private static let devices = ["jane/phone", "joe/phone"].map { DeviceID($0) }

    private func stored(
        _ id: String, grant: String = "always", services: String = #""regionCircular","visits","significantChange""#,
        steps: [String] = []
    ) -> StoredApp {
        StoredApp(
            id: id,
            definition: """
                {"id":"\(id)","services":[\(services)],
                 "given":{"grant":"\(grant)","lifecycle":"terminated","terminatedBy":"system"}}
                """, steps: steps)
    }

    /// An input of a roster: an event or a fix.
    private enum Input {
        case event(Event)
        case fix(Location)

        var device: DeviceID {
            switch self {
            case .event(let event): event.deviceID
            case .fix(let location): location.deviceID
            }
        }
    }

    private func inputs(_ random: inout SeededGenerator, _ count: Int) -> [Input] {
        var sequences: [DeviceID: Int] = [:]
        return (0..<count).map { index in
            let device = Self.devices[Int.random(in: 0..<Self.devices.count, using: &random)]
            let moment = Self.start + .seconds(index * 200)
            let coordinate = Self.plane.unproject(east: .random(in: -2000...2000, using: &random), north: 0)
            let location = Location(
                deviceID: device, timestamp: moment, coordinate: coordinate, horizontalAccuracy: 10)
            guard Bool.random(using: &random) else { return .fix(location) }
            sequences[device, default: 0] += 1
            let sequence = sequences[device] ?? 0
            let region = RegionSummary(
                Region(
                    id: RegionID("r\(Int.random(in: 0..<3, using: &random))"),
                    shape: .circle(Circle(center: coordinate, radius: 200))))
            return .event(
                Event(
                    id: "evt_\(device)_\(sequence)", sequence: sequence, deviceID: device,
                    occurrence: sequence % 2 == 0 ? .regionEntered(region) : .regionExited(region, reason: nil),
                    timestamp: moment, detectedAt: moment, location: location))
        }
    }

    private func take(_ input: Input, _ roster: inout AppRoster) -> [String] {
        let emitted =
            switch input {
            case .event(let event): roster.emit(event)
            case .fix(let location): roster.moved(location)
            }
        return emitted.map { "\($0)" }
    }

    private func step(_ json: String) throws -> Step {
        let (step, problems) = ScenarioReader(file: nil).step(
            try JSONDocument(parsing: json).root, at: JSONPointer())
        #expect(problems.isEmpty)
        return try #require(step)
    }

    private static let steps = [
        #"{"do":"terminate","by":"system"}"#, #"{"do":"launch","by":"user"}"#, #"{"do":"enterBackground"}"#,
        #"{"do":"settings","set":"whileUsing"}"#, #"{"do":"settings","set":"always"}"#,
        #"{"do":"terminate","by":"user"}"#,
    ]

    @Test("goes through bytes without changing what follows", arguments: SeedShare.of(1...60 as ClosedRange<UInt64>))
    func roundTrip(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let apps = try [stored("a"), stored("b", grant: "whenInUse")].map { try WatchedApp(stored: $0) }
        var (kept, restarted) = (AppRoster(apps), AppRoster(apps))
        for input in inputs(&random, 60) {
            if Int.random(in: 0..<8, using: &random) == 0 {
                let json = Self.steps[Int.random(in: 0..<Self.steps.count, using: &random)]
                kept.take(try step(json), app: "a")
                restarted.take(try step(json), app: "a")
            }
            let state = restarted.state(of: input.device)
            #expect(state == kept.state(of: input.device))
            if let state {
                let bytes = try JSONEncoder().encode(state)
                restarted.forget(input.device)
                #expect(restarted.state(of: input.device) == nil)
                restarted.restore(
                    try JSONDecoder().decode(AppRoster.DeviceState.self, from: bytes), for: input.device)
            }
            let emitted = take(input, &kept)
            #expect(take(input, &restarted) == emitted)
        }
        #expect(Set(kept.deviceIDs) == Set(restarted.deviceIDs))
        #expect(kept.relaunchCount == restarted.relaunchCount)
    }

    private func exit(_ sequence: Int, _ device: DeviceID = devices[0]) -> Event {
        let region = Region(
            id: RegionID("r"),
            shape: .circle(Circle(center: Coordinate(latitude: 1, longitude: 2), radius: 200)))
        let moment = Self.start + .seconds(sequence * 3600)
        return Event(
            id: "evt_\(sequence)", sequence: sequence, deviceID: device,
            occurrence: .regionExited(RegionSummary(region), reason: nil), timestamp: moment, detectedAt: moment)
    }

    @Test("keeps the apps whose definition did not change") func replacing() throws {
        let (a, b) = (try WatchedApp(stored: stored("a")), try WatchedApp(stored: stored("b")))
        var roster = AppRoster([a, b])
        #expect(roster.emit(exit(1)).count == 3)  // both were started, and are suspended now
        let changed = try WatchedApp(stored: stored("b", services: #""regionCircular""#))
        roster.replace([a, changed, try WatchedApp(stored: stored("c"))])
        let emitted = roster.emit(exit(2))
        #expect(emitted.compactMap(\.relaunched) == ["b", "c"])
        #expect(emitted.map(\.event.sequence) == [4, 5, 6])
        roster.replace([changed])
        #expect(roster.emit(exit(3)).map(\.event.sequence) == [7])
        roster.replace([a])
        #expect(roster.emit(exit(4)).compactMap(\.relaunched) == ["a"])
    }

    @Test("leaves out what belongs to another definition") func foreignState() throws {
        var roster = AppRoster([try WatchedApp(stored: stored("a"))])
        _ = roster.emit(exit(1))
        let state = try #require(roster.state(of: Self.devices[0]))
        let changed = try WatchedApp(stored: stored("a", services: #""regionCircular""#))
        for apps in [[changed], []] {
            var other = AppRoster(apps)
            other.restore(state, for: Self.devices[0])
            let emitted = other.emit(exit(2))
            #expect(emitted.first?.event.sequence == 3)  // The relaunch before has a sequence number too.
            #expect(emitted.compactMap(\.relaunched) == apps.map(\.app.id))
        }
    }

    @Test("takes a step on every device, and on those that come later") func steps() throws {
        var roster = AppRoster([try WatchedApp(stored: stored("a"))])
        #expect(roster.emit(exit(1)).count == 2)
        roster.take(try step(#"{"do":"terminate","by":"system"}"#), app: "a")
        roster.take(try step(#"{"do":"terminate","by":"system"}"#), app: "none")
        #expect(roster.emit(exit(2)).count == 2)
        roster.take(try step(#"{"do":"settings","set":"never"}"#), app: "a")
        for device in Self.devices {
            #expect(roster.emit(exit(3, device)).count == 1)
        }
    }

    @Test("of a new device is the same after a restart as before") func restart() throws {
        let steps = [#"{"do":"launch","by":"user"}"#, #"{"do":"terminate","by":"user"}"#, #"{"do":"unlock"}"#]
        var roster = AppRoster([try WatchedApp(stored: stored("a"))])
        for text in steps { roster.take(try step(text), app: "a") }
        var restarted = AppRoster([try WatchedApp(stored: stored("a", steps: steps))])
        #expect("\(roster.emit(exit(1)))" == "\(restarted.emit(exit(1)))")
        #expect(roster.state(of: Self.devices[0]) == restarted.state(of: Self.devices[0]))
    }

    @Test("cannot be made of what is stored wrongly") func invalid() {
        var noJSON = stored("a")
        noJSON.definition = "{"
        var two = stored("a")
        two.definition = "[\(two.definition),\(two.definition.replacing("\"a\"", with: "\"b\""))]"
        for app in [
            noJSON, two, stored("a", grant: "sometimes"), stored("a", steps: ["{"]), stored("a", steps: ["5"]),
            stored("a", steps: [#"{"do":"dance"}"#]),
        ] {
            #expect(throws: InvalidApp.self) { try WatchedApp(stored: app) }
        }
    }
}

extension EmittedEvent {
    /// The app of an `app.relaunched` event.
    fileprivate var relaunched: String? {
        if case .appRelaunched(let app) = event.occurrence { return app.id }
        return nil
    }
}
