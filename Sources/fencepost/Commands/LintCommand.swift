import ArgumentParser
import FencepostJSON
import FencepostSimulator
import Foundation

/// What an app declares about location, and what the system will do.
struct Lint: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract:
            "Reads Info.plist, entitlements, app bundles and privacy manifests: what is missing and what then happens.",
        discussion: """
            Example:
              fencepost lint docs/examples/GeofenceApp

            A folder is searched for Info.plist, *.entitlements, PrivacyInfo.xcprivacy and extensions; \
            sources are not needed. The exit code is 1 when something does not work.
            """)

    @Option(name: .long, help: "The platform that the app is for.")
    var platform: Platform?

    @Flag(name: .long, help: "One JSON object a finding.")
    var json = false

    @Argument(help: "Property lists, entitlements, privacy manifests, app bundles, folders.", completion: .file())
    var paths: [String]

    func run() throws {
        var files = DeclarationFiles()
        for path in paths { files.add(path) }
        for problem in files.unreadable { Console.say("fencepost: \(problem)") }
        guard !files.isEmpty else {
            Console.say(
                "fencepost: there is no Info.plist, no entitlements and no privacy manifest in \(paths.joined(separator: ", "))"
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

/// The files that declare what an app does with location, put together.
private struct DeclarationFiles {
    private(set) var declaration = AppDeclaration()
    private(set) var unreadable: [String] = []
    private(set) var count = 0

    var isEmpty: Bool { count == 0 && unreadable.isEmpty }

    mutating func add(_ path: String) {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
            unreadable.append("there is no \(path)")
            return
        }
        guard isFolder.boolValue else { return read(path) }
        let names = FileManager.default.enumerator(atPath: path)?.compactMap { $0 as? String }.sorted() ?? []
        for name in names {
            let last = name.split(separator: "/").last.map(String.init) ?? name
            // An extension has an Info.plist of its own, which says nothing of the app's.
            if let place = name.range(of: ".appex/Info.plist"), place.upperBound == name.endIndex {
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
            unreadable.append("\(path) is no property list, neither XML nor binary")
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
