import ArgumentParser
import FencepostAppCommands
import FencepostEngine
import FencepostModel
import FencepostRegionFiles
import Foundation

/// Reads the app files of a command.
enum AppArguments {
    /// Reads app files, folders and patterns, and ends the command when a file has an error.
    static func load(_ paths: [String]) throws -> [App] {
        let (apps, problems) = read(paths)
        Console.report(problems)
        guard !problems.contains(where: { $0.severity == .error }) else { throw ExitStatus.configuration.exit }
        return apps
    }

    /// Reads app files, folders and patterns.
    ///
    /// - Returns: the valid apps, and the problems of the files.
    static func read(_ paths: [String]) -> ([App], [Diagnostic]) {
        var apps: [App] = []
        var problems: [Diagnostic] = []
        for path in paths {
            do throws(PathProblem) {
                for file in try PathPattern.files(for: path) {
                    guard let bytes = try? Data(contentsOf: URL(filePath: file)) else {
                        problems.append(
                            Diagnostic(code: "unreadable_file", file: file, at: .file, "The file cannot be read."))
                        continue
                    }
                    let (found, wrong) = AppFile.read(bytes, file: file)
                    problems += wrong
                    for app in found {
                        if apps.contains(where: { $0.id == app.id }) {
                            problems.append(
                                Diagnostic(
                                    code: "duplicate_id", file: file, at: .file,
                                    "The app id \"\(app.id)\" exists twice; app ids have to be unique."))
                        }
                        apps.append(app)
                    }
                }
            } catch {
                problems.append(Diagnostic(code: error.code, file: path, at: .file, error.message))
            }
        }
        if let problem = AppFile.problem(withNumberOfApps: apps.count) { problems.append(problem) }
        return (apps, problems)
    }
}
