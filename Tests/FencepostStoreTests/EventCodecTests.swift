import FencepostFormats
import FencepostGeometry
import FencepostJSON
import FencepostModel
import FencepostService
import FencepostTesting
import Foundation
import Testing

@testable import FencepostStore

@Suite("The bytes of an event") struct EventCodecTests {
    /// Makes events of each type, with and without each member.
    private struct Maker {
        var random: SplitMix64

        mutating func chance(_ one: Int = 2) -> Bool { random.next() % UInt64(one) == 0 }
        mutating func integer(_ range: ClosedRange<Int>) -> Int {
            range.lowerBound + Int(random.next() % UInt64(range.count))
        }

        mutating func number(_ range: ClosedRange<Double>) -> Double {
            let number = range.lowerBound + (range.upperBound - range.lowerBound) * Double(integer(0...1_000_000)) / 1e6
            // Some have few decimals, as phones send them.
            return chance() ? (number * 100).rounded() / 100 : number
        }

        mutating func text() -> String { ["office", "Zürich \"1\"", "", "東京\n", "a/b"][integer(0...4)] }
        mutating func time() -> Timestamp {
            Timestamp(milliseconds: 1_772_000_000_000 + Int64(integer(0...100_000_000)))
        }

        mutating func optional<Value>(_ make: (inout Self) -> Value) -> Value? { chance() ? make(&self) : nil }

        mutating func coordinate() -> Coordinate {
            Coordinate(latitude: number(-90...90), longitude: number(-180...180))
        }

