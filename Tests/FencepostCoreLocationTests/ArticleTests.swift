import FencepostCoreLocation
import FencepostSimulator
import Testing

/// The article "get a user's location permission": one request, then one location or an error.
@MainActor private final class OneLocation: NSObject, @MainActor CLLocationManagerDelegate {
    private let manager = CLLocationManager()
    private(set) var messages: [String] = []

    override init() {
        super.init()
        manager.delegate = self
        manager.desiredAccuracy = kCLLocationAccuracyHundredMeters
    }

    func buttonTapped() {
        switch manager.authorizationStatus {
        case .notDetermined: manager.requestWhenInUseAuthorization()
        case .restricted, .denied: messages.append("open Settings")
        case .authorizedAlways, .authorizedWhenInUse: manager.requestLocation()
        @unknown default: break
        }
    }

    func locationManagerDidChangeAuthorization(_ manager: CLLocationManager) {
        if manager.authorizationStatus == .authorizedWhenInUse { manager.requestLocation() }
    }

    func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
        messages.append("located")
    }

    func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) {
        messages.append((error as? CLError)?.code == .denied ? "denied" : "failed")
    }
}

/// The article that compares When In Use with Always: the app asks for Always when its user turns a feature on.
@MainActor private final class StepByStep: NSObject, @MainActor CLLocationManagerDelegate {
    let manager = CLLocationManager()
    private(set) var statuses: [CLAuthorizationStatus] = []

    override init() {
        super.init()
        manager.delegate = self
    }

    func begin() { manager.requestWhenInUseAuthorization() }
    func turnOnReminders() { manager.requestAlwaysAuthorization() }

    func locationManagerDidChangeAuthorization(_ manager: CLLocationManager) {
        statuses.append(manager.authorizationStatus)
    }
}

/// Apple's article on requesting authorization: features follow the status, in the delegate's callback only.
@MainActor private final class Features: NSObject, @MainActor CLLocationManagerDelegate {
    private let manager = CLLocationManager()
    private(set) var areOn = false
    private(set) var asksForPrecise = 0

    override init() {
        super.init()
        manager.delegate = self
    }

    func locationManagerDidChangeAuthorization(_ manager: CLLocationManager) {
        switch manager.authorizationStatus {
        case .authorizedWhenInUse, .authorizedAlways:
            areOn = true
            if manager.accuracyAuthorization == .reducedAccuracy {
                asksForPrecise += 1
                manager.requestTemporaryFullAccuracyAuthorization(withPurposeKey: "Nearby")
            }
        case .restricted, .denied: areOn = false
        case .notDetermined: manager.requestWhenInUseAuthorization()
        @unknown default: break
        }
    }
}

/// Programs of the shape that widely read articles show. The check before asking has its own tests.
@MainActor @Suite("The program of an article") struct ArticleTests {
    @Test(
        "about one location gets it after the answer, or says why not", arguments: [Choice.allowWhileUsing, .dontAllow])
    func oneLocation(choice: Choice) throws {
        let (device, app) = try open { OneLocation() }
        device.run { app.buttonTapped() }
        #expect(device.prompt?.kind == .first)
        device.answer(choice)
        device.wait(.seconds(20))
        #expect(app.messages == (choice == .dontAllow ? [] : ["located"]))
        device.run { app.buttonTapped() }
        device.wait(.seconds(20))
        #expect(app.messages.last == (choice == .dontAllow ? "open Settings" : "located"))
        #expect(device.prompt == nil, "the system asks once")
    }

    @Test("about both levels asks in two steps, and the second prompt appears once")
    func levels() throws {
        let (device, app) = try open { StepByStep() }
        device.run { app.begin() }
        device.answer(.allowWhileUsing)
        device.run { app.turnOnReminders() }
        #expect(device.prompt?.kind == .upgrade)
        device.answer(.keepOnlyWhileUsing)
        device.run { app.turnOnReminders() }
        #expect(device.prompt == nil)
        #expect(app.statuses == [.notDetermined, .authorizedWhenInUse])
    }

    @Test("that asks for Always at first sees Always, while the user has allowed use only")
    func provisional() throws {
        let (device, app) = try open { StepByStep() }
        device.run { app.turnOnReminders() }
        device.answer(.allowWhileUsing)
        #expect(app.statuses.last == .authorizedAlways)
        #expect(device.grant == .provisionalAlways)
    }

    @Test("about Allow Once may ask again after the app left the screen")
    func once() throws {
        let (device, app) = try open { StepByStep() }
        device.run { app.begin() }
        #expect(device.prompt?.buttons.contains(.allowOnce) == true)
        device.answer(.allowOnce)
        #expect(app.manager.authorizationStatus == .authorizedWhenInUse, "the API does not show that it is for once")
        device.enterBackground()
        device.wait(.seconds(60))
        device.enterForeground()
        #expect(app.statuses == [.notDetermined, .authorizedWhenInUse, .notDetermined])
        device.run { app.begin() }
        #expect(device.prompt?.kind == .first)
    }

    @Test("by Apple turns its features on and off with the status, and asks for precise locations")
    func features() throws {
        let (device, app) = try open { Features() }
        #expect(!app.areOn && device.prompt?.kind == .first)
        device.answer(.allowWhileUsing, precise: false)
        #expect(app.areOn && app.asksForPrecise == 1)
        device.answer(.allowOnce)
        device.change(.never)
        #expect(!app.areOn)
        device.change(.whileUsing)
        #expect(app.areOn)
    }
}
