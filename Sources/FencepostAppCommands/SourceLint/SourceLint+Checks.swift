import FencepostGeometry
import FencepostSimulator

extension SourceLint {
    /// Whether the app wants to run in the background by Always.
    private var asksForAlways: Bool {
        !occurrences("requestAlwaysAuthorization", "(").isEmpty
            || !occurrences("CLServiceSession", "(", "authorization", ":", ".", "always").isEmpty
    }

    private var declaresBackground: Bool {
        declaration.infoPlist.has(PropertyKeys.backgroundModes, containing: "location")
    }

    /// Updates that are to continue in the background: the mode, the filter from iOS 16.4, and pauses.
    mutating func checkBackgroundUpdates(_ source: SwiftSource) {
        let allowed = source.indices(of: "allowsBackgroundLocationUpdates", "=", "true")
        guard let first = allowed.first else { return }
        if hasInfoPlist, !declaresBackground {
            for index in allowed {
                add(
                    .error, source, index, [.svc16, .plist12],
                    "This line crashes the app, because its Info.plist does not declare the background mode location. Add "
                        + "location to UIBackgroundModes.")
            }
        }
        guard !source.indices(of: "startUpdatingLocation", "(").isEmpty else { return }
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

    private static let circles = ["CLCircularRegion", "CircularGeographicCondition"]

    /// Radii that are written as a number below 100.
    mutating func checkRadii(_ source: SwiftSource) {
        for index in source.tokens.indices where Self.circles.contains(source.tokens[index].text) {
            guard source.matches(["("], at: index + 1), let range = source.argument("radius", ofCallAt: index + 1),
                let radius = source.number(in: range), radius < 100
            else { continue }
            add(
                .warning, source, range.lowerBound, [.region21, .region09],
                "A circle of less than 100 metres may be missed, and may be entered from far outside. Make the radius at "
                    + "least 100 metres; 200 work better.")
        }
    }

    /// More than twenty regions by a loop over numbers or a prefix, or by texts.
    mutating func checkNumberOfRegions(_ source: SwiftSource) {
        let advice =
            "An app has twenty regions or conditions, shared with its SDKs; the others fail. Register the twenty nearest, and "
            + "choose again at a significant change."
        // As a label it is followed by a colon.
        for index in source.indices(of: "for") where !source.matches([":"], at: index + 1) {
            guard let open = (index..<source.tokens.count).first(where: { source.tokens[$0].text == "{" }),
                let count = iterations(of: index..<open, in: source), count > 20
            else { continue }
            let body = open..<source.end(ofBracketAt: open)
            let isRegistration = body.contains {
                source.matches(["startMonitoring", "(", "for"], at: $0)
                    || source.tokens[$0].text == "CircularGeographicCondition"
            }
            if isRegistration {
                add(.warning, source, index, [.region01, .region19], "This loop registers more. " + advice)
            }
        }
        var names: Set<String> = []
        for index in source.tokens.indices where Self.circles.contains(source.tokens[index].text) {
            guard source.matches(["("], at: index + 1),
                let range = source.argument("identifier", ofCallAt: index + 1), range.count == 1,
                let name = source.tokens[range].first, name.kind == .text, names.insert(name.text).inserted
            else { continue }
            if names.count == 21 {
                add(.warning, source, index, [.region01, .region19], "This is the twenty-first region. " + advice)
            }
        }
    }

    /// How often a loop runs, where its header says so.
    private func iterations(of header: Range<Int>, in source: SwiftSource) -> Int? {
        for index in header {
            if source.matches(["prefix", "("], at: index), source.matches([")"], at: index + 3) {
                return source.number(in: index + 2..<index + 3).map { Int(clamped: $0) }
            }
            guard source.tokens[index].kind == .number, source.matches([".", "."], at: index + 1) else { continue }
            let isClosed = source.matches([".", ".", "."], at: index + 1)
            guard isClosed || source.matches([".", ".", "<"], at: index + 1),
                let first = source.number(in: index..<index + 1), index + 4 < header.upperBound,
                let last = source.number(in: index + 4..<index + 5)
            else { continue }
            return Int(clamped: last - first + (isClosed ? 1 : 0))
        }
        return nil
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
                        || function.labels.contains("willFinishLaunchingWithOptions")
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
            guard source.matches(["("], at: index + 1), source.function(at: index) != nil, index > 0 else { continue }
            let end = source.end(ofBracketAt: index + 1)
            if source.matches(["."], at: end + 1) { continue }
            let isBackground = source.tokens[index].text == "CLBackgroundActivitySession"
            if isBackground, hasInfoPlist, !declaresBackground {
                add(
                    .error, source, index, [.plist12],
                    "The session has no effect, because the Info.plist does not declare the background mode location. Add "
                        + "location to UIBackgroundModes.")
            }
            guard isDropped(source, index, end) else { continue }
            add(
                .warning, source, index, isBackground ? [.live04, .plat03] : [.sess01, .relaunch14],
                "Nothing holds this session after the function ends. Keep it in a property as long as the app needs it, and "
                    + "end it with invalidate().")
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
            let open = (function.start..<tokens.count).first(where: { tokens[$0].text == "{" })
        else { return false }
        return (end..<source.end(ofBracketAt: open)).allSatisfy { tokens[$0].text != name }
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
            || sources.contains { source in
                source.tokens.contains {
                    ["UIWindowSceneDelegate", "UISceneDelegate", "WindowGroup"].contains($0.text)
                }
            }
    }
}
