public import ArgumentParser
import FencepostJSON
import FencepostModel
public import FencepostSimulator

/// Explains whether one event is delivered to an app and relaunches it.
package struct Explain: ParsableCommand {
    package init() {}

    package static let configuration = CommandConfiguration(
        abstract: "Explains whether iOS delivers an event and relaunches a terminated app for it.",
        discussion: """
            Example:
              fencepost explain --service visits --grant always --lifecycle terminated

            The answer has three lines: the verdict, how sure it is, and the reason. Without --terminated-by a terminated app
            is answered for a termination by the system and by the user.
            Apple's names are understood: --service CLCircularRegion --grant authorizedAlways --terminated-by "swiped away".
            Without --os the newest system that the rules know applies.
            The same as JSON, in a file or on standard input: {"given":{…},"event":{"service":…,"kind":…}}
            """)

    @Option(name: .long, help: "The service that the event comes from, such as visits or regionCircular.")
    package var service: Service?

    @Option(name: .long, help: "enter, exit, arrival, departure, moved, update, satisfied, unsatisfied, push.")
    package var kind: ServiceEvent.Kind?

    @Option(name: .long, help: "The authorization that the user granted.")
    package var grant: Grant?

    @Option(name: .long, help: "The state of the app.")
    package var lifecycle: Lifecycle?

    @Option(name: .long, help: "The cause of the termination.")
    package var terminatedBy: Termination?

    @Option(name: .long, help: "The platform.")
    package var platform: Platform?

    @Option(name: .customLong("os"), help: "The version of the operating system, such as 17.4; by default the newest.")
    package var osVersion: String?

    @OptionGroup var declared: AppDeclarationArguments

    @Option(
        name: .long, help: "How monitors behave: documented, field (as developers observed), or by the best sources.")
    package var monitor: MonitorProfile?

    @Option(name: .long, help: "When the app's launch code starts its services: always, withLaunchKey or never.")
    package var restarts: ServiceRestart?

    @Option(name: .long, help: "full, reduced or temporaryFull.")
    package var accuracy: Accuracy?

    @Option(
        name: .long, parsing: .singleValue,
        help: "A session that the app holds: always, whenInUse, backgroundActivitySession, liveActivity …; repeatable.")
    package var session: [Session] = []

    @Flag(name: .long, help: "Background App Refresh is off.")
    package var noBackgroundAppRefresh = false

    @Flag(name: .long, help: "Location Services are off.")
    package var noLocationServices = false

    @Flag(name: .long, help: "The device has not been unlocked since it was started.")
    package var locked = false

    @OptionGroup var gate: GateArguments

    @Flag(name: .long, help: "Print the rules and the evidence behind the answer.")
    package var why = false

    @Flag(name: .long, help: "Print the delivery as JSON.")
    package var json = false

    @Argument(help: "A file with the event and the app's state; - for standard input.", completion: .file())
    package var file: String?

    package func run() throws {
        let isAskedByFlags = service != nil
        if isAskedByFlags, file != nil { throw ValidationError("Use either flags or a file.") }
        if !isAskedByFlags, file == nil || file == "-" {
            InputFile.announceTerminal(
                "Reading a question as JSON from the terminal, until Control-D. By flags: fencepost explain --service "
                    + "visits --grant always --lifecycle terminated")
        }
        let bytes = isAskedByFlags ? try question() : Array(try InputFile.bytes(of: file ?? "-"))
        let name = file == "-" ? nil : file
        let (asked, problems) = ScenarioReader(file: name, propertyKeys: DeclarationFiles.entries(of:at:)).question(
            bytes)
        Console.report(problems)
        guard let (given, event) = asked else { throw ExitStatus.badData.exit }
        let delivery = gate.gate.decide(event, for: given)
        if json || !isAskedByFlags && !Console.isOutputTerminal {
            var writer = JSONWriter()
            writer.value(delivery)
            writer.newline()
            print(String(decoding: writer.bytes, as: UTF8.self), terminator: "")
        } else {
            print(DeliveryPrinter(event, for: given, gate: gate.gate, showsReasons: why).text)
        }
    }

    /// The flags in the form of a file, so that the same reader handles both.
    private func question() throws -> [UInt8] {
        let keys = try declared.declaration()
        if keys == nil, session.contains(where: \.prolongsUse) {
            Console.say(
                "fencepost: without --app the app declares no key, and its session needs the background mode location "
                    + "(PLIST-12)")
        }
        var writer = JSONWriter()
        func member(_ name: String, _ text: String?) {
            guard let text else { return }
            writer.name(name)
            writer.value(text)
        }
        func flag(_ name: String, _ isOff: Bool) {
            guard isOff else { return }
            writer.name(name)
            writer.value(false)
        }
        writer.beginObject()
        writer.name("given")
        writer.beginObject()
        member("platform", platform?.rawValue)
        member("osVersion", osVersion)
        member("grant", grant?.rawValue)
        member("lifecycle", lifecycle?.rawValue)
        member("terminatedBy", terminatedBy?.rawValue)
        member("accuracy", accuracy?.rawValue)
        if noBackgroundAppRefresh { member("backgroundAppRefresh", "off") }
        flag("locationServicesEnabled", noLocationServices)
        flag("unlockedSinceBoot", locked)
        member("monitorProfile", monitor?.rawValue)
        member("restartsServices", restarts?.rawValue)
        for (name, entries) in [("infoPlist", keys?.infoPlist.entries), ("entitlements", keys?.entitlements.entries)] {
            guard let entries else { continue }
            writer.name(name)
            writer.beginArray()
            for entry in entries { writer.value(entry) }
            writer.endArray()
        }
        if !session.isEmpty {
            writer.name("sessions")
            writer.beginArray()
            for held in session { writer.value(held.description) }
            writer.endArray()
        }
        writer.endObject()
        writer.name("event")
        writer.beginObject()
        member("service", service?.rawValue)
        member("kind", (kind ?? service?.typicalKind)?.rawValue)
        writer.endObject()
        writer.endObject()
        return writer.bytes
    }
}

/// Reads an enumeration of the simulator from an argument: Fencepost's names and Apple's.
public protocol SimulatorArgument: ExpressibleByArgument, RawRepresentable where RawValue == String {}

extension SimulatorArgument {
    /// Reads the value that the argument names; `nil` when it names none.
    public init?(argument: String) {
        guard let value = AppleName.value(of: argument, Self.self) else { return nil }
        self = value
    }
}

extension Service: SimulatorArgument {}
extension ServiceEvent.Kind: SimulatorArgument {}
extension Grant: SimulatorArgument {}
extension Lifecycle: SimulatorArgument {}
extension Termination: SimulatorArgument {}
extension Platform: SimulatorArgument {}
extension Accuracy: SimulatorArgument {}
extension MonitorProfile: SimulatorArgument {}
extension ServiceRestart: SimulatorArgument {}
extension Session: ExpressibleByArgument {
    /// Reads a session by Fencepost's or Apple's name; `nil` for any other text.
    public init?(argument: String) { self.init(argument) }
}
extension DeliveryLatency: ExpressibleByArgument {}
extension SimulatorPolicy: ExpressibleByArgument {}