        mutating func region() -> RegionSummary {
            RegionSummary(
                id: RegionID("region-\(integer(0...9))"), name: optional { $0.text() },
                tags: (0..<integer(0...3)).map { _ in text() },
                metadata: optional { _ in JSONText(#"{"externalId":"R-17","n":[1,2.5,null]}"#) })
        }

        mutating func visit() -> Visit {
            var visit = Visit(
                id: "vis_1", arrival: optional { $0.time() }, departure: optional { $0.time() },
                coordinate: coordinate(), horizontalAccuracy: number(0...200),
                regions: (0..<integer(0...3)).map { RegionID("r\($0)") })
            (visit.arrivalEarliest, visit.arrivalLatest) = (optional { $0.time() }, optional { $0.time() })
            (visit.departureEarliest, visit.departureLatest) = (optional { $0.time() }, optional { $0.time() })
            return visit
        }

        mutating func alert() -> Alert {
            var alert = Alert(
                kind: Alert.Kind.allCases[integer(0...Alert.Kind.allCases.count - 1)], rule: text(),
                state: chance() ? .started : .ended, region: optional { $0.region() })
            (alert.value, alert.limit) = (optional { $0.number(0...300) }, optional { $0.number(0...300) })
            (alert.unit, alert.distance) = (optional { _ in "km/h" }, optional { $0.number(0...1e6) })
            alert.duration = optional { .milliseconds($0.integer(0...10_000_000)) }
            return alert
        }

        mutating func location(of device: DeviceID) -> Location {
            var location = Location(
                deviceID: device, timestamp: time(), coordinate: coordinate(),
                horizontalAccuracy: optional { $0.number(0...500) })
            location.altitude = optional { $0.number(-100...9000) }
            location.verticalAccuracy = optional { $0.number(0...50) }
            (location.speed, location.course) = (optional { $0.number(0...60) }, optional { $0.number(0...359) })
            location.batteryLevel = optional { $0.number(0...1) }
            location.batteryState = optional { _ in .charging }
            (location.isSimulated, location.floor) = (optional { $0.chance() }, optional { $0.integer(-3...40) })
            (location.source, location.trigger) = (optional { _ in "owntracks" }, optional { $0.text() })
            return location
        }

        mutating func why(_ known: Location?, of device: DeviceID) -> Why {
            Why(
                rule: Why.Rule.allCases[integer(0...Why.Rule.allCases.count - 1)],
                fix: chance() ? known : optional { $0.location(of: device) },
                distance: optional { $0.number(-500...500) }, accuracy: optional { $0.number(0...500) },
                probability: optional { $0.number(0...1) }, pendingFixes: (0..<integer(0...3)).map { _ in time() })
        }

        mutating func occurrence(_ type: EventType) -> Occurrence {
            switch type {
            case .regionEntered: .regionEntered(region())
            case .regionExited: .regionExited(region(), reason: optional { $0.chance() ? .expired : .deleted })
            case .regionDwelled: .regionDwelled(region(), dwell: .milliseconds(integer(0...90_000_000)))
            case .visitArrived: .visitArrived(visit())
            case .visitDeparted: .visitDeparted(visit())
            case .deviceStale: .deviceStale
            case .deviceRecovered: .deviceRecovered
            case .appRelaunched: .appRelaunched(AppSummary(id: text(), name: optional { $0.text() }))
            case .alertSpeed, .alertBattery, .alertAccuracy, .alertJump, .alertUnplugged, .alertAbsent, .alertPresent,
                .alertSilent:
                .alert(alert())
            case .fenceArmed: .fence(FenceReport(.armed, fence()))
            case .fenceBroken: .fence(FenceReport(.broken(distance: number(0...9000)), fence()))
            case .fenceDisarmed:
                .fence(
                    FenceReport(
                        .disarmed(FenceReport.DisarmReason.allCases[integer(0...3)]), fence()))
            case .proximityEntered: .proximity(proximity(.entered))
            case .proximityExited: .proximity(proximity(.exited(isClosed: chance())))
            case .proximityDwelled: .proximity(proximity(.dwelled(.milliseconds(integer(0...90_000_000)))))
            case .proximityUnaccompanied: .proximity(proximity(.unaccompanied))
            case .planVisited: .plan(plan(.visited, stop()))
            case .planLate: .plan(plan(.late, stop()))
            case .planMissed: .plan(plan(.missed, stop()))
            case .planCompleted:
                .plan(
                    plan(
                        .completed(
                            PlanSummary(
                                visited: integer(0...9), late: integer(0...9), missed: integer(0...9),
                                isInOrder: optional { $0.chance() })), nil))
            }
        }

        mutating func proximity(_ kind: ProximityReport.Kind) -> ProximityReport {
            ProximityReport(
                kind, rule: text(), other: DeviceID(text()), distance: number(0...9000), uncertainty: number(0...500),
                limit: number(5...10_000))
        }

        mutating func plan(_ kind: PlanReport.Kind, _ stop: PlanReport.Stop?) -> PlanReport {
            PlanReport(
                kind, plan: text(), name: optional { $0.text() }, day: integer(0...40_000), count: integer(1...100),
                stop)
        }

        mutating func stop() -> PlanReport.Stop {
            var stop = PlanReport.Stop(
                integer(1...100), region(), start: time(), end: time(), stay: .milliseconds(integer(0...90_000)))
            (stop.arrival, stop.isInOrder) = (optional { $0.time() }, optional { $0.chance() })
            return stop
        }

        mutating func fence() -> Fence {
            Fence(
                armedAt: time(), center: coordinate(), horizontalAccuracy: number(0...150), radius: number(20...9000),
                until: optional { $0.time() }, owner: optional { DeviceID($0.text()) },
                origin: chance() ? .caller : .schedule)
        }

        mutating func message(_ type: EventType) -> EventMessage {
            let device = DeviceID(["jane/phone", "ä ö"][integer(0...1)])
            var event = Event(
                id: "evt_\(integer(1...99))", sequence: integer(1...1_000_000), deviceID: device,
                occurrence: occurrence(type), timestamp: time(), detectedAt: time(), earliest: optional { $0.time() },
                latest: optional { $0.time() }, location: optional { $0.location(of: device) },
                confidence: optional { $0.number(0...1) })
            event.isCrossing = chance()
            event.why = optional { [location = event.location] in $0.why(location, of: device) }
            let decisions = (0..<(chance(4) ? integer(1...2) : 0)).map { number in
                let app = number == 0 ? "courier" : nil
                let text = app.map { #"{"app":"\#($0)","delivery":"delivered","relaunch":true}"# }
                return AppDecision(
                    app: app, outcome: "delivered", isRelaunched: true,
                    text: JSONText(text ?? #"{"delivery":"delivered","relaunch":true}"#))
            }
            return EventMessage(
                .occurrence(event, decisions: decisions), receivedAt: time(),
                correction: optional { EventCorrection(revision: $0.integer(2...9), supersedes: "evt_0") })
        }
    }

    private static func columns(_ event: NewEvent) -> EventCodec.Columns {
        EventCodec.Columns(
            id: event.id, type: event.type, device: event.deviceID ?? DeviceID(""), region: event.regionID,
            timestamp: event.timestamp)
    }

    @Test("have all that is on the wire, of each type", arguments: EventType.allCases)
    func comesBack(type: EventType) throws {
        var maker = Maker(random: SplitMix64(seed: UInt64(type.rawValue.utf8.count)))
        for _ in 0..<200 {
            let message = maker.message(type)
            let event = NewEvent(message)
            let packed = try #require(event.packed)
            let read = try EventCodec.decode(packed, Self.columns(event))
            #expect(NewEvent(read).body == event.body)
            #expect(NewEvent(read).why == event.why)
            #expect(read.event?.isCrossing == message.event?.isCrossing)
            #expect(read.event?.location == message.event?.location)
            #expect(read.decisions == message.decisions)
            #expect(EventCodec.sequence(of: packed) == message.sequence.map { Int64($0) })
            if case .alert(let alert)? = message.event?.occurrence {
                #expect(EventCodec.alertRule(of: packed) == alert.rule)
            }
        }
    }

    @Test("of a row that was stored as text are the same values", arguments: EventType.allCases)
    func text(type: EventType) throws {
        var maker = Maker(random: SplitMix64(seed: 11))
        for _ in 0..<100 {
            let event = NewEvent(maker.message(type))
            let read = try #require(EventMessage(body: event.body, why: event.why))
            #expect(NewEvent(read).body == event.body)
            #expect(NewEvent(read).why == event.why)
        }
    }

    @Test("do not say what is about the service, nor a location of another device")
    func textOnly() {
        var maker = Maker(random: SplitMix64(seed: 3))
        let endpoint = ServiceNotice.EndpointSummary(id: "ops", description: "Operations")
        let notice = ServiceNotice(.disabled(endpoint, reason: "gone"), cause: ["ops"], at: maker.time())
        let plain = NewEvent(EventMessage(.notice(notice), receivedAt: maker.time()))
        #expect(plain.packed == nil)
        #expect(EventMessage(body: plain.body, why: nil)?.notice == notice)
        var message = maker.message(.deviceStale)
        guard case .occurrence(var event, _) = message.content else { return }
        event.location = maker.location(of: DeviceID("another"))
        message.content = .occurrence(event, decisions: [])
        #expect(NewEvent(message).packed == nil)
    }

    @Test("that are damaged end in an error") func damaged() throws {
        var maker = Maker(random: SplitMix64(seed: 5))
        var refused = 0
        for number in 0..<2000 {
            let event = NewEvent(maker.message(EventType.allCases[number % EventType.allCases.count]))
            var packed = try #require(event.packed)
            if maker.chance() {
                packed.removeLast(maker.integer(1...packed.count))
            } else {
                packed[maker.integer(0...packed.count - 1)] ^= UInt8(1 << maker.integer(0...7))
            }
            guard let read = try? EventCodec.decode(packed, Self.columns(event)) else {
                refused += 1
                continue
            }
            // What can be read can be written.
            #expect(NewEvent(read).body.hasPrefix("{\"id\":\"evt_"))
            _ = NewEvent(read).why
        }
        #expect(refused > 1000)
    }
}
