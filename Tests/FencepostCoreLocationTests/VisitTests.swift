import FencepostCoreLocation
import FencepostSimulator
import Testing

/// Records visits and significant changes.
@MainActor final class VisitLogger: NSObject, @MainActor CLLocationManagerDelegate {
    private let manager = CLLocationManager()
    private(set) var visits: [CLVisit] = []
    private(set) var moves: [CLLocation] = []

    override init() {
        super.init()
        manager.delegate = self
        manager.startMonitoringSignificantLocationChanges()
    }

    func begin() { manager.startMonitoringVisits() }

    func locationManager(_ manager: CLLocationManager, didVisit visit: CLVisit) { visits.append(visit) }
    func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
        moves += locations
    }
}

@MainActor @Suite("A visit logger") struct VisitTests {
    @Test("is launched for an arrival and for the departure from it")
    func visits() throws {
        let device = SimulatedDevice(.iPhone(.always), at: Berlin.office)
        let app = try #require(device.launch { VisitLogger() })
        device.run { app.begin() }
        device.enterBackground()
        device.terminate(by: .reboot)
        device.unlock()
        device.move(to: Berlin.north(2000))
        let arrived = device.now
        device.wait(.seconds(3600))

        let launched = try #require(device.app(as: VisitLogger.self))
        let arrival = try #require(launched.visits.first)
        #expect(launched.visits.count == 1)
        #expect(arrival.departureDate == .distantFuture)
        // The stay began when the device came within its radius.
        #expect(abs(arrival.arrivalDate.timeIntervalSince(arrived)) < 60)

        device.terminate(by: .system)
        device.move(to: Berlin.north(4000))
        let again = try #require(device.app(as: VisitLogger.self))
        #expect(again.visits.map(\.arrivalDate) == [arrival.arrivalDate])
        #expect(try #require(again.visits.first).departureDate > arrived.addingTimeInterval(3600))
    }

    @Test("does not know when a visit began that it was not allowed to see begin")
    func unseen() throws {
        let device = SimulatedDevice(.iPhone(.always), at: Berlin.office)
        let app = try #require(device.launch { VisitLogger() })
        device.run { app.begin() }
        device.change(.never)
        device.wait(.seconds(3600))
        #expect(app.visits.isEmpty)
        device.change(.always)
        device.move(to: Berlin.north(2000))
        let departure = try #require(app.visits.first)
        #expect(departure.arrivalDate == .distantPast)
        #expect(departure.departureDate < device.now)
    }

    @Test("receives significant changes at most every five minutes and 500 metres")
    func significantChanges() throws {
        let device = SimulatedDevice(.iPhone(.always), at: Berlin.office)
        let app = try #require(device.launch { VisitLogger() })
        #expect(app.moves.count == 1, "the first is the place where it starts")
        device.enterBackground()
        device.move(to: Berlin.north(30_000), speed: 25)  // twenty minutes
        let times = app.moves.map(\.timestamp)
        #expect((3...5).contains(times.count))
        #expect(zip(times, times.dropFirst()).allSatisfy { $1.timeIntervalSince($0) >= 300 })
    }

    @Test("learns the exact times and a coarse place with reduced accuracy")
    func reduced() throws {
        var state = DeviceState.iPhone(.always)
        state.accuracy = .reduced
        let device = SimulatedDevice(state, at: Berlin.office)
        let app = try #require(device.launch { VisitLogger() })
        device.run { app.begin() }
        let start = device.now
        device.wait(.seconds(600))
        let visit = try #require(app.visits.first)
        #expect(visit.arrivalDate == start)
        #expect(visit.horizontalAccuracy == 5000)
        #expect(visit.coordinate.latitude != Berlin.office.latitude)
    }
}
