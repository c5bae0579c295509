package import ArgumentParser
import FencepostJSON
package import FencepostSimulator

/// Prints whether an event is delivered, for each service, grant and state of the app.
package struct Matrix: ParsableCommand {
    package init() {}

    package static let configuration = CommandConfiguration(
        abstract: "Shows what is delivered and what relaunches an app, by service, grant and app state.",
        discussion: """
            Example:
              fencepost matrix --os 26 --vs 18
            """)

    @Option(name: .long, help: "The platform.")
    package var platform: Platform = .iOS

    @Option(name: .customLong("os"), help: "The version of the operating system.")
    package var osVersion = OSVersion.newest.description

    @Option(name: .long, help: "Show only the differences from this version.")
    package var vs: String?

    @Option(
        name: .long, parsing: .singleValue,
        help: "A session that the app holds: always, whenInUse, backgroundActivitySession, liveActivity …; repeatable.")
    package var session: [Session] = []

    @OptionGroup var interpretation: PolicyArguments

    @Flag(name: .long, help: "One JSON array of cells.")
    package var json = false

    package func run() throws {
        let version = try version(osVersion)
        let gate = interpretation.gate
        let system = OperatingSystem(platform, version)
        var writer = JSONWriter()
        if let vs {
            let comparison = MatrixComparison(
                of: system, with: OperatingSystem(platform, try self.version(vs)), gate: gate, sessions: session)
            guard json else { return print(Self.describe(comparison.differences, from: osVersion, to: vs)) }
            writer.value(comparison)
        } else {
            let matrix = RelaunchMatrix(system, gate: gate, sessions: session)
            guard json else { return print(Self.describe(matrix.cells, "\(platform.rawValue) \(osVersion)")) }
            writer.value(matrix)
        }
        writer.newline()
        print(String(decoding: writer.bytes, as: UTF8.self), terminator: "")
    }

    /// Reads a version, and says so where the platform never had it.
    private func version(_ text: String) throws -> OSVersion {
        guard let version = OSVersion(text) else { throw ValidationError("\(text) is not a version.") }
        if let problem = OperatingSystem(platform, version).versionProblem {
            if problem.isFatal { throw ValidationError(problem.text) }
            Console.say("fencepost: \(problem.text)")
        }
        return version
    }

    /// One table per state of the app: services in rows, grants in columns.
    private static func describe(_ cells: [RelaunchMatrix.Cell], _ title: String) -> String {
        var text = "\(title): ● delivered  ▲ starts the app  ◌ queued  ◐ held  ○ dropped  – not monitored  ? lost\n"
        for state in RelaunchMatrix.states {
            text += "\n\(state.description)\n"
            let header = Grant.allCases.map { pad($0.rawValue, 17) }.joined()
            text += pad("", 19) + header + "\n"
            for service in Service.startable {
                let row = Grant.allCases.map { grant in
                    let cell = cells.first { $0.service == service && $0.grant == grant && $0.state == state }
                    return pad(cell.map { "\(sign($0.delivery)) \($0.delivery.decidingRule.rawValue)" } ?? "", 17)
                }
                text += pad(service.rawValue, 19) + row.joined() + "\n"
            }
        }
        return text
    }

    private static func describe(
        _ differences: [MatrixComparison.Difference], from: String, to: String
    ) -> String {
        guard !differences.isEmpty else { return "There is no difference between \(from) and \(to)." }
        var text = "\(differences.count) cells differ between \(from) and \(to)\n\n"
        for difference in differences {
            let (here, there) = (difference.here, difference.there)
            text += "\(pad(here.service.rawValue, 19))\(pad(here.grant.rawValue, 19))\(pad(here.state.description, 26))"
            let words = [there, here].map { cell in
                describe(cell.delivery) + (difference.changesOutcome ? "" : ", \(cell.delivery.certainty.words)")
            }
            text += "\(to): \(words[0]); \(from): \(words[1])"
            if !difference.sessions.isEmpty {
                text += "; with \(difference.sessions.map(\.description).joined(separator: ", "))"
            }
            text += "\n"
            let added = here.delivery.warnings.filter { !there.delivery.warnings.map(\.rule).contains($0.rule) }
            for warning in added { text += "    uncertain: \(warning.rule.rawValue): \(Rule[warning.rule].text)\n" }
        }
        return text
    }

    private static func describe(_ delivery: Delivery) -> String {
        "\(delivery.outcome.rawValue)\(delivery.relaunch ? " and relaunched" : "") (\(delivery.decidingRule.rawValue))"
    }

    private static func sign(_ delivery: Delivery) -> String {
        if delivery.relaunch { return "▲" }
        return switch delivery.outcome {
        case .delivered: "●"
        case .queued: "◌"
        case .held: "◐"
        case .dropped: "○"
        case .notMonitored: "–"
        case .lost: "?"
        }
    }

    private static func pad(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(width - text.count, 1))
    }
}
