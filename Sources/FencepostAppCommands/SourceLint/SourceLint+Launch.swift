import FencepostSimulator

extension SourceLint {
    /// The places where the app starts services whose events launch it.
    private var launchingStarts: [(source: SwiftSource, index: Int)] {
        sources.flatMap { source in
            source.tokens.indices.filter {
                Self.launchingCalls.contains(source.tokens[$0].text) && source.matches(["."], at: $0 - 1)
                    && source.matches(["("], at: $0 + 1)
            }.map { (source, $0) }
        }
    }

    /// A manager with its delegate has to exist at each launch.
    mutating func checkManagers() {
        guard !launchingStarts.isEmpty else { return }
        let managers = occurrences("CLLocationManager", "(")
        guard let manager = managers.first else { return }
        if managers.allSatisfy({ isView($0.source.type(at: $0.index)) }) {
            return add(
                .warning, manager.source, manager.index, [.relaunch21, .relaunch24],
                "A launch in the background makes no view, so there is no manager to receive the event. Make it in the app "
                    + "delegate, or in an object that the app makes at each launch.")
        }
        if isMissingAtLaunch(managers) {
            return add(
                .warning, manager.source, manager.index, [.relaunch21, .relaunch24],
                "Nothing that runs at each launch uses \(owner(manager)): a launch in the background shows no view, so there "
                    + "is no manager and the event is lost. \(advice(manager))")
        }
        let delegates = assignedDelegates()
        guard let delegate = delegates.first else {
            return add(
                .error, manager.source, manager.index, [.relaunch21],
                "No manager gets a delegate, so no event of a region, visit or significant change arrives. Set the delegate "
                    + "where the manager is made.")
        }
        guard delegates.allSatisfy({ isLate($0.source, $0.index) }) else { return }
        add(
            .warning, delegate.source, delegate.index, [.relaunch21, .relaunch34],
            "At a launch in the background the event comes before this line runs, or the line never runs. Set the delegate "
                + "where the manager is made.")
    }

    /// A monitor has to be open, and its events awaited, at each launch.
    mutating func checkMonitors() {
        let monitors = occurrences("CLMonitor", "(")
        guard let monitor = monitors.first, isMissingAtLaunch(monitors) else { return }
        add(
            .warning, monitor.source, monitor.index, [.relaunch25, .mon16],
            "Nothing that runs at each launch uses \(owner(monitor)): a launch in the background shows no view, so nothing "
                + "opens the monitor and awaits its events. \(advice(monitor))")
    }

    /// Whether an app with scenes that wants events in the background makes none of its objects at each launch.
    private func isMissingAtLaunch(_ uses: [(source: SwiftSource, index: Int)]) -> Bool {
        let wantsBackground = asksForAlways || declaration.infoPlist.has(PropertyKeys.alwaysAndWhenInUse)
        return launchCode.isKnown && hasScenes && wantsBackground
            && !uses.contains { launchCode.contains($0.index, in: $0.source) }
    }

    /// What makes an object, in a sentence.
    private func owner(_ use: (source: SwiftSource, index: Int)) -> String {
        use.source.type(at: use.index)?.name ?? use.source.function(at: use.index)?.name ?? "it"
    }

    private func advice(_ use: (source: SwiftSource, index: Int)) -> String {
        let name = owner(use)
        let instance = all.lazy.flatMap(\.declarations).first { $0.kind == .shared && $0.type == name }?.name
        return
            "Use \(instance.map { "\(name).\($0)" } ?? "it") in the app delegate's didFinishLaunching or in the app's init."
    }

    /// Where a delegate is set on something that is named as a manager.
    private func assignedDelegates() -> [(source: SwiftSource, index: Int)] {
        var names: Set<String> = []
        for source in sources {
            for index in source.tokens.indices where source.tokens[index].text == "CLLocationManager" {
                // `let manager = CLLocationManager()` and `let manager: CLLocationManager`.
                if index >= 2, ["=", ":"].contains(source.tokens[index - 1].text) {
                    names.insert(source.tokens[index - 2].text)
                }
            }
        }
        return occurrences("delegate", "=").filter { source, index in
            guard source.matches(["."], at: index - 1), index >= 2 else { return false }
            let owner = source.tokens[index - 2].text
            return names.contains(owner) || owner == "?" && index >= 3 && names.contains(source.tokens[index - 3].text)
                || owner.lowercased().contains("manager") || owner == "$0"
        }
    }

    private static let lateFunctions: Set<String> = [
        "viewDidLoad", "viewWillAppear", "viewIsAppearing", "viewDidAppear", "sceneDidBecomeActive",
        "applicationDidBecomeActive", "sceneWillEnterForeground", "applicationWillEnterForeground",
    ]
    private static let lateBlocks: Set<String> = ["onAppear", "asyncAfter", "task"]

    private func isLate(_ source: SwiftSource, _ index: Int) -> Bool {
        if let function = source.function(at: index), Self.lateFunctions.contains(function.name) { return true }
        return source.scopes(at: index).contains { scope in
            if case .block(let name) = scope { return Self.lateBlocks.contains(name) }
            return false
        }
    }

    /// Sessions for Always have to be taken again at each launch.
    mutating func checkLaunchSessions() {
        let sessions = occurrences("CLServiceSession", "(", "authorization", ":", ".", "always")
        guard let first = sessions.first, !sessions.contains(where: { runsAtLaunch($0.source, $0.index) }) else {
            return
        }
        add(
            .warning, first.source, first.index, [.relaunch14, .relaunch26],
            "After a termination the system remembers a service session for seconds only, and no launch code takes it again. "
                + "Take it at each launch while the user wants it, in an init or in didFinishLaunching.")
    }

    /// Significant changes have to be started again at each launch.
    mutating func checkSignificantChanges() {
        let starts = occurrences("startMonitoringSignificantLocationChanges", "(")
        guard let first = starts.first, !starts.contains(where: { runsAtLaunch($0.source, $0.index) }) else { return }
        add(
            .warning, first.source, first.index, [.relaunch22, .relaunch33],
            "The system launches the app for significant changes again and again, but it gets none, as no launch code starts "
                + "them. Start them at each launch too.")
    }

    /// An app without scenes does not launch when it is built with SDK 27.
    mutating func checkScenes() {
        guard !hasScenes, hasInfoPlist, (declaration.infoPlist.sdkMajorVersion ?? 0) < 27,
            occurrences("configurationForConnecting").isEmpty, occurrences(":", "App").isEmpty
        else { return }
        for (source, index) in occurrences("UIApplicationDelegate") {
            guard source.matches([":"], at: index - 1) || source.matches([","], at: index - 1) else { continue }
            return add(
                .warning, source, index, [.relaunch32, .plist20],
                "The app has no scenes: built with SDK 27 it fails to launch, also for an event. Add "
                    + "UIApplicationSceneManifest to its Info.plist and a scene delegate.")
        }
    }
}
