import FencepostFormats
import FencepostGeometry
import FencepostModel
import Testing

@testable import FencepostService

@Suite("What history compares of an event") struct EventContentTests {
    private static let start = Timestamp(seconds: 1_772_000_000)
    private static let region = RegionSummary(id: RegionID("office"), name: "Office", tags: ["work"], metadata: nil)
    private static let visit = Visit(
        id: "vis_1", arrival: start, coordinate: Coordinate(latitude: 48, longitude: 2), horizontalAccuracy: 20)

    private static func event(_ occurrence: Occurrence) -> Event {
        var event = Event(
            id: "evt_1", sequence: 7, deviceID: DeviceID("jane"), occurrence: occurrence, timestamp: start,
            detectedAt: start + .seconds(12), confidence: 0.98)
        event.location = Location(
            deviceID: DeviceID("jane"), timestamp: start, coordinate: Coordinate(latitude: 48, longitude: 2))
        return event
    }

    private static func text(_ event: Event, _ change: (inout EventMessage) -> Void = { _ in }) -> String {
        var message = EventMessage(.occurrence(event, decisions: []), receivedAt: start)
        change(&message)
        return EventContent.text(of: message)
    }

    @Test("is what an evaluation decides") func decided() {
        let entry = Self.event(.regionEntered(Self.region))
        let changes: [(inout Event) -> Void] = [
            { $0.timestamp = Self.start - .seconds(1) }, { $0.detectedAt = Self.start }, { $0.earliest = Self.start },
            { $0.latest = Self.start }, { $0.confidence = 0.5 }, { $0.location?.speed = 3 }, { $0.location = nil },
            { $0.occurrence = .regionExited(Self.region, reason: nil) },
            { $0.occurrence = .regionDwelled(Self.region, dwell: .seconds(60)) },
            { $0.occurrence = .visitArrived(Self.visit) },
        ]
        for (number, change) in changes.enumerated() {
            var other = entry
            change(&other)
            #expect(Self.text(other) != Self.text(entry), "change \(number)")
        }
        var departed = Self.visit
        departed.departure = Self.start + .seconds(60)
        #expect(Self.text(Self.event(.visitDeparted(departed))) != Self.text(Self.event(.visitDeparted(Self.visit))))
        let alert = Alert(kind: .speed, rule: "fast", state: .started)
        var faster = alert
        faster.value = 99
        #expect(Self.text(Self.event(.alert(faster))) != Self.text(Self.event(.alert(alert))))
    }

    @Test("is not what the service adds, nor what the region is called") func added() {
        let entry = Self.event(.regionEntered(Self.region))
        let renamed = RegionSummary(id: Self.region.id, name: "Headquarters", tags: [], metadata: nil)
        let changes: [(inout Event) -> Void] = [
            { $0.id = "evt_2" }, { $0.sequence = 8 }, { $0.why = Why(rule: .containment) },
            { $0.occurrence = .regionEntered(renamed) },
        ]
        for (number, change) in changes.enumerated() {
            var other = entry
            change(&other)
            #expect(Self.text(other) == Self.text(entry), "change \(number)")
        }
        let corrected = Self.text(entry) {
            ($0.receivedAt, $0.correction) = (Self.start, EventCorrection(revision: 2, supersedes: "evt_0"))
        }
        #expect(corrected == Self.text(entry))
    }

    @Test("that did not happen is in its retraction, by name") func retraction() {
        let message = EventMessage(
            .occurrence(Self.event(.regionEntered(Self.region)), decisions: []), receivedAt: Self.start)
        let held = HeldEvent(NewEvent(message), detectedAt: Self.start + .seconds(12))
        let retraction = Retraction(of: held, sequence: 9, reason: .lateLocations)
        let body = NewEvent(EventMessage(.retraction(retraction), receivedAt: Self.start)).body
        #expect(
            body == """
                {"id":"\(retraction.id)","sequence":9,"type":"event.retracted","timestamp":"2026-02-25T06:13:20Z",\
                "detectedAt":"2026-02-25T06:13:32Z","receivedAt":"2026-02-25T06:13:20Z","deviceId":"jane",\
                "retracts":"evt_1","retractedType":"region.entered",\
                "region":{"id":"office","name":"Office","tags":["work"]},"reason":"lateLocations","apps":[]}
                """)
        let visited = EventMessage(
            .occurrence(Self.event(.visitArrived(Self.visit)), decisions: []), receivedAt: Self.start)
        let other = Retraction(
            of: HeldEvent(NewEvent(visited), detectedAt: Self.start), sequence: 9, reason: .lateLocations)
        #expect(other.visit == Self.visit)
    }
}
