package import FencepostSimulator
import Foundation

/// The merged declarations of an app's files.
package struct DeclarationFiles {
    package private(set) var declaration = AppDeclaration()
    package private(set) var unreadable: [String] = []
    package private(set) var count = 0
    /// The folders of the Info.plists of apps, without those of extensions, frameworks, tests and watches.
    package private(set) var appFolders: Set<String> = []
    package private(set) var hasProject = false

    package var isEmpty: Bool { count == 0 && unreadable.isEmpty }

    package mutating func add(_ path: String) {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
            unreadable.append("\(path) does not exist")
            return
        }
        guard isFolder.boolValue else {
            if path.lowercased().hasSuffix(".ipa") || path.lowercased().hasSuffix(".zip") { return addArchive(path) }
            if path.hasSuffix(".pbxproj") { return addProject(path) }
            return read(path)
        }
        if path.hasSuffix(".xcodeproj") || path.hasSuffix(".xcodeproj/") {
            return addProject(path + "/project.pbxproj")
        }
        let names = FileManager.default.enumerator(atPath: path)?.compactMap { $0 as? String }.sorted() ?? []
        for name in names {
            let last = name.split(separator: "/").last.map(String.init) ?? name
            // The Info.plist of an extension is not that of the app.
            if let range = name.range(of: ".appex/Info.plist"), range.upperBound == name.endIndex {
                declaration.extensions.append(name)
            } else if name.contains(".appex/") || name.contains(".framework/") {
                continue
            } else if Self.isDeclaration(last) {
                read(path + "/" + name)
            } else if last == "project.pbxproj" {
                addProject(path + "/" + name, isWithinFolder: true)
            }
        }
    }

    /// Whether a search of a folder reads a file of this name.
    private static func isDeclaration(_ name: String) -> Bool {
        name == "Info.plist" || name.hasSuffix("-Info.plist") || name.hasSuffix(".entitlements")
            || name.hasSuffix(".xcprivacy")
    }

    /// Reads the declarations at a path.
    ///
    /// - Parameter path: a property list, an app, an archive (`.ipa`), an Xcode project, or a folder.
    /// - Returns: the merged declarations.
    /// - Throws: the exit status of bad data, or of no input when there is nothing to read; the reason is printed.
    package static func declaration(at path: String) throws -> AppDeclaration {
        var files = DeclarationFiles()
        files.add(path)
        for problem in files.unreadable { Console.say("fencepost: \(problem)") }
        if !files.unreadable.isEmpty { throw ExitStatus.badData.exit }
        guard files.count > 0 else {
            Console.say("fencepost: found no Info.plist or Xcode project in \(path)")
            throw ExitStatus.noInput.exit
        }
        return files.declaration
    }

    /// Reads the entries of a key of a scenario: `infoPlist` or `entitlements`.
    ///
    /// - Parameters:
    ///   - key: the key.
    ///   - path: a property list, an app, an archive (`.ipa`), an Xcode project, or a folder.
    /// - Returns: the entries; `nil` when nothing can be read.
    package static func entries(of key: String, at path: String) -> [String]? {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else { return nil }
        let endings = [".ipa", ".zip", ".pbxproj"]
        guard isFolder.boolValue || endings.contains(where: { path.lowercased().hasSuffix($0) }) else {
            return PropertyListKeys.entries(ofFile: path)
        }
        var files = DeclarationFiles()
        files.add(path)
        guard files.unreadable.isEmpty, files.count > 0 else { return nil }
        let declaration = files.declaration
        return key == "entitlements" ? declaration.entitlements.entries : declaration.infoPlist.entries
    }

    /// Reads the property lists of the app in an archive.
    private mutating func addArchive(_ path: String) {
        guard let data = try? Data(contentsOf: URL(filePath: path)) else {
            return unreadable.append("\(path) cannot be read")
        }
        do {
            let archive = try AppArchive(Array(data))
            let members = try archive.members(maximumSize: 1 << 22) { name in
                let parts = name.split(separator: "/")
                let isInApp = parts.count == 3 && parts[0] == "Payload" && parts[1].hasSuffix(".app")
                return isInApp && (parts[2] == "Info.plist" || parts[2] == "PrivacyInfo.xcprivacy")
                    || name.hasSuffix(".appex/Info.plist")
            }
            var executable: String?
            for (name, bytes) in members {
                if name.hasSuffix(".appex/Info.plist") {
                    declaration.extensions.append(name)
                } else {
                    read(Data(bytes), path: "\(path)/\(name)")
                    executable = executable ?? Self.executable(named: bytes, nextTo: name)
                }
            }
            if let executable {
                let found = try archive.members(maximumSize: 1 << 30) { $0 == executable }
                for (_, bytes) in found { addEntitlements(of: Data(bytes)) }
            }
            if members.isEmpty { unreadable.append("\(path) has no Payload/*.app/Info.plist") }
        } catch {
            unreadable.append("\(path): \(error.message)")
        }
    }

    /// Whether an Info.plist is that of an app for a phone: Xcode sets the type of a package when it builds.
    private static func isApp(_ list: [String: Any]) -> Bool {
        let others = ["NSExtension", "EXAppExtensionAttributes", "WKApplication", "WKWatchKitApp"]
        guard !others.contains(where: { list[$0] != nil }) else { return false }
        let type = list["CFBundlePackageType"] as? String
        let screens = ["UILaunchScreen", "UILaunchStoryboardName", "UIApplicationSceneManifest", "LSRequiresIPhoneOS"]
        return type == "APPL" || type?.hasPrefix("$(") ?? true && screens.contains { list[$0] != nil }
    }

    /// The executable that the Info.plist of an app names: in the same folder on iOS, in `MacOS` on a Mac.
    private static func executable(named list: some Sequence<UInt8>, nextTo path: String) -> String? {
        guard path.hasSuffix(".app/Info.plist") || path.hasSuffix(".app/Contents/Info.plist"),
            let name = PropertyListKeys.entries(of: Data(list))?.first(where: { $0.hasPrefix("CFBundleExecutable:") })
        else { return nil }
        let folder = path.dropLast("Info.plist".count)
        let inner = path.hasSuffix("/Contents/Info.plist") ? "MacOS/" : ""
        return "\(folder)\(inner)\(name.dropFirst("CFBundleExecutable:".count))"
    }

    /// Adds the entitlements that an executable was signed with.
    private mutating func addEntitlements(of executable: Data) {
        guard let list = CodeSignature.entitlements(of: executable) else { return }
        declaration.entitlements.entries += PropertyListKeys.entries(of: list) ?? []
    }

    /// Reads the keys that an Xcode project puts into the Info.plist of its targets, from its build settings, and the files
    /// that these name, unless the search of a folder reads them anyway.
    private mutating func addProject(_ path: String, isWithinFolder: Bool = false) {
        guard let text = try? String(contentsOf: URL(filePath: path), encoding: .utf8) else {
            return unreadable.append("\(path) cannot be read")
        }
        count += 1
        hasProject = true
        declaration.infoPlist.entries += XcodeBuildSettings.entries(of: text)
        if XcodeBuildSettings.isForMac(text) { declaration.platform = .macOS }
        // The project's folder holds the .xcodeproj with the file.
        let folder = URL(filePath: path).deletingLastPathComponent().deletingLastPathComponent()
        for name in XcodeBuildSettings.files(of: text) {
            let file = folder.appending(path: name).path
            // A file that is missing is one of a target that the checkout lacks, or one that a build step makes.
            let isReadAnyway = isWithinFolder && Self.isDeclaration(URL(filePath: name).lastPathComponent)
            if !isReadAnyway, FileManager.default.fileExists(atPath: file) { read(file) }
        }
    }

    private mutating func read(_ path: String) {
        guard let data = try? Data(contentsOf: URL(filePath: path)) else {
            return unreadable.append("\(path) cannot be read")
        }
        read(data, path: path)
        if let executable = Self.executable(named: data, nextTo: URL(filePath: path).path),
            let bytes = try? Data(contentsOf: URL(filePath: executable), options: .mappedIfSafe)
        {
            addEntitlements(of: bytes)
        }
    }

    private mutating func read(_ data: Data, path: String) {
        guard let entries = PropertyListKeys.entries(of: data),
            let list = try? PropertyListSerialization.propertyList(from: data, format: nil) as? [String: Any]
        else {
            unreadable.append("\(path) is not a property list in XML or binary format")
            return
        }
        count += 1
        if path.hasSuffix(".xcprivacy") {
            let types = list["NSPrivacyCollectedDataTypes"] as? [[String: Any]] ?? []
            declaration.collectedData = types.compactMap { $0["NSPrivacyCollectedDataType"] as? String }
        } else if path.hasSuffix(".entitlements") || list.keys.contains(where: { $0.hasPrefix("com.apple.") }) {
            declaration.entitlements.entries += entries
        } else {
            declaration.infoPlist.entries += entries
            let folder = URL(filePath: path).deletingLastPathComponent().path
            // A built app is in the same folder as its sources more often than another app.
            if !folder.hasSuffix(".app"), Self.isApp(list) { appFolders.insert(folder) }
            let empty = list.filter { $0.key.hasSuffix("UsageDescription") && ($0.value as? String)?.isEmpty == true }
            declaration.emptyKeys += empty.keys.sorted()
            let platforms = list["CFBundleSupportedPlatforms"] as? [String] ?? []
            let isBuiltForMac = platforms.contains("MacOSX") || list["DTPlatformName"] as? String == "macosx"
            if list["LSMinimumSystemVersion"] != nil || isBuiltForMac { declaration.platform = .macOS }
        }
    }
}
