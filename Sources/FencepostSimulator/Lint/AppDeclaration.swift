import FencepostJSON

/// What an app declares about location: Info.plist, entitlements and privacy manifest.
public struct AppDeclaration: Hashable, Sendable {
    /// The platform that the app is built for.
    public var platform = Platform.iOS
    /// The keys of the Info.plist.
    public var infoPlist = PropertyKeys()
    /// The keys of the entitlements.
    public var entitlements = PropertyKeys()
    /// The data types that the privacy manifest declares as collected; `nil` without a manifest.
    public var collectedData: [String]?
    /// The identifiers of the app's extensions.
    public var extensions: [String] = []
    /// The keys with an empty text. An empty text counts as missing.
    public var emptyKeys: [String] = []

    /// Makes an empty declaration for iOS.
    public init() {}
}

/// One defect of a declaration, and the behaviour of the system that follows.
public struct LintFinding: Hashable, Sendable {
    /// How serious a finding is.
    public enum Severity: String, Hashable, Sendable {
        /// The declaration shows an intention that does not work.
        case error
        /// A feature that many apps use does not work, or works differently than expected.
        case warning
        /// Something that the declaration leaves out, possibly on purpose.
        case note
    }

    /// How serious the finding is.
    public var severity: Severity
    /// The key that the finding is about.
    public var key: String
    /// What the system does, and how to correct the declaration. One or more sentences for people.
    public var effect: String
    /// The rules that the finding rests on.
    public var rules: [RuleID]

    package init(severity: Severity, key: String, effect: String, rules: [RuleID]) {
        (self.severity, self.key, self.effect, self.rules) = (severity, key, effect, rules)
    }
}

extension AppDeclaration {
    /// Checks the declaration.
    ///
    /// - Returns: all findings, errors first.
    public func findings() -> [LintFinding] { findings(usesBackground: nil) }

    /// Checks the declaration of an app whose sources may be known.
    ///
    /// - Parameter usesBackground: whether the app's sources need the background mode; `nil` when that is not known.
    /// - Returns: all findings, errors first.
    package func findings(usesBackground: Bool?) -> [LintFinding] {
        var findings: [LintFinding] = []
        func add(_ severity: LintFinding.Severity, _ key: String, _ rules: [RuleID], _ effect: String) {
            findings.append(LintFinding(severity: severity, key: key, effect: effect, rules: rules))
        }
        for key in emptyKeys {
            add(.error, key, [.plist08], "Its text is empty, which counts as missing; write what the location is for.")
        }
        lintRequests(add)
        lintBackground(usesBackground, add)
        lintAccuracy(add)
        lintScenes(add)
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
                let hasOther = infoPlist.has(PropertyKeys.whenInUse)
                add(
                    hasOther ? .warning : .error, PropertyKeys.usage, hasOther ? [.plist07, .plist19] : [.plist07],
                    hasOther
                        ? "Apple documents that a Mac app needs this text. On macOS 27 the While Using text was enough."
                        : "A Mac app that uses location needs this text.")
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
                "requestAlwaysAuthorization() does nothing from iOS 11 on, which does not read \(PropertyKeys.always)."
            )
        }
        if infoPlist.lacksOldAlwaysText, let oldest = infoPlist.minimumVersion {
            add(
                .error, PropertyKeys.always, [.plist05, .plist02],
                "The app runs from iOS \(oldest) on: before iOS 11 requestAlwaysAuthorization() does nothing without this "
                    + "text. Declare both texts with the same words.")
        }
        lintAlways(add)
    }

    /// What the text for Always gives on the platform.
    private func lintAlways(_ add: Add) {
        guard asksForAlways else {
            // Only iPhone and iPad start an app for a location.
            guard ![.tvOS, .visionOS, .visionOSCompatible, .watchOS].contains(platform) else { return }
            return add(
                .note, PropertyKeys.alwaysAndWhenInUse, [.plist03, .relaunch04],
                "The app cannot ask for Always, so no region, visit or significant change launches it when it is terminated."
            )
        }
        switch platform {
        case .tvOS:
            add(
                .warning, PropertyKeys.alwaysAndWhenInUse, [.plat13],
                "Apple TV has no Always: the app gets While Using at most, and locations by requestLocation() alone.")
        case .visionOS, .visionOSCompatible:
            add(
                .warning, PropertyKeys.alwaysAndWhenInUse, [.plat15, .plat14],
                "Vision Pro has no Always: the request counts as one for While Using, and nothing arrives in the background."
            )
        case .watchOS:
            add(
                .note, PropertyKeys.alwaysAndWhenInUse, [.plat12, .plat11],
                "A watch launches no app for a location, also with Always, and has no regions, visits or significant changes."
            )
        case .iOS, .iPadOS, .macOS, .macCatalyst, .iPadAppOnMac: break
        }
    }

    /// What a launch for a location looks like, from the keys of a built Info.plist.
    private func lintScenes(_ add: Add) {
        guard platform != .macOS, platform != .watchOS else { return }
        let hasScenes = infoPlist.has(PropertyKeys.sceneManifest)
        if !hasScenes, let sdk = infoPlist.sdkMajorVersion, sdk >= 27 {
            add(
                .error, PropertyKeys.sceneManifest, [.plist20, .relaunch32],
                "An app that is built with SDK \(sdk) and has no scenes fails to launch on iOS 27, also for an event.")
        }
        if hasScenes, asksForAlways {
            add(
                .note, PropertyKeys.sceneManifest, [.plist20, .relaunch31],
                "A scene-based app never gets the launch option for a location; start its services on every launch.")
        }
    }

    private func lintBackground(_ usesBackground: Bool?, _ add: Add) {
        guard !platform.isMac, !infoPlist.declaresBackgroundLocation, usesBackground != false else { return }
        add(
            usesBackground == true ? .warning : .note, PropertyKeys.backgroundModeLocation, [.plist12, .svc16, .svc22],
            "Without it setting allowsBackgroundLocationUpdates crashes the app, and a CLBackgroundActivitySession has no "
                + "effect. Regions, visits and significant changes do not need it; some SDKs ask for it, and App Review "
                + "rejects it in an app that only monitors regions.")
    }

    private func lintAccuracy(_ add: Add) {
        if infoPlist.isTrue(PropertyKeys.defaultReduced) {
            add(
                .warning, PropertyKeys.defaultReduced, [.plist10, .acc03, .relaunch06],
                "The app starts with reduced accuracy: regions, beacons and conditions produce no events and launch nothing."
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
                "From iOS 18 no service session is implicit: without a CLServiceSession the newer APIs deliver nothing."
            )
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

    /// The location key that a misspelt key probably means; `nil` when the key is known or like no other.
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
