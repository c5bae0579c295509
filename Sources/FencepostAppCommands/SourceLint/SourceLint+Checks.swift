import FencepostSimulator

extension SourceLint {
    /// Whether the app wants to run in the background by Always.
    var asksForAlways: Bool {
        !occurrences("requestAlwaysAuthorization", "(").isEmpty
            || !occurrences("CLServiceSession", "(", "authorization", ":", ".", "always").isEmpty
    }

    /// Whether a source needs the background mode location; `nil` when there is no source to show it.
    var usesBackground: Bool? {
        guard isWhole, !sources.isEmpty else { return nil }
        switch declaration.platform {
        // The checks of sources report it where it is used.
        case .iOS, .iPadOS: return false
        case .macOS, .macCatalyst, .iPadAppOnMac, .tvOS, .visionOS, .visionOSCompatible, .watchOS:
            return !occurrences("allowsBackgroundLocationUpdates", "=", "true").isEmpty
                || !occurrences("CLBackgroundActivitySession", "(").isEmpty
        }
    }

    private var declaresBackground: Bool {
        declaration.infoPlist.has(PropertyKeys.backgroundModes, containing: "location")
    }

    /// Updates that are to continue in the background: the mode, the filter from iOS 16.4, and pauses.
    mutating func checkBackgroundUpdates(_ source: SwiftSource) {
        let allowed = source.indices(of: "allowsBackgroundLocationUpdates", "=", "true")
        guard let first = allowed.first else { return }
        if hasInfoPlist, !declaresBackground {
            for index in allowed where !isConditional(source, index) {
                add(
                    .error, source, index, [.svc16, .plist12],
                    "This line crashes the app, because its Info.plist does not declare the background mode location. Add "
                        + "location to UIBackgroundModes.")
            }
        }
        // The other settings may be those of another source.
        guard isWhole, !source.indices(of: "startUpdatingLocation", "(").isEmpty else { return }
        if occurrences("pausesLocationUpdatesAutomatically", "=").isEmpty,
            occurrences("func", "locationManagerDidPauseLocationUpdates").isEmpty
        {
            add(
                .warning, source, first, [.svc26, .svc27],
                "Core Location pauses these updates when the device seems to rest, and does not resume them. Set "
                    + "pausesLocationUpdatesAutomatically to false, or start updates again after "
                    + "locationManagerDidPauseLocationUpdates.")
        }
        guard asksForAlways, occurrences("showsBackgroundLocationIndicator", "=", "true").isEmpty else { return }
        let coarse: Set<String> = [
            "kCLLocationAccuracyKilometer", "kCLLocationAccuracyThreeKilometers", "kCLLocationAccuracyReduced",
        ]
        let advice =
            "From iOS 16.4 an app with Always is suspended in the background in spite of its updates. Set "
            + "showsBackgroundLocationIndicator to true, or no distance filter and an accuracy of a hundred metres or better."
        for index in source.indices(of: "distanceFilter", "=") where index + 2 < source.tokens.count {
            let value = source.tokens[index + 2]
            let isSet = value.kind == .number && !(Double(value.text) ?? 0).isZero
            if isSet {
                add(.warning, source, index, [.svc24], "This distance filter stops background updates. " + advice)
            }
        }
        for index in source.indices(of: "desiredAccuracy", "=") where index + 2 < source.tokens.count {
            let value = source.tokens[index + 2]
            if coarse.contains(value.text) || value.kind == .number && Double(value.text) ?? 0 > 100 {
                add(.warning, source, index, [.svc24], "This accuracy stops background updates. " + advice)
            }
        }
    }

    /// Whether a line of a function depends on a condition, in an app that reads its background modes.
    private func isConditional(_ source: SwiftSource, _ index: Int) -> Bool {
        let readsModes = sources.contains { other in
            other.tokens.contains { $0.kind == .text && $0.text.contains("UIBackgroundModes") }
        }
        let start = source.function(at: index)?.start ?? 0
        let isNear = source.tokens[start..<index].contains { $0.kind == .text && $0.text.contains("location") }
        guard readsModes || isNear else { return false }
        return source.isInCondition(index) || source.indices(of: "guard").contains { (start..<index).contains($0) }
    }

