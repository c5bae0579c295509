import ArgumentParser
import FencepostEngine
import FencepostModel
import FencepostRegionFiles
import Foundation

/// The app files of a command.
enum AppArguments {
    /// Reads app files, folders of them and patterns; ends the command when one of them is wrong.
    static func load(_ paths: [String]) throws -> [App] {
        let (apps, problems) = read(paths)
        Console.report(problems)
        guard !problems.contains(where: { $0.severity == .error }) else { throw ExitStatus.configuration.exit }
        return apps
    }

    /// Reads the same, and gives what is wrong beside the apps that can be used.
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
                                    "The app id \"\(app.id)\" is there twice; give each app an id of its own."))
                        }
                        apps.append(app)
                    }
                }
            } catch {
                problems.append(Diagnostic(code: error.code, file: path, at: .file, error.message))
            }
        }
        return (apps, problems)
    }
}
