import FencepostCoreLocation
import Foundation

/// A diary of when its user leaves the office, comes back to it, and stays anywhere.
///
/// It asks in two steps, as users grant more once they see what for: while using at first, and always when the diary
/// is to be kept with the app closed.
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

    /// Make it at every launch, a launch in the background too: events wait for the delegate that is set here.
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

    /// Starting again what is started already changes nothing, so this needs no memory of earlier launches.
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
