import FencepostCoreLocation
import Foundation

/// Records when its user leaves the office, comes back, and stays at a place.
///
/// It requests authorization in two steps, because users grant more when they see the reason: first for use of the app,
/// later for always, so that the diary continues while the app is closed.
@MainActor public final class PlaceDiary: NSObject, @MainActor CLLocationManagerDelegate {
    public enum Entry: Equatable {
        case left(String), reached(String)
        case arrived(Date), departed(Date)
    }

    /// What the screen of the diary says about permission.
    public enum Permission { case notAsked, whileOpen, always, refused }

    public private(set) var entries: [Entry] = []
    public private(set) var permission = Permission.notAsked

    private let manager = CLLocationManager()
    private let office: CLCircularRegion

    /// Create it at every launch, also in the background: the system delivers events to the delegate that is set here.
    public init(office center: CLLocationCoordinate2D) {
        office = CLCircularRegion(center: center, radius: 200, identifier: "office")
        super.init()
        manager.delegate = self
    }

    public func open() {
        guard permission == .notAsked else { return }
        manager.requestWhenInUseAuthorization()
    }

    public func keepWhileClosed() { manager.requestAlwaysAuthorization() }

    // MARK: CLLocationManagerDelegate

    public func locationManagerDidChangeAuthorization(_ manager: CLLocationManager) {
        switch manager.authorizationStatus {
        case .notDetermined: permission = .notAsked
        case .restricted, .denied: permission = .refused
        case .authorizedWhenInUse:
            permission = .whileOpen
            begin()
        case .authorizedAlways:
            permission = .always
            begin()
        @unknown default: permission = .refused
        }
    }

    /// Starting a service twice has no effect, so earlier launches do not matter.
    private func begin() {
        manager.startMonitoring(for: office)
        manager.startMonitoringVisits()
    }

    public func locationManager(_ manager: CLLocationManager, didEnterRegion region: CLRegion) {
        entries.append(.reached(region.identifier))
    }

    public func locationManager(_ manager: CLLocationManager, didExitRegion region: CLRegion) {
        entries.append(.left(region.identifier))
    }

    public func locationManager(_ manager: CLLocationManager, didVisit visit: CLVisit) {
        entries.append(
            visit.departureDate == .distantFuture ? .arrived(visit.arrivalDate) : .departed(visit.departureDate))
    }
}
