import ArgumentParser
import FencepostAppCommands
import FencepostEngine
import FencepostFormats
import FencepostJSON
import FencepostMessages
import FencepostModel
import FencepostMonitor
import FencepostRegions
import FencepostService
import FencepostWebhooks
import Foundation

/// Prints the messages that the endpoints of a configuration would send about recorded locations.
struct Notify: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Prints the messages that people would get about recorded locations. Sends nothing.",
        discussion: """
            Example:
              fencepost notify --dry-run --regions Regions Regions/tracks/day.ndjson

            The endpoints are those of the configuration file. Without one, the messages are those of an ntfy endpoint \
            that chooses nothing: who comes home and leaves home, and alerts. Quiet hours, cooldown and collection \
            follow the times of the events.
            """)

    @Flag(name: .long, help: "Required: messages are only printed. `fencepost serve` sends them.")
    var dryRun = false

    @OptionGroup var regionArguments: RegionArguments
    @OptionGroup var monitor: MonitorArguments

    @Option(name: .long, help: "Only this endpoint of the configuration.")
    var endpoint: String?

    @Option(
        name: .long,
        help: "Units of all messages: metric or imperial; by default those of each endpoint.")
    var units: UnitSystem?

    @Option(name: .long, help: "text or ndjson; by default text on a terminal, else ndjson.")
    var output: Output?

    @OptionGroup var input: InputArguments

    enum Output: String, ExpressibleByArgument, CaseIterable { case text, ndjson }

    func validate() throws {
        if !dryRun {
            throw ValidationError("Add --dry-run: this command only prints messages. `fencepost serve` sends them.")
        }
    }

    func run() throws {
        Interrupt.install()
        let setup = try regionArguments.load(for: input.files.isEmpty ? nil : monitor)
        let endpoints = try endpoints(of: setup.configuration)
        var settings = setup.configuration.monitor
        monitor.apply(to: &settings)
        var engine = MonitorEngine(setup.index, settings: settings, holdsLeaps: true)
        var rehearsal = MessageRehearsal(
            endpoints, instance: setup.configuration.webhooks.instance,
            zone: setup.configuration.timeZone, regions: setup.index.catalog)
        var reader = InputReader(input)
        var buffer = OutputBuffer()
        let isText = (output ?? (Console.isOutputTerminal ? .text : .ndjson)) == .text
        func take(_ event: Event) {
            for message in rehearsal.take(event) { Self.print(message, isText: isText, to: &buffer.bytes) }
        }
        try reader.run { location, _, _ in _ = try engine.accept(location) { take($0) } }
        try engine.finish { take($0) }
        for message in rehearsal.finish() { Self.print(message, isText: isText, to: &buffer.bytes) }
        try? buffer.flush()
        if !input.quiet {
            let counts = rehearsal.counts
            Console.say(
                "\(counts.sent) sent, \(counts.suppressed) suppressed, \(counts.omitted) that repeat one; "
                    + "nothing has left this machine")
        }
        if let failure = reader.failure { throw failure.exit }
        if input.strict, reader.rejected > 0 { throw ExitStatus.badData.exit }
    }

    private func endpoints(of configuration: Configuration) throws -> [Endpoint] {
        var endpoints = configuration.endpoints.enumerated().map { index, draft in
            var endpoint = draft.endpoint
            if endpoint.id.isEmpty { endpoint.id = "endpoints/\(index)" }
            if let units { endpoint.people.units = units }
            return endpoint
        }
        if let id = endpoint {
            endpoints = endpoints.filter { $0.id == id }
            if endpoints.isEmpty { throw ValidationError("The configuration has no endpoint \"\(id)\".") }
        }
        let forPeople = endpoints.filter(\.kind.isForPeople)
        if !endpoints.isEmpty, forPeople.isEmpty {
            let kinds = Endpoint.Kind.chosen.filter(\.isForPeople).map(\.rawValue)
            throw ValidationError(
                "No endpoint is for people. Give one a \"kind\": \(kinds.dropLast().joined(separator: ", ")) or "
                    + "\(kinds.last ?? "").")
        }
        guard endpoints.isEmpty else { return forPeople }
        var sample = Endpoint(id: "sample", url: "https://ntfy.sh/sample", secrets: [], createdAt: .distantPast)
        sample.kind = .ntfy
        sample.people.units = units ?? configuration.units
        return [sample]
    }

    private static func print(_ message: MessageRehearsal.Message, isText: Bool, to bytes: inout [UInt8]) {
        if isText {
            let lines = message.text.body.split(separator: "\n").map { "    \($0)\n" }.joined()
            let note = message.isSuppressed ? " (suppressed)" : ""
            bytes += Array(
                "\(message.at.rfc3339)  \(message.endpoint.id)  \(message.text.title)\(note)\n\(lines)".utf8)
            return
        }
        var writer = JSONWriter()
        writer.beginObject()
        for (name, text) in [
            ("endpoint", message.endpoint.id), ("kind", message.endpoint.kind.rawValue), ("at", message.at.rfc3339),
            ("status", message.isSuppressed ? "suppressed" : "sent"), ("title", message.text.title),
            ("body", message.text.body),
        ] {
            writer.name(name)
            writer.value(text)
        }
        if let link = message.text.link {
            writer.name("link")
            writer.value(link)
        }
        writer.name("events")
        writer.beginArray()
        for id in message.eventIDs { writer.value(id) }
        writer.endArray()
        writer.endObject()
        writer.newline()
        bytes += writer.bytes
    }
}
