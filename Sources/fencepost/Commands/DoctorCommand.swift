import ArgumentParser
import FencepostJSON
import FencepostStore
import Foundation

/// Checks the database.
struct DoctorCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor", abstract: "Checks the integrity and the consistency of the database.",
        discussion: """
            Example:
              fencepost doctor --config fencepost.json

            It only reads, also while the service runs. The exit code is 1 when it finds a problem.
            """)

    @OptionGroup var storage: StorageArguments

    @Flag(name: .long, help: "Print one JSON object.")
    var json = false

    func run() throws {
        let path = try storage.existingPath()
        let checks = try StorageArguments.run { try Doctor.examine(path) }
        print(json ? Self.encode(checks, path) : Self.describe(checks))
        guard checks.allSatisfy(\.isPassed) else { throw ExitStatus.problems.exit }
    }

    private static func describe(_ checks: [Doctor.Check]) -> String {
        var lines: [String] = []
        for check in checks {
            lines.append("\(check.isPassed ? "ok     " : "problem") \(check.name): \(check.claim)")
            lines += check.problems.map { "          \($0)" }
            if check.count > check.problems.count {
                lines.append("          and \(check.count - check.problems.count) more")
            }
        }
        return lines.joined(separator: "\n")
    }

    private static func encode(_ checks: [Doctor.Check], _ path: String) -> String {
        var writer = JSONWriter()
        writer.beginObject()
        writer.name("database")
        writer.value(path)
        writer.name("passed")
        writer.value(checks.allSatisfy(\.isPassed))
        writer.name("checks")
        writer.beginArray()
        for check in checks {
            writer.beginObject()
            writer.name("name")
            writer.value(check.name)
            writer.name("passed")
            writer.value(check.isPassed)
            writer.name("count")
            writer.value(check.count)
            writer.name("problems")
            writer.beginArray()
            for problem in check.problems { writer.value(problem) }
            writer.endArray()
            writer.endObject()
        }
        writer.endArray()
        writer.endObject()
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}
