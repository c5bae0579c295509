#if !canImport(CoreLocation) || SimulatedCoreLocation
    public import Foundation

    /// The principal object of an app's location push service extension.
    ///
    /// The simulation decides whether a push would run it: `SimulatedDevice.deliveries(of: .locationPush)`. It does not run
    /// it, because an extension is a process of its own. A test calls its methods itself.
    public protocol CLLocationPushServiceExtension: NSObjectProtocol {
        /// A location push has come. The extension calls `completion` when it has finished.
        func didReceiveLocationPushPayload(_ payload: [String: Any], completion: @escaping () -> Void)
        /// The system ends the extension soon.
        func serviceExtensionWillTerminate()
    }

    extension CLLocationPushServiceExtension {
        /// Does nothing.
        public func serviceExtensionWillTerminate() {}
    }
#endif