    private static let circles = ["CLCircularRegion", "CircularGeographicCondition"]

    /// Whether a circle may be monitored: it is not only compared with a place, nor the one to stop with.
    private func isMonitored(_ source: SwiftSource, _ index: Int) -> Bool {
        let isCompared = { source.matches([".", "contains", "("], at: $0) }
        let start = source.matches(["."], at: index - 1) ? index - 2 : index
        if isCompared(source.end(ofBracketAt: index + 1) + 1) { return false }
        if source.matches(["stopMonitoring", "(", "for", ":"], at: start - 4) { return false }
        guard source.matches(["="], at: start - 1), start >= 3, ["let", "var"].contains(source.tokens[start - 3].text)
        else { return true }
        let name = source.tokens[start - 2].text
        let uses = source.positions(of: name).filter { $0 > index }
        return uses.isEmpty
            || !uses.allSatisfy {
                isCompared($0 + 1) || source.matches(["stopMonitoring", "(", "for", ":"], at: $0 - 4)
            }
    }

    /// Radii that are written as a number below 100.
    mutating func checkRadii(_ source: SwiftSource) {
        for index in source.tokens.indices where Self.circles.contains(source.tokens[index].text) {
            guard source.matches(["("], at: index + 1), isMonitored(source, index),
                let range = source.argument("radius", ofCallAt: index + 1),
                let radius = source.number(in: range), radius < 100
            else { continue }
            add(
                .warning, source, range.lowerBound, [.region21, .region09],
                "A circle of less than 100 metres may be missed, and may be entered from far outside. Make the radius at "
                    + "least 100 metres; 200 work better.")
        }
    }

    /// More than twenty regions by a loop over numbers, a prefix or a literal array, or by texts.
    mutating func checkNumberOfRegions(_ source: SwiftSource) {
        let advice =
            "An app has twenty regions or conditions, shared with its SDKs; the others fail. Register the twenty nearest, and "
            + "choose again at a significant change."
        for loop in source.loops where loop.count > 20 {
            let body = source.tokens[loop.body]
            let registers =
                source.contains(["startMonitoring", "(", "for"], in: loop.body)
                || source.contains(["CircularGeographicCondition", "("], in: loop.body)
                    && source.contains([".", "add", "("], in: loop.body)
            // How often a condition holds is not known.
            let words: Set<String> = ["if", "guard", "where", "switch", "break", "continue", "while"]
            guard registers, !body.contains(where: { $0.kind != .text && words.contains($0.text) }) else { continue }
            add(
                .warning, source, loop.start, [.region01, .region19],
                "This loop registers \(loop.count) regions. " + advice)
        }
        var names: Set<String> = []
        for index in source.tokens.indices where Self.circles.contains(source.tokens[index].text) {
            guard source.matches(["("], at: index + 1), isMonitored(source, index),
                let range = source.argument("identifier", ofCallAt: index + 1), range.count == 1,
                let name = source.tokens[range].first, name.kind == .text, names.insert(name.text).inserted
            else { continue }
            if names.count == 21 {
                add(.warning, source, index, [.region01, .region19], "This is the twenty-first region. " + advice)
            }
        }
    }

    /// Requests for authorization while the app is launched, and without their texts.
    mutating func checkRequests(_ source: SwiftSource) {
        for name in ["requestAlwaysAuthorization", "requestWhenInUseAuthorization"] {
            for index in source.tokens.indices where source.matches([name, "("], at: index) {
                if name == "requestAlwaysAuthorization", hasInfoPlist,
                    !declaration.infoPlist.has(PropertyKeys.alwaysAndWhenInUse)
                {
                    add(
                        .error, source, index, [.plist03, .auth01],
                        "This request has no effect, because the Info.plist has no text for "
                            + "\(PropertyKeys.alwaysAndWhenInUse). Add it, and the text for "
                            + "\(PropertyKeys.whenInUse).")
                }
                guard let function = source.function(at: index), function.name == "application",
                    function.labels.contains("didFinishLaunchingWithOptions")
                        || function.labels.contains("willFinishLaunchingWithOptions"),
                    !source.isInStoredClosure(index)
                else { continue }
                add(
                    .warning, source, index, [.auth02, .auth08],
                    "The system launches the app in the background too, where a request has no effect and no callback. "
                        + "Ask when the user opens the feature.")
            }
        }
    }

