import ArgumentParser
import FencepostJSON
import FencepostSimulator

/// What becomes of an event of each service, under each grant, in each state of the app.
struct Matrix: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Services by grants by states of the app: what is delivered, and what starts a terminated app.",
        discussion: """
            Example:
              fencepost matrix --os 17.0 --vs 18.0
            """)

    @Option(name: .long, help: "The platform.")
    var platform: Platform = .iOS

    @Option(name: .customLong("os"), help: "The version of the system.")
    var osVersion = "17.0"

    @Option(name: .long, help: "Show only what is another with this version.")
    var vs: String?

    @Option(name: .long, help: "Which reading of disputed rules counts: strict or lenient.")
    var policy: SimulatorPolicy = .lenient

    @Flag(name: .long, help: "One JSON array of cells.")
    var json = false

    func run() throws {
        guard let version = OSVersion(osVersion) else { throw ValidationError("\(osVersion) is no version.") }
        var cells = DecisionMatrix(platform, version, policy: policy).cells
        var others: [DecisionMatrix.Cell]?
        if let vs {
            guard let other = OSVersion(vs) else { throw ValidationError("\(vs) is no version.") }
            let pairs = zip(cells, DecisionMatrix(platform, other, policy: policy).cells)
                .filter { !$0.isDecidedAlike($1) }
            cells = pairs.map { $0.0 }
            others = pairs.map { $0.1 }
        }
        if json {
            var writer = JSONWriter()
            writer.beginArray()
            for place in cells.indices { writer.value(cells[place], against: others?[place]) }
            writer.endArray()
            writer.newline()
            print(String(decoding: writer.bytes, as: UTF8.self), terminator: "")
        } else if let others {
            print(Self.describe(cells, others, from: osVersion, to: vs ?? ""))
        } else {
            print(Self.describe(cells, "\(platform.rawValue) \(osVersion)"))
        }
    }

    /// A table for each state of the app: services down, grants across.
    private static func describe(_ cells: [DecisionMatrix.Cell], _ title: String) -> String {
        var text = "\(title): ● delivered  ▲ starts the app  ◌ queued  ◐ held  ○ dropped  – not monitored  ? lost\n"
        for state in DecisionMatrix.states {
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
        _ cells: [DecisionMatrix.Cell], _ others: [DecisionMatrix.Cell], from: String, to: String
    ) -> String {
        guard !cells.isEmpty else { return "Nothing differs between \(from) and \(to)." }
        var text = "\(cells.count) cells differ between \(from) and \(to)\n\n"
        for (cell, other) in zip(cells, others) {
            text += "\(pad(cell.service.rawValue, 19))\(pad(cell.grant.rawValue, 19))\(pad(cell.state.description, 26))"
            text += "\(describe(cell.delivery)) → \(describe(other.delivery))\n"
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

/// Every decision for one release of a system, on an app that has all keys and has started the service.
struct DecisionMatrix {
    /// Where an app is in its life.
    struct State: Hashable, CustomStringConvertible {
        let lifecycle: Lifecycle
        let terminatedBy: Termination?

        var description: String { lifecycle.rawValue + (terminatedBy.map { " by \($0.rawValue)" } ?? "") }
    }

    struct Cell {
        let service: Service
        let grant: Grant
        let state: State
        let delivery: Delivery

        /// Whether the event comes to the same end, whatever rules were weighed on the way.
        func isDecidedAlike(_ other: Cell) -> Bool {
            delivery.outcome == other.delivery.outcome && delivery.relaunch == other.delivery.relaunch
                && delivery.appWoken == other.delivery.appWoken
                && delivery.decidingRule == other.delivery.decidingRule
        }
    }

    static let states: [State] =
        Lifecycle.allCases.filter { $0 != .terminated }.map { State(lifecycle: $0, terminatedBy: nil) }
        + [Termination.system, .user].map { State(lifecycle: .terminated, terminatedBy: $0) }

    let cells: [Cell]

    init(_ platform: Platform, _ version: OSVersion, policy: SimulatorPolicy) {
        let gate = RelaunchGate(policy: policy)
        var cells: [Cell] = []
        for state in Self.states {
            for service in Service.startable {
                for grant in Grant.allCases {
                    var given = Given()
                    (given.platform, given.osVersion, given.grant) = (platform, version, grant)
                    (given.lifecycle, given.terminatedBy) = (state.lifecycle, state.terminatedBy)
                    given.infoPlist = PropertyKeys([
                        "NSLocationWhenInUseUsageDescription", "NSLocationAlwaysAndWhenInUseUsageDescription",
                        "NSLocationAlwaysUsageDescription", "UIBackgroundModes:location",
                    ])
                    let event = ServiceEvent(service, service.typicalKind)
                    given.assumeStarted(event)
                    cells.append(
                        Cell(service: service, grant: grant, state: state, delivery: gate.decide(event, given: given)))
                }
            }
        }
        self.cells = cells
    }
}

extension JSONWriter {
    /// A cell as `matrix --json` prints it; with another one, both decisions.
    fileprivate mutating func value(_ cell: DecisionMatrix.Cell, against other: DecisionMatrix.Cell?) {
        beginObject()
        for (name, text) in [
            ("service", cell.service.rawValue), ("grant", cell.grant.rawValue),
            ("lifecycle", cell.state.lifecycle.rawValue),
        ] {
            self.name(name)
            value(text)
        }
        name("terminatedBy")
        if let terminatedBy = cell.state.terminatedBy { value(terminatedBy.rawValue) } else { null() }
        if let other {
            name("before")
            beginObject()
            decision(cell.delivery)
            endObject()
            name("after")
            beginObject()
            decision(other.delivery)
            endObject()
        } else {
            decision(cell.delivery)
        }
        endObject()
    }

    private mutating func decision(_ delivery: Delivery) {
        name("delivery")
        value(delivery.outcome.rawValue)
        name("relaunch")
        value(delivery.relaunch)
        name("appWoken")
        value(delivery.appWoken)
        name("decidingRule")
        value(delivery.decidingRule.rawValue)
        name("confidence")
        value(delivery.confidence.rawValue)
    }
}
