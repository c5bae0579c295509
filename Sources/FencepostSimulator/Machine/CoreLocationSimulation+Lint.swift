/// The keys that an app has to declare for its intentions.
extension CoreLocationSimulation {
    /// The words that `lint` accepts besides the names of services.
    public static let intentions = [
        "whenInUse", "always", "temporaryFullAccuracy", "backgroundUpdates", "backgroundActivitySession",
        "liveActivity", "serviceSession(whenInUse)", "serviceSession(always)", "widget", "defaultAccuracyReduced",
    ]

    /// Parts of words that identify an intention under another name, such as `requestAlways`.
    private static let words: [(word: String, intention: String)] = [
        ("always", "always"), ("wheninuse", "whenInUse"), ("background", "backgroundUpdates"), ("push", "locationPush"),
        ("temporary", "temporaryFullAccuracy"), ("widget", "widget"),
    ]

    mutating func lint(_ intentions: [String]) {
        effect("linted")
        var missing: [String] = []
        for intention in intentions {
            for key in missingKeys(for: intention) where !missing.contains(key) { missing.append(key) }
        }
        if device.platform == .macOS, !intentions.contains("heading") || intentions.count > 1 {
            // A Mac app that uses location at all needs the text, also before it names a service.
            cite(.plist07)
            for key in missingUsageKeys(for: .whenInUse) + missingMacEntitlement() where !missing.contains(key) {
                missing.append(key)
            }
        }
        if !missing.isEmpty { emit(.missingKeys(missing)) }
        reply("missingKeys", .strings(missing))
    }

    private mutating func missingKeys(for intention: String) -> [String] {
        switch intention {
        case "whenInUse", "requestWhenInUseAuthorization", "serviceSession(whenInUse)":
            cite(device.platform == .macOS ? .plist07 : .plist01)
            return missingUsageKeys(for: .whenInUse) + missingMacEntitlement()
        case "always", "requestAlwaysAuthorization", "serviceSession(always)":
            if device.platform == .macOS { cite(.plist07) } else { cite(system.isAtLeast(11) ? .plist03 : .plist02) }
            if system.isAtLeast(11), device.infoPlist.has(PropertyKeys.always) { cite(.plist04) }
            let missing = missingUsageKeys(for: .always) + missingMacEntitlement()
            guard device.infoPlist.lacksOldAlwaysText, system.isAtLeast(11) else { return missing }
            cite(.plist05)
            note("The app also runs before iOS 11, which reads \(PropertyKeys.always).")
            return missing + [PropertyKeys.always]
        case "backgroundUpdates", "allowsBackgroundLocationUpdates", "backgroundActivitySession", "liveActivity",
            "backgroundLocation":
            cite(.plist12)
            guard !device.platform.isMac else { return [] }
            return device.infoPlist.declaresBackgroundLocation ? [] : [PropertyKeys.backgroundModeLocation]
        case "locationPush":
            cite(.plist14)
            return device.entitlements.has(PropertyKeys.pushEntitlement) ? [] : [PropertyKeys.pushEntitlement]
        case "widget":
            cite(.plist16)
            return device.infoPlist.has(PropertyKeys.widgetWantsLocation) ? [] : [PropertyKeys.widgetWantsLocation]
        case "defaultAccuracyReduced", "reducedAccuracy":
            cite(.plist10)
            return device.infoPlist.has(PropertyKeys.defaultReduced) ? [] : [PropertyKeys.defaultReduced]
        default: return missingKeysForOther(intention)
        }
    }

    private mutating func missingKeysForOther(_ intention: String) -> [String] {
        let purpose = "temporaryFullAccuracy"
        if intention.hasPrefix(purpose) {
            cite(.plist11)
            // `temporaryFullAccuracy:Navigation` or `temporaryFullAccuracy(Navigation)`; without a purpose, any purpose
            // counts.
            let key = intention.dropFirst(purpose.count).filter { !":()".contains($0) }
            let isThere =
                key.isEmpty
                ? device.infoPlist.has(PropertyKeys.temporary)
                : device.infoPlist.has(PropertyKeys.temporary, containing: String(key))
            return isThere ? [] : [PropertyKeys.temporary + (key.isEmpty ? "" : ":\(key)")]
        }
        guard let service = AppleName.value(of: intention, Service.self) else {
            if let meant = Self.words.first(where: { intention.lowercased().contains($0.word) }) {
                return missingKeys(for: meant.intention)
            }
            note("There is no intention \(intention); known are \(Self.intentions.joined(separator: ", ")).")
            return []
        }
        guard service != .heading else { return [] }
        cite(service.rule, .plist01)
        return missingUsageKeys(for: .whenInUse) + missingMacEntitlement()
    }

    /// The entitlement that a sandboxed Mac app needs for location, if it is missing.
    private mutating func missingMacEntitlement() -> [String] {
        guard device.platform == .macOS, device.entitlements.has(PropertyKeys.sandbox) else { return [] }
        cite(.plist15)
        return device.entitlements.has(PropertyKeys.macEntitlement) ? [] : [PropertyKeys.macEntitlement]
    }
}
