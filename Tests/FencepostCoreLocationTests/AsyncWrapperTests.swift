import FencepostCoreLocation
import FencepostSimulator
import Observation
import Testing

/// One location per call, as apps wrap `requestLocation` in a continuation.
@MainActor private final class LocationFetcher: NSObject, @MainActor CLLocationManagerDelegate {
    private let manager = CLLocationManager()
    private var waiting: CheckedContinuation<CLLocation, any Error>?

    override init() {
        super.init()
        manager.delegate = self
    }

    func current() async throws -> CLLocation {
        try await withCheckedThrowingContinuation { continuation in
            waiting = continuation
            manager.requestLocation()
        }
    }

    func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
        waiting?.resume(returning: locations[0])
        waiting = nil
    }

    func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) {
        waiting?.resume(throwing: error)
        waiting = nil
    }
}

/// The delegate's calls as a stream, with a nonisolated delegate.
private final class LocationStream: NSObject, CLLocationManagerDelegate {
    let locations: AsyncStream<CLLocation>
    private let manager = CLLocationManager()
    private let continuation: AsyncStream<CLLocation>.Continuation

    override init() {
        (locations, continuation) = AsyncStream.makeStream()
        super.init()
        manager.delegate = self
        manager.startUpdatingLocation()
    }

    func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
        for location in locations { continuation.yield(location) }
    }
}

/// The observable model of Apple's sample on live updates: a shared handler with a background session.
@MainActor @Observable private final class LocationsHandler {
    private let manager = CLLocationManager()
    private var background: CLBackgroundActivitySession?
    private(set) var lastLocation = CLLocation()
    private(set) var isStationary = false
    private(set) var count = 0
    private(set) var obstacles: [String] = []
    var updatesStarted = false
    var backgroundActivity = false {
        didSet {
            if backgroundActivity { background = CLBackgroundActivitySession() } else { background?.invalidate() }
        }
    }

    func startLocationUpdates() {
        if manager.authorizationStatus == .notDetermined { manager.requestWhenInUseAuthorization() }
        updatesStarted = true
        Task {
            do {
                for try await update in CLLocationUpdate.liveUpdates(.fitness) {
                    if !updatesStarted { break }
                    if update.authorizationDenied { obstacles.append("denied") }
                    guard let location = update.location else { continue }
                    lastLocation = location
                    isStationary = update.stationary
                    count += 1
                }
            } catch {
                obstacles.append("\(error)")
            }
        }
    }
}

/// Callbacks as `async` functions, streams and observable models.
@MainActor @Suite("An app with async code") struct AsyncWrapperTests {
    @Test("awaits one location, or the error")
    func fetches() async throws {
        let (device, app) = try open(.iPhone(.whenInUse, .newest)) { LocationFetcher() }
        let first = device.run { Task { try await app.current() } }
        await device.settle()
        await device.wait(.seconds(20))
        #expect(try await first.value.coordinate.latitude == Berlin.office.latitude)

        device.change(.never)
        let second = device.run { Task { try await app.current() } }
        await device.settle()
        await #expect(throws: CLError(.denied)) { try await second.value }
    }

    @Test("reads the delegate's calls as a stream")
    func streams() async throws {
        let (device, app) = try open(.iPhone(.whenInUse, .newest)) { LocationStream() }
        await device.move(to: Berlin.north(100), speed: 10)
        var iterator = app.locations.makeAsyncIterator()
        #expect(await iterator.next()?.coordinate.latitude == Berlin.office.latitude)
    }

    @Test("shows live updates in an observable model, also in the background with a session")
    func observes() async throws {
        let (device, app) = try open { LocationsHandler() }
        device.run { app.startLocationUpdates() }
        #expect(device.prompt?.kind == .first)
        device.answer(.allowWhileUsing)
        await device.settle(loops: 1)
        #expect(app.count == 1)
        device.run { app.backgroundActivity = true }
        device.enterBackground()
        await device.move(to: Berlin.north(500), speed: 10)
        #expect(app.count > 40)
        #expect(app.lastLocation.distance(from: CLLocation(latitude: 52.52, longitude: 13.405)) > 450)
        #expect(app.obstacles.isEmpty)
    }

    @Test("learns from a background session's diagnostics why it has no effect")
    func sessionDiagnostics() async throws {
        let (device, app) = try open(.iPhone(.denied, .newest)) { LocationFetcher() }
        var flags: [[Bool]] = []
        let session = device.run { CLBackgroundActivitySession() }
        let loop = device.run {
            Task {
                for try await diagnostic in session.diagnostics {
                    flags.append([diagnostic.authorizationDenied, diagnostic.insufficientlyInUse])
                }
            }
        }
        await device.settle(loops: 1)
        #expect(flags == [[true, false]])
        device.change(.whileUsing)
        await device.settle(loops: 1)
        #expect(flags == [[true, false], [false, false]])
        device.run { session.invalidate() }
        try await loop.value
        _ = app
    }
}
