#if canImport(CoreLocation)
    public import CoreLocation
#else
    public import Foundation
#endif

/// What an app needs to know of a permission: whether to go on, to send the user to Settings, or to ask.
public enum AuthorizationStatus: Hashable, Sendable {
    case hasAuthorization
    /// The user, or who looks after the device, has refused; the app cannot ask again.
    case needAuthorization
    /// Nobody has been asked yet.
    case notYet
}

/// The alert for a user who has refused.
public struct AuthorizationAlert: Hashable, Sendable {
    public enum Button: String, Hashable, Sendable {
        /// Opens the app's page in Settings.
        case settings
        case cancel
    }

    public let buttons: [Button] = [.settings, .cancel]
    /// Whether the user can change the answer in Settings, which a restriction does not allow.
    public let canSettingsHelp: Bool
}

/// A permission that an app asks for at the moment a feature needs it.
public protocol AuthorizationManager {
    func getAuthorizationStatus() -> AuthorizationStatus
    func requestAuthorization()
    /// Whether Settings can change a refusal; true unless said otherwise.
    var canSettingsHelp: Bool { get }
}

extension AuthorizationManager {
    public var canSettingsHelp: Bool { true }

    /// Runs the action if that is allowed, asks if nobody was asked yet, and otherwise offers Settings and Cancel.
    ///
    /// The action does not run later by itself: the app decides that anew when it hears of the answer.
    ///
    /// - Parameters:
    ///   - offer: shows the alert; its button `settings` is to open the app's page in Settings.
    ///   - action: what needs the permission.
    /// - Returns: what it went by.
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
/// A grant for once and a provisional one count as authorized, as nothing tells them from lasting ones.
open class LocationAuthorizationManager: NSObject, AuthorizationManager, CLLocationManagerDelegate {
    /// What the app asks for.
    public enum Level: Hashable, Sendable { case whenInUse, always }

    private let manager: CLLocationManager
    private let level: Level

    /// Hears of each change of the status, and of the status at the start.
    open var onChange: ((AuthorizationStatus) -> Void)?

    public init(_ level: Level = .whenInUse) {
        self.level = level
        manager = CLLocationManager()
        super.init()
        manager.delegate = self
    }

    /// With Location Services off every app is denied, so that this says `needAuthorization` for it.
    open func getAuthorizationStatus() -> AuthorizationStatus {
        switch manager.authorizationStatus {
        case .authorizedAlways, .authorizedWhenInUse: .hasAuthorization
        case .restricted, .denied: .needAuthorization
        case .notDetermined: .notYet
        #if canImport(CoreLocation)
            // What a later system adds is not known to be a permission.
            @unknown default: .needAuthorization
        #endif
        }
    }

    open func requestAuthorization() {
        switch level {
        case .whenInUse: manager.requestWhenInUseAuthorization()
        case .always: manager.requestAlwaysAuthorization()
        }
    }

    open var canSettingsHelp: Bool { manager.authorizationStatus != .restricted }

    open func locationManagerDidChangeAuthorization(_ manager: CLLocationManager) {
        onChange?(getAuthorizationStatus())
    }
}
