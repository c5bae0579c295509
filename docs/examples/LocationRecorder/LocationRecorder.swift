public import Foundation

// Copy this file into an app. It writes one JSON line per call of Core Location and per life-cycle step, from which
// `fencepost scenario record` makes a scenario. docs/core-location/record.md describes the lines.
#if canImport(CoreLocation)
    public import CoreLocation
#else
    public import FencepostCoreLocation
#endif
#if canImport(UIKit) && !os(watchOS)
    import UIKit
#endif

/// Writes what the system does to an app, for `fencepost scenario record`.
///
/// Make one at every launch, before anything else that uses location, and keep it. It has a location manager of its own:
/// Core Location calls the delegates of all managers for authorization, regions, visits and significant changes, so the
/// app's own delegate stays as it is. What only the app knows, it reports by calling the methods below.
@MainActor public final class LocationRecorder: NSObject, @MainActor CLLocationManagerDelegate {
    /// What the recorder cannot find out everywhere; on a phone nothing has to be set.
    @MainActor public struct Environment {
        /// Receives each line, without a line feed.
        public var write: @MainActor (String) -> Void
        /// The current time.
        public var now: @MainActor () -> Date = { Date() }
        /// The device's model, and the version of the system.
        public var device, system: String
        /// Where the log comes from: `device`, `simulator` or `made`.
        public var kind: String
        /// The entries of the Info.plist that concern location, as `Key:value`.
        public var infoPlist: [String]
        /// Whether the app came up in the background; `nil` to ask UIKit.
        public var isInBackground: Bool?

        /// The environment of an app on a phone: lines go to a file in the app's documents and to the console.
        public init(file: URL? = nil) {
            let folder = FileManager.default.urls(for: .documentDirectory, in: .userDomainMask).first
            let file = file ?? folder?.appendingPathComponent("location-recording.jsonl")
            write = { line in
                print(line)
                file.map { LocationRecorder.append(line, to: $0) }
            }
            device = LocationRecorder.model()
            let version = ProcessInfo.processInfo.operatingSystemVersion
            system = "\(version.majorVersion).\(version.minorVersion).\(version.patchVersion)"
            #if targetEnvironment(simulator)
                kind = "simulator"
            #else
                kind = "device"
            #endif
            infoPlist = LocationRecorder.infoPlist(Bundle.main.infoDictionary ?? [:])
        }
    }

    private let environment: Environment
    private let includesCoordinates: Bool
    private let manager = CLLocationManager()
    private var observers: [any NSObjectProtocol] = []

    /// Writes the line of the launch, and begins to record.
    ///
    /// - Parameters:
    ///   - includesCoordinates: whether to write the centres of regions. Locations of the device are never written.
    ///   - environment: where the lines go.
    public init(includesCoordinates: Bool = false, environment: Environment = Environment()) {
        self.environment = environment
        self.includesCoordinates = includesCoordinates
        super.init()
        var members: [String: Any] = [
            "device": environment.device, "system": environment.system, "kind": environment.kind,
            "infoPlist": environment.infoPlist, "status": Self.name(manager.authorizationStatus),
            "accuracy": Self.name(manager.accuracyAuthorization), "state": isInBackground ? "background" : "foreground",
        ]
        members["platform"] = Self.platform
        members["app"] = Bundle.main.bundleIdentifier
        #if !os(tvOS) && !os(watchOS) && !os(visionOS)
            members["regions"] = manager.monitoredRegions.sorted { $0.identifier < $1.identifier }.map {
                self.members(of: $0)
            }
        #endif
        record("launch", members)
        observe()
        manager.delegate = self
    }

    /// Writes one line. `call` is a name of docs/core-location/record.md; other names are kept as remarks.
    public func record(_ call: String, _ members: [String: Any] = [:]) {
        var line = members
        line["fencepost"] = 1
        line["call"] = call
        line["at"] = Self.text(environment.now())
        let options: JSONSerialization.WritingOptions = [.sortedKeys, .withoutEscapingSlashes]
        guard JSONSerialization.isValidJSONObject(line),
            let data = try? JSONSerialization.data(withJSONObject: line, options: options)
        else { return }
        environment.write(String(decoding: data, as: UTF8.self))
    }

