package import FencepostSimulator

/// A place in an app's sources that breaks background delivery.
package struct SourceFinding: Hashable, Sendable {
    package var severity: LintFinding.Severity
    package var path: String
    /// Both count from 1.
    package var line, column: Int
    /// The name in the source that the finding is about.
    package var key: String
    /// What the system does, and how to mend it.
    package var effect: String
    /// The rules that the finding rests on, the deciding one first.
    package var rules: [RuleID]
}

/// Looks in an app's Swift sources for what breaks the delivery of locations in the background.
///
/// It compares names and their order, types and functions, and does not know types of expressions: it reports only what the
/// text shows, and misses what is hidden behind other names. All files are taken for one app.
struct SourceLint {
    /// The sources about Core Location.
    let sources: [SwiftSource]
    /// All sources of the app.
    let all: [SwiftSource]
    let declaration: AppDeclaration
    /// Sources that are nested too deeply.
    let partlyRead: [SwiftSource]
    /// Whether an Info.plist or a project was read, so that what it lacks is known to be missing.
    let hasInfoPlist: Bool
    /// Whether the sources are all of an app, so that what none of them does is known to be missing.
    let isWhole: Bool
    /// The names of functions that run at each launch, where the sources do not show what a launch begins with.
    let launchFunctions: Set<String>
    /// What runs at each launch, where the sources show it.
    let launchCode: LaunchCode
    var findings: [SourceFinding] = []

    /// Services whose events launch an app.
    static let launchingCalls: Set<String> = [
        "startMonitoring", "startMonitoringSignificantLocationChanges", "startMonitoringVisits",
    ]

    /// - Parameters:
    ///   - files: paths and texts.
    ///   - declaration: what the app's Info.plist and entitlements declare.
    ///   - hasInfoPlist: whether an Info.plist or a project was read.
    ///   - isWhole: whether the sources are all of an app.
    ///   - hasOtherCode: whether the app has code in other languages, which may run at a launch.
    init(
        _ files: [(path: String, text: String)], declaration: AppDeclaration, hasInfoPlist: Bool, isWhole: Bool = true,
        hasOtherCode: Bool = false
    ) {
        all = files.map { SwiftSource(path: $0.path, text: $0.text) }
        sources = all.filter(\.isRelevant)
        partlyRead = all.filter { $0.endLine != nil }
        self.declaration = declaration
        self.hasInfoPlist = hasInfoPlist
        self.isWhole = isWhole
        launchCode = LaunchCode(all, isWhole: isWhole && !hasOtherCode)
        launchFunctions = launchCode.isKnown ? [] : Self.launchFunctions(of: all)
    }

    /// All findings in the order of files and lines.
    func run() -> [SourceFinding] {
        var lint = self
        lint.findings = partlyRead.compactMap { source in
            source.endLine.map {
                SourceFinding(
                    severity: .note, path: source.path, line: $0, column: 1, key: "nesting",
                    effect: "The source is nested too deeply, and is not read from line \($0) on.", rules: [])
            }
        }
        switch declaration.platform {
        case .iOS, .iPadOS: break
        case .tvOS, .visionOS, .visionOSCompatible, .watchOS:
            lint.checkAlways()
            return lint.findings
        case .macOS, .macCatalyst, .iPadAppOnMac: return lint.findings
        }
        for source in sources {
            lint.checkBackgroundUpdates(source)
            lint.checkRadii(source)
            lint.checkNumberOfRegions(source)
            lint.checkRequests(source)
            lint.checkHeldSessions(source)
            lint.checkLaunchOptions(source)
        }
        if isWhole {
            lint.checkManagers()
            lint.checkMonitors()
            lint.checkLaunchSessions()
            lint.checkSignificantChanges()
            lint.checkScenes()
        }
        return lint.findings.sorted { ($0.path, $0.line, $0.column) < ($1.path, $1.line, $1.column) }
    }

    mutating func add(
        _ severity: LintFinding.Severity, _ source: SwiftSource, _ index: Int, _ rules: [RuleID], _ effect: String
    ) {
        guard !rules.contains(where: { source.ignores($0.rawValue, at: index) }) else { return }
        let token = source.tokens[index]
        findings.append(
            SourceFinding(
                severity: severity, path: source.path, line: token.line, column: token.column, key: token.text,
                effect: effect, rules: rules))
    }

    /// Each place in the sources where words follow one another.
    func occurrences(_ words: String...) -> [(source: SwiftSource, index: Int)] {
        sources.flatMap { source in source.indices(of: words).map { (source, $0) } }
    }

    // MARK: What runs at a launch

    /// Whether code at a place runs at each launch, also in the background.
    func runsAtLaunch(_ source: SwiftSource, _ index: Int) -> Bool {
        if launchCode.isKnown { return launchCode.contains(index, in: source) }
        let scopes = source.scopes(at: index)
        guard let function = source.function(at: index) else {
            // The value of a property, when its type is made; the body of a view is not made in the background.
            return !scopes.contains { scope in
                if case .property(let name) = scope { return name == "body" }
                return false
            }
        }
        if isView(source.type(at: index)) { return false }
        return Self.isLaunch(function.name, function.labels) || launchFunctions.contains(function.name)
    }

    /// Whether a type is a view or its controller, which exist only when a scene is on screen.
    func isView(_ type: (name: String, inherits: [String])?) -> Bool {
        guard let type else { return false }
        return launchCode.interface.contains(type.name) || LaunchCode.isInterface(type.name, type.inherits)
    }

    /// Callbacks of a manager, which come after a launch as soon as it has its delegate, and what UIKit and Swift call.
    static func isLaunch(_ name: String, _ labels: [String]) -> Bool {
        switch name {
        case "init", "main", "locationManagerDidChangeAuthorization", "locationManager": true
        case "application":
            labels.contains("didFinishLaunchingWithOptions") || labels.contains("willFinishLaunchingWithOptions")
        default: false
        }
    }

    /// The names of functions that launch code calls, and those that they call.
    private static func launchFunctions(of sources: [SwiftSource]) -> Set<String> {
        var calls: [String: Set<String>] = [:]
        var pending: [String] = []
        // A function may also be passed on: `perform(begin)`, `#selector(begin)`.
        let declared = Set(
            sources.flatMap { source in
                source.positions(of: "func").filter { $0 + 1 < source.tokens.count }.map { source.tokens[$0 + 1].text }
            })
        for source in sources {
            for index in source.tokens.indices
            where source.tokens[index].kind == .word
                && (source.matches(["("], at: index + 1) || declared.contains(source.tokens[index].text))
            {
                guard let function = source.function(at: index), !source.matches(["func"], at: index - 1) else {
                    continue
                }
                let name = source.tokens[index].text
                if isLaunch(function.name, function.labels) {
                    pending.append(name)
                } else {
                    calls[function.name, default: []].insert(name)
                }
            }
        }
        var reached: Set<String> = []
        while let name = pending.popLast() {
            if reached.insert(name).inserted { pending += calls[name] ?? [] }
        }
        return reached
    }
}
