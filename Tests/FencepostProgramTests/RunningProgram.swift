import FencepostTransport
import Foundation
import Testing

/// A process of `fencepost serve` on a free port.
final class RunningProgram: Sendable {
    struct StartFailure: Error, CustomStringConvertible {
        let description: String

        init(_ log: String, in folder: URL) {
            let others = Companions.of(folder).map { "The log of \($0.name):\n\($0.logText)" }
            description = ([log] + others).joined(separator: "\n")
        }
    }

    static let executable =
        ProcessInfo.processInfo.environment["FENCEPOST_SOAK_PROGRAM"].map { URL(filePath: $0) }
        ?? URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().appending(path: "fencepost")

    let port: Int
    /// The first token of the database or of the cluster, if this start issued it.
    let firstToken: String?
    private let folder: URL
    private let process: Int32
    private let log: URL
    private let running: Process

    /// The command that serves the database in a folder.
    static func arguments(in folder: URL) -> [String] {
        ["serve", "--port", "0", "--storage", folder.appending(path: "fencepost.sqlite").path]
    }

    /// The variables of a program: those of the tests, and these settings.
    static func environment(_ settings: [String: String]) -> [String: String] {
        ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("FENCEPOST_") }
            .merging(["FENCEPOST_LOG_FORMAT": "json"]) { _, new in new }
            .merging(settings) { _, new in new }
    }

    /// The port in a log; `nil` while the program does not listen, or does not lead, where it has to.
    static func port(in log: String, isLeading: Bool) -> Int? {
        let line =
            isLeading
            ? /"msg":"listening".*"port":"?(\d+)/ : /"msg":"listening(?: as a node of a cluster)?".*"port":"?(\d+)/
        return log.firstMatch(of: line).flatMap { Int($0.output.1) }
    }

    /// Starts the program and waits until it accepts requests. Its database, output and log are in `folder`.
    ///
    /// In a cluster of three nodes the first start in a folder starts the two others too.
    init(in folder: URL, arguments: [String] = [], environment: [String: String] = [:]) async throws {
        self.folder = folder
        // A database with a token gets no other one.
        let isFirst = !Self.hasDatabase(folder)
        // A node of three leads at its first start or again when it is asked to; several partitions they share.
        let isAsked = !isFirst && TestCluster.size > 1 && TestCluster.leader == .own && TestCluster.partitions == "1"
        let leads = TestCluster.size == 1 || isFirst && TestCluster.leader == .own || isAsked
        if isFirst, !leads {
            try await Companions.start(in: folder, arguments: arguments, environment: environment)
            // They are ready, and hold requests, before one leads. This node could be faster then.
            if TestCluster.partitions == "1" { try await Companions.waitForLeader(in: folder) }
        }
        // Otherwise it would claim its own lease again, before the others miss it.
        if isAsked { try await Companions.waitForLeader(in: folder) }
        let number = try FileManager.default.contentsOfDirectory(atPath: folder.path).count
        log = folder.appending(path: "log-\(number)")
        let output = folder.appending(path: "out-\(number)")
        for file in [log, output] { try Data().write(to: file) }
        let settings = Self.environment(
            TestCluster.settings(folder, node: TestCluster.ownNode).merging(environment) { _, new in new })
        let child = Process()
        child.executableURL = Self.executable
        child.arguments = Self.arguments(in: folder) + arguments
        child.currentDirectoryURL = folder
        child.environment = settings
        child.standardInput = FileHandle.nullDevice
        child.standardOutput = try FileHandle(forWritingTo: output)
        child.standardError = try FileHandle(forWritingTo: log)
        try child.run()
        (process, running) = (child.processIdentifier, child)
        let asking = isAsked ? Task { await Self.askForLead(settings, in: folder) } : nil
        defer { asking?.cancel() }
        let end = ContinuousClock.now + .seconds(60)
        while true {
            let text = (try? String(contentsOf: log, encoding: .utf8)) ?? ""
            let printed = (try? String(contentsOf: output, encoding: .utf8)) ?? ""
            let token = ([printed] + Companions.of(folder).map(\.output)).compactMap {
                $0.firstMatch(of: /fp_[0-9A-Za-z]+/).map { String($0.output) }
            }.first
            if let found = Self.port(in: text, isLeading: leads), !isFirst || token != nil {
                (port, firstToken) = (found, isFirst ? token : nil)
                break
            }
            guard child.isRunning, ContinuousClock.now < end else {
                if child.isRunning { kill(process, SIGKILL) }
                throw StartFailure(text, in: folder)
            }
            // A test cannot wait for events of another process.
            try await Task.sleep(for: .milliseconds(10))
        }
        guard TestCluster.size > 1 else { return }
        if isFirst, leads { try await Companions.start(in: folder, arguments: arguments, environment: environment) }
        // It refuses requests until it has found NATS, and has no copy at first.
        while await !Self.isReady(port) || !Self.hasDatabase(folder) {
            if !child.isRunning, environment["FENCEPOST_CRASH_AT"] != nil { return }
            guard child.isRunning, ContinuousClock.now < end else {
                if child.isRunning { kill(process, SIGKILL) }
                throw StartFailure((try? String(contentsOf: log, encoding: .utf8)) ?? "", in: folder)
            }
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    /// Whether a node leads, or knows which one does.
    static func isReady(_ port: Int) async -> Bool {
        (try? await Client(port: port, token: "").request("GET", "/readyz"))?.status == 200
    }

    private static func hasDatabase(_ folder: URL) -> Bool {
        ["fencepost.sqlite", "config.sqlite"].contains {
            FileManager.default.fileExists(atPath: folder.appending(path: $0).path)
        }
    }

    /// Asks the cluster to let the test's node lead, until it does or the task is cancelled.
    private static func askForLead(_ settings: [String: String], in folder: URL) async {
        var isDone = false
        while !isDone, !Task.isCancelled {
            let command = Process()
            command.executableURL = executable
            command.arguments = ["cluster", "lead", TestCluster.ownNode]
            command.currentDirectoryURL = folder
            command.environment = settings
            for keyPath in [\Process.standardInput, \.standardOutput, \.standardError] {
                command[keyPath: keyPath] = FileHandle.nullDevice
            }
            guard (try? command.run()) != nil else { return }
            while command.isRunning {
                if Task.isCancelled { kill(command.processIdentifier, SIGKILL) }
                try? await Task.sleep(for: .milliseconds(20))
            }
            isDone = command.terminationStatus == 0
        }
    }

    /// The other nodes of its cluster.
    var companions: [Companion] { Companions.of(folder) }

    var isRunning: Bool { running.isRunning }

    /// The log of the program and those of its companions.
    var logText: String {
        ([(try? String(contentsOf: log, encoding: .utf8)) ?? ""] + companions.map(\.logText)).joined()
    }

    /// The ports of all nodes of its cluster, its own first.
    var ports: [Int] { [port] + companions.compactMap(\.port) }

    /// Has all nodes read their configuration again.
    func reload() {
        kill(process, SIGHUP)
        for companion in companions { companion.send(signal: "HUP") }
    }

    /// Kills the process.
    func killHard() async {
        kill(process, SIGKILL)
        _ = await waitForEnd()
    }

    /// - Returns: the exit status.
    func stop(_ signal: Int32 = SIGTERM) async -> Int32 {
        kill(process, signal)
        return await waitForEnd()
    }

    /// Waits for the end of the process, and kills it after a time.
    func waitForEnd(atMost limit: Duration) async -> Int32 {
        let end = ContinuousClock.now + limit
        while running.isRunning, ContinuousClock.now < end { try? await Task.sleep(for: .milliseconds(5)) }
        if running.isRunning { kill(process, SIGKILL) }
        return await waitForEnd()
    }

    func waitForEnd() async -> Int32 {
        while running.isRunning { try? await Task.sleep(for: .milliseconds(5)) }
        return running.terminationStatus
    }
}

/// A client of the service.
struct Client: Sendable {
    struct Answer {
        let status: Int
        let text: String
        let headers: [String: String]

        /// The parsed body.
        var json: Any? { try? JSONSerialization.jsonObject(with: Data(text.utf8), options: .fragmentsAllowed) }
        var object: [String: Any] { json as? [String: Any] ?? [:] }
        var data: [[String: Any]] { object["data"] as? [[String: Any]] ?? [] }
    }

    let port: Int
    let token: String

    func request(
        _ method: String, _ path: String, body: String? = nil, type: String = "application/json",
        headers: [String: String] = [:], timeout: Duration = .seconds(20)
    ) async throws -> Answer {
        var request = HTTPClientRequest(
            method, "http://127.0.0.1:\(port)\(path)", body: body.map { Array($0.utf8) })
        request.setHeader("Authorization", "Bearer \(token)")
        if body != nil { request.setHeader("Content-Type", type) }
        for (name, value) in headers { request.setHeader(name, value) }
        request.total = timeout
        let answer = try await HTTPClient.shared.response(to: request)
        return Answer(
            status: answer.status, text: String(decoding: answer.body, as: UTF8.self),
            headers: Dictionary(answer.headers.map { ($0.name.lowercased(), $0.value) }) { first, _ in first })
    }

    /// Whether a metric without labels has the value 1 at this port. Its help text begins with a 1 too.
    func isOne(_ metric: String) async throws -> Bool {
        try await request("GET", "/metrics").text.split(separator: "\n").contains("\(metric) 1")
    }

    /// The data of the first events of the event stream.
    func firstEvents(_ count: Int, of path: String) async throws -> [[String: Any]] {
        @Sendable func lines(_ body: [UInt8]) -> [Substring] {
            let text = String(decoding: body, as: UTF8.self)
            guard text.hasSuffix("\n\n") else { return [] }
            return text.split(separator: "\n").filter { $0.hasPrefix("data:") }
        }
        var request = HTTPClientRequest("GET", "http://127.0.0.1:\(port)\(path)")
        request.setHeader("Authorization", "Bearer \(token)")
        request.isEnough = { lines($0).count >= count }
        let answer = try await HTTPClient.shared.response(to: request)
        return lines(answer.body).prefix(count).compactMap {
            try? JSONSerialization.jsonObject(with: Data($0.dropFirst(5).utf8)) as? [String: Any]
        }
    }

    /// All elements of a list, read page by page.
    func all(_ path: String) async throws -> [[String: Any]] {
        var items: [[String: Any]] = []
        var next: String?
        repeat {
            let separator = path.contains("?") ? "&" : "?"
            let answer = try await request("GET", path + separator + "limit=500" + (next.map { "&cursor=\($0)" } ?? ""))
            guard answer.status == 200 else {
                Issue.record("GET \(path): \(answer.status) \(answer.text)")
                return items
            }
            items += answer.data
            next = answer.object["nextCursor"] as? String
        } while next != nil
        return items
    }
}

/// A temporary folder of a test.
final class ServiceFolder: Sendable {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: "fencepost-service-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit {
        Companions.end(in: url)
        try? FileManager.default.removeItem(at: url)
    }

    func write(_ name: String, _ text: String) throws -> String {
        let file = url.appending(path: name)
        try text.write(to: file, atomically: true, encoding: .utf8)
        return file.path
    }
}
