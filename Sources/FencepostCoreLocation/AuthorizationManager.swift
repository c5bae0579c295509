#if canImport(CoreLocation) && !SimulatedCoreLocation
    public import CoreLocation
#else
    public import Foundation
#endif

/// Three states of a permission: granted, refused, not asked yet.
public enum AuthorizationStatus: Hashable, Sendable {
    /// The app may use the feature.
    case hasAuthorization
    /// The user or the device's administrator has refused. The app cannot ask again.
    case needAuthorization
    /// The user was not asked yet.
    case notYet
}

/// The alert for a user who has refused.
public struct AuthorizationAlert: Hashable, Sendable {
    /// A button of the alert.
    public enum Button: String, Hashable, Sendable {
        /// Opens the app's page in Settings.
        case settings
        /// Closes the alert.
        case cancel
    }

    /// The buttons, in their order on screen.
    public let buttons: [Button] = [.settings, .cancel]
    /// Whether the user can change the answer in Settings. A restriction does not allow it.
    public let canSettingsHelp: Bool
}

/// A permission that an app asks for when a feature needs it.
public protocol AuthorizationManager {
    /// The current state of the permission.
    func getAuthorizationStatus() -> AuthorizationStatus
    /// Asks the user.
    func requestAuthorization()
    /// Whether the user can change a refusal in Settings. The default is true.
    var canSettingsHelp: Bool { get }
}

extension AuthorizationManager {
    /// True by default.
    public var canSettingsHelp: Bool { true }

    /// Runs the action if it is allowed, asks a user who was not asked yet, and otherwise offers Settings and Cancel.
    ///
    /// The action does not run later on its own. The app decides again when it receives the answer.
    ///
    /// - Parameters:
    ///   - offer: shows the alert. Its button `settings` opens the app's page in Settings.
    ///   - action: needs the permission.
    /// - Returns: the status that decided.
    @discardableResult public func checkAuthorization(
        offer: (AuthorizationAlert) -> Void, action: () throws -> Void
    ) rethrows -> AuthorizationStatus {
        let status = getAuthorizationStatus()
        switch status {
        case .hasAuthorization: try action()
        case .notYet: requestAuthorization()
        case .needAuthorization: offer(AuthorizationAlert(canSettingsHelp: canSettingsHelp))
        }
        return status
    }
}

/// The permission for the device's location.
///
/// Allow Once and provisional Always count as authorized, since the API does not distinguish them from lasting grants.
open class LocationAuthorizationManager: NSObject, AuthorizationManager, CLLocationManagerDelegate {
    /// The level that the app asks for.
    public enum Level: Hashable, Sendable { case whenInUse, always }

    private let manager: CLLocationManager
    private let level: Level

    /// Receives each change of the status, and the status at the start.
    open var onChange: ((AuthorizationStatus) -> Void)?

    /// Makes a manager that asks for this level.
    public init(_ level: Level = .whenInUse) {
        self.level = level
        manager = CLLocationManager()
        super.init()
        manager.delegate = self
    }

    /// The current state of the permission. With Location Services off, it is `needAuthorization` for every app.
    open func getAuthorizationStatus() -> AuthorizationStatus {
        switch manager.authorizationStatus {
        case .authorizedAlways, .authorizedWhenInUse: .hasAuthorization
        case .restricted, .denied: .needAuthorization
        case .notDetermined: .notYet
        #if canImport(CoreLocation) && !SimulatedCoreLocation
            // A status of a later system is not known to be a permission.
            @unknown default: .needAuthorization
        #endif
        }
    }

    /// Asks the user for the level.
    open func requestAuthorization() {
        switch level {
        case .whenInUse: manager.requestWhenInUseAuthorization()
        case .always: manager.requestAlwaysAuthorization()
        }
    }

    /// False while the app is restricted.
    open var canSettingsHelp: Bool { manager.authorizationStatus != .restricted }

    /// Reports the status to `onChange`.
    open func locationManagerDidChangeAuthorization(_ manager: CLLocationManager) {
        onChange?(getAuthorizationStatus())
    }
}
