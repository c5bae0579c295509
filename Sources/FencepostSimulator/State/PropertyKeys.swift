/// The keys of an Info.plist or of entitlements that have a value.
///
/// An entry is a key or `Key:value`. An array or a dictionary has one entry `Key:element` for each element.
public struct PropertyKeys: Hashable, Sendable, Codable {
    /// The entries.
    public var entries: [String]

    /// Makes the keys from entries.
    public init(_ entries: [String] = []) {
        self.entries = entries
    }

    /// Whether there are no keys.
    public var isEmpty: Bool { entries.isEmpty }

    /// Whether the key has any value.
    public func has(_ key: String) -> Bool {
        entries.contains { $0 == key || ($0.hasPrefix(key + ":") && $0.utf8.count > key.utf8.count + 1) }
    }

    /// Whether the array or dictionary of the key contains the element.
    public func has(_ key: String, containing element: String) -> Bool {
        entries.contains("\(key):\(element)")
    }

    /// Whether a Boolean key is true. A key without a value counts as true.
    public func isTrue(_ key: String) -> Bool {
        entries.contains { entry in
            if entry == key { return true }
            guard entry.hasPrefix(key + ":") else { return false }
            return !["false", "no", "0"].contains(entry.dropFirst(key.count + 1).lowercased())
        }
    }
}

extension PropertyKeys {
    package static let whenInUse = "NSLocationWhenInUseUsageDescription"
    static let always = "NSLocationAlwaysUsageDescription"
    package static let alwaysAndWhenInUse = "NSLocationAlwaysAndWhenInUseUsageDescription"
    static let usage = "NSLocationUsageDescription"
    static let temporary = "NSLocationTemporaryUsageDescriptionDictionary"
    static let defaultReduced = "NSLocationDefaultAccuracyReduced"
    static let requireExplicitSession = "NSLocationRequireExplicitServiceSession"
    static let widgetWantsLocation = "NSWidgetWantsLocation"
    static let watchBackgroundModes = "WKBackgroundModes"
    package static let backgroundModes = "UIBackgroundModes"
    static let backgroundModeLocation = "UIBackgroundModes:location"
    package static let sceneManifest = "UIApplicationSceneManifest"
    static let sdkName = "DTSDKName"
    static let minimumOSVersion = "MinimumOSVersion"
    static let pushEntitlement = "com.apple.developer.location.push"
    static let sandbox = "com.apple.security.app-sandbox"
    static let macEntitlement = "com.apple.security.personal-information.location"

    /// The major version of the SDK that the app was built with: 27 for `DTSDKName:iphoneos27.0`; `nil` when unknown.
    public var sdkMajorVersion: Int? {
        guard let entry = entries.first(where: { $0.hasPrefix(Self.sdkName + ":") }) else { return nil }
        let digits = entry.dropFirst(Self.sdkName.count + 1).drop { !$0.isWholeNumber }.prefix { $0.isWholeNumber }
        return Int(digits)
    }

    /// The oldest system that the app runs on: 10.0 for `MinimumOSVersion:10.0`; `nil` when unknown.
    public var minimumVersion: OSVersion? {
        guard let entry = entries.first(where: { $0.hasPrefix(Self.minimumOSVersion + ":") }) else { return nil }
        return OSVersion(String(entry.dropFirst(Self.minimumOSVersion.count + 1)))
    }

    /// Whether an app runs before iOS 11 and asks for Always without the text that those systems read (PLIST-05).
    var lacksOldAlwaysText: Bool {
        guard let minimumVersion, minimumVersion < OSVersion(11) else { return false }
        return has(Self.alwaysAndWhenInUse) && !has(Self.always)
    }

    /// Whether a watch app declares workouts in the background.
    var declaresWorkouts: Bool {
        has(Self.watchBackgroundModes, containing: "workout-processing")
            || has(Self.backgroundModes, containing: "workout-processing")
    }

    var declaresBackgroundLocation: Bool { has(Self.backgroundModes, containing: "location") }

    /// Whether the app turns implicit service sessions off. Sources spell the key in two ways; both count.
    var requiresExplicitSession: Bool {
        isTrue(Self.requireExplicitSession) || isTrue("CLRequireExplicitServiceSession")
    }
}
