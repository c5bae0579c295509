import FencepostJSON
import FencepostModel
import FencepostService
import FencepostSimulator
import FencepostTesting
import Foundation
import NIOHTTP1
import Testing

/// Sends sequences of requests with values at their ends to a server with a real store, starts it again, and reads
/// everything by every route.
///
/// A trap ends the test process. The seed and the request before it are then in the file that `Trace` names.
/// `Tests/Fuzz/values.sh` runs the suite for hours.
@Suite("Values at their ends", .serialized) struct ValueSequenceTests {
    private static let environment = ProcessInfo.processInfo.environment
    /// The first seed, and how long sequences are run; without them a few sequences.
    private static let seed = environment["FENCEPOST_VALUES_SEED"].flatMap { UInt64($0) } ?? 1
    private static let seconds = environment["FENCEPOST_VALUES_SECONDS"].flatMap { Double($0) }
    private static let sequences: UInt64 = 4

    @Test("end no process: every format, route and parameter, with a start in between")
    func sequences() async throws {
        let clock = ContinuousClock()
        let end = clock.now + .seconds(Self.seconds ?? 0)
        var requests = 0
        guard Self.seconds != nil else {
            for seed in SeedShare.of(Self.seed..<Self.seed + Self.sequences) {
                requests += try await Self.sequence(seed)
            }
            return Trace.end()
        }
        var seed = Self.seed
        repeat {
            requests += try await Self.sequence(seed)
            seed += 1
        } while clock.now < end
        Trace.end()
        print("Values at their ends: seeds \(Self.seed) to \(seed - 1), \(requests) requests.")
    }

    /// Runs the sequence of a seed.
    ///
    /// - Returns: the number of its requests.
    private static func sequence(_ seed: UInt64) async throws -> Int {
        let folder = FileManager.default.temporaryDirectory.appending(path: "fencepost-values-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let sequence = ValueSequence(seed: seed)
        for _ in 0..<2 {
            try await TestServer.run(in: folder, token: await sequence.token) { server in
                try await sequence.begin(server)
                try await sequence.write(to: server)
                try await sequence.read(from: server)
            }
        }
        // What was stored is read once more after the last start.
        try await TestServer.run(in: folder, token: await sequence.token) { try await sequence.read(from: $0) }
        return await sequence.step
    }
}

/// The file with the last request, which is what ended the process if it is there afterwards.
private enum Trace {
    static let path =
        ProcessInfo.processInfo.environment["FENCEPOST_VALUES_TRACE"]
        ?? FileManager.default.temporaryDirectory.appending(path: "fencepost-values-last.txt").path

    static func write(_ text: String) {
        // Not atomic, because that takes a new file for each request.
        try? Data(text.utf8).write(to: URL(filePath: path))
    }