    // MARK: What the app reports

    /// The app asks for permission: `whenInUse` or `always`. Call it before the manager's method.
    public func requested(_ level: String) { record("request", ["level": level]) }

    /// The app starts a service, by Fencepost's name: `significantChange`, `visits`, `standardUpdates` …
    public func started(_ service: String) { record("start", ["service": service]) }

    /// The app stops a service.
    public func stopped(_ service: String) { record("stop", ["service": service]) }

    /// The app starts to monitor a region.
    public func started(_ region: CLRegion) {
        record("start", members(of: region).merging(["service": Self.service(of: region)]) { first, _ in first })
    }

    /// The app stops to monitor a region.
    public func stopped(_ region: CLRegion) {
        record("stop", ["service": Self.service(of: region), "identifier": region.identifier])
    }

    /// The app takes a session: `serviceSession(always)`, `backgroundActivitySession` …
    public func took(_ session: String) { record("createSession", ["session": session]) }

    /// The app ends a session.
    public func ended(_ session: String) { record("endSession", ["session": session]) }

    /// The app opens a monitor.
    public func opened(monitor: String) { record("openMonitor", ["name": monitor]) }

    /// The app adds a condition to a monitor.
    public func added(_ identifier: String, to monitor: String, isBeacon: Bool = false) {
        let service = isBeacon ? "clMonitorBeacon" : "clMonitorCircular"
        record("start", ["service": service, "identifier": identifier, "monitor": monitor])
    }

    /// A loop over a monitor's events gives one.
    @available(iOS 17, macOS 14, macCatalyst 17, *)
    public func received(_ event: CLMonitor.Event) {
        let states: [CLMonitor.Event.State: String] = [.satisfied: "satisfied", .unsatisfied: "unsatisfied"]
        record("monitorEvent", ["identifier": event.identifier, "state": states[event.state] ?? "other"])
    }

    /// A loop over live updates gives a location.
    public func receivedLiveUpdate() { record("liveUpdate") }

    /// The app's own manager reports locations of the standard service.
    public func receivedLocations() { record("didUpdateLocations", ["service": "standardUpdates"]) }

    /// Something happened that the app did not learn from the system, by what its user says.
    public func missed(_ service: String, _ kind: String, identifier: String? = nil) {
        var members = ["service": service, "kind": kind]
        members["identifier"] = identifier
        record("missed", members)
    }

    // MARK: CLLocationManagerDelegate

    public func locationManagerDidChangeAuthorization(_ manager: CLLocationManager) {
        record(
            "didChangeAuthorization",
            ["status": Self.name(manager.authorizationStatus), "accuracy": Self.name(manager.accuracyAuthorization)])
    }

