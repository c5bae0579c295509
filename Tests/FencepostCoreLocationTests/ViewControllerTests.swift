import FencepostCoreLocation
import FencepostSimulator
import Testing

/// The parts of UIKit that articles use next to Core Location, in place of UIKit.
private class UIViewController: NSObject {
    private(set) var presented: UIAlertController?
    func viewDidLoad() {}
    func present(_ alert: UIAlertController, animated: Bool, completion: (() -> Void)? = nil) {
        presented = alert
        completion?()
    }
}

private final class UIAlertController: NSObject {
    enum Style { case alert, actionSheet }
    let title: String?
    private(set) var actions: [String] = []
    init(title: String?, message: String?, preferredStyle: Style) { self.title = title }
    func addAction(_ title: String) { actions.append(title) }
}

/// The class of an article that checks the switch of the device, then the status, then acts, and knows both versions of
/// the callback.
private final class MapViewController: UIViewController {
    let locationManager = CLLocationManager()
    private(set) var coordinates: [CLLocationCoordinate2D] = []
    private(set) var failures: [String] = []

    override func viewDidLoad() {
        super.viewDidLoad()
        locationManager.delegate = self
    }

    func checkDeviceAuthorization() {
        guard CLLocationManager.locationServicesEnabled() else { return showSettingsAlert() }
        checkAppAuthorization(locationManager.authorizationStatus)
    }

    func checkAppAuthorization(_ status: CLAuthorizationStatus) {
        switch status {
        case .notDetermined:
            locationManager.desiredAccuracy = kCLLocationAccuracyBest
            locationManager.requestWhenInUseAuthorization()
        case .restricted, .denied: showSettingsAlert()
        case .authorizedWhenInUse: locationManager.startUpdatingLocation()
        default: break
        }
    }

    func showSettingsAlert() {
        let alert = UIAlertController(title: "Location", message: nil, preferredStyle: .alert)
        alert.addAction("Settings")
        alert.addAction("Cancel")
        present(alert, animated: true)
    }
}

extension MapViewController: CLLocationManagerDelegate {
    func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
        if let coordinate = locations.last?.coordinate { coordinates.append(coordinate) }
        locationManager.stopUpdatingLocation()
    }

    func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) {
        if let error = error as? CLError {
            switch error.code {
            case .denied: failures.append("denied")
            case .locationUnknown, .network: failures.append("later")
            default: failures.append("other")
            }
        }
    }

    func locationManagerDidChangeAuthorization(_ manager: CLLocationManager) { checkDeviceAuthorization() }

    func locationManager(_ manager: CLLocationManager, didChangeAuthorization status: CLAuthorizationStatus) {
        checkDeviceAuthorization()
    }
}

/// Articles are written for a view controller, so their code is compiled in that shape here.
@Suite("A view controller with a location manager") struct ViewControllerTests {
    private func launch(_ state: DeviceState) throws -> (SimulatedDevice, MapViewController) {
        try open(state) {
            let controller = MapViewController()
            controller.viewDidLoad()
            return controller
        }
    }

    @Test("asks by its first callback, and stops after the first location", arguments: [13.0, 17, 26])
    func asks(version: Double) throws {
        let (device, app) = try launch(.iPhone(.notDetermined, OSVersion(Int(version))))
        #expect(device.prompt?.kind == .first)
        device.answer(.allowWhileUsing)
        device.wait(.seconds(30))
        #expect(app.coordinates.count == 1)
        #expect(device.deliveries(of: .standardUpdates).count <= 2)
        #expect(app.failures.isEmpty && app.presented == nil)
    }

    @Test("offers Settings when it is denied, restricted, or when the device's switch is off")
    func offersSettings() throws {
        for grant in [Grant.denied, .restricted] {
            let (_, app) = try launch(.iPhone(grant))
            #expect(app.presented?.actions == ["Settings", "Cancel"])
        }
        let (device, app) = try launch(.iPhone(.whenInUse))
        #expect(app.presented == nil)
        device.change(.locationServicesOff)
        #expect(app.presented?.title == "Location")
    }

    @Test("asks again after Allow Once has ended")
    func asksAgain() throws {
        let (device, app) = try launch(.iPhone(.notDetermined, .newest))
        device.answer(.allowOnce)
        device.wait(.seconds(30))
        #expect(app.coordinates.count == 1)
        device.enterBackground()
        device.wait(.seconds(120))
        device.enterForeground()
        #expect(device.prompt?.kind == .first)
    }
}
