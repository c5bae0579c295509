/// Reads the keys that the build settings of an Xcode project put into an Info.plist.
///
/// From Xcode 13 a target can have settings such as `INFOPLIST_KEY_NSLocationWhenInUseUsageDescription` in place of a
/// file. Settings of all targets and configurations are merged.
public enum XcodeBuildSettings {
    /// The entries for `PropertyKeys` that a project file sets.
    ///
    /// - Parameter project: the text of `project.pbxproj`.
    /// - Returns: one entry for each key with a value, each once, sorted.
    public static func entries(of project: String) -> [String] {
        var entries: Set<String> = []
        for (name, value) in settings(of: project) {
            if name.hasPrefix(prefix) {
                add(String(name.dropFirst(prefix.count)), value, to: &entries)
            } else if name == "IPHONEOS_DEPLOYMENT_TARGET", OSVersion(value) != nil {
                entries.insert("\(PropertyKeys.minimumOSVersion):\(value)")
            } else if name == "SDKROOT", !value.isEmpty, value.contains(where: \.isNumber) {
                entries.insert("\(PropertyKeys.sdkName):\(value)")
            }
        }
        return entries.sorted()
    }

    /// The property lists and entitlements that the targets of a project name, relative to the project's folder, each
    /// once, sorted.
    ///
    /// - Parameter project: the text of `project.pbxproj`.
    /// - Returns: the paths; those with a setting other than the project's folder are left out.
    public static func files(of project: String) -> [String] {
        let named = settings(of: project).filter { ["INFOPLIST_FILE", "CODE_SIGN_ENTITLEMENTS"].contains($0.name) }
        let paths = named.map { setting -> String in
            for folder in ["$(SRCROOT)/", "$(PROJECT_DIR)/", "${SRCROOT}/"] where setting.value.hasPrefix(folder) {
                return String(setting.value.dropFirst(folder.count))
            }
            return setting.value
        }
        return Set(paths.filter { !$0.isEmpty && !$0.contains("$") }).sorted()
    }

    /// Whether every target of a project is one for the Mac.
    ///
    /// - Parameter project: the text of `project.pbxproj`.
    /// - Returns: whether a Mac SDK is named, and no other.
    public static func isForMac(_ project: String) -> Bool {
        let kits = settings(of: project).filter { $0.name == "SDKROOT" && $0.value != "auto" }.map(\.value)
        return !kits.isEmpty && kits.allSatisfy { $0.hasPrefix("macosx") }
    }

    /// The settings of all targets. A list, in brackets over several lines, becomes one value with spaces.
    private static func settings(of project: String) -> [(name: String, value: String)] {
        var settings: [(name: String, value: String)] = []
        var list: (name: String, values: [String])?
        for line in project.split(whereSeparator: \.isNewline) {
            if let open = list {
                let text = trimmed(line)
                if text.hasPrefix(")") {
                    settings.append((open.name, open.values.joined(separator: " ")))
                    list = nil
                } else {
                    list = (open.name, open.values + [text.filter { $0 != "," && $0 != "\"" }])
                }
            } else if let (name, value) = setting(in: line) {
                settings.append((name, value))
            } else if let name = start(ofListIn: line) {
                list = (name, [])
            }
        }
        return settings
    }

    /// The name of a setting whose list begins on this line, as in `NAME = (`; `nil` for other lines.
    private static func start(ofListIn line: Substring) -> String? {
        let parts = line.split(separator: "=", maxSplits: 1)
        guard parts.count == 2, trimmed(parts[1]) == "(" else { return nil }
        return trimmed(parts[0]).filter { $0 != "\"" }
    }

    private static let prefix = "INFOPLIST_KEY_"

    /// The name and the value of a line such as `NAME = "value";`; `nil` for other lines.
    private static func setting(in line: Substring) -> (name: String, value: String)? {
        let parts = line.split(separator: "=", maxSplits: 1)
        guard parts.count == 2 else { return nil }
        var name = trimmed(parts[0])
        // A setting for some SDKs only: "INFOPLIST_KEY_UIStatusBarStyle[sdk=iphoneos*]".
        guard !name.contains("[") else { return nil }
        name = name.filter { $0 != "\"" }
        var value = trimmed(parts[1])
        guard value.hasSuffix(";") else { return nil }
        value = String(value.dropLast())
        if value.hasPrefix("\""), value.hasSuffix("\""), value.count >= 2 {
            value = String(value.dropFirst().dropLast())
        }
        return (name, value)
    }

    private static func add(_ key: String, _ value: String, to entries: inout Set<String>) {
        guard !value.isEmpty else { return }
        switch key {
        case "UIApplicationSceneManifest_Generation":
            if value == "YES" { entries.insert("\(PropertyKeys.sceneManifest):generated") }
        case PropertyKeys.backgroundModes:
            for mode in value.split(separator: " ") { entries.insert("\(key):\(mode)") }
        default: entries.insert("\(key):\(value == "YES" ? "true" : value == "NO" ? "false" : value)")
        }
    }

    private static func trimmed(_ text: Substring) -> String {
        let isSpace: (Character) -> Bool = { $0 == " " || $0 == "\t" || $0 == "\r" }
        return String(text.drop(while: isSpace).reversed().drop(while: isSpace).reversed())
    }
}
