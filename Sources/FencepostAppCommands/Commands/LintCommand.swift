package import ArgumentParser
import FencepostJSON
import FencepostModel
package import FencepostSimulator
import Foundation

/// Checks an app's declarations about location.
package struct Lint: ParsableCommand {
    package init() {}

    package static let configuration = CommandConfiguration(
        abstract:
            "Checks the location declarations of apps and their Swift sources: Info.plist, entitlements, privacy manifests.",
        discussion: """
            Example:
              fencepost lint docs/examples/GeofenceApp

            It searches a folder for Info.plist, *.entitlements, PrivacyInfo.xcprivacy, Xcode projects and app \
            extensions, and Swift sources, and reads an .ipa. The exit code is 1 when a declaration is missing or wrong.
            A comment such as // fencepost:ignore SVC-24 on a line of a source, or on the line above, allows it.
            """)

    @Option(name: .long, help: "The platform of the app.")
    package var platform: Platform?

    @Flag(name: .long, help: "Print one JSON object per finding.")
    package var json = false

    @Flag(name: .long, help: "Print findings as annotations of GitHub's workflows.")
    package var github = false

    @Argument(
        help: "Property lists, entitlements, privacy manifests, Swift sources, app bundles, folders.",
        completion: .file())
    package var paths: [String]

    package func run() throws {
        let lint = AppLint(paths, platform: platform)
        let unreadable = lint.unreadable
        for problem in unreadable { Console.say("fencepost: \(problem)") }
        guard lint.count > 0 else {
            // What does not exist declares nothing that could be missing.
            if !unreadable.isEmpty { throw ExitStatus.badData.exit }
            Console.say(
                "fencepost: found no Info.plist, entitlements, privacy manifest or Swift source in "
                    + paths.joined(separator: ", "))
            throw ExitStatus.noInput.exit
        }
        let (findings, found) = (lint.declarationFindings, lint.sourceFindings)
        var buffer = OutputBuffer()
        for (app, finding) in findings {
            if json {
                buffer.bytes += Self.encode(finding.severity, finding.key, finding.effect, finding.rules) { writer in
                    guard let app else { return }
                    writer.name("app")
                    writer.value(app)
                }
            } else if github {
                let effect = app.map { "\($0): \(finding.effect)" } ?? finding.effect
                buffer.append(line(finding.severity, finding.key, effect, finding.rules))
            } else {
                let origin = app.map { "\($0): " } ?? ""
                buffer.append(origin + line(finding.severity, finding.key, finding.effect, finding.rules))
            }
        }
        for finding in found {
            if json {
                buffer.bytes += Self.encode(finding.severity, finding.key, finding.effect, finding.rules) { writer in
                    writer.name("file")
                    writer.value(finding.path)
                    for (name, number) in [("line", finding.line), ("column", finding.column)] {
                        writer.name(name)
                        writer.value(number)
                    }
                }
            } else if github {
                buffer.append(line(finding.severity, finding.key, finding.effect, finding.rules, at: finding))
            } else {
                let origin = "\(finding.path):\(finding.line):\(finding.column): "
                buffer.append(origin + line(finding.severity, finding.key, finding.effect, finding.rules))
            }
        }
        try? buffer.flush()
        let severities = findings.map(\.finding.severity) + found.map(\.severity)
        let errors = severities.count { $0 == .error }
        if !json {
            Console.say(
                "\(Prose.count(lint.count, "file")): \(Prose.count(errors, "problem")), "
                    + Prose.count(severities.count { $0 == .warning }, "warning"))
        }
        if !unreadable.isEmpty { throw ExitStatus.badData.exit }
        if errors > 0 { throw ExitStatus.problems.exit }
    }

    /// A finding as a line of text, or as a command of GitHub's workflows.
    private func line(
        _ severity: LintFinding.Severity, _ key: String, _ effect: String, _ rules: [RuleID],
        at origin: SourceFinding? = nil
    ) -> String {
        let ids = rules.map(\.rawValue).joined(separator: ", ")
        guard github else {
            return "\(severity.rawValue): \(key): \(effect)\(ids.isEmpty ? "" : " [\(ids)]")\n"
        }
        let command = severity == .note ? "notice" : severity.rawValue
        let file = origin.map { "file=\(Self.escaped($0.path)),line=\($0.line),col=\($0.column)," } ?? ""
        return "::\(command) \(file)title=\(Self.escaped(ids.isEmpty ? key : "\(key) \(ids)"))::"
            + effect.replacing("%", with: "%25") + "\n"
    }

    /// Properties of a workflow command escape what would end them.
    private static func escaped(_ text: String) -> String {
        text.replacing("%", with: "%25").replacing(":", with: "%3A").replacing(",", with: "%2C")
    }

    /// A finding as a line of JSON; `members` writes what follows its text.
    private static func encode(
        _ severity: LintFinding.Severity, _ key: String, _ effect: String, _ rules: [RuleID],
        _ members: (inout JSONWriter) -> Void
    ) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        for (name, text) in [("severity", severity.rawValue), ("key", key), ("effect", effect)] {
            writer.name(name)
            writer.value(text)
        }
        members(&writer)
        writer.name("rules")
        writer.beginArray()
        for rule in rules { writer.value(rule.rawValue) }
        writer.endArray()
        writer.endObject()
        writer.newline()
        return writer.bytes
    }
}
