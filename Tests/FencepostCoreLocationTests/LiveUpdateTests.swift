import FencepostCoreLocation
import FencepostSimulator
import Testing

/// Iterates live updates until the test stops it.
@MainActor final class TrackerApp {
    private(set) var locations: [CLLocation] = []
    private(set) var denials = 0
    private var task: Task<Void, Never>?
    private var session: CLBackgroundActivitySession?

    init(inBackground: Bool = false) {
        if inBackground { session = CLBackgroundActivitySession() }
        task = Task { [weak self] in
            do {
                for try await update in CLLocationUpdate.liveUpdates(.fitness) {
                    if let location = update.location { self?.locations.append(location) }
                    if update.authorizationDenied { self?.denials += 1 }
                }
            } catch {}
        }
    }

    func stop() { task?.cancel() }
    func endSession() { session?.invalidate() }
}

@MainActor @Suite("A loop over live updates", .timeLimit(.minutes(1))) struct LiveUpdateTests {
    @Test("gets the fixes of a move, until it stops")
    func follows() async throws {
        let device = SimulatedDevice(.iPhone(.whenInUse), at: Berlin.office)
        let app = try #require(device.launch { TrackerApp() })
        #expect(await device.settle(loops: 1))
        #expect(app.locations.count == 1)
        await device.move(to: Berlin.north(100), speed: 10)
        await device.settle()
        #expect((11...13).contains(app.locations.count))
        let last = try #require(app.locations.last)
        #expect(abs(last.coordinate.latitude - Berlin.north(100).latitude) < 1e-9)
        #expect(last.speed == 10)

        app.stop()
        for _ in 0..<100 { await Task.yield() }
        #expect(device.state.services.allSatisfy { $0.service != .liveUpdates || !$0.isActive })
        await device.move(to: Berlin.office)
        #expect(app.locations.last === last)
    }

    @Test("begins on the answer to the prompt that iOS 18 shows for it")
    func prompts() async throws {
        let device = SimulatedDevice(.iPhone(.notDetermined, OSVersion(18)), at: Berlin.office)
        let app = try #require(device.launch { TrackerApp() })
        #expect(await device.settle(loops: 1))
        #expect(device.prompt?.kind == .first)
        #expect(app.locations.isEmpty)
        device.answer(.allowWhileUsing)
        await device.settle()
        #expect(app.locations.count == 1)
        device.change(.never)
        await device.settle()
        #expect(app.denials == 1)
    }

    @Test("goes on in the background as long as a session is held")
    func background() async throws {
        let device = SimulatedDevice(.iPhone(.whenInUse), at: Berlin.office)
        let app = try #require(device.launch { TrackerApp(inBackground: true) })
        #expect(await device.settle(loops: 1))
        device.enterBackground()
        await device.wait(.seconds(60))
        #expect(device.lifecycle == .backgroundRunning)
        await device.move(to: Berlin.north(100), speed: 10)
        await device.settle()
        #expect(app.locations.count > 10)

        device.run { app.endSession() }
        await device.wait(.seconds(60))
        #expect(device.lifecycle == .suspended)
        let before = app.locations.count
        await device.move(to: Berlin.north(200), speed: 10)
        await device.settle()
        #expect(app.locations.count == before)
    }

    @Test("brings a terminated app back that holds a session, which the app takes again")
    func relaunch() async throws {
        let device = SimulatedDevice(.iPhone(.whenInUse), at: Berlin.office)
        device.launch { TrackerApp(inBackground: true) }
        #expect(await device.settle(loops: 1))
        device.terminate(by: .system)
        await device.move(to: Berlin.north(100), speed: 10)
        #expect(device.launches == 1)
        #expect(device.deliveries(of: .liveUpdates).contains { $0.relaunch && $0.decidingRule == .relaunch13 })
        let again = try #require(device.app(as: TrackerApp.self))
        #expect(await device.settle(loops: 1))
        await device.move(to: Berlin.north(150), speed: 10)
        await device.settle()
        #expect(again.locations.count > 5)
    }

    @Test("receives from a service session what prevents its level")
    func diagnostics() async throws {
        let device = SimulatedDevice(.iPhone(.denied, OSVersion(18)))
        device.launch { NSObject() }
        try await device.run {
            let session = CLServiceSession(authorization: .whenInUse)
            for try await diagnostic in session.diagnostics {
                #expect(diagnostic.authorizationDenied)
                #expect(!diagnostic.authorizationRequestInProgress)
                break
            }
        }
    }
}
