import FencepostEngine
import FencepostGeometry
import FencepostModel
import FencepostSimulator
import Testing

@Suite("App roster") struct AppRosterTests {
    private static let start = Timestamp(seconds: 1_772_353_800)
    private static let center = Coordinate(latitude: 38.71, longitude: -9.14)

    private func app(_ grant: String, _ services: String) throws -> App {
        let text = """
            {"id":"a","name":"A","devices":["jane/*"],"services":[\(services)],
             "given":{"grant":"\(grant)","lifecycle":"terminated","terminatedBy":"user"}}
            """
        let (apps, problems) = AppFile.read(Array(text.utf8), file: "a.json")
        #expect(problems.isEmpty)
        return try #require(apps.first)
    }

    private func event(_ isEntry: Bool, _ sequence: Int, region: String = "office", device: String = "jane/phone")
        -> Event
    {
        let summary = RegionSummary(
            Region(id: RegionID(region), shape: .circle(Circle(center: Self.center, radius: 200))))
        let moment = Self.start + .seconds(sequence * 3600)
        return Event(
            id: "evt_\(sequence)", sequence: sequence, deviceID: DeviceID(device),
            occurrence: isEntry ? .regionEntered(summary) : .regionExited(summary, reason: nil), timestamp: moment,
            detectedAt: moment)
    }

    @Test("emits the relaunch of a terminated app once, after the event that caused it")
    func relaunch() throws {
        var roster = AppRoster([try app("always", #""regionCircular""#)])
        let first = roster.emit(event(false, 1))
        #expect(first.map(\.event.occurrence.type) == [.regionExited, .appRelaunched])
        #expect(first.map(\.event.sequence) == [1, 2])
        #expect(first[0].deliveries.first?.relaunch == true)
        // The app has been relaunched: it is suspended now, and woken.
        let second = roster.emit(event(true, 2))
        #expect(second.map(\.event.occurrence.type) == [.regionEntered])
        #expect(second[0].event.sequence == 3)
        #expect(second[0].deliveries.first?.appWoken == true)
        #expect(roster.relaunchCount == 1)
    }

    @Test("starts nothing with a lesser grant, and says by which rule")
    func refusal() throws {
        var roster = AppRoster([try app("whenInUse", #"{"service":"regionCircular","identifier":"office"}"#)])
        let emitted = roster.emit(event(false, 1))
        #expect(emitted.count == 1)
        #expect(emitted[0].deliveries.map(\.decidingRule.rawValue) == ["RELAUNCH-04"])
        #expect(emitted[0].deliveries[0].app == "a")
    }

    @Test("concerns only the app's devices, services and regions")
    func concern() throws {
        var roster = AppRoster([try app("always", #"{"service":"regionCircular","identifier":"office"}"#)])
        #expect(roster.emit(event(false, 1, device: "joe/phone"))[0].deliveries.isEmpty)
        #expect(roster.emit(event(false, 1, region: "cafe"))[0].deliveries.isEmpty)
        var visits = AppRoster([try app("always", #""visits""#)])
        #expect(visits.emit(event(false, 1))[0].deliveries.isEmpty)
    }

    @Test("starts an app for a move of half a kilometre, five minutes after the last")
    func moves() throws {
        var roster = AppRoster([try app("always", #""significantChange""#)])
        let plane = LocalPlane(origin: Self.center)
        let emitted = [(0, 0.0), (60, 800), (400, 300), (420, 700), (900, 900)].map { seconds, east in
            roster.moved(
                Location(
                    deviceID: DeviceID("jane/phone"), timestamp: Self.start + .seconds(seconds),
                    coordinate: plane.unproject(east: east, north: 0), horizontalAccuracy: 10)
            ).count
        }
        #expect(emitted == [0, 0, 0, 1, 0])
    }

    @Test("says what is wrong with an app file, and where")
    func problems() {
        let text = #"{"id":"a","device":["x"],"given":{"grnat":"always"},"services":[{"service":"visit"}]}"#
        let (_, problems) = AppFile.read(Array(text.utf8), file: "a.json")
        let positions = problems.map(\.position)
        #expect(positions.contains(.pointer("/device")))
        #expect(positions.contains(.pointer("/given/grnat")))
        #expect(problems.contains { $0.message.contains("\"devices\"") })
        #expect(AppFile.read(Array("{}".utf8), file: "a.json").1.map(\.code) == ["missing_id"])
    }
}
