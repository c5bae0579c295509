/// What an app wants to know about the location of its device, and on which systems.
public struct AppWish: Hashable, Sendable {
    /// A thing that an app wants to know.
    public enum Goal: String, Hashable, Sendable, CaseIterable {
        /// Crossings of known places, and stays at places that the system finds.
        case regions, visits
        /// Rough movement, the whole path, and the current location once.
        case moves, path, once
        /// Whether a Bluetooth beacon is near.
        case beacons
    }

    /// What the app wants to know, without duplicates.
    public var goals: [Goal]
    /// Whether it wants to know also while nobody uses the app, and after it was terminated.
    public var inBackground: Bool
    /// The oldest and the newest major version of the system.
    public var versions: ClosedRange<Int>

    /// Makes a wish.
    public init(goals: [Goal], inBackground: Bool, versions: ClosedRange<Int>) {
        self.goals = goals
        self.inBackground = inBackground
        self.versions = versions
    }

    /// Reads a wish in English, such as `know when the user leaves work, even when killed, iOS 16 to 27`; `nil` when it
    /// names no goal.
    ///
    /// Words such as "leave", "visit", "route" and "beacon" name the goals; "killed", "background" and the like ask for
    /// events while the app is not used. Without versions, the newest and the two before it apply.
    public init?(_ text: String) {
        let words = text.lowercased()
        let goals = Goal.allCases.filter { goal in Self.words(for: goal).contains { words.contains($0) } }
        guard !goals.isEmpty else { return nil }
        let background = Self.backgroundWords.contains { words.contains($0) }
        self.init(goals: goals, inBackground: background, versions: Self.versions(in: words))
    }

    /// The major versions of iOS that existed, from the oldest that the advice covers.
    public static let majorVersions = [13, 14, 15, 16, 17, 18, 26, 27]

    /// The versions of the wish that exist.
    public var systems: [OSVersion] {
        Self.majorVersions.filter(versions.contains).map { OSVersion($0, $0 == 13 ? 4 : 0) }
    }

    private static let backgroundWords = [
        "killed", "terminated", "background", "closed", "swiped", "force", "not running", "not open", "even when",
        "always", "relaunch", "asleep", "pocket",
    ]

    private static func words(for goal: Goal) -> [String] {
        switch goal {
        case .regions:
            [
                "leave", "arriv", "enter", "exit", "geofence", "region", "near a place", "at work", "at home",
                "cross", "place",
            ]
        case .visits: ["visit", "stay", "how long", "diary", "where the user was", "clvisit"]
        case .moves: ["significant", "city", "rough", "moved", "moves", "coarse", "neighbourhood", "weather"]
        case .path:
            ["track", "route", "path", "navigat", "continuous", "run ", "ride", "every second", "live location"]
        case .once: ["once", "current location", "where am i", "one location", "nearby"]
        case .beacons: ["beacon", "bluetooth"]
        }
    }

    /// The first two version numbers in the text. A single one is the oldest.
    private static func versions(in words: String) -> ClosedRange<Int> {
        let numbers = words.matches(of: #/\b([0-9]{1,2})(?:\.[0-9]+)?\b/#).compactMap { Int($0.1) }
            .filter { $0 >= 13 && $0 <= OSVersion.newest.major }
        guard let low = numbers.min(), let high = numbers.max() else { return 18...OSVersion.newest.major }
        return low...(low == high ? OSVersion.newest.major : high)
    }
}
