import FencepostJSON

/// What an app declares about location: its Info.plist, entitlements and privacy manifest.
public struct AppDeclaration: Hashable, Sendable {
    public var platform = Platform.iOS
    public var infoPlist = PropertyKeys()
    public var entitlements = PropertyKeys()
    /// The data types that the privacy manifest says are collected; `nil` when there is no manifest.
    public var collectedData: [String]?
    /// The identifiers of the extensions that the app brings.
    public var extensions: [String] = []
    /// The keys whose text is empty, which counts as no text.
    public var emptyKeys: [String] = []

    public init() {}
}

/// One thing that a declaration lacks or gets wrong, and what the system then does.
public struct LintFinding: Hashable, Sendable {
    public enum Severity: String, Hashable, Sendable {
        /// Something that was plainly meant does not work.
        case error
        /// Something that many apps want does not work, or works otherwise than expected.
        case warning
        /// What the declaration leaves out, for those who want it.
        case note
    }

    public var severity: Severity
    /// The key that it is about.
    public var key: String
    /// What the system will do, and how to mend it.
    public var effect: String
    public var rules: [RuleID]
}

extension AppDeclaration {
    /// Everything worth saying about the declaration, errors first.
    public func findings() -> [LintFinding] {
        var findings: [LintFinding] = []
        func add(_ severity: LintFinding.Severity, _ key: String, _ rules: [RuleID], _ effect: String) {
            findings.append(LintFinding(severity: severity, key: key, effect: effect, rules: rules))
        }
        for key in emptyKeys {
            add(.error, key, [.plist08], "Its text is empty, which counts as missing; write what the location is for.")
        }
        lintRequests(add)
        lintBackground(add)
        lintAccuracy(add)
        lintPrivacy(add)
        for entry in infoPlist.entries {
            let key = String(entry.prefix { $0 != ":" })
            if let meant = Self.misspelling(of: key) {
                add(.warning, key, [.plist08], "The system does not know this key; \(meant) may be meant.")
            }
        }
        return findings.sorted { $0.severity.rank < $1.severity.rank }
    }

    typealias Add = (LintFinding.Severity, String, [RuleID], String) -> Void

    private var asksForAlways: Bool {
        infoPlist.has(PropertyKeys.alwaysAndWhenInUse) || infoPlist.has(PropertyKeys.always)
    }

    private func lintRequests(_ add: Add) {
        if platform == .macOS {
            if !infoPlist.has(PropertyKeys.usage) {
                add(.error, PropertyKeys.usage, [.plist07], "A Mac app that uses location needs this text.")
            }
            if entitlements.has(PropertyKeys.sandbox), !entitlements.has(PropertyKeys.macEntitlement) {
                add(
                    .error, PropertyKeys.macEntitlement, [.plist15],
                    "A sandboxed Mac app gets no location without this entitlement.")
            }
            return
        }
        if !infoPlist.has(PropertyKeys.whenInUse) {
            add(
                .error, PropertyKeys.whenInUse, [.plist01, .auth01],
                "requestWhenInUseAuthorization() does nothing: no prompt, no callback, only a line in the console.")
            if infoPlist.has(PropertyKeys.alwaysAndWhenInUse) {
                add(
                    .error, PropertyKeys.whenInUse, [.plist03],
                    "requestAlwaysAuthorization() does nothing either: from iOS 11 it needs both texts.")
            }
            if infoPlist.has(PropertyKeys.usage) {
                add(.warning, PropertyKeys.usage, [.plist06], "On iOS this key has satisfied no request since iOS 8.")
            }
        }
        if infoPlist.has(PropertyKeys.always), !infoPlist.has(PropertyKeys.alwaysAndWhenInUse) {
            add(
                .error, PropertyKeys.alwaysAndWhenInUse, [.plist03, .plist04],
                "requestAlwaysAuthorization() does nothing from iOS 11 on, which does not look at \(PropertyKeys.always)."
            )
        }
        if !asksForAlways {
            add(
                .note, PropertyKeys.alwaysAndWhenInUse, [.plist03, .relaunch04],
                "The app cannot ask for always, so no region, visit or significant change starts it when it is terminated."
            )
        }
    }

    private func lintBackground(_ add: Add) {
        guard !platform.isMac, !infoPlist.declaresBackgroundLocation else { return }
        add(
            asksForAlways ? .warning : .note, PropertyKeys.backgroundModeLocation, [.plist12, .svc16],
            "Setting allowsBackgroundLocationUpdates crashes the app, and a CLBackgroundActivitySession has no effect. "
                + "Regions, visits and significant changes do not need it.")
    }

    private func lintAccuracy(_ add: Add) {
        if infoPlist.isTrue(PropertyKeys.defaultReduced) {
            add(
                .warning, PropertyKeys.defaultReduced, [.plist10, .acc03, .relaunch06],
                "The app starts with reduced accuracy: regions, beacons and conditions give no events and start nothing."
            )
            if !infoPlist.has(PropertyKeys.temporary) {
                add(
                    .warning, PropertyKeys.temporary, [.plist11],
                    "requestTemporaryFullAccuracyAuthorization fails without a purpose in this dictionary.")
            }
        }
        if infoPlist.requiresExplicitSession {
            add(
                .warning, PropertyKeys.requireExplicitSession, [.plist13],
                "From iOS 18 no service session is implicit: without a CLServiceSession the newer APIs give nothing.")
        }
        if entitlements.has(PropertyKeys.pushEntitlement), extensions.isEmpty {
            add(
                .warning, PropertyKeys.pushEntitlement, [.plist14],
                "Registering for location pushes fails without a Location Push Service Extension in the app.")
        }
    }

    private func lintPrivacy(_ add: Add) {
        let usesLocation = infoPlist.has(PropertyKeys.whenInUse) || asksForAlways || infoPlist.has(PropertyKeys.usage)
        guard usesLocation, let collectedData else { return }
        let kinds = ["NSPrivacyCollectedDataTypePreciseLocation", "NSPrivacyCollectedDataTypeCoarseLocation"]
        if !kinds.contains(where: collectedData.contains) {
            add(
                .note, "NSPrivacyCollectedDataTypes", [],
                "The privacy manifest names neither precise nor coarse location; if locations leave the device, it has to."
            )
        }
    }

    /// The location key that a key with a slip of the pen or two stands for.
    private static func misspelling(of key: String) -> String? {
        let known = [
            PropertyKeys.whenInUse, PropertyKeys.always, PropertyKeys.alwaysAndWhenInUse, PropertyKeys.usage,
            PropertyKeys.temporary, PropertyKeys.defaultReduced, PropertyKeys.requireExplicitSession,
            PropertyKeys.widgetWantsLocation,
        ]
        guard !known.contains(key) else { return nil }
        return nearest(to: key, in: known)
    }
}

extension LintFinding.Severity {
    fileprivate var rank: Int {
        switch self {
        case .error: 0
        case .warning: 1
        case .note: 2
        }
    }
}
