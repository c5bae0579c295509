import ArgumentParser
import FencepostJSON
import FencepostSimulator
import Foundation

/// Checks an app's declarations about location.
struct Lint: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract:
            "Checks the location declarations of apps: Info.plist, entitlements and privacy manifests.",
        discussion: """
            Example:
              fencepost lint docs/examples/GeofenceApp

            It searches a folder for Info.plist, *.entitlements, PrivacyInfo.xcprivacy and app extensions, and needs no \
            source code. The exit code is 1 when a declaration is missing or wrong.
            """)

    @Option(name: .long, help: "The platform of the app.")
    var platform: Platform?

    @Flag(name: .long, help: "Print one JSON object per finding.")
    var json = false

    @Argument(help: "Property lists, entitlements, privacy manifests, app bundles, folders.", completion: .file())
    var paths: [String]

    func run() throws {
        var files = DeclarationFiles()
        for path in paths { files.add(path) }
        for problem in files.unreadable { Console.say("fencepost: \(problem)") }
        guard !files.isEmpty else {
            Console.say(
                "fencepost: found no Info.plist, entitlements or privacy manifest in \(paths.joined(separator: ", "))"
            )
            throw ExitStatus.noInput.exit
        }
        var declaration = files.declaration
        if let platform { declaration.platform = platform }
        let findings = declaration.findings()
        var buffer = OutputBuffer()
        for finding in findings {
            if json {
                buffer.bytes += Self.encode(finding)
            } else {
                let rules = finding.rules.isEmpty ? "" : " [\(finding.rules.map(\.rawValue).joined(separator: ", "))]"
                buffer.append("\(finding.severity.rawValue): \(finding.key): \(finding.effect)\(rules)\n")
            }
        }
        try? buffer.flush()
        let errors = findings.count { $0.severity == .error }
        if !json {
            Console.say(
                "\(Prose.count(files.count, "file")): \(Prose.count(errors, "problem")), "
                    + Prose.count(findings.count { $0.severity == .warning }, "warning"))
        }
        if !files.unreadable.isEmpty { throw ExitStatus.badData.exit }
        if errors > 0 { throw ExitStatus.problems.exit }
    }

    private static func encode(_ finding: LintFinding) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        for (name, text) in [("severity", finding.severity.rawValue), ("key", finding.key), ("effect", finding.effect)]
        {
            writer.name(name)
            writer.value(text)
        }
        writer.name("rules")
        writer.beginArray()
        for rule in finding.rules { writer.value(rule.rawValue) }
        writer.endArray()
        writer.endObject()
        writer.newline()
        return writer.bytes
    }
}

/// The merged declarations of an app's files.
private struct DeclarationFiles {
    private(set) var declaration = AppDeclaration()
    private(set) var unreadable: [String] = []
    private(set) var count = 0

    var isEmpty: Bool { count == 0 && unreadable.isEmpty }

    mutating func add(_ path: String) {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
            unreadable.append("\(path) does not exist")
            return
        }
        guard isFolder.boolValue else { return read(path) }
        let names = FileManager.default.enumerator(atPath: path)?.compactMap { $0 as? String }.sorted() ?? []
        for name in names {
            let last = name.split(separator: "/").last.map(String.init) ?? name
            // The Info.plist of an extension is not that of the app.
            if let range = name.range(of: ".appex/Info.plist"), range.upperBound == name.endIndex {
                declaration.extensions.append(name)
            } else if name.contains(".appex/") || name.contains(".framework/") {
                continue
            } else if last == "Info.plist" || last.hasSuffix("-Info.plist") || last.hasSuffix(".entitlements")
                || last.hasSuffix(".xcprivacy")
            {
                read(path + "/" + name)
            }
        }
    }

    private mutating func read(_ path: String) {
        guard let data = try? Data(contentsOf: URL(filePath: path)),
            let entries = PropertyListKeys.entries(of: data),
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
            let empty = list.filter { $0.key.hasSuffix("UsageDescription") && ($0.value as? String)?.isEmpty == true }
            declaration.emptyKeys += empty.keys.sorted()
            if list["LSMinimumSystemVersion"] != nil { declaration.platform = .macOS }
        }
    }
}
