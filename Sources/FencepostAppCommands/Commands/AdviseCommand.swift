package import ArgumentParser
import FencepostJSON
import FencepostSimulator

/// Plans what an app has to declare, ask, start and do at launch to get the locations that it wants.
package struct Advise: ParsableCommand {
    package init() {}

    package static let configuration = CommandConfiguration(
        abstract: "Plans grants, services, keys, sessions and launch code for what an app wants to know.",
        discussion: """
            Example:
              fencepost advise "know when the user leaves work, even when killed"

            Every item names its rules. --scenarios prints the promises of the plan as scenarios, which \
            fencepost simulate runs.
            """)

    @Argument(help: "What the app wants to know, in English, with the versions of iOS.")
    package var wish: String

    @OptionGroup var declared: AppDeclarationArguments

    @OptionGroup var interpretation: PolicyArguments

    @Flag(name: .long, help: "Print the plan as JSON.")
    package var json = false

    @Flag(name: .long, help: "Print the promises as scenarios with expectations.")
    package var scenarios = false

    package func validate() throws {
        if json, scenarios { throw ValidationError("--json and --scenarios exclude each other.") }
    }

    package func run() throws {
        if let gap = AppWish.gap(in: wish) { throw ValidationError(gap) }
        let wishes = AppWish.wishes(in: wish)
        guard !wishes.isEmpty else {
            let problem =
                AppWish.excludesEverything(wish)
                ? "\"\(wish)\" names only what the app does not want." : "No goal in \"\(wish)\"."
            throw ValidationError(
                "\(problem) Say what the app wants to know: leave or enter a place, visits, rough moves, "
                    + "the whole route, the current location once, beacons, or locations on demand. Understood are, for "
                    + "example: \(AppWish.examples.joined(separator: "; ")).")
        }
        for text in wishes.flatMap(\.ignored).withoutDuplicates {
            Console.say("fencepost: \"\(text)\" is not understood, and changes nothing in the plan")
        }
        guard let oldest = AppWish.majorVersions.first, wishes.allSatisfy({ !$0.systems.isEmpty }) else {
            throw ValidationError(
                "The advice covers iOS \(AppWish.majorVersions[0]) to \(OSVersion.newest.major); "
                    + "the wish names none of them.")
        }
        if let first = wishes.map(\.versions.lowerBound).min(), first < oldest {
            Console.say("fencepost: the advice covers iOS 13.4 and later, not iOS \(first)")
        }
        let declaration = try declared.declaration()
        let plans = wishes.map { Advice($0, for: declaration, gate: interpretation.gate) }
        guard json || scenarios else { return print(Advice.text(of: plans), terminator: "") }
        var writer = JSONWriter()
        if scenarios { writer.scenarios(of: plans) } else { writer.value(of: plans) }
        writer.newline()
        print(String(decoding: writer.bytes, as: UTF8.self), terminator: "")
    }
}
