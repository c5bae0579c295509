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
        for line in project.split(separator: "\n") {
            guard let (name, value) = setting(in: line) else { continue }
            if name.hasPrefix(prefix) {
                add(String(name.dropFirst(prefix.count)), value, to: &entries)
            } else if name == "SDKROOT", !value.isEmpty, value.contains(where: \.isNumber) {
                entries.insert("\(PropertyKeys.sdkName):\(value)")
            }
        }
        return entries.sorted()
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
