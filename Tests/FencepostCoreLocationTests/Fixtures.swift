import FencepostCoreLocation
import FencepostSimulator
import Testing

/// A place in Berlin, and places at a distance in metres to the north.
enum Berlin {
    static let office = CLLocationCoordinate2D(latitude: 52.52, longitude: 13.405)

    /// A degree of latitude has about 111 kilometres, which is accurate enough for tests.
    static func north(_ metres: Double) -> CLLocationCoordinate2D {
        CLLocationCoordinate2D(latitude: office.latitude + metres / 111_000, longitude: office.longitude)
    }
}

extension DeviceState {
    /// An iPhone with this grant whose app declares everything that location needs.
    static func iPhone(_ grant: Grant = .notDetermined, _ version: OSVersion = OSVersion(17)) -> DeviceState {
        var state = DeviceState()
        state.osVersion = version
        state.grant = grant
        state.infoPlist = PropertyKeys([
            "NSLocationWhenInUseUsageDescription", "NSLocationAlwaysAndWhenInUseUsageDescription",
            "NSLocationTemporaryUsageDescriptionDictionary:Nearby", "UIBackgroundModes:location",
        ])
        return state
    }
}

/// A device on which the user has just opened an app.
///
/// - Parameters:
///   - state: the device; by default the newest iPhone, on which the app was never opened before.
///   - main: builds the app.
/// - Returns: the device, which is at the office, and the app.
/// - Throws: when the app is not launched.
func open<App: AnyObject>(
    _ state: DeviceState = .iPhone(.notDetermined, .newest), _ main: @escaping () -> App
) throws -> (device: SimulatedDevice, app: App) {
    let device = SimulatedDevice(state, at: Berlin.office)
    return (device, try #require(device.launch(main)))
}

/// A typical app: one class that owns the manager, asks, monitors the office and records the callbacks.
@MainActor final class GeofenceApp: NSObject, @MainActor CLLocationManagerDelegate {
    private let manager = CLLocationManager()
    private(set) var received: [String] = []

    override init() {
        super.init()
        manager.delegate = self
    }

    func askWhenInUse() { manager.requestWhenInUseAuthorization() }
    func askAlways() { manager.requestAlwaysAuthorization() }

    func watchOffice(radius: Double = 200) {
        manager.startMonitoring(for: CLCircularRegion(center: Berlin.office, radius: radius, identifier: "office"))
    }

    func watch(_ count: Int) {
        for number in 1...count {
            let center = Berlin.north(Double(number) * 5000)
            manager.startMonitoring(for: CLCircularRegion(center: center, radius: 200, identifier: "r\(number)"))
        }
    }

    func locateOnce() { manager.requestLocation() }
    func track() { manager.startUpdatingLocation() }
    func trackInBackground() {
        manager.allowsBackgroundLocationUpdates = true
        manager.startUpdatingLocation()
    }
    func askForState() {
        manager.requestState(for: CLCircularRegion(center: Berlin.office, radius: 200, identifier: "office"))
    }
    func askPrecisely() {
        manager.requestTemporaryFullAccuracyAuthorization(withPurposeKey: "Nearby") { [self] error in
            received.append("precise: \(error.map { "\(($0 as? CLError)?.code.rawValue ?? -1)" } ?? "answered")")
        }
    }
    var monitored: [String] { manager.monitoredRegions.map(\.identifier).sorted() }
    var position: CLLocation? { manager.location }

    func locationManagerDidChangeAuthorization(_ manager: CLLocationManager) {
        let accuracy = manager.accuracyAuthorization == .reducedAccuracy ? " reduced" : ""
        received.append("status \(manager.authorizationStatus.rawValue)\(accuracy)")
    }

    func locationManager(_ manager: CLLocationManager, didEnterRegion region: CLRegion) {
        received.append("enter \(region.identifier)")
    }

    func locationManager(_ manager: CLLocationManager, didExitRegion region: CLRegion) {
        received.append("exit \(region.identifier)")
    }

    func locationManager(
        _ manager: CLLocationManager, didDetermineState state: CLRegionState, for region: CLRegion
    ) {
        received.append("state \(state.rawValue) \(region.identifier)")
    }

    func locationManager(
        _ manager: CLLocationManager, monitoringDidFailFor region: CLRegion?, withError error: any Error
    ) {
        received.append("failed \(region?.identifier ?? "?") \((error as NSError).code)")
    }

    func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
        for location in locations { received.append("at ±\(Int(location.horizontalAccuracy))") }
    }

    func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) {
        if case CLError.denied = error { received.append("denied") } else { received.append("error") }
    }
}