    static func end() { try? FileManager.default.removeItem(atPath: path) }
}

/// The requests of one seed, in order.
private actor ValueSequence {
    private let seed: UInt64
    private var values: EndValues
    private var devices: [EndValueDevice]
    private var operations: [Operation] = []
    private(set) var step = 0
    private(set) var token: String?

    /// Requests that write, in each of the two parts.
    private static let writes = 220

    /// A route to read from, with the names of its parameters.
    private struct Operation {
        let path: String
        let parameters: [String]
    }

    init(seed: UInt64) {
        self.seed = seed
        values = EndValues(seed: seed)
        let start = TestServer.now - .seconds(3 * 86_400)
        devices = ["jane", "bob", "carol"].map { EndValueDevice($0, at: start) }
    }

    // MARK: Writing

    func begin(_ server: TestServer) async throws {
        if token == nil {
            try await check(server, .PUT, "/v1/regions/office", TestServer.office)
            // The answers to Jane's phone have the last locations of the others.
            let friends = #"{"name":"jane","scopes":["ingest"],"deviceId":"jane/phone","friends":["bob","carol"]}"#
            let reply = try await server.post("/v1/tokens", friends)
            friendToken = try reply.json["token"]?.string
        }
        token = server.token
        guard operations.isEmpty else { return }
        let paths = try await server.get("/openapi.json").json["paths"]?.object.map(Array.init) ?? []
        for path in paths where path.name != "/v1/stream" && !path.name.hasPrefix("/page/") {
            guard let operation = path.value["get"] else { continue }
            let parameters = operation["parameters"]?.array?.compactMap { parameter in
                parameter["in"]?.string == "query" ? parameter["name"]?.string : nil
            }
            operations.append(Operation(path: path.name, parameters: parameters ?? []))
        }
        #expect(operations.count > 40)
    }

    private var friendToken: String?

    func write(to server: TestServer) async throws {
        for number in 0..<Self.writes {
            // Parts without an end value let devices get into all of their states.
            let probability = number % 40 < 20 ? 0 : 0.15
            switch values.number(below: 20) {
            case 0: try await importFile(to: server)
            case 1: try await putRegion(to: server, probability)
            case 2: try await query(server)
            case 3: try await ask(server)
            case 4:
                try await check(server, .POST, "/pub", Self.fix(values.number(200, 0)), token: friendToken)
            case 5: readFiles()
            default:
                let index = values.number(below: devices.count)
                let upload = values.upload(of: &devices[index], probability)
                let method = upload.method == "GET" ? HTTPMethod.GET : .POST
                try await check(server, method, upload.path, upload.body, type: upload.type)
            }
        }
        for device in devices {
            for _ in 0..<200 {
                let path = "/v1/devices/\(device.name)/evaluations"
                guard try await server.get(path).json["data"]?.count ?? 0 > 0 else { break }
                try await Task.sleep(for: .milliseconds(10))
            }
        }
    }

    private static func fix(_ altitude: String) -> String {
        #"{"_type":"location","lat":48.85833,"lon":2.29513,"tst":1772352000,"acc":12,"alt":\#(altitude)}"#
    }

    private static let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    private static let history = texts(
        in: "FencepostFormatsTests/Fixtures",
        [".gpx", ".kml", ".csv", ".tsv", ".json", ".ndjson", ".geojson", ".nmea", ".rec", ".jsonl"])
    private static let regions = texts(in: "FencepostRegionFilesTests/Golden", [".geojson"])
    private static let scenarios = texts(in: "FencepostSimulatorTests/Scenarios", [".json"])

    private static func texts(in folder: String, _ suffixes: [String]) -> [(name: String, text: String)] {
        let folder = tests.appending(path: folder)
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return names.sorted().compactMap { name in
            guard suffixes.contains(where: name.hasSuffix),
                let text = try? String(contentsOf: folder.appending(path: name), encoding: .utf8)
            else { return nil }
            return (name, text)
        }
    }

    private func importFile(to server: TestServer) async throws {
        let file = values.one(of: Self.history)
        let isJSON = file.text.first == "{" || file.text.first == "["
        let body = values.mutated(file.text, 0.08, isJSON: isJSON)
        let path = "/v1/imports?deviceId=\(values.one(of: devices).name)&file=\(EndValues.encoded(file.name))"
        try await check(server, .POST, path, body, type: "application/octet-stream")
    }

    private func putRegion(to server: TestServer, _ probability: Double) async throws {
        let file = values.one(of: Self.regions)
        let body = values.mutated(file.text, probability, isJSON: true)
        try await check(server, .POST, "/v1/regions", body, type: "application/geo+json")
        let number = values.number(below: 3)
        let radius = values.number(200, probability)
        let properties =
            #""id":"end-\#(number)","radius":\#(radius),"dwell":[\#(values.number(60, probability))],"#
            + #""altitude":{"min":\#(values.number(0, probability)),"max":\#(values.number(900, probability))},"#
            + #""speedLimit":\#(values.number(20, probability)),"validFrom":\#(values.number(1_700_000_000, probability))"#
        try await check(
            server, .PUT, "/v1/regions/end-\(number)",
            #"{"type":"Feature","geometry":{"type":"Point","coordinates":[10.005,50.005]},"#
                + #""properties":{\#(properties)}}"#)
    }

    private func ask(_ server: TestServer) async throws {
        let app = #"""
            {"id":"app-\#(values.number(below: 3))","devices":["*"],"services":[{"service":"regionMonitoring"},
            {"service":"visits"}],"given":{"grant":"always","lifecycle":"terminated","osVersion":18},
            "steps":[{"wait":3600}]}
            """#
        try await check(server, .POST, "/v1/apps", values.mutated(app, 0.2, isJSON: true))
        let question = #"{"given":{"grant":"always","lifecycle":"terminated"},"event":{"type":"region.entered"}}"#
        try await check(server, .POST, "/v1/explain", values.mutated(question, 0.2, isJSON: true))
        let device = values.one(of: devices).name
        let (from, to) = (parameter("from"), parameter("to"))
        try await check(
            server, .POST, "/v1/devices/\(device)/evaluations",
            "{\"from\":\(EndValues.quoted(from)),\"to\":\(EndValues.quoted(to))}")
    }

    /// Files that commands read: the configuration and scenarios.
    private func readFiles() {
        let configuration = """
            {"monitor":{"crossing":"confirmed","reorderWindow":1.5,"staleAfter":3600,"cushion":50},"visits":
            {"minimumStay":300,"radius":80,"maximumGap":7200},"server":{"port":8080,"bodyLimit":4194304,"ingestRate":60},
            "storage":{"path":"a.sqlite","retention":{"locations":30}},"alerts":[{"kind":"silent","after":600}]}
            """
        let text = values.mutated(configuration, 0.15, isJSON: true)
        step += 1
        Trace.write("seed \(seed) step \(step)\nconfiguration\n\(text)\n")
        _ = ConfigurationReader.read(Array(text.utf8), file: "fencepost.json")
        let scenario = values.mutated(values.one(of: Self.scenarios).text, 0.02, isJSON: true)
        step += 1
        Trace.write("seed \(seed) step \(step)\nscenario\n\(scenario)\n")
        for found in ScenarioReader(file: nil).scenarios(Data(scenario.utf8)).0?.scenarios.prefix(5) ?? [] {
            _ = ScenarioRunner().run(found)
        }
    }

    // MARK: Reading

    /// Reads everything that is stored, with ordinary parameters.
    func read(from server: TestServer) async throws {
        for operation in operations {
            let isHistory = operation.parameters.contains("format")
            for device in isHistory || operation.path.contains("{id}") ? devices : Array(devices.prefix(1)) {
                let path = operation.path.replacing("{id}", with: device.name)
                for format in isHistory ? ["json", "csv", "xlsx"] : [""] {
                    var items: [String] = []
                    if operation.parameters.contains("deviceId") { items.append("deviceId=\(device.name)") }
                    if operation.parameters.contains("from") {
                        items += ["from=2026-02-01T00:00:00Z", "to=2026-04-01T00:00:00Z"]
                    }
                    if operation.parameters.contains("near") { items += ["near=50.005,10.005", "within=100000"] }
                    if !format.isEmpty { items.append("format=\(format)") }
                    if operation.parameters.contains("by") { items.append("by=device") }
                    if operation.parameters.contains("period") { items.append("period=day") }
                    if operation.parameters.contains("limit") { items.append("limit=20") }
                    try await check(server, .GET, path + "?" + items.joined(separator: "&"))
                }
            }
        }
        for _ in 0..<40 { try await query(server) }
        for id in ["9223372036854775807", "9007199254740993", "0"] {
            step += 1
            Trace.write("seed \(seed) step \(step)\nstream after \(id)\n")
            try await RawConnection.open(server.port) { inbound, outbound in
                try await outbound.write(
                    "GET /v1/stream?lastEventId=\(id) HTTP/1.1\r\nHost: a\r\n"
                        + "Authorization: Bearer \(server.token)\r\n\r\n")
                let head = try await inbound.read(until: "retry")
                #expect(head.contains("200 OK"))
            }
        }
    }

    /// One reading request with parameters at their ends.
    private func query(_ server: TestServer) async throws {
        let operation = values.one(of: operations)
        var items: [String] = []
        for name in operation.parameters where values.chance(0.6) {
            items.append("\(name)=\(EndValues.encoded(parameter(name)))")
        }
        let id = values.chance(0.8) ? values.one(of: devices).name : values.one(of: ValueEnds.texts)
        let path = operation.path.replacing("{id}", with: EndValues.encoded(id))
        try await check(server, .GET, path + "?" + items.joined(separator: "&"))
    }

    private func parameter(_ name: String) -> String {
        switch values.number(below: 8) {
        case 0, 1: return values.endNumber()
        case 2: return values.one(of: ValueEnds.times)
        case 3: return values.chance(0.3) ? values.one(of: ValueEnds.texts) : values.one(of: ValueEnds.words)
        case 4: return (0..<(2 + 2 * values.number(below: 2))).map { _ in values.endNumber() }.joined(separator: ",")
        default: break
        }
        switch name {
        case "deviceId": return values.one(of: devices).name
        case "from": return "2026-02-20T00:00:00Z"
        case "to": return "2026-03-02T00:00:00Z"
        case "regionId": return "office"
        case "format": return values.one(of: ["json", "csv", "xlsx"])
        case "by": return values.one(of: ["device", "region", "tag"])
        case "period": return values.one(of: ["day", "week", "month"])
        case "timeZone": return values.one(of: ["Europe/Lisbon", "Pacific/Kiritimati", "UTC"])
        case "near": return "50.005,10.005"
        case "bbox": return "9,49,11,51"
        case "history": return values.one(of: ["all", "true", "false"])
        default: return "\(values.number(below: 100))"
        }
    }

    /// Sends a request. No answer is an error of the server, and none is missing.
    private func check(
        _ server: TestServer, _ method: HTTPMethod, _ path: String, _ body: String? = nil,
        type: String = "application/json", token: String? = nil
    ) async throws {
        step += 1
        Trace.write("seed \(seed) step \(step)\n\(method) \(path)\n\(body ?? "")\n")
        let reply = try await server.send(
            method, path, body: body.map { Array($0.utf8) }, type: body == nil ? nil : type,
            token: token.map { .some($0) } ?? .none)
        #expect(reply.status < 500, "seed \(seed) step \(step): \(method) \(path)\n\(body ?? "")\n\(reply.text)")
    }
}
