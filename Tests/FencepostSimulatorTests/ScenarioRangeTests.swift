import FencepostGeometry
import FencepostJSON
import FencepostModel
import Testing

@testable import FencepostSimulator

/// Each key of a scenario with numbers at the ends of its range, and with numbers where none belongs.
@Suite("Numbers of scenarios") struct ScenarioRangeTests {
    private struct Bounds {
        var bounds: ClosedRange<Double>
        var isWhole = false
    }

    private static let metres = 100_000_000.0
    private static let ranges: [String: Bounds] = [
        "seconds": Bounds(bounds: 0...3_153_600_000), "staySeconds": Bounds(bounds: 0...3_153_600_000),
        "radius": Bounds(bounds: 0...metres), "distanceFilter": Bounds(bounds: -1...metres),
        "desiredAccuracy": Bounds(bounds: -2...Double.greatestFiniteMagnitude),
        "meters": Bounds(bounds: -metres...metres), "distanceBeyondBoundary": Bounds(bounds: -metres...metres),
        "maximumRegionMonitoringDistance": Bounds(bounds: -1...metres),
        "managers": Bounds(bounds: 0...1_000_000, isWhole: true),
        "locationNotifications": Bounds(bounds: 0...1_000_000, isWhole: true),
    ]
    /// Keys without a type: a number is a name for them, a version, or true.
    private static let untyped: Set = ["id", "deliveredTogether", "osVersion"]
    private static let extremes = [
        "-9223372036854775808", "9223372036854775808", "1e308", "-1e308", "18446744073709551616", "-2.5", "1e19",
    ]

    /// A member of a step or of a device, and the object that has it for a value.
    struct Member: CustomTestStringConvertible, Sendable {
        var verb: String?
        var key: String
        var testDescription: String { "\(verb ?? "given").\(key)" }

        func diagnostics(_ value: String) throws -> [Diagnostic] {
            let reader = ScenarioReader(file: nil)
            guard let verb else {
                let document = try JSONDocument(parsing: Array(#"{"\#(key)":\#(value)}"#.utf8))
                return reader.device(document.root, at: JSONPointer()).1
            }
            // What has to be there for the others to be read.
            let needed =
                switch verb {
                case "event", "start", "stop": ("service", "regionMonitoring")
                case "answer": ("choice", "allowOnce")
                case "updateSystem": ("osVersion", "26.0")
                case "request": ("level", "temporaryFullAccuracy")
                default: ("", "")
                }
            let other = needed.0.isEmpty || needed.0 == key ? "" : #""\#(needed.0)":"\#(needed.1)","#
            let document = try JSONDocument(parsing: Array(#"{\#(other)"do":"\#(verb)","\#(key)":\#(value)}"#.utf8))
            let (step, diagnostics) = reader.step(document.root, at: JSONPointer())
            // What is read is also done.
            if let step { _ = ScenarioRunner().run(Scenario(name: "", device: DeviceState(), steps: [step])) }
            return diagnostics
        }
    }

    static let members: [Member] =
        DeviceStateReader.keys.map { Member(verb: nil, key: $0) }
        + StepReader.keys.sorted { $0.key < $1.key }.flatMap { verb, keys in
            keys.map { Member(verb: verb, key: $0) }
        }.filter { !($0.verb == "moveAcrossBoundaryWhilePoweredOff" && $0.key == "identifier") }

    @Test("are in their ranges or get a clear error, whatever the key", arguments: members)
    func ranges(member: Member) throws {
        /// Whether the value is refused for what it is.
        func isRefused(_ value: String, _ words: String = "This has to be") throws -> Bool {
            try member.diagnostics(value).contains {
                $0.code == "invalid_value" && $0.position == .pointer("/\(member.key)") && $0.message.contains(words)
            }
        }
        guard let range = Self.ranges[member.key] else {
            for value in Self.extremes where !Self.untyped.contains(member.key) {
                #expect(try isRefused(value), "\(value)")
            }
            for value in Self.extremes { _ = try member.diagnostics(value) }
            return
        }
        func text(_ number: Double) -> String { range.isWhole ? "\(Int(clamped: number))" : "\(number)" }
        let (low, high) = (range.bounds.lowerBound, range.bounds.upperBound)
        for number in [low, high] { #expect(try !isRefused(text(number)), "\(number)") }
        let beyond = range.isWhole ? [low - 1, high + 1] : [low.nextDown, high.nextUp]
        for number in beyond where number.isFinite { #expect(try isRefused(text(number), text(low)), "\(number)") }
        for value in Self.extremes {
            let isIn = Double(value).map(range.bounds.contains) ?? false
            #expect(try isRefused(value) == !isIn, "\(value)")
        }
        if range.isWhole { #expect(try isRefused("1.5")) }
    }
}
