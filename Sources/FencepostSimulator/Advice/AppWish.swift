/// What an app wants to know about the location of its device, and on which systems.
public struct AppWish: Hashable, Sendable {
    /// A thing that an app wants to know.
    public enum Goal: String, Hashable, Sendable, CaseIterable {
        /// Crossings of known places, and stays at places that the system finds.
        case regions, visits
        /// Rough movement, the whole path, and the current location once.
        case moves, path, once
        /// Whether a Bluetooth beacon is near, and the location when a server asks for it.
        case beacons, pushes
    }

    /// The wishes that every release understands, as people say them. The plan of each is a golden file of the tests.
    public static let examples = [
        "tell me when I come home", "remind me at the shop", "track my run with the screen locked",
        "record a whole route even after the phone kills the app", "log mileage by itself", "find my parked car",
        "family sharing", "attendance at a site", "a study with visits", "delivery driver with live ETA",
    ]

    /// What the app wants to know, without duplicates.
    public var goals: [Goal]
    /// Whether it wants to know also while nobody uses the app, and after it was terminated.
    public var inBackground: Bool
    /// The oldest and the newest major version of the system.
    public var versions: ClosedRange<Int>
    /// Whether the path has to continue by itself after the app was terminated.
    public var restarts: Bool
    /// Whether it is enough that the user sees a notification.
    public var reminds: Bool
    /// What the app must do without.
    public var constraints: Set<Constraint> = []
    /// Activities of the user during which the app wants nothing, such as driving. Core Location does not know them.
    public var activities: [String] = []
    /// Exclusions of the text that are not understood, and change nothing.
    public var ignored: [String] = []

    /// Makes a wish.
    public init(
        goals: [Goal], inBackground: Bool, versions: ClosedRange<Int>, restarts: Bool = false, reminds: Bool = false
    ) {
        self.goals = goals
        self.inBackground = inBackground
        self.versions = versions
        self.restarts = restarts && inBackground && goals.contains(.path)
        self.reminds = reminds && goals.contains(.regions)
    }

    /// Reads a wish in English, such as `know when the user leaves work, even when killed, iOS 16 to 27`; `nil` when it
    /// names no goal.
    ///
    /// Words such as "leave", "visit", "route" and "beacon" name the goals; "killed", "background" and the like ask for
    /// events while the app is not used. Arrivals, visits, moves and beacons are wanted in the background unless the wish
    /// says "on screen". Versions follow the word iOS; without them, the newest and the two before it apply. What follows
    /// "without", "not" and the like excludes: Always, the background, precise locations, a goal.
    public init?(_ text: String) {
        let read = WishText(text)
        let words = read.wanted
        let goals = Self.goals(in: words).filter { !read.excluded.contains($0) }
        guard !goals.isEmpty else { return nil }
        func hasAny(of list: [String]) -> Bool { list.contains { words.contains($0) } }
        let implies = goals.contains { $0 != .path && $0 != .once } && !hasAny(of: Self.foregroundWords)
        self.init(
            goals: goals,
            inBackground: !read.constraints.contains(.noBackground) && (implies || hasAny(of: Self.backgroundWords)),
            versions: Self.versions(in: text.lowercased()), restarts: hasAny(of: Self.restartWords),
            reminds: hasAny(of: ["remind", "tell me", "notify me", "alert me"]))
        (constraints, activities, ignored) = (read.constraints, read.activities, read.ignored)
    }

    /// The goals that words name.
    static func goals(in words: String) -> [Goal] {
        Goal.allCases.filter { goal in Self.words(for: goal).contains { words.contains($0) } }
    }

    /// The major versions of iOS that existed, from the oldest that the advice covers.
    public static let majorVersions = [13, 14, 15, 16, 17, 18, 26, 27]

    /// Why no plan covers what a text asks for: another platform than iPhone and iPad, or a version of iOS that never
    /// existed; `nil` for a wish that a plan covers.
    public static func gap(in text: String) -> String? {
        let words = text.lowercased()
        let others = [
            ("Apple Watch", #/\b(?:apple watch|watchos|watch app)\b/#),
            ("Mac", #/\b(?:macos|mac app|macbook|on (?:a|the|my) mac)\b/#),
            ("Apple Vision Pro", #/\b(?:vision ?os|vision pro)\b/#), ("Apple TV", #/\b(?:tvos|apple tv)\b/#),
        ]
        for (name, pattern) in others where words.contains(pattern) {
            return
                "The advice covers iPhone and iPad only, and the wish names \(name). fencepost explain and fencepost "
                + "matrix answer for other platforms, with --platform."
        }
        for match in words.matches(of: #/\bi(?:pad)?os\s*([0-9]{1,2})\b/#) {
            guard let major = Int(match.output.1),
                let problem = OperatingSystem(.iOS, OSVersion(major)).versionProblem
            else { continue }
            return problem.text
        }
        return nil
    }

    /// The versions of the wish that exist.
    public var systems: [OSVersion] {
        Self.majorVersions.filter(versions.contains).map { OSVersion($0, $0 == 13 ? 4 : 0) }
    }

    private static let backgroundWords = [
        "killed", "terminated", "background", "closed", "swiped", "force", "not running", "not open", "even when",
        "always", "relaunch", "asleep", "pocket", "locked", "kill", "mileage", "by itself", "automatic", "driver",
    ]
    private static let foregroundWords = ["on screen", "while open", "when open", "foreground", "in use"]
    private static let restartWords = [
        "kill", "terminated", "by itself", "automatic", "mileage", "force", "swiped", "reboot", "relaunch",
    ]

    private static func words(for goal: Goal) -> [String] {
        switch goal {
        case .regions:
            [
                "leave", "arriv", "enter", "exit", "geofence", "region", "near a place", "at work", "at home",
                "cross", "place", "come home", "get home", "shop", "at the store", "attendance", "at a site", "on site",
                "clock in", "family", "near home", "near the house", "near my house", "near work", "near the office",
            ]
        case .visits: ["visit", "stay", "how long", "diary", "where the user was", "clvisit", "parked", "parking"]
        case .moves:
            ["significant", "city", "rough", "moved", "moves", "coarse", "neighbourhood", "weather", "family"]
        case .path:
            [
                "track", "route", "path", "navigat", "continuous", "run ", "ride", "every second", "live location",
                "mileage", "live eta", "driver",
            ]
        case .once: ["once", "current location", "where am i", "one location", "nearby", "parked", "parking"]
        case .beacons: ["beacon", "bluetooth"]
        case .pushes: ["on demand", "location push", "family shar", "share my location"]
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
