import FencepostSimulator
import Foundation

/// The findings in declarations and sources of one app or of several.
struct AppLint {
    /// With the path of the app, where there are several.
    private(set) var declarationFindings: [(app: String?, finding: LintFinding)] = []
    private(set) var sourceFindings: [SourceFinding] = []
    private(set) var unreadable: [String] = []
    /// How many declarations and sources were read.
    private(set) var count = 0

    /// Reads paths and checks what they declare.
    ///
    /// - Parameters:
    ///   - paths: files and folders. Folders of apps are checked one by one; everything else belongs to each of them.
    ///   - platform: the platform; `nil` for that of the declarations.
    init(_ paths: [String], platform: Platform? = nil) {
        var shared: [String] = []
        var apps: [String] = []
        for path in paths {
            let found = Self.apps(in: path)
            if found.isEmpty { shared.append(path) } else { apps += found }
        }
        guard apps.count > 1, !Self.areNested(apps) else {
            check(paths, platform)
            return
        }
        for app in apps { check([app] + shared, platform, app: app) }
    }

    private static func areNested(_ paths: [String]) -> Bool {
        let folders = paths.map { URL(filePath: $0).standardizedFileURL.path + "/" }
        return folders.indices.contains { index in
            folders.indices.contains { $0 != index && folders[$0].hasPrefix(folders[index]) }
        }
    }

    /// The folders and archives of the apps that a path holds; none when it has no Info.plist of an app.
    private static func apps(in path: String) -> [String] {
        let bundles = [".app", ".app/", ".ipa"]
        if bundles.contains(where: path.hasSuffix) { return [path] }
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder.boolValue,
            !path.hasSuffix(".xcodeproj"), !path.hasSuffix(".xcodeproj/")
        else { return [] }
        var files = DeclarationFiles()
        files.add(path)
        let folders = files.appFolders.sorted()
        guard folders.count > 1, !files.hasProject else { return folders.isEmpty && !files.hasProject ? [] : [path] }
        // Only where each declaration and source is below one of them it is known to which app it belongs.
        var rest = SourceFiles()
        _ = rest.add(path)
        var parts = DeclarationFiles()
        for folder in folders { parts.add(folder) }
        let isDivided =
            parts.count == files.count && parts.unreadable.count == files.unreadable.count
            && rest.files.allSatisfy { file in
                folders.count { URL(filePath: file.path).path.hasPrefix($0 + "/") } == 1
            }
        return isDivided ? folders : [path]
    }

    private mutating func check(_ paths: [String], _ platform: Platform?, app: String? = nil) {
        var files = DeclarationFiles()
        var sources = SourceFiles()
        for path in paths where !sources.add(path) { files.add(path) }
        for problem in files.unreadable + sources.unreadable where !unreadable.contains(problem) {
            unreadable.append(problem)
        }
        count += files.count + sources.files.count + sources.skippedFiles.count
        var declaration = files.declaration
        if let platform { declaration.platform = platform }
        let hasInfoPlist = !declaration.infoPlist.entries.isEmpty
        let lint = SourceLint(
            sources.files, declaration: declaration, hasInfoPlist: hasInfoPlist, isWhole: sources.areWhole,
            hasOtherCode: sources.hasOtherCode)
        var found = files.count > 0 ? declaration.findings(usesBackground: lint.usesBackground) : []
        if files.appFolders.count > 1 {
            found.append(
                LintFinding(
                    severity: .warning, key: "Info.plist",
                    effect: "\(files.appFolders.count) apps found, which are taken for one: "
                        + files.appFolders.sorted().joined(separator: ", ") + ". Give the folder of one.",
                    rules: []))
        }
        declarationFindings += found.map { (app, $0) }
        for finding in sources.skippedFiles + lint.run() where !sourceFindings.contains(finding) {
            sourceFindings.append(finding)
        }
    }
}
