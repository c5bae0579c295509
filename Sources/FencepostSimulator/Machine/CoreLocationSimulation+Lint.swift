/// What an app has to declare for what it intends to do.
extension CoreLocationSimulation {
    /// The words that `lint` knows beside the names of services.
    public static let intentions = [
        "whenInUse", "always", "temporaryFullAccuracy", "backgroundUpdates", "backgroundActivitySession",
        "liveActivity", "serviceSession(whenInUse)", "serviceSession(always)", "widget", "defaultAccuracyReduced",
    ]

    /// Words by which an intention is known that is put in another way, such as `requestAlways`.
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
        if !missing.isEmpty { emit(.missingKeys(missing)) }
        reply("missingKeys", .texts(missing))
    }

    private mutating func missingKeys(for intention: String) -> [String] {
        switch intention {
        case "whenInUse", "requestWhenInUseAuthorization", "serviceSession(whenInUse)":
            cite(given.platform == .macOS ? .plist07 : .plist01)
            return missingUsageKeys(for: .whenInUse) + missingMacEntitlement()
        case "always", "requestAlwaysAuthorization", "serviceSession(always)":
            if given.platform == .macOS { cite(.plist07) } else { cite(system.isAtLeast(11) ? .plist03 : .plist02) }
            if system.isAtLeast(11), given.infoPlist.has(PropertyKeys.always) { cite(.plist04) }
            return missingUsageKeys(for: .always) + missingMacEntitlement()
        case "backgroundUpdates", "allowsBackgroundLocationUpdates", "backgroundActivitySession", "liveActivity",
            "backgroundLocation":
            cite(.plist12)
            guard !given.platform.isMac else { return [] }
            return given.infoPlist.declaresBackgroundLocation ? [] : [PropertyKeys.backgroundModeLocation]
        case "locationPush":
            cite(.plist14)
            return given.entitlements.has(PropertyKeys.pushEntitlement) ? [] : [PropertyKeys.pushEntitlement]
        case "widget":
            cite(.plist16)
            return given.infoPlist.has(PropertyKeys.widgetWantsLocation) ? [] : [PropertyKeys.widgetWantsLocation]
        case "defaultAccuracyReduced", "reducedAccuracy":
            cite(.plist10)
            return given.infoPlist.has(PropertyKeys.defaultReduced) ? [] : [PropertyKeys.defaultReduced]
        default: return missingKeysForOther(intention)
        }
    }

    private mutating func missingKeysForOther(_ intention: String) -> [String] {
        let purpose = "temporaryFullAccuracy"
        if intention.hasPrefix(purpose) {
            cite(.plist11)
            // `temporaryFullAccuracy:Navigation` or `temporaryFullAccuracy(Navigation)`, or any purpose at all.
            let key = intention.dropFirst(purpose.count).filter { !":()".contains($0) }
            let isThere =
                key.isEmpty
                ? given.infoPlist.has(PropertyKeys.temporary)
                : given.infoPlist.has(PropertyKeys.temporary, containing: String(key))
            return isThere ? [] : [PropertyKeys.temporary + (key.isEmpty ? "" : ":\(key)")]
        }
        guard let service = Service(rawValue: intention) else {
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

    /// A sandboxed Mac app has to be entitled to location.
    private mutating func missingMacEntitlement() -> [String] {
        guard given.platform == .macOS, given.entitlements.has(PropertyKeys.sandbox) else { return [] }
        cite(.plist15)
        return given.entitlements.has(PropertyKeys.macEntitlement) ? [] : [PropertyKeys.macEntitlement]
    }
}