    /// Only significant changes come here: the recorder's manager starts no updates.
    public func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
        record("didUpdateLocations", ["service": "significantChange"])
    }

    public func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) {
        record("didFail", ["error": "\(error)"])
    }

    #if !os(tvOS) && !os(watchOS) && !os(visionOS)
        public func locationManager(_ manager: CLLocationManager, didEnterRegion region: CLRegion) {
            record("didEnterRegion", members(of: region))
        }

        public func locationManager(_ manager: CLLocationManager, didExitRegion region: CLRegion) {
            record("didExitRegion", members(of: region))
        }

        public func locationManager(
            _ manager: CLLocationManager, monitoringDidFailFor region: CLRegion?, withError error: any Error
        ) {
            record("monitoringDidFail", ["identifier": region?.identifier ?? "", "error": "\(error)"])
        }

        public func locationManager(_ manager: CLLocationManager, didVisit visit: CLVisit) {
            var members: [String: Any] = [:]
            if visit.arrivalDate != .distantPast { members["arrival"] = Self.text(visit.arrivalDate) }
            if visit.departureDate != .distantFuture { members["departure"] = Self.text(visit.departureDate) }
            record("didVisit", members)
        }
    #endif

    // MARK: Names

    private func members(of region: CLRegion) -> [String: Any] {
        var members: [String: Any] = ["identifier": region.identifier]
        if region is CLBeaconRegion { members["beacon"] = true }
        if !region.notifyOnEntry { members["notifyOnEntry"] = false }
        if !region.notifyOnExit { members["notifyOnExit"] = false }
        if let circle = region as? CLCircularRegion {
            members["radius"] = circle.radius
            if includesCoordinates { members["center"] = [circle.center.latitude, circle.center.longitude] }
        }
        return members
    }

    private static func service(of region: CLRegion) -> String {
        region is CLBeaconRegion ? "regionBeacon" : "regionCircular"
    }

    private static func name(_ status: CLAuthorizationStatus) -> String {
        switch status {
        case .notDetermined: "notDetermined"
        case .restricted: "restricted"
        case .denied: "denied"
        case .authorizedAlways: "authorizedAlways"
        case .authorizedWhenInUse: "authorizedWhenInUse"
        @unknown default: "unknownFutureValue"
        }
    }

    private static func name(_ accuracy: CLAccuracyAuthorization) -> String {
        accuracy == .reducedAccuracy ? "reducedAccuracy" : "fullAccuracy"
    }

    private static func text(_ date: Date) -> String {
        let formatter = ISO8601DateFormatter()
        formatter.formatOptions = [.withInternetDateTime, .withFractionalSeconds]
        return formatter.string(from: date)
    }

    private static var platform: String {
        #if os(macOS)
            "macOS"
        #elseif os(watchOS)
            "watchOS"
        #elseif os(tvOS)
            "tvOS"
        #elseif os(visionOS)
            "visionOS"
        #elseif targetEnvironment(macCatalyst)
            "macCatalyst"
        #else
            "iOS"
        #endif
    }

    private static func model() -> String {
        var system = utsname()
        uname(&system)
        return withUnsafeBytes(of: &system.machine) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }

    private static func infoPlist(_ dictionary: [String: Any]) -> [String] {
        let names = ["UIBackgroundModes", "UIApplicationSceneManifest", "DTSDKName", "CLRequireExplicitServiceSession"]
        var entries: [String] = []
        for (key, value) in dictionary where key.hasPrefix("NSLocation") || names.contains(key) {
            switch value {
            case let array as [String]: entries += array.map { "\(key):\($0)" }
            case let inner as [String: Any]: entries += inner.keys.map { "\(key):\($0)" }
            // The words of a purpose do not matter, and may name the app.
            case is String where key.hasSuffix("UsageDescription"): entries.append(key)
            default: entries.append("\(key):\(value)")
            }
        }
        return entries.sorted()
    }

    // MARK: The life cycle

    private var isInBackground: Bool {
        if let known = environment.isInBackground { return known }
        #if canImport(UIKit) && !os(watchOS)
            return UIApplication.shared.applicationState == .background
        #else
            return false
        #endif
    }

    /// The names are those of UIKit, AppKit and WatchKit, as text, so that the file needs none of them.
    private func observe() {
        let calls = ["DidBecomeActive": "foreground", "DidEnterBackground": "background", "WillTerminate": "terminate"]
        for prefix in ["UIApplication", "NSApplication", "WKApplication"] {
            for (suffix, call) in calls {
                let name = Notification.Name("\(prefix)\(suffix)Notification")
                let observer = NotificationCenter.default.addObserver(forName: name, object: nil, queue: .main) {
                    [weak self] _ in
                    MainActor.assumeIsolated { self?.record(call) }
                }
                observers.append(observer)
            }
        }
    }

    private static func append(_ line: String, to file: URL) {
        if !FileManager.default.fileExists(atPath: file.path) {
            // Until the first unlock after a restart the file could not be written otherwise.
            #if os(iOS)
                let attributes: [FileAttributeKey: Any] = [.protectionKey: FileProtectionType.none]
                _ = FileManager.default.createFile(atPath: file.path, contents: nil, attributes: attributes)
            #else
                _ = FileManager.default.createFile(atPath: file.path, contents: nil)
            #endif
        }
        guard let handle = try? FileHandle(forWritingTo: file) else { return }
        defer { try? handle.close() }
        _ = try? handle.seekToEnd()
        try? handle.write(contentsOf: Data((line + "\n").utf8))
    }
}
