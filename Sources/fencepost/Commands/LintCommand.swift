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

            It searches a folder for Info.plist, *.entitlements, PrivacyInfo.xcprivacy, Xcode projects and app \
            extensions, reads an .ipa, and needs no source code. The exit code is 1 when a declaration is missing or wrong.
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
        guard files.count > 0 else {
            // What does not exist declares nothing that could be missing.
            if !files.unreadable.isEmpty { throw ExitStatus.badData.exit }
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
