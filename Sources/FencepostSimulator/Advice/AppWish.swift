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
    /// events while the app is not used. Versions follow the word iOS; without them, the newest and the two before it apply.
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

    /// The versions that follow the name of the system: `iOS 16 to 27`, `iOS 17 and later`, `iOS 26 only`, `up to iOS 18`.
    ///
    /// Other numbers, such as 15 minutes or 20 places, are ignored. A single version is the oldest.
    private static func versions(in words: String) -> ClosedRange<Int> {
        let newest = OSVersion.newest.major
        let separator = #"(?:\s*(?:,|/|-|–|to|and|or|until|till|through)\s*(?:i(?:pad)?os\s*)?)"#
        let list = #"(up to |until |before )?\bi(?:pad)?os\s*((?:[0-9]+(?:\.[0-9]+)?\#(separator)?)+)(\s*only\b)?"#
        guard let pattern = try? Regex(list, as: (Substring, Substring?, Substring, Substring?).self) else {
            return 18...newest
        }
        var numbers: [Int] = []
        var (isLast, isOnly) = (false, false)
        for match in words.matches(of: pattern) {
            numbers += match.output.2.matches(of: #/([0-9]+)(?:\.[0-9]+)?/#).compactMap { Int($0.1) }
                // iOS 19 to 25 never existed, so such a number is one of something else.
                .filter { $0 > 1 && ($0 <= 18 || $0 >= 26) && $0 < 100 }
            isLast = isLast || match.output.1 != nil
            isOnly = isOnly || match.output.3 != nil
        }
        guard let low = numbers.min(), let high = numbers.max() else { return 18...newest }
        if isLast, low == high { return min(majorVersions[0], high)...high }
        if low == high, !isOnly { return low...max(high, newest) }
        return low...high
    }
}
