import FencepostGeometry
import FencepostJSON
import FencepostModel
import Testing

@testable import FencepostService

/// Each key of the configuration with numbers at the ends of its range, and with numbers where none belongs.
@Suite("Numbers of the configuration") struct ConfigurationRangeTests {
    struct Bounds: Sendable {
        var bounds: ClosedRange<Double>
        var isWhole = false
    }

    private static let span = Bounds(bounds: 0...315_360_000)
    private static func whole(_ bounds: ClosedRange<Int>) -> Bounds {
        Bounds(bounds: Double(bounds.lowerBound)...Double(bounds.upperBound), isWhole: true)
    }

    /// The keys that take a number. Every other one takes none, so that a new key cannot be forgotten.
    private static let ranges: [String: Bounds] = [
        "/monitor/reorderWindow": span, "/monitor/staleAfter": span, "/monitor/cushion": Bounds(bounds: 0...10_000),
        "/monitor/cushionStay": span, "/visits/radius": Bounds(bounds: 10...5000), "/visits/minimumStay": span,
        "/visits/maximumGap": Bounds(bounds: 1...315_360_000), "/visits/departureHold": span,
        "/server/port": whole(0...65_535), "/server/osmandPort": whole(0...65_535),
        "/server/ingestRate": whole(1...10_000_000), "/server/apiRate": whole(1...10_000_000),
        "/server/bodyLimit": whole(1024...1 << 30), "/server/importLimit": whole(1024...1 << 34),
        "/storage/retention/locations": span, "/storage/retention/events": span, "/storage/retention/deliveries": span,
        "/mqtt/port": whole(1...65_535), "/mqtt/publishTo/port": whole(1...65_535),
        "/geocoder/rate": Bounds(bounds: 0.01...100), "/geocoder/timeout": Bounds(bounds: 0.1...30),
        "/geocoder/maximumAge": span, "/cluster/patience": Bounds(bounds: 1...60), "/cluster/replicas": whole(1...5),
        "/regionRadius": Bounds(bounds: 1...20_037_508), "/cluster/logLimit": whole(64 << 20...1 << 50),
        "/cluster/peerPort": whole(0...65_535), "/tracing/sampleRatio": Bounds(bounds: 0...1),
        "/cluster/partitions": whole(1...Partitioning.maximum), "/cluster/copies": whole(1...1000),
    ]
    private static let extremes = [
        "-9223372036854775808", "9223372036854775807", "9223372036854775808", "18446744073709551616", "1e308", "-1e308",
        "1e19", "-0.5", "4.9e-324", "9007199254740993",
    ]

    /// The file that has a key, with what its section needs.
    private static func file(_ pointer: String, _ value: String) -> String {
        let names = pointer.split(separator: "/")
        var text = value
        for depth in names.indices.reversed() {
            let needed =
                switch "/" + names[..<depth].joined(separator: "/") {
                case "/mqtt", "/mqtt/publishTo": #""host":"h","#
                case "/geocoder": #""url":"https://a.example","#
                case "/oidc": #""issuer":"https://a.example","#
                case "/tracing": #""endpoint":"https://a.example/v1/traces","#
                default: ""
                }
            let isNeeded = ["host", "url", "issuer", "endpoint"].contains(names[depth])
            text = "{" + (isNeeded ? "" : needed) + "\"\(names[depth])\":\(text)}"
        }
        return text
    }

    private static func read(_ pointer: String, _ value: String) -> (configuration: Configuration, [Diagnostic]) {
        ConfigurationReader.read(Array(file(pointer, value).utf8), file: "f.json")
    }

