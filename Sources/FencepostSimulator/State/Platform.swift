/// Where an app runs.
public enum Platform: String, Hashable, Sendable, CaseIterable, Codable {
    case iOS, iPadOS, macOS, macCatalyst, iPadAppOnMac, watchOS, tvOS
    /// An app made for Apple Vision Pro.
    case visionOS
    /// An iPhone or iPad app on Apple Vision Pro.
    case visionOSCompatible

    /// iPhone and iPad, the only ones that start an app for a location event.
    public var isHandheld: Bool { self == .iOS || self == .iPadOS }
    /// A Mac, whatever the app was made for.
    public var isMac: Bool { self == .macOS || self == .macCatalyst || self == .iPadAppOnMac }
    public var isVision: Bool { self == .visionOS || self == .visionOSCompatible }
    /// Whether the user can be asked for always at all.
    public var offersAlways: Bool { self != .tvOS && !isVision }
}

/// A release of an operating system: `13.4`, `26.0.1`.
public struct OSVersion: Hashable, Sendable, Comparable, Codable, CustomStringConvertible {
    public var major, minor, patch: Int

    public init(_ major: Int, _ minor: Int = 0, _ patch: Int = 0) {
        (self.major, self.minor, self.patch) = (major, minor, patch)
    }

    /// One to three whole numbers with points between; `nil` for anything else.
    public init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard (1...3).contains(parts.count) else { return nil }
        var numbers = [0, 0, 0]
        for (index, part) in parts.enumerated() {
            guard !part.isEmpty, part.count < 6, part.utf8.allSatisfy({ (48...57).contains($0) }),
                let number = Int(part)
            else { return nil }
            numbers[index] = number
        }
        self.init(numbers[0], numbers[1], numbers[2])
    }

    public static func < (a: OSVersion, b: OSVersion) -> Bool {
        (a.major, a.minor, a.patch) < (b.major, b.minor, b.patch)
    }

    public var description: String { patch == 0 ? "\(major).\(minor)" : "\(major).\(minor).\(patch)" }
}

/// A platform in one of its releases.
public struct OperatingSystem: Hashable, Sendable {
    public var platform: Platform
    public var version: OSVersion

    public init(_ platform: Platform, _ version: OSVersion) {
        self.platform = platform
        self.version = version
    }

    /// The iOS release of the same year, which is what the rules count in.
    ///
    /// Numbers that the platform never had, as a scenario gets them that names a platform and leaves the version to
    /// its default, are taken as those of iOS.
    public var generation: OSVersion {
        switch (platform, version.major) {
        case (.watchOS, 1...11):
            OSVersion(version.major + 7, version.major == 6 ? version.minor * 2 : version.minor)
        case (.macOS, ...10): OSVersion(max(version.minor - 2, 0))
        case (.macOS, 11...15): OSVersion(version.major + 3, version.minor)
        case (.visionOS, 1...2), (.visionOSCompatible, 1...2): OSVersion(version.major + 16, version.minor)
        default: version
        }
    }

    public func isAtLeast(_ major: Int, _ minor: Int = 0) -> Bool { generation >= OSVersion(major, minor) }

    /// What keeps a service from being there at all, and whether that is the platform rather than its release.
    func lack(of service: Service) -> (rule: RuleID, becauseOfPlatform: Bool)? {
        if let rule = platformLack(of: service) { return (rule, true) }
        switch service {
        case .clMonitorCircular where !isAtLeast(17): return (.svc10, false)
        case .clMonitorBeacon where !isAtLeast(17): return (.svc11, false)
        case .liveUpdates where !isAtLeast(17): return (.svc12, false)
        case .locationPush where !isAtLeast(15): return (.svc13, false)
        case .visits where !isAtLeast(platform == .macOS ? 13 : 8): return (.visit08, false)
        case .regionBeacon where !isAtLeast(7), .beaconRanging where !isAtLeast(7): return (.svc07, false)
        case .requestLocation where !isAtLeast(9): return (.cb10, false)
        default: return nil
        }
    }

    private func platformLack(of service: Service) -> RuleID? {
        switch (platform, service) {
        case (_, .locationPush), (_, .locationNotification): platform.isHandheld ? nil : .push01
        case (.iOS, _), (.iPadOS, _): nil
        case (.macOS, .clMonitorBeacon): .svc11
        case (.macOS, _), (.macCatalyst, _), (.iPadAppOnMac, _): nil
        case (.watchOS, .standardUpdates), (.watchOS, .requestLocation), (.watchOS, .heading), (.watchOS, .liveUpdates):
            nil
        case (.watchOS, _): .plat11
        case (.tvOS, .requestLocation), (.tvOS, .liveUpdates): nil
        case (.tvOS, _): .plat13
        case (.visionOS, .standardUpdates), (.visionOS, .requestLocation), (.visionOS, .liveUpdates),
            (.visionOSCompatible, .standardUpdates), (.visionOSCompatible, .requestLocation),
            (.visionOSCompatible, .liveUpdates):
            nil
        case (.visionOS, .visits), (.visionOSCompatible, .visits): platform == .visionOS ? .visit08 : .plat16
        case (.visionOS, .significantChange): .slc06
        case (.visionOS, _): .plat14
        case (.visionOSCompatible, _): .plat16
        }
    }
}
