/// The platform that an app runs on.
public enum Platform: String, Hashable, Sendable, CaseIterable, Codable {
    /// Apps built for the platform; `iPadAppOnMac` is an iPhone or iPad app on a Mac.
    case iOS, iPadOS, macOS, macCatalyst, iPadAppOnMac, watchOS, tvOS
    /// An app built for Apple Vision Pro.
    case visionOS
    /// An iPhone or iPad app on Apple Vision Pro.
    case visionOSCompatible

    /// Whether this is an iPhone or an iPad. Only these launch a terminated app for a location event.
    public var isHandheld: Bool { self == .iOS || self == .iPadOS }
    /// Whether this is a Mac, for any kind of app.
    public var isMac: Bool { self == .macOS || self == .macCatalyst || self == .iPadAppOnMac }
    /// Whether this is Apple Vision Pro, for any kind of app.
    public var isVision: Bool { self == .visionOS || self == .visionOSCompatible }
    /// Whether an app can ask the user for Always.
    public var offersAlways: Bool { self != .tvOS && !isVision }
}

/// A release of an operating system: `13.4`, `26.0.1`.
public struct OSVersion: Hashable, Sendable, Comparable, Codable, CustomStringConvertible {
    /// The three numbers of the version.
    public var major, minor, patch: Int

    /// Makes a version from its numbers.
    public init(_ major: Int, _ minor: Int = 0, _ patch: Int = 0) {
        (self.major, self.minor, self.patch) = (major, minor, patch)
    }

    /// The newest release that the rules know, on every platform.
    public static let newest = OSVersion(27)

    /// Parses one to three whole numbers of at most five digits, separated by points; `nil` for any other text.
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

    /// Compares number by number.
    public static func < (a: OSVersion, b: OSVersion) -> Bool {
        (a.major, a.minor, a.patch) < (b.major, b.minor, b.patch)
    }

    /// The version as text, with the third number only if it is not 0.
    public var description: String { patch == 0 ? "\(major).\(minor)" : "\(major).\(minor).\(patch)" }
}

/// A platform in one of its releases.
public struct OperatingSystem: Hashable, Sendable {
    /// The platform.
    public var platform: Platform
    /// The version, in the platform's own numbering.
    public var version: OSVersion

    /// Makes an operating system.
    public init(_ platform: Platform, _ version: OSVersion) {
        self.platform = platform
        self.version = version
    }

    /// The iOS release of the same year. The rules count in iOS releases.
    ///
    /// Version numbers that the platform never had are read as iOS versions. A scenario produces them when it names a
    /// platform and no version.
    public var generation: OSVersion {
        switch (platform, version.major) {
        case (.watchOS, 1...11):
            OSVersion(version.major + 7, version.major == 6 ? version.minor * 2 : version.minor)
        case (.macOS, ...10): OSVersion(max(version.minor - 2, 0))
        case (.macOS, 11...15): OSVersion(version.major + 3, version.minor)
        case (.visionOS, 1...2), (.visionOSCompatible, 1...2): OSVersion(version.major + 16, version.minor)
        case (.iOS, _), (.iPadOS, _), (.watchOS, _), (.macOS, _), (.macCatalyst, _), (.iPadAppOnMac, _), (.tvOS, _),
            (.visionOS, _), (.visionOSCompatible, _):
            version
        }
    }

    /// Whether the system is of the year of this iOS release or later.
    public func isAtLeast(_ major: Int, _ minor: Int = 0) -> Bool { generation >= OSVersion(major, minor) }

    /// The rule by which a service does not exist on this system; `nil` when it exists.
    ///
    /// - Returns: the rule, and whether the platform lacks the service in every release.
    func unavailability(of service: Service) -> (rule: RuleID, becauseOfPlatform: Bool)? {
        if let rule = platformUnavailability(of: service) { return (rule, true) }
        switch service {
        case .clMonitorCircular where !isAtLeast(17): return (.svc10, false)
        case .clMonitorBeacon where !isAtLeast(17): return (.svc11, false)
        case .liveUpdates where !isAtLeast(17): return (.svc12, false)
        case .locationPush where !isAtLeast(15): return (.svc13, false)
        case .visits where !isAtLeast(platform == .macOS ? 13 : 8): return (.visit08, false)
        case .regionBeacon where !isAtLeast(7), .beaconRanging where !isAtLeast(7): return (.svc07, false)
        case .requestLocation where !isAtLeast(9): return (.cb10, false)
        case .significantChange where !isAtLeast(4): return (.svc04, false)
        case .regionCircular where !isAtLeast(4): return (.svc06, false)
        case .heading where !isAtLeast(3): return (.svc09, false)
        case .standardUpdates, .requestLocation, .liveUpdates, .significantChange, .visits, .regionCircular,
            .regionBeacon, .clMonitorCircular, .clMonitorBeacon, .beaconRanging, .heading, .locationNotification,
            .locationPush:
            return nil
        }
    }

    private func platformUnavailability(of service: Service) -> RuleID? {
        switch (platform, service) {
        case (.visionOSCompatible, .locationPush): .push05
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