    @Test(
        "are in their ranges or get one clear error, whatever the key", arguments: ConfigurationKey.all.map(\.pointer))
    func keys(pointer: String) throws {
        let key = try #require(ConfigurationKey.all.first { $0.pointer == pointer })
        /// Whether a number is taken. If not there is one diagnostic, for the key, with its range.
        func isTaken(_ value: String, _ words: [String] = []) -> Bool {
            let (configuration, problems) = Self.read(pointer, value)
            // What was read can be written.
            var writer = JSONWriter()
            key.write(configuration, &writer)
            guard !problems.isEmpty else { return true }
            let own = problems.filter { $0.position == .pointer(pointer) && $0.code == "invalid_value" }
            #expect(own.count == 1 && problems.allSatisfy { $0.code != "invalid_json" }, "\(value): \(problems)")
            for word in ["This has to be"] + words { #expect(own.first?.message.contains(word) == true, "\(problems)") }
            return false
        }
        guard let range = Self.ranges[pointer] else {
            for value in Self.extremes + ["0", "1"] { #expect(!isTaken(value), "\(value)") }
            return
        }
        let (low, high) = (range.bounds.lowerBound, range.bounds.upperBound)
        func text(_ number: Double) -> String { range.isWhole ? "\(Int(clamped: number))" : "\(number)" }
        for number in [low, high, (low + high) / 2] { #expect(isTaken(text(number)), "\(number)") }
        let beyond = range.isWhole ? [low - 1, high + 1] : [low.nextDown, high.nextUp]
        // The error says the range, in the form of the documentation.
        let bound = low == low.rounded() ? "\(Int(clamped: low))" : "\(low)"
        for number in beyond { #expect(!isTaken(text(number), [bound]), "\(number)") }
        for value in Self.extremes {
            let number = Double(value) ?? .nan
            let isIn = range.bounds.contains(number) && (!range.isWhole || number == number.rounded())
            #expect(isTaken(value) == isIn, "\(value)")
        }
        if range.isWhole { #expect(!isTaken("\(Int(clamped: low)).5")) }
        // As text, such as that of a variable.
        for word in ["NaN", "inf", "-inf", "1e999", "0x10", ""] {
            var reader = ConfigurationReader()
            reader.set(pointer, word, origin: "--flag")
            #expect(reader.diagnostics.map(\.code) == ["invalid_value"], "\(word)")
        }
    }

    @Test("are checked also where their section counts for nothing")
    func unused() {
        for (file, pointer) in [
            (#"{"visits":{"enabled":false,"radius":-1}}"#, "/visits/radius"),
            (#"{"geocoder":{"kind":"photon","rate":1e9}}"#, "/geocoder/rate"),
        ] {
            let problems = ConfigurationReader.read(Array(file.utf8), file: "f.json").1
            #expect(problems.contains { $0.code == "invalid_value" && $0.position == .pointer(pointer) }, "\(problems)")
        }
    }

    /// Numbers of rules and endpoints, each as a file with `#` where the number is.
    private static let members: [(file: String, pointer: String, range: Bounds)] = [
        (#"{"monitor":{"alerts":[{"type":"battery","below":#}]}}"#, "/monitor/alerts/0", Bounds(bounds: 0...1)),
        (#"{"monitor":{"alerts":[{"type":"accuracy","above":#}]}}"#, "/monitor/alerts/0", Bounds(bounds: 1...100_000)),
        (
            #"{"monitor":{"alerts":[{"type":"silent","above":#}]}}"#, "/monitor/alerts/0",
            Bounds(bounds: 60...31_536_000)
        ),
        (#"{"monitor":{"alerts":[{"type":"unplugged","for":#}]}}"#, "/monitor/alerts/0", span),
        (#"{"endpoints":[{"url":"https://a.example","precision":#}]}"#, "/endpoints/0/precision", whole(0...7)),
        (
            #"{"endpoints":[{"url":"https://a.example","format":"batch","batchSize":#}]}"#, "/endpoints/0/batchSize",
            whole(1...100)
        ),
        (
            #"{"endpoints":[{"url":"https://a.example","cooldown":#}]}"#, "/endpoints/0/cooldown",
            Bounds(bounds: 0...31_622_400)
        ),
        (
            #"{"endpoints":[{"kind":"ntfy","url":"https://a.example/t","priority":#}]}"#, "/endpoints/0/priority",
            whole(1...5)
        ),
        (
            #"{"endpoints":[{"kind":"ntfy","url":"https://a.example/t","group":#}]}"#, "/endpoints/0/group",
            Bounds(bounds: 0...86_400)
        ),
    ]

    @Test("of rules and endpoints are in their ranges or get one clear error", arguments: members.indices)
    func membersOfObjects(index: Int) {
        let (file, pointer, range) = Self.members[index]
        func problems(_ value: String) -> [Diagnostic] {
            ConfigurationReader.read(Array(file.replacing("#", with: value).utf8), file: "f.json").1
        }
        let (low, high) = (range.bounds.lowerBound, range.bounds.upperBound)
        func text(_ number: Double) -> String { range.isWhole ? "\(Int(clamped: number))" : "\(number)" }
        for number in [low, high] { #expect(problems(text(number)).isEmpty, "\(number)") }
        let beyond = range.isWhole ? [low - 1, high + 1] : [low.nextDown, high.nextUp]
        for value in beyond.map(text) + Self.extremes {
            guard let number = Double(value), !range.bounds.contains(number) else { continue }
            let found = problems(value)
            #expect(found.map(\.code) == ["invalid_value"], "\(value): \(found)")
            #expect(found.allSatisfy { $0.position == .pointer(pointer) }, "\(value): \(found)")
        }
    }
}