    /// Requests for Always on platforms where it does not exist or launches nothing.
    mutating func checkAlways() {
        let requests =
            occurrences("requestAlwaysAuthorization", "(")
            + occurrences("CLServiceSession", "(", "authorization", ":", ".", "always")
        for (source, index) in requests {
            switch declaration.platform {
            case .tvOS:
                add(.warning, source, index, [.plat13], "Apple TV has no Always. Ask for While Using.")
            case .watchOS:
                add(
                    .note, source, index, [.plat12],
                    "A watch launches no app for a location, also with Always. Ask for While Using, and run a workout or a "
                        + "background activity session.")
            case .iOS, .iPadOS, .macOS, .macCatalyst, .iPadAppOnMac: break
            case .visionOS, .visionOSCompatible:
                add(
                    .warning, source, index, [.plat15],
                    "Vision Pro has no Always, and nothing arrives in the background. Ask for While Using.")
            }
        }
    }

    /// Sessions that nothing keeps.
    mutating func checkHeldSessions(_ source: SwiftSource) {
        for index in source.tokens.indices
        where ["CLServiceSession", "CLBackgroundActivitySession"].contains(source.tokens[index].text) {
            guard source.matches(["("], at: index + 1), index > 0 else { continue }
            let isBackground = source.tokens[index].text == "CLBackgroundActivitySession"
            if isBackground, hasInfoPlist, !declaresBackground, !isConditional(source, index) {
                add(
                    .error, source, index, [.plist12],
                    "The session has no effect, because the Info.plist does not declare the background mode location. Add "
                        + "location to UIBackgroundModes.")
            }
            let end = source.end(ofBracketAt: index + 1)
            guard source.function(at: index) != nil, !source.matches(["."], at: end + 1),
                isDropped(source, index, end)
            else { continue }
            add(
                .warning, source, index, isBackground ? [.live04, .plat03] : [.sess01, .relaunch14],
                "Nothing holds the object after the function ends, which ends what it stands for. Keep it in a property as long "
                    + "as the app needs it, and end it with invalidate().")
        }
    }

    /// Whether the value of a call is assigned to nothing, or to a constant that is never used.
    private func isDropped(_ source: SwiftSource, _ index: Int, _ end: Int) -> Bool {
        let tokens = source.tokens
        if source.matches(["_", "="], at: index - 2) { return true }
        if ["{", "}", ";"].contains(tokens[index - 1].text) {
            // The only expression of a closure or function is its value.
            return !source.matches(["}"], at: end + 1)
        }
        guard tokens[index - 1].text == "=", index >= 3, ["let", "var"].contains(tokens[index - 3].text) else {
            return false
        }
        // `if let` and `guard let` bind what they test.
        let name = tokens[index - 2].text
        guard let function = source.function(at: index),
            let open = source.firstBrace(after: function.start)
        else { return false }
        let last = source.end(ofBracketAt: open)
        // The positions are in order, and the last one within the function decides.
        let uses = source.positions(of: name)
        return uses.ordered { $0 > end } == uses.ordered { $0 >= last }
    }

    /// The launch key for a location, which scenes do not get.
    mutating func checkLaunchOptions(_ source: SwiftSource) {
        guard hasScenes else { return }
        for index in source.tokens.indices {
            let isKey =
                source.matches(["LaunchOptionsKey", ".", "location"], at: index)
                || source.matches(["launchOptions", "?", "[", ".", "location"], at: index)
                || source.matches(["launchOptions", "[", ".", "location"], at: index)
            guard isKey else { continue }
            add(
                .warning, source, index, [.relaunch31, .relaunch20],
                "A scene-based app never gets this key. Start the services on every launch, whatever caused it.")
        }
    }

    var hasScenes: Bool {
        declaration.infoPlist.has(PropertyKeys.sceneManifest)
            || all.contains { source in
                ["UIWindowSceneDelegate", "UISceneDelegate", "WindowGroup"].contains {
                    !source.positions(of: $0).isEmpty
                }
            }
    }
}
