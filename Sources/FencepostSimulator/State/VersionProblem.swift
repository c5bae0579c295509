/// A version number that the platform never had.
public struct VersionProblem: Hashable, Sendable {
    /// Whether no platform had it, so that nothing can be said. Otherwise it is read as a version of iOS.
    public let isFatal: Bool
    /// What exists, in one or two sentences.
    public let text: String
}

extension OperatingSystem {
    /// Why the platform never had this version; `nil` for a version that exists, with any minor number.
    public var versionProblem: VersionProblem? {
        let known = platform.majorVersions
        guard !known.contains(where: { $0.contains(version.major) }) else { return nil }
        let name = "\(platform.rawValue) \(version)"
        let list = known.map { "\($0.lowerBound) to \($0.upperBound)" }.joined(separator: " and ")
        guard Platform.iOS.majorVersions.contains(where: { $0.contains(version.major) }) else {
            return VersionProblem(
                isFatal: true, text: "There is no \(name): \(platform.rawValue) has the versions \(list).")
        }
        return VersionProblem(
            isFatal: false,
            text: "There is no \(name), so it is read as the release of the year of iOS \(version.major). "
                + "\(platform.rawValue) has the versions \(list).")
    }
}

extension Platform {
    /// The major versions that have Core Location.
    fileprivate var majorVersions: [ClosedRange<Int>] {
        let oldest: ClosedRange<Int> =
            switch self {
            case .iOS: 2...18
            // Before iPadOS 13 an iPad ran iOS.
            case .iPadOS: 3...18
            case .macOS: 10...15
            // Their numbers are those of iOS.
            case .macCatalyst: 13...18
            case .iPadAppOnMac: 14...18
            case .watchOS: 2...11
            case .tvOS: 9...18
            case .visionOS, .visionOSCompatible: 1...2
            }
        return [oldest, 26...OSVersion.newest.major]
    }
}

extension DeviceState {
    /// Why no device is ever in this state, with the rule that says so; `nil` for a state that occurs.
    public var impossibility: RuleWarning? {
        let name = platform.rawValue
        let isBeforeOnce = !system.isAtLeast(13)
        switch grant {
        case .temporaryWhenInUse where isBeforeOnce:
            return RuleWarning(.once01, "Allow Once came with iOS 13, so \(name) \(osVersion) has no such grant.")
        case .provisionalAlways where isBeforeOnce:
            return RuleWarning(
                .prov01, "A provisional Always came with iOS 13, so \(name) \(osVersion) has no such grant.")
        case .always where platform == .tvOS, .provisionalAlways where platform == .tvOS:
            return RuleWarning(.plat13, "Apple TV has no Always.")
        case .always where platform.isVision, .provisionalAlways where platform.isVision:
            return RuleWarning(.plat15, "Vision Pro has no Always.")
        case .provisionalAlways where platform == .macOS, .temporaryWhenInUse where platform == .macOS:
            return RuleWarning(.plat06, "On a Mac the user only allows or denies, so there is no such grant.")
        case .notDetermined, .restricted, .denied, .temporaryWhenInUse, .whenInUse, .provisionalAlways, .always: break
        }
        if accuracy != .full, !system.isAtLeast(14) {
            return RuleWarning(
                .acc01, "Reduced accuracy came with iOS 14, so \(name) \(osVersion) has no such permission.")
        }
        if platform == .macOS, lifecycle == .suspended {
            return RuleWarning(.plat05, "A Mac app keeps running in the background, so it is not suspended.")
        }
        return nil
    }
}
